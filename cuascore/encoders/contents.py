"""Keys of contents: the sha256 of a text, or of a screenshot's file."""

import hashlib
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np

from cuascore.encoders.shards import KEY_BYTES, ShardFolder
from cuascore.errors import UserError

SETTLED_NANOSECONDS = 2_000_000_000
"""Younger files are read each time: a second write could leave no trace in their times."""


def text_key(text: str) -> bytes:
    """Return the key of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def file_keys(paths: Sequence[Path], memory: Path) -> list[bytes]:
    """Return the keys of files.

    AgentNet's screenshots are more than a hundred gigabytes: what a file held is remembered by its path, size, times
    and inode, and only files that are new or changed are read.

    Args:
        memory: folder of what was read before.

    Raises:
        UserError: a file cannot be read.
    """
    known = ShardFolder(memory)
    known.refresh()
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        marks = list(threads.map(_mark, paths))
        unread = [row for row, mark in enumerate(marks) if mark is None or mark not in known.index]
        found: dict[int, bytes] = dict(zip(unread, threads.map(_content, [paths[row] for row in unread]), strict=True))
    keys = []
    for row, mark in enumerate(marks):
        if row not in found and mark is not None:
            shard, place = known.index[mark]
            found[row] = known.arrays[shard][place].tobytes()
        keys.append(found[row])
    new = {mark: found[row] for row in unread if (mark := marks[row]) is not None}
    # Only a memory: where the disk takes no writing, files are read again.
    with suppress(UserError):
        if new:
            known.create({"kind": "screenshots", "key": "path, size, times, inode", "row": "sha256 of the file"})
            with known.writing():
                rows = np.frombuffer(b"".join(new.values()), np.uint8).reshape(len(new), KEY_BYTES)
                known.append(list(new), rows)
    return keys


def _mark(path: Path) -> bytes | None:
    """What tells a file's content without reading it; None while the file is young."""
    try:
        state = path.stat()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    changed = max(state.st_mtime_ns, state.st_ctime_ns)
    if time.time_ns() - changed < SETTLED_NANOSECONDS:
        return None
    told = f"{path.absolute()}\0{state.st_size}\0{state.st_mtime_ns}\0{state.st_ctime_ns}\0{state.st_ino}"
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).digest()


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").digest()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
