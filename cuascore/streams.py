"""Random streams keyed by (seed, purpose, name), so that taking a module away moves nobody else's draws."""

import hashlib


def stream(seed: int, purpose: str, *names: str | int) -> int:
    """Return a 63-bit seed for one stream.

    Args:
        seed: the cell's seed (or a split's, or a resampling's).
        purpose: "init", "order", "negatives", "word_dropout", "dropout", ...
        names: what the stream belongs to, e.g. a module's path or an epoch.
    """
    key = "\x1f".join([str(seed), purpose, *map(str, names)])
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big") >> 1
