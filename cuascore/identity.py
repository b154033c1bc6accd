"""Identities: the full digest of exactly what a piece of work reads."""

import hashlib
import json
from typing import Any


def digest(value: Any) -> str:
    """Return the sha256 (64 hex digits) of a JSON-able value.

    Types count: ``0``, ``0.0``, ``False``, ``"0"`` and ``None`` give five digests. Key order does not.
    """
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value: sorted keys, no spaces, NaN refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
