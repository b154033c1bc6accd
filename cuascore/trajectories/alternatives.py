"""AgentNetBench's alternatives: structured actions that count as right too, written as code."""

from collections.abc import Mapping
from typing import Any

from cuascore.trajectories.code import parse_code
from cuascore.trajectories.problems import Findings
from cuascore.trajectories.step import Action

POINTED = {"click": "Click", "rightClick": "Right-click", "doubleClick": "Double-click", "moveTo": "Move to"}


def alternative_actions(value: Mapping[str, Any], where: str, findings: Findings) -> list[Action]:
    """Return a record's alternatives that are plain pointer, text or key actions; others are reported."""
    found = []
    options = value.get("alternatives") or []
    for option in options if isinstance(options, list) else []:
        parts = [_part(item) for item in option] if isinstance(option, list) else [None]
        if not parts or any(part is None for part in parts):
            findings.add("alternative not converted", f"{where}: {option!r:.80}")
            continue
        code = "\n".join(part[1] for part in parts if part)
        text = ", then ".join(part[0] for part in parts if part)
        parsed = parse_code(code)
        # It has no thought of its own: the published one was written for the other action.
        found.append(Action(text=text, code=code, kind=parsed.kind, points=parsed.points))
    return found


def _part(item: Any) -> tuple[str, str] | None:
    """Return (description, code) of one structured action, None where it has no plain form."""
    if not isinstance(item, Mapping) or not isinstance(item.get("params"), Mapping):
        return None
    kind, params = item.get("type"), item["params"]
    position = params.get("position")
    if kind in POINTED and isinstance(position, Mapping) and {"x", "y"} <= set(position):
        x, y = position["x"], position["y"]
        return f"{POINTED[kind]} (x={x}, y={y})", f"pyautogui.{kind}(x={x}, y={y})"
    if kind == "write" and isinstance(params.get("content"), str):
        return f"Type {params['content']!r}", f"pyautogui.write(message={params['content']!r})"
    return None
