"""Screens built by hand, for tests that need no browser."""

from cuascore.miniwob.screen import Advice, Control, Screen


def control(role: str, name: str = "", **changes: object) -> Control:
    """A control in reach, in the middle of the screen."""
    values: dict[str, object] = {
        "role": role,
        "name": name,
        "context": "",
        "state": "",
        "field": role == "field",
        "value": "",
        "focused": False,
        "selected": False,
        "readonly": False,
        "points": ((0.5, 0.5), (0.52, 0.52)),
    }
    return Control(**{**values, **changes})  # type: ignore[arg-type]


def screen(*controls: Control, outline: tuple[int | str, ...] | None = None, advice: Advice | None = None) -> Screen:
    """A page of the given controls in reading order."""
    return Screen(
        title="Login User",
        instruction='Enter the username "ann" and the password "xy" into the text fields and press login.',
        controls=controls,
        outline=outline if outline is not None else tuple(range(len(controls))),
        advice=advice,
        scroller=None,
    )
