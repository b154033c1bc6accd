"""What an encoder's name last stood for, so that a store that holds everything needs no weights."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from cuascore.encoders.hub import EncoderUnavailable, downloads_allowed
from cuascore.encoders.locate import Kind, obtain
from cuascore.encoders.progress import notice
from cuascore.files import write_file
from cuascore.identity import digest


def identity_of(folder: Path, kind: Kind, spec: dict[str, Any], find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the identity that a name and its settings stand for.

    The weights decide. Where they, or the package that knows their settings, are not on this machine, it is the
    identity that the name stood for when it was last used with this store, and a line says so.

    Args:
        folder: of one JSON file a name; spec: the name and what else was asked for; find: looks at the weights.

    Raises:
        EncoderUnavailable: the weights are not here, and this store never saw them.
    """
    path = folder / f"{digest(spec)}.json"
    try:
        if downloads_allowed():
            obtain(kind, spec["name"])
        identity = find()
    except EncoderUnavailable as absent:
        known = _read(path)
        if known is None:
            raise
        notice(f"{absent}; using features that this store already holds")
        return known
    if _read(path) != identity:
        # A complete store on a read-only disk serves all the same.
        with suppress(OSError):
            write_file(path, json.dumps({"spec": spec, "identity": identity}, indent=1, sort_keys=True))
    return identity


def _read(path: Path) -> dict[str, Any] | None:
    try:
        identity = json.loads(path.read_text(encoding="utf-8"))["identity"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return identity if isinstance(identity, dict) else None
