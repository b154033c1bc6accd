"""The Hugging Face hub's cache, and downloads into it where the user asked for them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cuascore.errors import UserError

WEIGHT_SUFFIXES = (".safetensors", ".bin", ".pt", ".pth", ".npz")


class EncoderUnavailable(UserError):
    """An encoder's weights, or a package it needs, are not on this machine, and no download was asked for.

    Attributes:
        repository: where on the hub the weights could be had; "" if nowhere.
    """

    def __init__(self, message: str, repository: str = "") -> None:
        super().__init__(message)
        self.repository = repository


def downloads_allowed() -> bool:
    """Whether the user asked for downloads (CUASCORE_DOWNLOAD=1)."""
    return os.environ.get("CUASCORE_DOWNLOAD") == "1"


def repository_folder(repository: str) -> Path:
    """Return the folder in which the hub's client keeps a repository such as ``timm/ViT-B-16-SigLIP``."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = Path(os.environ.get("HF_HOME") or cache / "huggingface")
    return Path(os.environ.get("HF_HUB_CACHE") or home / "hub") / f"models--{repository.replace('/', '--')}"


def snapshot(repository: str) -> Path | None:
    """Return the folder of a downloaded repository that has weights, its main branch first; None if there is none."""
    folder = repository_folder(repository)
    main = folder / "refs" / "main"
    named = [folder / "snapshots" / main.read_text().strip()] if main.is_file() else []
    others = sorted((folder / "snapshots").glob("*"), key=lambda path: path.stat().st_mtime, reverse=True)
    return next((path for path in [*named, *others] if weight_files(path)), None)


def weight_files(folder: Path) -> list[Path]:
    """Return the files of weights right in a folder; links whose target was never downloaded do not count."""
    return sorted(path for path in folder.glob("*") if path.suffix in WEIGHT_SUFFIXES and path.is_file())


@contextmanager
def offline() -> Iterator[None]:
    """Keep the hub's client, and what builds on it, from asking the network: weights come from files or not at all."""
    from huggingface_hub import constants

    before, constants.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE, True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def download(repository: str) -> None:
    """Download a repository's weights and settings into the hub's cache.

    Raises:
        EncoderUnavailable: the hub cannot be reached, or has no such repository.
    """
    from huggingface_hub import HfApi, snapshot_download

    try:
        files = HfApi().list_repo_files(repository)
        settings = ["*.json", "*.txt", "*.model"]
        # Some repositories hold the same weights in several formats; safetensors can run no code.
        weights = ["*.safetensors"] if any("/" not in f and f.endswith(".safetensors") for f in files) else ["*.bin"]
        snapshot_download(repository, allow_patterns=[*settings, *weights], ignore_patterns=["onnx/*", "openvino/*"])
    except Exception as error:  # of several libraries: HTTP, TLS, disk
        reason = str(error).strip().partition("\n")[0]
        raise EncoderUnavailable(f"download of {repository} from the hub failed: {reason}", repository) from error
