"""What could be typed: texts that other instructions of the same task ask for, so that wrong ones look right."""

from collections import defaultdict
from random import Random
from zlib import crc32

from cuascore.miniwob.environment import Environment
from cuascore.miniwob.screen import Screen

FIRST_SEED, EPISODES = 2_000_000, 150
"""Seeds that fill the bank of a task, none of them recorded; many, as a random string that came twice would tell."""
OFFERED = 4


class TextBank:
    """Fills itself, for each task when it is first asked for, by running the expert on seeds of its own."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._texts: dict[str, dict[str, list[str]]] = {}

    def texts_for(self, task: str, screen: Screen, rng: Random) -> tuple[str, ...]:
        """Return up to ``OFFERED`` texts for the focused field, without the right one; none without a focused field."""
        focused = next((control for control in screen.controls if control.focused and control.field), None)
        if focused is None:
            return ()
        if task not in self._texts:
            self._texts[task] = self._fill(task)
        bank = self._texts[task]
        right = screen.advice.text if screen.advice is not None and screen.advice.verb == "type" else focused.value
        found = [text for text in bank.get(focused.name, []) if text != right]
        if len(found) < 2:
            found += [text for texts in bank.values() for text in texts if text != right]
        # Drawn as often as they are asked for, as the right ones are.
        offered = list(dict.fromkeys(rng.sample(found, min(OFFERED, len(found)))))
        if task == "enter-text-2":
            # The instruction shows its text in the wrong case: what a hasty reader types.
            shown = screen.instruction.split('"')[1]
            offered = [shown, *offered[: OFFERED - 1]] if shown != right else offered
        return tuple(offered)

    def knows(self, task: str) -> bool:
        """Whether the bank of a task is filled; filling it uses the environment's page."""
        return task in self._texts

    def _fill(self, task: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        first = FIRST_SEED + EPISODES * (crc32(task.encode()) % 10_000)
        for name, text in self._environment.typed_texts(task, range(first, first + EPISODES)):
            found[name].append(text)
        return found
