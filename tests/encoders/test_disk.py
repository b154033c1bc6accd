"""Bad shards, bad vectors, bad screenshots and bad disks: each is one line, and nothing half-written counts."""

import errno

import numpy as np
import pytest

from cuascore.encoders import (
    FeatureStore,
    fingerprints,
    names,
    shards,
)
from cuascore.errors import UserError
from tests.encoders.conftest import TEXTS, HashEncoder


@pytest.mark.parametrize("damage", ["truncate", "garbage", "missing"])
def test_k14_a_damaged_shard_is_named_set_aside_and_embedded_again(encoders, tmp_path, damage, capsys, asked):
    before = FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False).gather(np.arange(5))
    FeatureStore(tmp_path).ensure_texts(encoders[0], ["later"], progress=False)
    shard = next(tmp_path.rglob("shard-00000000.npy"))
    if damage == "truncate":
        shard.write_bytes(shard.read_bytes()[:-40])
    elif damage == "garbage":
        shard.write_bytes(b"nonsense")
    else:
        shard.unlink()
    asked.clear()
    after = FeatureStore(tmp_path).ensure_texts(encoders[0], [*TEXTS, "later"], progress=False).gather(np.arange(5))
    assert f"{shard}: damaged" in capsys.readouterr().err
    assert np.array_equal(before, after)
    assert set(asked) == {text for text in TEXTS if text}, "what the other shard holds is not embedded again"
    assert list(tmp_path.rglob("damaged-shard-00000000*npy"))
    FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False)
    assert capsys.readouterr().err == ""


def test_nan_is_never_stored(features, hash_encoder, monkeypatch):
    monkeypatch.setattr(HashEncoder, "vector", staticmethod(lambda text: np.full(4, np.nan if text == "b" else 1.0)))
    with pytest.raises(UserError, match="NaN"):
        features.ensure_texts("hash", ["a long text", "and another", "b"], progress=False)
    assert sum(len(np.load(file)) for file in features.folder.rglob("shard-*.keys.npy")) == 2


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(features, hash_encoder, monkeypatch):
    real = np.save

    def full(file, array, **options):
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(UserError, match=r"No space left on device.*: free space"):
        features.ensure_texts("hash", ["a", "b"], progress=False)
    assert not list(features.folder.rglob("*shard-*"))
    monkeypatch.setattr(np, "save", real)
    assert len(features.ensure_texts("hash", ["a", "b"], progress=False)) == 2


def test_a_complete_store_on_a_read_only_disk_serves(features, hash_encoder, screenshots, encoders, monkeypatch):
    features.ensure_texts("hash", ["a"], progress=False)
    features.ensure_images(encoders[1], screenshots, progress=False)

    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    for module in (shards, names, fingerprints):
        monkeypatch.setattr(module, "write_file", refuse)
    monkeypatch.setattr(shards, "lock", refuse)
    features.memory.unlink()
    again = FeatureStore(features.folder.parent)
    assert len(again.ensure_texts("hash", ["a"], progress=False)) == 1
    assert len(again.ensure_images(encoders[1], screenshots, progress=False)) == 5
    with pytest.raises(UserError, match="Read-only file system"):
        again.ensure_texts("hash", ["a", "b"], progress=False)


def test_an_empty_or_broken_screenshot_is_refused_by_name(encoders, features, screenshots, tmp_path):
    (tmp_path / "empty.png").touch()
    for bad in ("empty.png", "missing.png"):
        with pytest.raises(UserError, match=bad):
            features.ensure_images(encoders[1], [*screenshots, tmp_path / bad], progress=False)
