"""Which code made a result."""

import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    "cuascore",
    "torch",
    "pytorch-lightning",
    "optuna",
    "wandb",
    "sentence-transformers",
    "open_clip_torch",
    "timm",
)


@cache
def git_state() -> dict[str, Any]:
    """Return {"commit": 40 hex digits or None, "dirty": bool or None} of the checkout that this code runs from."""
    root = Path(__file__).resolve().parent.parent

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")) != root:
            return {"commit": None, "dirty": None}
        return {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain", "--untracked-files=no"))}
    except (OSError, subprocess.CalledProcessError):
        return {"commit": None, "dirty": None}


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that a result depends on."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
