"""What can be done to a screen, and how it is written as pyautogui code."""

from dataclasses import dataclass
from typing import Literal

Verb = Literal["click", "ctrl_click", "hover", "scroll", "type", "select_all", "erase"]
VERBS: tuple[Verb, ...] = ("click", "ctrl_click", "hover", "scroll", "type", "select_all", "erase")
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
