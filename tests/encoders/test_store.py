"""The feature store: each content embedded once, nothing stale, nothing half-written, no weights needed when whole."""

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cuascore.encoders import EncoderUnavailable, FeatureStore, text_encoder, vision_encoder
from cuascore.encoders import store as store_module
from cuascore.encoders import table as table_module
from cuascore.errors import UserError

TEXTS = ["Click Save", "Click Cancel and wait for the dialog", "", "Click Save", "Type hello"]


@pytest.fixture
def encoders(tiny_encoders, tmp_path) -> tuple[str, str]:
    """Copies that a test may change: (text folder, local-dir: name)."""
    text, vision = (shutil.copytree(folder, tmp_path / folder.name) for folder in tiny_encoders)
    return str(text), f"local-dir:{vision}"


@pytest.fixture
def pictures(tmp_path) -> list[Path]:
    paths = []
    for number in range(3):
        path = tmp_path / f"{number}.png"
        Image.new("RGB", (160, 100), (80 * number, 40, 90)).save(path)
        paths.append(path)
    return paths


def asked(monkeypatch) -> list:
    """Return a list to which every text that reaches the encoder is added."""
    seen: list = []
    real = store_module._embed

    def embed(shards, missing, *rest):
        seen.extend(item for _, item in missing)
        real(shards, missing, *rest)

    monkeypatch.setattr(store_module, "_embed", embed)
    return seen


def test_each_distinct_text_is_embedded_once_and_gathered_by_position(encoders, tmp_path, monkeypatch):
    seen = asked(monkeypatch)
    table = FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False)
    assert sorted(seen, key=len) == seen, "sorted by length"
    assert set(seen) == {text for text in TEXTS if text}
    assert len(seen) == 3
    direct = text_encoder(encoders[0]).encode(TEXTS)
    found = table.gather(np.arange(5))
    assert np.allclose(found[[0, 1, 3, 4]], direct[[0, 1, 3, 4]], atol=1e-5)
    assert not found[2].any(), "an empty text is the zero vector"
    assert np.array_equal(found[0], found[3])
    assert table.gather(np.array([[0, 1], [4, 2]])).shape == (2, 2, 16)
    again = FeatureStore(tmp_path).ensure_texts(encoders[0], [*TEXTS, "Press Enter"], progress=False)
    assert seen[3:] == ["Press Enter"]
    assert np.array_equal(again.gather(np.arange(5)), found)


def test_screenshots_are_known_by_content_and_not_by_name(encoders, tmp_path, pictures, monkeypatch):
    seen = asked(monkeypatch)
    store = FeatureStore(tmp_path)
    table = store.ensure_images(encoders[1], pictures, progress=False)
    direct = vision_encoder(encoders[1]).encode([Image.open(path).convert("RGB") for path in pictures])
    assert np.allclose(table.gather(np.arange(3)), direct, atol=1e-5)
    copied = shutil.copy(pictures[0], tmp_path / "copy.png")
    store.ensure_images(encoders[1], [*pictures, Path(copied)], progress=False)
    assert len(seen) == 3


def test_k14_new_content_under_an_old_name_is_embedded_anew(encoders, tmp_path, pictures, monkeypatch):
    seen = asked(monkeypatch)
    before = FeatureStore(tmp_path).ensure_images(encoders[1], pictures, progress=False)
    Image.new("RGB", (160, 100), (5, 200, 5)).save(pictures[1])
    after = FeatureStore(tmp_path).ensure_images(encoders[1], pictures, progress=False)
    assert seen[3:] == [pictures[1]]
    assert before.fingerprint != after.fingerprint
    assert not np.allclose(before.gather(np.arange(3))[1], after.gather(np.arange(3))[1])


def test_k14_every_setting_that_can_change_a_vector_changes_the_fingerprint(encoders, tmp_path, monkeypatch):
    """Encoder, template, limit, normalisation, weights: each leads to other features, and the first are found again."""
    text = encoders[0]
    store = FeatureStore(tmp_path)
    prints = {"plain": store.ensure_texts(text, TEXTS, progress=False).fingerprint}
    prints["template"] = store.ensure_texts(text, TEXTS, template="query: {}", progress=False).fingerprint
    prints["limit"] = store.ensure_texts(text, TEXTS, max_tokens=4, progress=False).fingerprint
    assert store.ensure_texts(text, TEXTS, progress=False).fingerprint == prints["plain"]
    pooling = next(Path(text).rglob("*Pooling/config.json"))
    config = json.loads(pooling.read_text())
    pooling.write_text(json.dumps({**config, "include_prompt": not config.get("include_prompt", True)}))
    prints["pooling"] = FeatureStore(tmp_path).ensure_texts(text, TEXTS, progress=False).fingerprint
    from safetensors.torch import load_file, save_file

    weights = Path(text) / "model.safetensors"
    save_file({name: value * 1.5 for name, value in load_file(weights).items()}, weights, metadata={"format": "pt"})
    prints["weights"] = FeatureStore(tmp_path).ensure_texts(text, TEXTS, progress=False).fingerprint
    assert len(set(prints.values())) == len(prints), prints


def test_k14_preprocessing_of_screenshots_is_part_of_the_identity(encoders, tmp_path, pictures):
    before = FeatureStore(tmp_path).ensure_images(encoders[1], pictures, progress=False)
    config = Path(encoders[1].removeprefix("local-dir:")) / "open_clip_config.json"
    tree = json.loads(config.read_text())
    tree["preprocess_cfg"]["mean"] = [0.1] * 3
    config.write_text(json.dumps(tree))
    after = FeatureStore(tmp_path).ensure_images(encoders[1], pictures, progress=False)
    assert before.fingerprint != after.fingerprint
    assert not np.allclose(before.gather(np.arange(3)), after.gather(np.arange(3)))


