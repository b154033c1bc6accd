"""The feature store: every distinct text and screenshot is embedded once by each encoder, and remembered by content."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cuascore.encoders.contents import file_keys, text_key
from cuascore.encoders.embedding import Embed, fill, image_embedder, text_embedder
from cuascore.encoders.fingerprints import MEMORY
from cuascore.encoders.names import identity_of
from cuascore.encoders.shards import ShardFolder
from cuascore.encoders.table import EMPTY, FeatureTable
from cuascore.encoders.text import text_encoder, text_identity
from cuascore.encoders.vision import vision_encoder, vision_identity
from cuascore.errors import UserError
from cuascore.identity import digest

NOTHING = bytes(32)
"""Key of an empty text, which no content has."""


class FeatureStore:
    """Features under ``<root>/features/``. Several processes may use it at once."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "features"
        self.memory = self.folder / MEMORY
        self._shards: dict[str, ShardFolder] = {}

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
            template: what each text is put into before it is embedded, e.g. "query: {}"; part of the identity.

        Raises:
            EncoderUnavailable: something must be embedded, and the weights are not here.
            UserError: unknown name, a template without its ``{}``, or a disk that takes no writing.
        """
        if template.count("{}") != 1:
            raise UserError(f"template {template!r}: write {{}} once, where the text goes")
        spec = {"kind": "text", "name": name, "max_tokens": max_tokens, "template": template}
        identity = identity_of(
            self.folder / "names",
            "text",
            spec,
            lambda: {**text_identity(name, max_tokens, self.memory), "template": template},
        )

        def load() -> tuple[int, Embed]:
            encoder = text_encoder(name, max_tokens=max_tokens, memory=self.memory)
            return encoder.width, text_embedder(encoder, template)

        keys = [text_key(text) if text else NOTHING for text in texts]
        return self._ensure(identity, keys, texts, load, f"texts with {name}", progress)

    def ensure_images(self, name: str, paths: Sequence[Path], *, progress: bool = True) -> FeatureTable:
        """Return the features of screenshots, embedding those that are not there yet.

        A screenshot is known by its file's bytes: another name, or a copy, is embedded once.

        Raises:
            EncoderUnavailable: something must be embedded, and the weights are not here.
            UserError: a screenshot is missing, broken or a decompression bomb; an unknown name; a disk that takes no
                writing.
        """
        spec = {"kind": "vision", "name": name}
        identity = identity_of(self.folder / "names", "vision", spec, lambda: vision_identity(name, self.memory))

        def load() -> tuple[int, Embed]:
            encoder = vision_encoder(name, memory=self.memory)
            return encoder.width, image_embedder(encoder)

        keys = file_keys(paths, self.folder / "screenshots")
        return self._ensure(identity, keys, paths, load, f"screenshots with {name}", progress)

    def _ensure(
        self,
        identity: dict[str, Any],
        keys: Sequence[bytes],
        items: Sequence[Any],
        load: Callable[[], tuple[int, Embed]],
        what: str,
        progress: bool,
    ) -> FeatureTable:
        encoder = digest(identity)
        shards = self._shards.setdefault(encoder, ShardFolder(self.folder / encoder))
        distinct = {key: item for key, item in zip(keys, items, strict=True) if key != NOTHING}
        shards.refresh()
        if any(key not in shards.index for key in distinct):
            shards.create(identity)
            with shards.writing():
                # Another process may have embedded it while this one waited.
                shards.refresh()
                missing = [(key, item) for key, item in distinct.items() if key not in shards.index]
                if missing:
                    fill(shards, missing, lambda: load()[1], what, progress)
            shards.refresh()
        order = {key: row for row, key in enumerate(distinct)}
        places = np.array([shards.index[key] for key in distinct], np.int64).reshape(-1, 2)
        rows = np.array([order.get(key, EMPTY) for key in keys], np.int64)
        width = int(shards.arrays[0].shape[1]) if shards.arrays else load()[0]
        return FeatureTable(shards.arrays, places, rows, width, encoder, keys)
