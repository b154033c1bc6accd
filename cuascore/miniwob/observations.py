"""A screen in words, and what an action changed on it. Says what is to be seen, never what is to be done."""

from cuascore.miniwob.phrases import target_words
from cuascore.miniwob.screen import Control, Screen

WORDS = 60
"""Longest observation; the rest of a page that is fuller is left out."""


def _control_words(control: Control) -> str:
    if control.field:
        words = f"{target_words(control)}: {control.value[:60].strip() or 'empty'}"
        return f"{words} (cursor here{', all selected' if control.selected else ''})" if control.focused else words
    if control.role == "icon":
        return f"{control.name} icon" + (f" ({control.state})" if control.state else "")
    if control.role == "display":
        return f"{control.name or 'text'} {control.state}"
    plain = Control(**{name: getattr(control, name) for name in Control.__slots__} | {"context": ""})
    return target_words(plain) + (f" ({control.state})" if control.state else "")


def _entries(screen: Screen) -> list[str]:
    """Controls and texts in reading order, without the texts that only repeat a control's name."""
    found: list[str] = []
    names = {control.name.lower() for control in screen.controls if control.points and control.role != "email"}
    for item in screen.outline:
        if isinstance(item, str):
            if item.rstrip(":").strip().lower() not in names:
                found.append(item)
        elif screen.controls[item].points and screen.controls[item].role != "email":
            control = screen.controls[item]
            words = _control_words(control)
            if control.role == "day" and found and found[-1].startswith("days "):
                found[-1] = f"{found[-1].rsplit(' ', 1)[0]} {control.name}"
                continue
            if control.role == "day":
                words = f"days {control.name} to {control.name}"
            if words.endswith(" icon") and found and found[-1].endswith(" icon"):
                found[-1] = f"{found[-1].removesuffix(' icon')}, {words}"
            else:
                found.append(words)
    return found


def observation_text(screen: Screen) -> str:
    """Describe what is on the screen, at most about ``WORDS`` words."""
    words = f"{screen.title} window. {'; '.join(_entries(screen))}".split()
    return " ".join(words) if len(words) <= WORDS else f"{' '.join(words[:WORDS])} …"


def reflection_text(before: Screen, after: Screen | None) -> str:
    """Say what an action changed. ``after`` is None where the page closed the task: all ends then read the same."""
    if after is None:
        return "The page took this as the answer."
    old, new = _entries(before), _entries(after)
    came = [entry for entry in new if entry not in old]
    went = [entry for entry in old if entry not in new]
    if not came and not went:
        return "Nothing changed on the screen."
    parts = []
    if came:
        parts.append(f"Now there is: {'; '.join(came[:2])}.")
    if went:
        parts.append(f"No longer there: {'; '.join(went[:1])}.")
    return " ".join(" ".join(parts).split()[:24])
