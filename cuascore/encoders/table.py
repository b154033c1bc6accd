"""The features of one sequence of texts or screenshots, by position in it."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

IN_MEMORY_BYTES = 1 << 30
"""Tables below this are read into memory once; larger ones are gathered from the memory-mapped shards."""
EMPTY = -1
"""Row of an empty text: the zero vector."""


class FeatureTable:
    """Vectors of a sequence.

    Attributes:
        width: of a vector; rows: (n,) int64 position of each item among the distinct contents, -1 for "".
        fingerprint: covers the encoder's identity and every content, in order.
    """

    def __init__(
        self,
        arrays: Sequence[NDArray[np.float32]],
        places: NDArray[np.int64],
        rows: NDArray[np.int64],
        width: int,
        encoder: str,
        keys: Sequence[bytes],
    ) -> None:
        self.width, self.rows = width, rows
        self.fingerprint = hashlib.sha256(encoder.encode() + b"".join(keys)).hexdigest()
        self._arrays, self._places = arrays, places
        self._memory: NDArray[np.float32] | None = None
        if (len(rows) + 1) * width * 4 <= IN_MEMORY_BYTES:
            self._memory = self._read(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def gather(self, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return (*indices.shape, width) float32 for positions in the sequence."""
        if self._memory is not None:
            return self._memory[indices]
        flat = np.asarray(indices).reshape(-1)
        return self._read(self.rows[flat]).reshape(*np.shape(indices), self.width)

    def _read(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Gather distinct rows shard by shard: ``places`` is (distinct, 2) of (shard, row in it)."""
        found = np.zeros((len(rows), self.width), np.float32)
        here = np.flatnonzero(rows != EMPTY)
        places = self._places[rows[here]]
        for shard in np.unique(places[:, 0]) if len(here) else ():
            chosen = places[:, 0] == shard
            found[here[chosen]] = self._arrays[shard][places[chosen, 1]]
        return found
