"""What can be done to a screen, and how it is written as pyautogui code."""

import ast
from dataclasses import dataclass
from typing import Literal

from cuascore.errors import UserError

Verb = Literal["click", "ctrl_click", "hover", "scroll", "type", "select_all", "erase"]
VERBS: tuple[Verb, ...] = ("click", "ctrl_click", "hover", "scroll", "type", "select_all", "erase")
VERB_OF_CALL = {"moveTo": "hover", "write": "type", "hotkey": "select_all", "press": "erase"}
POINTED = frozenset({"click", "ctrl_click", "hover", "scroll"})


@dataclass(frozen=True, slots=True)
class GuiAction:
    """One action.

    Attributes:
        verb: one of ``VERBS``.
        x, y: where, relative to the screen, in [0, 1]; ignored by verbs that are not in ``POINTED``.
        text: what is typed.
        amount: clicks of the wheel, positive is up.
    """

    verb: Verb
    x: float = 0.0
    y: float = 0.0
    text: str = ""
    amount: int = 0

    @property
    def code(self) -> str:
        """The pyautogui lines, coordinates with four digits."""
        at = f"x={self.x:.4f}, y={self.y:.4f}"
        match self.verb:
            case "click":
                return f"pyautogui.click({at})"
            case "ctrl_click":
                return f"pyautogui.keyDown('ctrl')\npyautogui.click({at})\npyautogui.keyUp('ctrl')"
            case "hover":
                return f"pyautogui.moveTo({at})"
            case "scroll":
                return f"pyautogui.scroll({self.amount}, {at})"
            case "type":
                return f"pyautogui.write(message={self.text!r})"
            case "select_all":
                return "pyautogui.hotkey('ctrl', 'a')"
            case "erase":
                return "pyautogui.press('backspace')"


def action_from_code(code: str) -> GuiAction:
    """Return the action that wrote a snippet: the inverse of ``GuiAction.code``, up to four digits of x and y.

    Raises:
        UserError: no action of this environment writes such code.
    """
    try:
        calls = [statement.value for statement in ast.parse(code).body if isinstance(statement, ast.Expr)]
        named = [(call.func.attr, call) for call in calls if isinstance(call, ast.Call)]  # type: ignore[attr-defined]
        name, call = named[1] if named[0][0] == "keyDown" else named[0]
        words = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        first = ast.literal_eval(call.args[0]) if name == "scroll" else 0
        verb = "ctrl_click" if len(named) > 1 else VERB_OF_CALL.get(name, name)
        found = GuiAction(
            verb,  # type: ignore[arg-type]
            x=words.get("x", 0.0),
            y=words.get("y", 0.0),
            text=words.get("message", ""),
            amount=int(first) if name == "scroll" else 0,
        )
    except (SyntaxError, ValueError, AttributeError, IndexError, TypeError):
        found = None
    if found is None or found.verb not in VERBS or found.code != code:
        raise UserError(f"{code!r}: no action of this environment writes such code")
    return found
