"""A store that holds everything needs no weights and no encoder packages."""

import os
import shutil
import subprocess
import sys

import pytest
from PIL import Image

from cuascore.encoders import EncoderUnavailable, FeatureStore
from tests.encoders.conftest import TEXTS


def test_k14_a_complete_store_needs_no_weights(encoders, tmp_path, pictures, capsys):
    store = FeatureStore(tmp_path)
    before = store.ensure_texts(encoders[0], TEXTS, progress=False).fingerprint
    store.ensure_images(encoders[1], pictures, progress=False)
    shutil.rmtree(encoders[0])
    assert FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False).fingerprint == before
    said = capsys.readouterr().err
    assert "no such folder" in said
    assert "using features that this store already holds" in said
    with pytest.raises(EncoderUnavailable, match="no such folder"):
        FeatureStore(tmp_path).ensure_texts(encoders[0], [*TEXTS, "new"], progress=False)
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


def test_reading_a_complete_store_imports_no_encoder_library(encoders, tmp_path):
    FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False)
    code = (
        "import sys; from pathlib import Path; from cuascore.encoders import FeatureStore\n"
        f"FeatureStore(Path({str(tmp_path)!r})).ensure_texts({encoders[0]!r}, {TEXTS!r})\n"
        "sys.exit(sorted({'torch', 'transformers', 'open_clip', 'timm'} & set(sys.modules)) or 0)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def test_without_any_encoder_package_a_complete_store_serves(encoders, pictures, tmp_path):
    store = FeatureStore(tmp_path)
    prints = [
        store.ensure_texts(encoders[0], TEXTS).fingerprint,
        store.ensure_images(encoders[1], pictures).fingerprint,
    ]
    code = f"""
import sys
from pathlib import Path
for name in ("torch", "torchvision", "transformers", "sentence_transformers", "open_clip", "timm", "huggingface_hub"):
    sys.modules[name] = None
from cuascore.encoders import FeatureStore
store = FeatureStore(Path({str(tmp_path)!r}))
print(store.ensure_texts({encoders[0]!r}, {TEXTS!r}).fingerprint)
print(store.ensure_images({encoders[1]!r}, [Path(path) for path in {[str(path) for path in pictures]!r}]).fingerprint)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.stdout.split() == prints, found.stderr


def test_k14_a_name_whose_package_is_gone_uses_what_the_store_holds(encoders, pictures, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CUASCORE_MODELS", str(tmp_path / "models"))
    shutil.copytree(encoders[1].removeprefix("local-dir:"), tmp_path / "models" / "ViT-B-16-SigLIP_webli")
    before = FeatureStore(tmp_path).ensure_images("ViT-B-16-SigLIP/webli", pictures, progress=False)
    monkeypatch.setitem(sys.modules, "open_clip.pretrained", None)
    after = FeatureStore(tmp_path).ensure_images("ViT-B-16-SigLIP/webli", pictures, progress=False)
    assert after.fingerprint == before.fingerprint
    assert "needs the package open_clip" in capsys.readouterr().err
    with pytest.raises(EncoderUnavailable, match="needs the package open_clip"):
        FeatureStore(tmp_path / "other").ensure_images("ViT-B-16-SigLIP/webli", pictures, progress=False)
