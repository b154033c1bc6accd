"""The feature store: every distinct text and screenshot is embedded once by each encoder, and remembered by content."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuascore.encoders.fingerprints import MEMORY
from cuascore.encoders.locate import EncoderUnavailable, downloads_allowed
from cuascore.encoders.progress import embedding_progress
from cuascore.encoders.shards import ShardFolder
from cuascore.encoders.table import EMPTY, FeatureTable
from cuascore.files import write_file
from cuascore.identity import digest

TEXTS_A_SHARD, IMAGES_A_SHARD = 2048, 256
"""What a kill can cost at most."""
ALIASES = "encoders.json"
"""Which identity an encoder's name and settings last stood for: a complete store then needs no weights."""

Encode = Callable[[Sequence[Any]], NDArray[np.float32]]


class FeatureStore:
    """Features under ``<root>/features/``. Several processes may use it at once."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "features"
        self.memory = self.folder / MEMORY
        self._folders: dict[str, ShardFolder] = {}

    def ensure_texts(
        self,
        name: str,
        texts: Sequence[str],
        *,
        max_tokens: int | None = None,
        template: str = "{}",
        progress: bool = True,
    ) -> FeatureTable:
        """Return the features of texts, embedding those that are not there yet; "" is the zero vector.

        Args:
            template: applied to each text before it is embedded, e.g. "query: {}"; part of the identity.

        Raises:
            EncoderUnavailable: something must be embedded, and the weights are not here.
        """
        from cuascore.encoders.text import text_encoder, text_identity

        spec = {"kind": "text", "name": name, "max_tokens": max_tokens, "template": template}
        identity = self._identity(spec, lambda: {**text_identity(name, max_tokens, self.memory), "template": template})
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() if text else b"" for text in texts]

        def load() -> tuple[int, Encode]:
            encoder = text_encoder(name, max_tokens=max_tokens, memory=self.memory)
            return encoder.width, lambda part: encoder.encode([template.format(text) for text in part])

        # Texts of like length share a batch, so that little of it is padding.
        items = sorted(zip(keys, texts, strict=True), key=lambda item: len(item[1]))
        return self._ensure(identity, keys, items, load, TEXTS_A_SHARD, f"texts with {name}", progress)

    def ensure_images(self, name: str, paths: Sequence[Path], *, progress: bool = True) -> FeatureTable:
        """Return the features of screenshots, embedding those that are not there yet.

        Raises:
            EncoderUnavailable: something must be embedded, and the weights are not here.
            UserError: a screenshot is missing, broken, or a decompression bomb.
        """
        from cuascore.encoders.vision import vision_encoder, vision_identity

        identity = self._identity({"kind": "vision", "name": name}, lambda: vision_identity(name, self.memory))
        with ThreadPoolExecutor(4) as threads:
            keys = list(threads.map(_content, paths))

        def load() -> tuple[int, Encode]:
            from cuascore.trajectories.images import open_image

            encoder = vision_encoder(name, memory=self.memory)

            def encode(part: Sequence[Path]) -> NDArray[np.float32]:
                # Decoding releases the interpreter's lock, so threads keep the encoder fed.
                with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                    return encoder.encode_prepared(list(pool.map(lambda path: encoder.prepare(open_image(path)), part)))

            return encoder.width, encode

        items = list(zip(keys, paths, strict=True))
        return self._ensure(identity, keys, items, load, IMAGES_A_SHARD, f"screenshots with {name}", progress)

    def _identity(self, spec: dict[str, Any], find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        path, key = self.folder / ALIASES, digest(spec)
        known = json.loads(path.read_text()) if path.exists() else {}
        try:
            identity = find()
        except EncoderUnavailable:
            if downloads_allowed():
                _fetch(spec)
                return self._identity(spec, find)
            if key not in known:
                raise
            # The weights are gone, but what they gave is still here under the name they last stood for.
            return dict(known[key])
        if known.get(key) != identity:
            write_file(path, json.dumps({**known, key: identity}, indent=1, sort_keys=True))
        return identity

    def _ensure(
        self,
        identity: dict[str, Any],
        keys: Sequence[bytes],
        items: Iterable[tuple[bytes, Any]],
        load: Callable[[], tuple[int, Encode]],
        size: int,
        what: str,
        progress: bool,
    ) -> FeatureTable:
        encoder = digest(identity)
        shards = self._folders.setdefault(encoder, ShardFolder(self.folder / encoder))
        distinct = {key: item for key, item in items if key}
        shards.refresh()
        if any(key not in shards.index for key in distinct):
            shards.create(identity)
            with shards.writing():
                # Another process may have embedded it while this one waited.
                shards.refresh()
                missing = [(key, item) for key, item in distinct.items() if key not in shards.index]
                if missing:
                    _embed(shards, missing, load, size, what, progress)
            shards.refresh()
        order = {key: row for row, key in enumerate(distinct)}
        places = np.array([shards.index[key] for key in distinct], np.int64).reshape(-1, 2)
        rows = np.array([order[key] if key else EMPTY for key in keys], np.int64)
        width = int(shards.arrays[0].shape[1]) if shards.arrays else load()[0]
        return FeatureTable(shards.arrays, places, rows, width, encoder, keys)


def _embed(
    shards: ShardFolder,
    missing: Sequence[tuple[bytes, Any]],
    load: Callable[[], tuple[int, Encode]],
    size: int,
    what: str,
    progress: bool,
) -> None:
    with embedding_progress(what, len(missing), progress) as advance:
        _, encode = load()
        for first in range(0, len(missing), size):
            part = missing[first : first + size]
            vectors = []
            # Small steps within a shard, so that the bar moves.
            for start in range(0, len(part), 64):
                chunk = part[start : start + 64]
                vectors.append(encode([item for _, item in chunk]))
                advance(len(chunk))
            shards.append([key for key, _ in part], np.concatenate(vectors))


def _content(path: Path) -> bytes:
    from cuascore.errors import UserError

    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").digest()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None


def _fetch(spec: dict[str, Any]) -> None:
    """Download an encoder's weights, by loading it once."""
    from cuascore.encoders.text import text_encoder
    from cuascore.encoders.vision import vision_encoder

    load: Callable[[str], object] = text_encoder if spec["kind"] == "text" else vision_encoder
    load(spec["name"])
