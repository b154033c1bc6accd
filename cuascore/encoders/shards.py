"""Vectors on disk by content key: append-only shards, each whole or absent, with one writer at a time."""

import json
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuascore.files import lock, write_file

KEY_BYTES = 32


class ShardFolder:
    """The features of one encoder: ``encoder.json``, and ``shard-<n>.npy`` beside ``shard-<n>.keys.npy``.

    A shard counts when both files are there; the keys are renamed into place last. A damaged shard is set aside and its
    contents are embedded again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index: dict[bytes, tuple[int, int]] = {}
        self.arrays: list[NDArray[np.float32]] = []
        self._seen: set[str] = set()

    def create(self, identity: Any) -> None:
        """Make the folder and write what its vectors depend on."""
        path = self.folder / "encoder.json"
        if not path.exists():
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
                    raise ValueError(f"{len(keys)} keys for {vectors.shape} vectors")
            except (OSError, ValueError, EOFError) as error:
                self._set_aside(name, error)
                continue
            self._seen.add(name)
            place = len(self.arrays)
            self.arrays.append(vectors)
            for row, key in enumerate(keys):
                self.index.setdefault(key.tobytes(), (place, row))

    def _set_aside(self, name: str, error: Exception) -> None:
        warnings.warn(f"{self.folder / name}.npy: damaged ({error}); set aside and embedded again", stacklevel=3)
        for file in self.folder.glob(f"{name}.*npy"):
            os.replace(file, file.with_name(f"damaged-{file.name}"))

    def append(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Write one shard, vectors first; it exists for readers once its keys are in place."""
        taken = [int(file.name[6:14]) for file in self.folder.glob("shard-*.keys.npy")]
        name = f"shard-{max(taken, default=-1) + 1:08d}"
        packed = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), KEY_BYTES)
        for path, array in ((f"{name}.npy", vectors), (f"{name}.keys.npy", packed)):
            temporary = self.folder / f".tmp-{path}"
            with temporary.open("wb") as file:
                np.save(file, array)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.folder / path)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the folder's kernel lock."""
        with lock(self.folder / "writer.lock", wait=True):
            yield
