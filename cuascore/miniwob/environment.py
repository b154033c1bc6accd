"""MiniWoB++ tasks on a drawn desktop: reset, observe, act, outcome."""

import base64
import importlib.util
import json
from functools import cached_property
from pathlib import Path
from random import Random

from cuascore.errors import UserError, nearest
from cuascore.miniwob.actions import POINTED, GuiAction
from cuascore.miniwob.browser import Browser
from cuascore.miniwob.screen import Outcome, Placement, Screen, build_screen

ASSETS = Path(__file__).resolve().parent / "assets"
LOOKS = ("ubuntu", "windows", "mac")
WIDTH, HEIGHT = 1280, 720
FRAME_WIDTH, FRAME_HEIGHT, SCALE = 160, 210, 2.6
TITLE_BAR = 36
INSETS = {"ubuntu": (34, 8, 76, 8), "windows": (6, 54, 6, 8), "mac": (32, 66, 8, 8)}
"""Top, bottom, left and right margins that a look keeps for its bars."""
SETTLE_MS = 1000
"""Virtual time after each action: menus, accordions and calendars have come to rest."""
WHEEL = 38
"""Frame pixels that one click of the wheel moves; wheel deltas are not scaled with the frame. As ROW in experts.js."""
READY = "new Promise(done => { const wait = setInterval(() => window.desktop && (clearInterval(wait), done()), 5) })"
KEYS = {
    "select_all": ("a", "KeyA", 65, 2, ["selectAll"]),
    "erase": ("Backspace", "Backspace", 8, 0, ["deleteBackward"]),
}
"""Key, code, number, held modifiers and editing command of the verbs that press keys."""


def pages_folder() -> Path:
    """Return the folder of MiniWoB++'s pages, without importing the package (that would import a driver).

    Raises:
        UserError: it is not installed.
    """
    found = importlib.util.find_spec("miniwob")
    if found is None or not found.submodule_search_locations:
        raise UserError("miniwob is not installed; install the extra: pip install 'cuascore[online]'")
    return Path(found.submodule_search_locations[0]) / "html" / "miniwob"


