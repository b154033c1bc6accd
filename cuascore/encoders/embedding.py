"""Embedding what a store lacks: batches for the encoder, shards for the disk."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuascore.encoders.progress import embedding_progress
from cuascore.encoders.shards import ShardFolder
from cuascore.encoders.text import TextEncoder
from cuascore.encoders.vision import VisionEncoder
from cuascore.errors import UserError
from cuascore.trajectories.images import open_image

SHARD_SECONDS, SHARD_ROWS = 10.0, 65536
"""A shard is written after this long or this many rows: what a kill can cost, and what a reader must open."""
IMAGES_A_BATCH = 64

Missing = Sequence[tuple[bytes, Any]]
"""(key, text or path) of each content."""
Chunks = Iterator[tuple[Sequence[bytes], NDArray[np.float32]]]
Embed = Callable[[Missing], Chunks]


def text_embedder(encoder: TextEncoder, template: str) -> Embed:
    """Return what embeds texts, each put in the place of a template's ``{}``."""

    def embed(missing: Missing) -> Chunks:
        texts = [template.replace("{}", text) for _, text in missing]
        for chosen, vectors in encoder.encode_sorted(texts):
            yield [missing[i][0] for i in chosen], vectors

    return embed


def image_embedder(encoder: VisionEncoder) -> Embed:
    """Return what embeds screenshots; threads decode the next ones while the encoder works."""

    def prepare(path: Path) -> NDArray[np.uint8]:
        return encoder.prepare(open_image(path))

    def embed(missing: Missing) -> Chunks:
        ahead: deque[tuple[Sequence[bytes], Iterator[NDArray[np.uint8]]]] = deque()
        with ThreadPoolExecutor(cores()) as threads:
            for first in range(0, len(missing), IMAGES_A_BATCH):
                part = missing[first : first + IMAGES_A_BATCH]
                ahead.append(([key for key, _ in part], threads.map(prepare, [path for _, path in part])))
                if len(ahead) > 1:
                    keys, pictures = ahead.popleft()
                    yield keys, encoder.encode_prepared(list(pictures))
            for keys, pictures in ahead:
                yield keys, encoder.encode_prepared(list(pictures))

    return embed


def fill(shards: ShardFolder, missing: Missing, load: Callable[[], Embed], what: str, progress: bool) -> None:
    """Embed contents and append them to shards; interrupted or failing, it keeps what was done.

    Raises:
        UserError: the encoder gives NaN or infinite values, or the disk takes no writing.
    """
    keys: list[bytes] = []
    parts: list[NDArray[np.float32]] = []

    def write() -> None:
        nonlocal keys, parts
        done, vectors = keys, parts
        keys, parts = [], []
        if done:
            shards.append(done, np.concatenate(vectors))

    with embedding_progress(what, len(missing), progress) as advance, every_core():
        embed = load()
        written = time.monotonic()
        try:
            for chunk, vectors in embed(missing):
                if not np.isfinite(vectors).all():
                    raise UserError(f"{what}: the encoder gives NaN or infinite values; nothing of that was kept")
                keys.extend(chunk)
                parts.append(vectors)
                advance(len(chunk))
                if len(keys) >= SHARD_ROWS or time.monotonic() - written >= SHARD_SECONDS:
                    write()
                    written = time.monotonic()
        finally:
            write()


@contextmanager
def every_core() -> Iterator[None]:
    """Let torch use every core: the workers of a sweep have a share each, but all wait for these features."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(max(before, cores()))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
