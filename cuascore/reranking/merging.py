"""Which candidates are one action: the same code, or the same kind of click within 20 pixels."""

import ast
import math
from collections.abc import Sequence

from cuascore.trajectories.step import Action

MERGE_PIXELS = 20.0
"""The paper's distance, in pixels of the screen."""
CLICKS = frozenset({"click", "doubleClick", "rightClick", "middleClick", "tripleClick"})


def merge(actions: Sequence[Action], screen: tuple[int, int], pixels: float = MERGE_PIXELS) -> list[list[int]]:
    """Group candidates that are the same action.

    A candidate joins the first group whose *first* member it equals, so groups do not chain: of three clicks in a row,
    each 15 pixels from the next, the first two are one and the third is another.

    Args:
        screen: width and height in pixels, to which the relative coordinates are scaled.

    Returns:
        Groups of positions in ``actions``, each in order, the first being the one that stands for it.
    """
    groups: list[list[int]] = []
    for position, action in enumerate(actions):
        for group in groups:
            if _same(actions[group[0]], action, screen, pixels):
                group.append(position)
                break
        else:
            groups.append([position])
    return groups


def _same(one: Action, two: Action, screen: tuple[int, int], pixels: float) -> bool:
    if normalised(one.code) == normalised(two.code):
        return True
    single = all(len(a.points) == 1 and a.kind in CLICKS and "\n" not in a.code.strip() for a in (one, two))
    if not single or one.kind != two.kind:
        return False
    (x, y), (u, v) = one.points[0], two.points[0]
    return math.hypot((x - u) * screen[0], (y - v) * screen[1]) <= pixels


def normalised(code: str) -> str:
    """Return code without differences of spacing and quotes; code that does not parse is only stripped."""
    try:
        return ast.unparse(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code.strip()
