"""Errors that are the user's to mend: every command prints them as one line and exits with a non-zero status."""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(Exception):
    """Bad input. The message is one line: file, line or key; what is wrong; what to do."""


def nearest(word: str, valid: Iterable[str]) -> str:
    """Return a hint such as ``did you mean 'margin'?`` or the list of valid names.

    Args:
        word: what the user wrote.
        valid: the names that would have been accepted.
    """
    names = sorted(valid)
    close = get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return (
        f"valid: {', '.join(names)}" if len(names) <= 12 else f"valid: {', '.join(names[:12])}, … ({len(names)} in all)"
    )
