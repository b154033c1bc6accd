"""Judging a move by executing it: replay its state, make it, let the expert finish, and ask the page for its reward."""

from enum import StrEnum

from cuascore.miniwob.actions import GuiAction
from cuascore.miniwob.environment import Environment
from cuascore.miniwob.moves import expert_move

Prefix = tuple[GuiAction, ...]
LONGEST = 20
"""Steps after which the expert counts as unable to finish."""
SPARE = 6
"""Steps more than the task needed at first, with the same meaning."""


class Judgement(StrEnum):
    """What a move did to the number of steps that the expert still needs."""

    PROGRESS = "progress"
    WASTED = "wasted"
    SET_BACK = "set-back"
    FATAL = "fatal"


class Judge:
    """Judges the moves of one (task, seed, look). What it learns of a prefix is kept for later questions."""

    def __init__(self, environment: Environment, task: str, seed: int, look: str) -> None:
        self._environment = environment
        self._episode = (task, seed, look)
        self._remaining: dict[Prefix, int | None] = {}
        self.replays = 0

    def remaining(self, prefix: Prefix) -> int | None:
        """Return how many steps the expert needs after a prefix: 0 once the page paid in full, None if it is lost."""
        if prefix not in self._remaining:
            self._replay(prefix)
        return self._remaining[prefix]

    def judge(self, prefix: Prefix, action: GuiAction) -> Judgement:
        """Judge an action in the state that a prefix leads to.

        Raises:
            ValueError: the task was already lost in that state, so that nothing can be told of the action.
        """
        before, after = self.remaining(prefix), self.remaining((*prefix, action))
        if before is None:
            raise ValueError("no expert could finish from this state")
        if after is None:
            return Judgement.FATAL
        if after < before:
            return Judgement.PROGRESS
        return Judgement.WASTED if after == before else Judgement.SET_BACK

    def _replay(self, prefix: Prefix) -> None:
        self.replays += 1
        environment = self._environment
        environment.begin(*self._episode)
        for action in prefix:
            environment.act(action, painted=False)
        needed = self._remaining.get(())
        limit = LONGEST if needed is None else min(LONGEST, needed + SPARE)
        taken: list[GuiAction] = []
        while not environment.outcome().done and len(taken) < limit:
            move = expert_move(environment.observe(brief=True))
            if move is None:
                break
            environment.act(move.action, painted=False)
            taken.append(move.action)
        finished = environment.outcome().success
        # The run passed through every state between the prefix and the end: it answers for all of them.
        for done in range(len(taken) + 1):
            self._remaining[(*prefix, *taken[:done])] = len(taken) - done if finished else None
