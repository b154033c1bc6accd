"""What could be typed: texts that other instructions of the same task ask for, so that wrong ones look right."""

from collections import defaultdict
from random import Random

from cuascore.miniwob.environment import Environment
from cuascore.miniwob.moves import expert_move
from cuascore.miniwob.screen import Screen

FIRST_SEED = 900_000
"""Seeds from here on fill the bank and are never recorded."""
EPISODES = 12
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
        found = {text for text in bank.get(focused.name, []) if text != right}
        if len(found) < 2:
            found |= {text for texts in bank.values() for text in texts if text != right}
        offered = rng.sample(sorted(found), min(OFFERED, len(found)))
        if task == "enter-text-2":
            # The instruction shows its text in the wrong case: what a hasty reader types.
            shown = screen.instruction.split('"')[1]
            offered = [shown, *offered[: OFFERED - 1]] if shown != right else offered
        return tuple(offered)

    def knows(self, task: str) -> bool:
        """Whether the bank of a task is filled; filling it uses the environment's page."""
        return task in self._texts

    def _fill(self, task: str) -> dict[str, list[str]]:
        environment = self._environment
        found: dict[str, list[str]] = defaultdict(list)
        for seed in range(FIRST_SEED, FIRST_SEED + EPISODES):
            screen = environment.reset(task, seed, "windows")
            for _ in range(14):
                move = expert_move(screen)
                if move is None:
                    break
                if move.action.verb == "type" and move.control is not None:
                    found[move.control.name].append(move.action.text)
                environment.act(move.action, painted=False)
                if environment.outcome().done:
                    break
                screen = environment.observe()
        return found