class Environment:
    """One browser that shows one task at a time. A context manager: nothing of the browser is left behind.

    An episode is fixed by (task, seed, look): the page, where the window lies, and every timer of the page.
    """

    def __init__(self, *, pixels: int = 480) -> None:
        """Start the browser.

        Args:
            pixels: width of the screenshots; the screen is 16:9 and is laid out at 1280x720 whatever their size.
        """
        self._pages = pages_folder()
        self._pixels = pixels
        self._task = ""
        self._placement = Placement(0, 0, SCALE, WIDTH, HEIGHT)
        self._warm: set[tuple[str, str]] = set()
        self.browser = Browser()
        try:
            self._open_desktop()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Environment":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser."""
        self.browser.close()

    def _open_desktop(self) -> None:
        call = self.browser.call
        call("Page.enable")
        scripts = [
            (ASSETS / name).read_text() for name in ("clock.js", "reader.js", "moves.js", "experts.js", "episode.js")
        ]
        for script in scripts:
            call("Page.addScriptToEvaluateOnNewDocument", source=script)
        ratio = self._pixels / WIDTH
        call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=ratio, mobile=False)
        call("Page.navigate", url=(ASSETS / "desktop.html").as_uri())
        self.browser.evaluate(READY)
        styles = {look: (ASSETS / f"page-{look}.css").read_text() for look in LOOKS}
        common = (ASSETS / "page.css").read_text()
        self.browser.evaluate(f"desktop.setStyles({json.dumps(common)}, {json.dumps(styles)})")

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks that have an expert."""
        self._load("click-option", "ubuntu", 0, 0)
        return tuple(sorted(self.browser.evaluate("desktop.page().__episode.names")))

    def _load(self, task: str, look: str, left: int, top: int) -> None:
        page = (self._pages / f"{task}.html").as_uri()
        self.browser.evaluate(f"desktop.show({json.dumps(page)}, {json.dumps(look)}, {left}, {top})")

    def reset(self, task: str, seed: int, look: str) -> Screen:
        """Begin an episode and return its first screen.

        Raises:
            UserError: unknown task or look.
        """
        self.begin(task, seed, look)
        self.browser.evaluate("desktop.frames()")
        return self.observe()

    def begin(self, task: str, seed: int, look: str) -> None:
        """Begin an episode that nobody looks at: as ``reset``, without waiting for the display.

        Raises:
            UserError: unknown task or look.
        """
        if task not in self.tasks:
            raise UserError(f"unknown task {task!r}: {nearest(task, self.tasks)}")
        if look not in LOOKS:
            raise UserError(f"unknown look {look!r}: {nearest(look, LOOKS)}")
        place = Random(f"window {task} {seed} {look}")
        above, below, before, after = INSETS[look]
        left = place.randint(before, WIDTH - after - round(FRAME_WIDTH * SCALE) - 2)
        top = place.randint(above, HEIGHT - below - round(FRAME_HEIGHT * SCALE) - TITLE_BAR - 2)
        self._task = task
        self._placement = Placement(left + 1, top + TITLE_BAR, SCALE, WIDTH, HEIGHT)
        if (task, look) not in self._warm:
            # Fonts and icons of a page's first show arrive late; a throw-away episode and capture wait for them.
            self._begin(task, seed, look, left, top)
            self.browser.evaluate("desktop.images()")
            self.screenshot()
            self._warm.add((task, look))
        self._begin(task, seed, look, left, top)

    def _begin(self, task: str, seed: int, look: str, left: int, top: int) -> None:
        self._load(task, look, left, top)
        # The pointer starts in a corner.
        self.browser.call_all("Input.dispatchMouseEvent", [{"type": "mouseMoved", "x": WIDTH - 3, "y": HEIGHT - 3}])
        self.browser.evaluate(f"desktop.page().__episode.start({json.dumps(str(seed))})")

    def typed_texts(self, task: str, seeds: range) -> list[tuple[str, str]]:
        """Return (name of the field, text) of all that the expert types on a task's pages. The episode is lost."""
        self._load(task, "windows", 0, 0)
        found = self.browser.evaluate(f"desktop.page().__episode.typed({json.dumps(task)}, {json.dumps(list(seeds))})")
        return [(name, text) for name, text in found]

    def observe(self, *, brief: bool = False) -> Screen:
        """Read the page as it is now.

        Args:
            brief: only the expert's advice, without controls and outline; several times as fast.
        """
        raw = self.browser.evaluate(f"desktop.page().__episode.look({json.dumps(self._task)}, {json.dumps(brief)})")
        return build_screen(raw, self._placement)

    def act(self, action: GuiAction, *, painted: bool = True) -> None:
        """Carry out an action and let the page come to rest. After the end of the episode nothing happens.

        Args:
            painted: wait until the change is on the display; a replay that nobody looks at need not.
        """
        if self.outcome().done:
            return
        x, y = action.x * WIDTH, action.y * HEIGHT
        if action.verb in POINTED:
            self.browser.call_all("Input.dispatchMouseEvent", _mouse_events(action, x, y))
        elif action.verb == "type":
            self.browser.call("Input.insertText", text=action.text)
            # Pages that listen to keys are told of the last one; the text itself came in one piece.
            self.browser.call_all("Input.dispatchKeyEvent", [{"type": "keyUp", "key": "Shift", "code": "ShiftLeft"}])
        else:
            self.browser.call_all("Input.dispatchKeyEvent", _key_events(action.verb))
        # The compositor scrolls, and the page learns of it with a frame.
        wait = "desktop.frames()" if painted or action.verb == "scroll" else "null"
        self.browser.evaluate(f"desktop.page().__clock.advance({SETTLE_MS}); {wait}")

    def outcome(self) -> Outcome:
        """Return whether the episode is over and its raw reward."""
        raw = self.browser.evaluate("desktop.page().__episode.outcome()")
        return Outcome(bool(raw["done"]), float(raw["reward"]))

    def screenshot(self) -> bytes:
        """Return the screen as PNG bytes. Take it before an episode ends: afterwards the page is covered."""
        reply = self.browser.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)
        return base64.b64decode(reply["data"])


def _mouse_events(action: GuiAction, x: float, y: float) -> list[dict[str, object]]:
    events: list[dict[str, object]] = [{"type": "mouseMoved", "x": x, "y": y}]
    if action.verb == "scroll":
        events.append({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": -action.amount * WHEEL})
    elif action.verb != "hover":
        held = 2 if action.verb == "ctrl_click" else 0
        for kind in ("mousePressed", "mouseReleased"):
            events.append({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1, "modifiers": held})
    return events


def _key_events(verb: str) -> list[dict[str, object]]:
    key, code, number, modifiers, commands = KEYS[verb]
    common = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers}
    return [{"type": "rawKeyDown", "commands": commands, **common}, {"type": "keyUp", **common}]
