"""Frozen text encoders through sentence-transformers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuascore.encoders.fingerprints import weights_identity
from cuascore.encoders.locate import HUB_TEXT, EncoderUnavailable, downloads_allowed, locate
from cuascore.errors import UserError

BATCH = 64


class TextEncoder:
    """Texts to vectors, with the model's own pooling and normalisation.

    Attributes:
        name: as asked for; width: of a vector; identity: what its output depends on, JSON-able.
    """

    def __init__(self, name: str, model: Any, identity: dict[str, Any]) -> None:
        self.name, self.identity = name, identity
        self._model = model
        self.width = int(model.get_embedding_dimension())

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, width) float32."""
        found = self._model.encode(list(texts), batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(found, np.float32).reshape(len(texts), self.width)


def text_identity(name: str, max_tokens: int | None, memory: Path | None = None) -> dict[str, Any]:
    """Return what a text encoder's output depends on, without loading it.

    Raises:
        EncoderUnavailable: its weights are not here.
    """
    files = weights_identity(locate("text", name), memory)
    return {"library": "sentence-transformers", "files": files, "max_tokens": max_tokens, "dtype": "float32"}


def text_encoder(name: str, *, max_tokens: int | None = None, memory: Path | None = None) -> TextEncoder:
    """Load a text encoder.

    Args:
        name: "all-mpnet-base-v2", "all-MiniLM-L6-v2", a hub repository, or a model's folder.
        max_tokens: longest text; None for the model's own limit.
        memory: file that remembers digests of weights.

    Raises:
        EncoderUnavailable: its weights are neither here nor may they be downloaded.
        UserError: unknown name, or ``max_tokens`` is above the model's limit.
    """
    try:
        weights = locate("text", name)
    except EncoderUnavailable:
        if not downloads_allowed():
            raise
        _download(name)
        weights = locate("text", name)
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    identity = text_identity(name, max_tokens, memory)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = SentenceTransformer(str(weights.path), device=device, local_files_only=True)
    if max_tokens is not None:
        limit = int(model.max_seq_length or max_tokens)
        if max_tokens > limit:
            raise UserError(f"encoders.max_text_tokens={max_tokens}: {name} reads at most {limit} tokens")
        model.max_seq_length = max_tokens
    return TextEncoder(name, model.eval(), identity)


def _download(name: str) -> None:
    from huggingface_hub import snapshot_download

    snapshot_download(HUB_TEXT.get(name, name), allow_patterns=["*.json", "*.txt", "*.safetensors", "*.model"])
