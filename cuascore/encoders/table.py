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
        """Args:
        arrays: shards; places: (distinct, 2) of (shard, row in it).
        encoder: digest of the encoder's identity; keys: (n,) of 32 bytes each.
        """
        self.width, self.rows = width, rows
        self.fingerprint = hashlib.sha256(encoder.encode() + b"".join(keys)).hexdigest()
        self._arrays, self._places = arrays, places
        self._memory: NDArray[np.float32] | None = None
        if (len(places) + 1) * width * 4 <= IN_MEMORY_BYTES:
            # The last row is that of EMPTY: numpy counts -1 from the end.
            self._memory = self._read(np.append(np.arange(len(places)), EMPTY))

    def __len__(self) -> int:
        return len(self.rows)

    def gather(self, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return (*indices.shape, width) float32 for positions in the sequence."""
        rows = self.rows[indices]
        if self._memory is not None:
            return self._memory[rows]
        return self._read(rows.reshape(-1)).reshape(*rows.shape, self.width)

    def _read(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Gather distinct rows, one shard after another."""
        found = np.zeros((len(rows), self.width), np.float32)
        here = np.flatnonzero(rows != EMPTY)
        places = self._places[rows[here]]
        order = np.argsort(places[:, 0], kind="stable")
        shards, starts = np.unique(places[order, 0], return_index=True)
        for shard, chosen in zip(shards, np.split(order, starts[1:]), strict=True) if len(shards) else ():
            found[here[chosen]] = self._arrays[shard][places[chosen, 1]]
        return found
