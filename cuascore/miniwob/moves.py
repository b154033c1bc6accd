"""A move: an action together with the control that it is meant for."""

import re
from dataclasses import dataclass
from random import Random

from cuascore.miniwob.actions import POINTED, GuiAction
from cuascore.miniwob.screen import Control, Screen

OPEN_NAMED = frozenset({"checkbox", "radio button", "option", "link", "file", "folder", "email", "menu item", "day"})
"""Roles whose names are drawn by the page from a large pool."""


@dataclass(frozen=True, slots=True)
class Move:
    """What an agent means to do.

    Attributes:
        action: what is done; control: what it is meant for, None for the page as a whole.
    """

    action: GuiAction
    control: Control | None

    @property
    def signature(self) -> str:
        """What somebody who sees only the action could tie to its label: verb, role, and a name that comes back."""
        verb = self.action.verb
        if verb == "scroll":
            return f"scroll|{'up' if self.action.amount > 0 else 'down'}"
        if self.control is None:
            return verb
        control = self.control
        name = "*" if control.role in OPEN_NAMED else re.sub(r"\d+", "#", control.name)
        return f"{verb}|{control.role}|{control.state if control.role == 'checkbox' else ''}|{name}"


def expert_move(screen: Screen) -> Move | None:
    """Turn the screen's advice into a move; None where the expert is lost.

    The point is drawn from the reachable ones by what is on the screen alone: the same state gives the same move.
    """
    advice = screen.advice
    if advice is None or (advice.verb in POINTED and not advice.points):
        return None
    control = screen.controls[advice.control] if advice.control is not None else None
    x, y = 0.0, 0.0
    if advice.verb in POINTED:
        x, y = Random(f"{advice.verb} {advice.points}").choice(advice.points)
    action = GuiAction(advice.verb, x, y, advice.text, advice.amount)  # type: ignore[arg-type]
    return Move(action, None if advice.verb == "scroll" else control)
