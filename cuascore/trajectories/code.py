"""Reading pyautogui code without running it: which calls it makes and where they point."""

import ast
from dataclasses import dataclass
from functools import lru_cache

POINT_ARGUMENTS = ("x", "y")
SCROLLING = frozenset({"scroll", "hscroll", "vscroll"})
CLICKING = frozenset({"click", "rightClick", "doubleClick", "tripleClick", "middleClick", "mouseDown", "mouseUp"})
POINTING = SCROLLING | CLICKING | {"moveTo", "dragTo"}
"""Calls whose first two positional arguments are x and y, but for the scrolls, whose first is an amount."""


@dataclass(frozen=True, slots=True)
class ParsedCode:
    """What a snippet does.

    Attributes:
        kind: name of the first call, "" where there is none.
        points: (x, y) of every call that has both, in order, as written.
        keys: key names of all ``press`` and ``hotkey`` calls, positional, keyword or listed.
        error: why the code does not parse, "" where it does.
    """

    kind: str
    points: tuple[tuple[float, float], ...]
    keys: tuple[str, ...]
    error: str


@lru_cache(maxsize=4096)
def parse_code(code: str) -> ParsedCode:
    """Parse a snippet of pyautogui or computer calls. It is never executed."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return ParsedCode("", (), (), f"does not parse: {getattr(error, 'msg', None) or error}")
    kind, points, keys = "", [], []
    for statement in tree.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call):
            return ParsedCode("", (), (), f"line {statement.lineno} is no call")
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        kind = kind or name
        points += _points(name, call)
        if name in ("press", "hotkey", "keyDown", "keyUp"):
            keys += _keys(call)
    return ParsedCode(kind, tuple(points), tuple(keys), "" if kind else "no call")


def _points(name: str, call: ast.Call) -> list[tuple[float, float]]:
    if name not in POINTING:
        return []
    found = {word.arg: _number(word.value) for word in call.keywords if word.arg in POINT_ARGUMENTS}
    positional = call.args[1:] if name in SCROLLING else call.args
    for argument, value in zip(POINT_ARGUMENTS, positional, strict=False):
        found.setdefault(argument, _number(value))
    x, y = found.get("x"), found.get("y")
    return [(x, y)] if x is not None and y is not None else []


def _number(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    # OverflowError: an integer of a thousand digits is no coordinate either.
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    except OverflowError:
        return None


def _keys(call: ast.Call) -> list[str]:
    nodes = [*call.args, *(word.value for word in call.keywords if word.arg in ("keys", "key"))]
    flat = [item for node in nodes for item in (node.elts if isinstance(node, ast.List | ast.Tuple) else [node])]
    return [node.value for node in flat if isinstance(node, ast.Constant) and isinstance(node.value, str)]
