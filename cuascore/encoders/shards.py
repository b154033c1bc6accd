"""Vectors on disk by content key: append-only shards, each whole or absent, with one writer at a time."""

import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuascore.encoders.progress import notice
from cuascore.errors import UserError
from cuascore.files import lock, write_file

KEY_BYTES = 32
_writers: dict[Path, threading.Lock] = {}
"""A kernel lock keeps other processes out, but not other threads of its own."""


class ShardFolder:
    """Rows by key: ``encoder.json``, and ``shard-<n>.npy`` beside ``shard-<n>.keys.npy``.

    A shard counts when both files are there; the keys are renamed into place last. A damaged shard is set aside, by
    name, and its contents count as absent.

    Attributes:
        index: key (32 bytes) -> position of its shard in ``arrays``, and row in it.
        arrays: memory-mapped shards, each (n, width).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index: dict[bytes, tuple[int, int]] = {}
        self.arrays: list[NDArray[Any]] = []
        self._seen: set[str] = set()

    def create(self, identity: Any) -> None:
        """Make the folder and write what its vectors depend on.

        Raises:
            UserError: the disk takes no writing.
        """
        path = self.folder / "encoder.json"
        if not path.exists():
            with _disk(self.folder):
                write_file(path, json.dumps(identity, indent=1, sort_keys=True))

    def refresh(self) -> None:
        """Take in the shards that were finished since the last look."""
        for keys_path in sorted(self.folder.glob("shard-*.keys.npy")):
            name = keys_path.name.removesuffix(".keys.npy")
            if name in self._seen:
                continue
            try:
                keys = np.load(keys_path)
                vectors = np.load(self.folder / f"{name}.npy", mmap_mode="r")
                if keys.shape != (len(vectors), KEY_BYTES) or keys.dtype != np.uint8 or vectors.ndim != 2:
                    raise ValueError(f"{len(keys)} keys for vectors of shape {vectors.shape}")
            except (OSError, ValueError, EOFError) as error:
                self._set_aside(name, error)
                continue
            self._seen.add(name)
            place = len(self.arrays)
            self.arrays.append(vectors)
            for row, key in enumerate(keys):
                self.index.setdefault(key.tobytes(), (place, row))

    def _set_aside(self, name: str, error: Exception) -> None:
        notice(f"{self.folder / name}.npy: damaged ({error}); set aside, what it held is embedded again")
        for file in self.folder.glob(f"{name}.*npy"):
            # Another process may be faster, and on a read-only disk it only stays in sight.
            with suppress(OSError):
                os.replace(file, file.with_name(f"damaged-{file.name}"))

    def append(self, keys: Sequence[bytes], vectors: NDArray[Any]) -> None:
        """Write one shard, vectors first; it exists for readers once its keys are in place.

        Raises:
            UserError: the disk is full or takes no writing; nothing half-written counts.
        """
        taken = [int(file.name.split(".")[0].removeprefix("shard-")) for file in self.folder.glob("shard-*.keys.npy")]
        name = f"shard-{max(taken, default=-1) + 1:08d}"
        packed = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), KEY_BYTES)
        with _disk(self.folder):
            for path, array in ((f"{name}.npy", vectors), (f"{name}.keys.npy", packed)):
                _write_array(self.folder / path, array)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the folder's lock against other processes and threads; says so where it must wait."""
        path = self.folder / "writer.lock"
        with _writers.setdefault(path.resolve(), threading.Lock()), ExitStack() as held:
            with _disk(self.folder):
                got = held.enter_context(lock(path, wait=False))
            if not got:
                held.close()
                notice(f"{self.folder}: another process is embedding here; waiting for what it finishes")
                held.enter_context(lock(path, wait=True))
            yield


def _write_array(path: Path, array: NDArray[Any]) -> None:
    # Only the writer writes, so that a killed writer's leftover is overwritten and does not pile up.
    temporary = path.with_name(f".tmp-{path.name}")
    try:
        with temporary.open("wb") as file:
            np.save(file, array, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _disk(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{folder}: cannot be written ({error.strerror or error}): free space, or choose another --store"
        ) from error
