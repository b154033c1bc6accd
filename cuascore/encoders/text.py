"""Frozen text encoders through sentence-transformers."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuascore.encoders.fingerprints import weights_identity
from cuascore.encoders.hub import EncoderUnavailable, offline
from cuascore.encoders.locate import Weights, locate, obtain
from cuascore.errors import UserError

VERSION = 1
"""Of this file's way from a text to a vector; part of the identity."""
BATCH_TOKENS = {"cpu": 1024, "cuda": 65536}
"""Padded tokens of a batch: short texts go in large batches, long ones in small."""
COUNTED_AT_ONCE = 4096


class TextEncoder:
    """Texts to vectors, with the model's own pooling and normalisation, in float32.

    Attributes:
        name: as asked for; width: of a vector; identity: what its output depends on, JSON-able.
    """

    def __init__(self, name: str, model: Any, identity: dict[str, Any]) -> None:
        self.name, self.identity = name, identity
        self._model = model
        self._budget = BATCH_TOKENS["cuda" if model.device.type == "cuda" else "cpu"]
        self.width = int(model.get_embedding_dimension())

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, width) float32, in the order of the texts."""
        found = np.zeros((len(texts), self.width), np.float32)
        for chosen, vectors in self.encode_sorted(texts):
            found[chosen] = vectors
        return found

    def encode_sorted(self, texts: Sequence[str]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """Yield (positions, their vectors) a batch, the longest texts first, so that a batch holds little padding.

        The first batch is then the largest, and shows at once whether memory suffices.
        """
        # Half of a surrogate pair is no text to a tokenizer.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        lengths = self._lengths(clean)
        order = np.argsort(-lengths, kind="stable")
        start = 0
        while start < len(order):
            size = max(1, self._budget // max(int(lengths[order[start]]), 1))
            chosen = order[start : start + size]
            start += size
            vectors = self._model.encode(
                [clean[i] for i in chosen], batch_size=len(chosen), show_progress_bar=False, convert_to_numpy=True
            )
            yield chosen, np.asarray(vectors, np.float32).reshape(len(chosen), self.width)

    def _lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text, as far as the model reads it."""
        limit = self._model.max_seq_length
        lengths: list[int] = []
        for first in range(0, len(texts), COUNTED_AT_ONCE):
            part = list(texts[first : first + COUNTED_AT_ONCE])
            tokens = self._model.tokenizer(part, truncation=limit is not None, max_length=limit, padding=False)
            lengths.extend(len(ids) for ids in tokens["input_ids"])
        return np.array(lengths, np.int64)


def text_identity(name: str, max_tokens: int | None, memory: Path | None = None) -> dict[str, Any]:
    """Return what a text encoder's output depends on, without loading it.

    The files hold the weights, the tokenizer, the pooling and the normalisation.

    Raises:
        EncoderUnavailable: its weights are not here.
    """
    return _identity(locate("text", name), max_tokens, memory)


def _identity(weights: Weights, max_tokens: int | None, memory: Path | None) -> dict[str, Any]:
    return {
        "kind": "text",
        "version": VERSION,
        "library": weights.library,
        "files": weights_identity(weights, memory),
        "max_tokens": max_tokens,
        "dtype": "float32",
    }


def text_encoder(name: str, *, max_tokens: int | None = None, memory: Path | None = None) -> TextEncoder:
    """Load a text encoder.

    Args:
        name: "all-mpnet-base-v2", "all-MiniLM-L6-v2", a hub repository, or a model's folder.
        max_tokens: longest text, its special tokens counted; None for the model's own limit.
        memory: file that remembers digests of weights.

    Raises:
        EncoderUnavailable: its weights, or sentence-transformers, are not here.
        UserError: unknown name, a folder that is no such model, or ``max_tokens`` is above the model's limit.
    """
    weights = obtain("text", name)
    identity = _identity(weights, max_tokens, memory)
    try:
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise EncoderUnavailable(f"text encoder {name!r} needs the package sentence-transformers ({error})") from None
    disable_progress_bar()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        with offline():
            model = SentenceTransformer(str(weights.path), device=device, local_files_only=True)
            random = _random_layers(model)
    except Exception as error:  # each format of weights has its own kinds
        reason = str(error).strip().partition("\n")[0]
        raise UserError(f"text encoder {name!r}: {weights.path} does not load: {reason}") from error
    if random:
        lacks = f"{', '.join(random[:2])}{', …' if len(random) > 2 else ''}"
        raise UserError(f"text encoder {name!r}: the weights in {weights.path} lack {lacks}: they would be random")
    if max_tokens is not None:
        limit = int(model.max_seq_length or max_tokens)
        if not 1 <= max_tokens <= limit:
            raise UserError(
                f"encoders.max_text_tokens={max_tokens}: {name} reads at most {limit} tokens, and at least one"
            )
        model.max_seq_length = max_tokens
    return TextEncoder(name, model.float().eval(), identity)


def _random_layers(model: Any) -> list[str]:
    """Names of layers that transformers filled with random numbers, which it only logs; the pooler's are never read."""
    from transformers import PreTrainedModel

    found: list[str] = []
    for inner in model.modules():
        if isinstance(inner, PreTrainedModel):
            # Asked again, since sentence-transformers does not pass on what was missing. Reading it is quick.
            read: Any = type(inner).from_pretrained
            _, told = read(inner.name_or_path, output_loading_info=True, local_files_only=True)
            found += sorted(key for key in told["missing_keys"] if not key.startswith("pooler."))
    return found
