"""Actions and intents in words. Right and wrong actions draw from the same sentences; none says whether it is right."""

from random import Random

from cuascore.miniwob.moves import Move
from cuascore.miniwob.screen import Control

CONFIRMING = frozenset({"Submit", "Login", "OK", "Search", "Go!", "Send"})

ACTIONS = {
    "click": ("Click the {target}.", "Click on the {target}.", "Left-click the {target}."),
    "ctrl_click": ("Hold Ctrl and click the {target}.", "Ctrl-click the {target}."),
    "hover": ("Move the mouse over the {target}.", "Point at the {target}."),
    "scroll": ("Scroll {way} by {amount}.", "Turn the wheel {way} by {amount}."),
    "type": ("Type '{text}' into the {target}.", "Write '{text}' in the {target}."),
    "select_all": ("Press Ctrl+A in the {target}.", "Select all text in the {target} with Ctrl+A."),
    "erase": ("Press Backspace in the {target}.", "Clear the {target} with Backspace."),
}

INTENTS = {
    "confirm": (
        "What was asked for is in place, so I press the {target}.",
        "This part is complete; I confirm it with the {target}.",
        "Nothing else is left to set here, so the {target} is next.",
    ),
    "button": (
        "The task calls for the {target}, so I press it.",
        "Next I should use the {target}.",
        "Pressing the {target} takes me further.",
    ),
    "tick": (
        "The task names {name}, so I tick it.",
        "I still have to tick {name}.",
        "{name} belongs to the selection.",
    ),
    "untick": ("{name} must not stay ticked, so I clear it.", "I have to take {name} out of the selection."),
    "pick": (
        "The task asks for {name}, so I choose it.",
        "{name} is what I am looking for.",
        "I should choose {name} here.",
    ),
    "open": (
        "What I need should be behind the {target}, so I open it.",
        "I look into the {target} next.",
        "To get further I open the {target}.",
    ),
    "focus": (
        "I want to write in the {target}, so I put the cursor there.",
        "The {target} has to be filled in next.",
        "I go to the {target} to change its text.",
    ),
    "type": (
        "The {target} should hold '{text}'.",
        "The task wants '{text}' in the {target}.",
        "I enter '{text}' here as asked.",
    ),
    "select_all": ("The text in the {target} has to be replaced, so I select it.", "I mark what is in the {target}."),
    "erase": ("The {target} should be empty.", "I remove the text from the {target}."),
    "scroll": ("What I need must be further {way}, so I scroll.", "I look further {way} on this page."),
    "step": ("I need the {target} to get to the right place.", "The {target} brings me closer to the goal."),
}

OPENING = frozenset({"tab", "section header", "folder", "drop-down list", "scroll list", "email"})
PICKING = frozenset({"option", "link", "file", "day", "menu item", "radio button"})
STEPPING = frozenset({"arrow", "page link"})


def target_words(control: Control | None) -> str:
    """Name a control as a person would: "'Submit' button", "1st radio button", "Reply icon on the post by @ann"."""
    if control is None:
        return "page"
    role, name = control.role, control.name
    if not name:
        words = role
    elif role in ("icon", "arrow") or (name[0].isdigit() and role in ("radio button", "field")):
        words = f"{name} {role}"
    elif role == "email":
        words = f"email {name}"
    elif role in ("option", "day", "page link", "menu item"):
        words = f"{role} '{name}'"
    else:
        words = f"'{name}' {role}"
    return f"{words} {control.context}" if control.context else words


def _purpose(move: Move) -> str:
    verb, control = move.action.verb, move.control
    if verb not in ("click", "ctrl_click", "hover") or control is None:
        return "button" if verb in ("click", "ctrl_click", "hover") else verb
    if control.role == "checkbox":
        return "untick" if control.state == "checked" else "tick"
    if control.field:
        return "focus"
    if control.role in ("button", "icon") and control.name in CONFIRMING:
        return "confirm"
    if verb == "hover" or control.role in OPENING:
        return "open"
    if control.role in STEPPING:
        return "step"
    return "pick" if control.role in PICKING else "button"


def _words(move: Move) -> dict[str, str]:
    target = target_words(move.control)
    name = f"'{move.control.name}'" if move.control and move.control.name else f"the {target}"
    return {
        "target": target,
        "name": name,
        "text": move.action.text.strip(),
        "way": "up" if move.action.amount > 0 else "down",
        "amount": str(abs(move.action.amount)),
    }


def action_text(move: Move, rng: Random) -> str:
    """Describe a move in words."""
    return rng.choice(ACTIONS[move.action.verb]).format(**_words(move))


def intent_text(move: Move, rng: Random) -> str:
    """Say in the first person what a move is for."""
    text = rng.choice(INTENTS[_purpose(move)]).format(**_words(move))
    return text[0].upper() + text[1:]
