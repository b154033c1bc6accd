"""Other moves that could be made in a state: another element, another text, a scroll, or a near miss."""

from random import Random

from cuascore.miniwob.actions import GuiAction
from cuascore.miniwob.moves import Move
from cuascore.miniwob.screen import Control, Screen

MISS = (0.02, 0.055)
"""How far a near miss lies beside its target, as a share of the screen's height."""
ASPECT = 720 / 1280


def other_moves(screen: Screen, texts: tuple[str, ...], rng: Random) -> list[Move]:
    """Return one move for every control in reach and every text that fits the focused field, plus scrolls.

    Args:
        texts: what could be typed here: what other instructions of this kind of task ask for.
    """
    moves = []
    for control in screen.controls:
        if not control.points or control.role == "display":
            continue
        x, y = rng.choice(control.points)
        moves.append(Move(GuiAction("click", x, y), control))
        if control.role == "option" and any(other.role == "scroll list" for other in screen.controls):
            moves.append(Move(GuiAction("ctrl_click", x, y), control))
        if control.role == "menu item" and not control.context:
            moves.append(Move(GuiAction("hover", x, y), control))
    focused = next((control for control in screen.controls if control.focused and control.field), None)
    if focused is not None and not focused.readonly:
        moves += [Move(GuiAction("type", text=text), focused) for text in texts]
        if focused.value:
            moves.append(Move(GuiAction("erase" if focused.selected else "select_all"), focused))
    if screen.scroller is not None:
        x, y = screen.scroller
        for amount in (-rng.randint(1, 5), rng.randint(1, 5)):
            moves.append(Move(GuiAction("scroll", x, y, amount=amount), None))
    return moves


def near_miss(move: Move, screen: Screen, rng: Random) -> Move | None:
    """Return the same click a little beside its target, on nothing else that reacts; None where there is no room."""
    if move.action.verb != "click" or move.control is None:
        return None
    xs, ys = zip(*move.control.points, strict=True) if move.control.points else ((move.action.x,), (move.action.y,))
    for _ in range(20):
        reach = rng.uniform(*MISS)
        dx, dy = rng.choice([(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)])
        x = (max(xs) if dx > 0 else min(xs) if dx < 0 else rng.choice(xs)) + dx * reach * ASPECT
        y = (max(ys) if dy > 0 else min(ys) if dy < 0 else rng.choice(ys)) + dy * reach
        if 0 <= x <= 1 and 0 <= y <= 1 and not any(_touches(control, x, y) for control in screen.controls):
            return Move(GuiAction("click", round(x, 4), round(y, 4)), move.control)
    return None


def _touches(control: Control, x: float, y: float) -> bool:
    if not control.points:
        return False
    xs, ys = zip(*control.points, strict=True)
    edge_x, edge_y = (max(xs) - min(xs)) / 3, (max(ys) - min(ys)) / 3
    return min(xs) - edge_x <= x <= max(xs) + edge_x and min(ys) - edge_y <= y <= max(ys) + edge_y
