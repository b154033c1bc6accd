"""The feature store: each content embedded once, and nothing stale."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cuascore.encoders import FeatureStore, text_encoder, vision_encoder
from cuascore.errors import UserError
from tests.encoders.conftest import TEXTS


def test_each_distinct_text_is_embedded_once_and_gathered_by_position(encoders, tmp_path, asked):
    table = FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False)
    assert set(asked) == {text for text in TEXTS if text}
    assert len(asked) == 3
    direct = text_encoder(encoders[0]).encode(TEXTS)
    found = table.gather(np.arange(5))
    assert np.allclose(found[[0, 1, 3, 4]], direct[[0, 1, 3, 4]], atol=1e-5)
    assert not found[2].any(), "an empty text is the zero vector"
    assert np.array_equal(found[0], found[3])
    assert table.gather(np.array([[0, 1], [4, 2]])).shape == (2, 2, 16)
    again = FeatureStore(tmp_path).ensure_texts(encoders[0], [*TEXTS, "Press Enter"], progress=False)
    assert asked[3:] == ["Press Enter"]
    assert np.array_equal(again.gather(np.arange(5)), found)


def test_screenshots_are_known_by_content_and_not_by_name(encoders, tmp_path, pictures, asked):
    store = FeatureStore(tmp_path)
    table = store.ensure_images(encoders[1], pictures, progress=False)
    direct = vision_encoder(encoders[1]).encode([Image.open(path).convert("RGB") for path in pictures])
    assert np.allclose(table.gather(np.arange(3)), direct, atol=1e-5)
    copied = shutil.copy(pictures[0], tmp_path / "copy.png")
    store.ensure_images(encoders[1], [*pictures, Path(copied)], progress=False)
    assert len(asked) == 3


def test_k14_new_content_under_an_old_name_is_embedded_anew(encoders, tmp_path, pictures, asked):
    before = FeatureStore(tmp_path).ensure_images(encoders[1], pictures, progress=False)
    Image.new("RGB", (160, 100), (5, 200, 5)).save(pictures[1])
    after = FeatureStore(tmp_path).ensure_images(encoders[1], pictures, progress=False)
    assert asked[3:] == [pictures[1]]
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


def test_progress_is_plain_lines_on_stderr_where_there_is_no_terminal(encoders, tmp_path, capsys):
    FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS)
    printed = capsys.readouterr()
    assert "3/3" in printed.err
    assert printed.out == ""
    FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("template", ["", "query", "{} and {}", "{0}", "{text}"])
def test_a_template_without_its_place_is_refused(template, features):
    with pytest.raises(UserError, match="template"):
        features.ensure_texts("hash", ["a"], template=template)


def test_texts_may_hold_braces(features, hash_encoder):
    features.ensure_texts("hash", ["{} {0} {x"], template="say {}", progress=False)
    assert hash_encoder.asked == ["say {} {0} {x"]
