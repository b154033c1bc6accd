"""What a page shows at one moment, as the environment reports it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Control:
    """Something that can be acted on.

    Attributes:
        role: "button", "link", "field", ...; name: as a person would name it.
        context: which of several ("on the post by @ann").
        state: "checked", "selected", "open", "active", "disabled", "shows …" or "".
        field: whether text can be typed into it; value: that text (a password as dots).
        focused, selected: whether it has the focus, and whether all its text is selected.
        readonly: whether typing leaves it as it is.
        points: where a click would reach it, relative to the screen; none where it is covered or scrolled away.
    """

    role: str
    name: str
    context: str
    state: str
    field: bool
    value: str
    focused: bool
    selected: bool
    readonly: bool
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """The expert's next move.

    Attributes:
        verb: as in ``actions.VERBS``.
        control: number of its target among the screen's controls, None for another element.
        text: what to type; amount: clicks of the wheel; points: where the move can be made.
    """

    verb: str
    control: int | None
    text: str
    amount: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Screen:
    """A page at one moment.

    Attributes:
        title: of its window; instruction: the task; controls: in document order.
        outline: what is in view in reading order: a control's number, or text.
        advice: the expert's next move, None where it is lost. Not for the eyes of an agent.
        scroller: middle of an area that scrolls, None without one.
    """

    title: str
    instruction: str
    controls: tuple[Control, ...]
    outline: tuple[int | str, ...]
    advice: Advice | None
    scroller: Point | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the episode is over, and the page's reward without its time penalty, in [-1, 1]."""

    done: bool
    reward: float

    @property
    def success(self) -> bool:
        """Pages pay partly for wrong answers: only a full reward counts."""
        return self.done and self.reward >= 0.999


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the task's frame lies on the screen: left and top in screen pixels, and the frame's scale."""

    left: float
    top: float
    scale: float
    width: int
    height: int

    def point(self, x: float, y: float) -> Point:
        """From the frame's CSS pixels to a share of the screen, four digits as in the code that an action writes."""
        across, down = (self.left + self.scale * x) / self.width, (self.top + self.scale * y) / self.height
        return round(across, 4), round(down, 4)


def build_screen(raw: Mapping[str, Any], placement: Placement) -> Screen:
    """Turn the reader's JSON into a Screen."""

    def middle(box: list[float]) -> Point:
        return placement.point(box[0] + box[2] / 2, box[1] + box[3] / 2)

    def reachable(points: list[list[float]]) -> tuple[Point, ...]:
        return tuple(placement.point(x, y) for x, y in points)

    words = ("role", "name", "context", "state", "field", "value", "focused", "selected", "readonly")
    controls = tuple(
        Control(**{word: record[word] for word in words}, points=reachable(record["points"]))
        for record in raw["records"]
    )
    advice, move = None, raw["move"]
    if move is not None:
        points = reachable(move["points"]) if move["verb"] != "scroll" else (middle(move["box"]),)
        advice = Advice(
            verb=move["verb"],
            control=move["element"] if move["element"] >= 0 else None,
            text=move["text"],
            amount=move["amount"],
            points=points,
        )
    return Screen(
        title=raw["title"],
        instruction=raw["instruction"],
        controls=controls,
        outline=tuple(raw["outline"]),
        advice=advice,
        scroller=middle(raw["scroll"]) if raw["scroll"] else None,
    )