def test_the_fingerprint_covers_contents_and_their_order(encoders, tmp_path):
    store = FeatureStore(tmp_path)
    one = store.ensure_texts(encoders[0], ["a", "b"], progress=False).fingerprint
    assert one != store.ensure_texts(encoders[0], ["b", "a"], progress=False).fingerprint
    assert one == store.ensure_texts(encoders[0], ["a", "b"], progress=False).fingerprint


def test_k14_a_complete_store_needs_neither_weights_nor_packages(encoders, tmp_path, pictures):
    store = FeatureStore(tmp_path)
    before = store.ensure_texts(encoders[0], TEXTS, progress=False).fingerprint
    store.ensure_images(encoders[1], pictures, progress=False)
    shutil.rmtree(encoders[0])
    with pytest.raises(UserError, match="unknown text encoder"):
        FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False)
    # A name of the hub keeps what it last stood for.
    os.environ["CUASCORE_MODELS"] = str(tmp_path / "models")
    try:
        shutil.copytree(encoders[1].removeprefix("local-dir:"), tmp_path / "models" / "ViT-B-16-SigLIP_webli")
        with_weights = FeatureStore(tmp_path).ensure_images("ViT-B-16-SigLIP/webli", pictures, progress=False)
        shutil.rmtree(tmp_path / "models")
        without = FeatureStore(tmp_path).ensure_images("ViT-B-16-SigLIP/webli", pictures, progress=False)
        assert without.fingerprint == with_weights.fingerprint
        Image.new("RGB", (9, 9)).save(tmp_path / "new.png")
        with pytest.raises(EncoderUnavailable, match="no weights in"):
            FeatureStore(tmp_path).ensure_images("ViT-B-16-SigLIP/webli", [tmp_path / "new.png"], progress=False)
    finally:
        del os.environ["CUASCORE_MODELS"]
    assert before


def test_reading_a_complete_store_imports_no_encoder_library(encoders, tmp_path):
    FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False)
    code = (
        "import sys; from pathlib import Path; from cuascore.encoders import FeatureStore\n"
        f"FeatureStore(Path({str(tmp_path)!r})).ensure_texts({encoders[0]!r}, {TEXTS!r})\n"
        "sys.exit(sorted({'torch', 'transformers', 'open_clip', 'timm'} & set(sys.modules)) or 0)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def _embed_slowly(root: str, name: str, count: int) -> None:
    from cuascore.encoders import text

    real = text.TextEncoder.encode

    def slow(self, texts):
        time.sleep(0.2)
        return real(self, texts)

    text.TextEncoder.encode = slow
    store_module.TEXTS_A_SHARD = 4
    FeatureStore(Path(root)).ensure_texts(name, [f"text {n}" for n in range(count)], progress=False)


def test_k14_killed_half_way_it_goes_on_from_the_last_shard(encoders, tmp_path, monkeypatch):
    process = multiprocessing.get_context("spawn").Process(target=_embed_slowly, args=(str(tmp_path), encoders[0], 40))
    process.start()
    until = time.monotonic() + 120
    while len(list(tmp_path.rglob("shard-*.keys.npy"))) < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    kept = 4 * len(list(tmp_path.rglob("shard-*.keys.npy")))
    seen = asked(monkeypatch)
    texts = [f"text {n}" for n in range(40)]
    table = FeatureStore(tmp_path).ensure_texts(encoders[0], texts, progress=False)
    assert len(seen) == 40 - kept
    assert np.allclose(table.gather(np.arange(40)), text_encoder(encoders[0]).encode(texts), atol=1e-5)


def test_k14_two_writers_embed_everything_once(encoders, tmp_path):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_embed_slowly, args=(str(tmp_path), encoders[0], 16)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    keys = [key.tobytes() for file in tmp_path.rglob("shard-*.keys.npy") for key in np.load(file)]
    assert len(keys) == len(set(keys)) == 16


@pytest.mark.parametrize("damage", ["truncate", "garbage", "missing"])
def test_k14_a_damaged_shard_is_named_set_aside_and_embedded_again(encoders, tmp_path, damage):
    before = FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False).gather(np.arange(5))
    shard = next(tmp_path.rglob("shard-00000000.npy"))
    if damage == "truncate":
        shard.write_bytes(shard.read_bytes()[:-40])
    elif damage == "garbage":
        shard.write_bytes(b"nonsense")
    else:
        shard.unlink()
    with pytest.warns(UserWarning, match=r"shard-00000000\.npy: damaged"):
        after = FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False).gather(np.arange(5))
    assert np.array_equal(before, after)


def test_large_tables_are_gathered_from_the_mapped_files(encoders, tmp_path, monkeypatch):
    small = FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False)
    monkeypatch.setattr(table_module, "IN_MEMORY_BYTES", 0)
    large = FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False)
    assert large._memory is None
    indices = np.array([[4, 2, 0], [1, 1, 3]])
    assert np.array_equal(small.gather(indices), large.gather(indices))


def test_progress_is_plain_lines_on_stderr_where_there_is_no_terminal(encoders, tmp_path, capsys):
    FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS)
    printed = capsys.readouterr()
    assert "3/3" in printed.err
    assert printed.out == ""
    FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS)
    assert capsys.readouterr().err == ""
