"""How often each kind of action was right and wrong so far: what the choice of further candidates is steered by."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp
from random import Random
from typing import Any

from cuascore.miniwob.moves import Move

WEIGHTS = (0.7, 0.2, 0.03)
"""Of the balance of a signature within its kind of task, of the signature, and of its verb and role."""
BOUNDS = (-12.0, 4.0)
"""Of the weighted balance; its exponential is how welcome a wrong action is."""


class Ledger:
    """Right minus wrong, for each signature of an action, within a kind of task and over all kinds."""

    def __init__(self) -> None:
        self._balance: Counter[str] = Counter()

    def add(self, task: str, signature: str, correct: bool) -> None:
        """Enter one judged action."""
        for key in _keys(task, signature):
            self._balance[key] += 1 if correct else -1

    def want(self, task: str, signature: str) -> float:
        """Return how welcome a further wrong action of this signature is: more than 1 where right ones prevail."""
        balance = sum(weight * self._balance[key] for weight, key in zip(WEIGHTS, _keys(task, signature), strict=True))
        return exp(min(BOUNDS[1], max(BOUNDS[0], balance)))

    def choose(self, task: str, moves: Sequence[Move], rng: Random) -> Move | None:
        """Draw a move: first a signature by how welcome it is, then one of its moves."""
        by_signature: dict[str, list[Move]] = {}
        for move in moves:
            by_signature.setdefault(move.signature, []).append(move)
        if not by_signature:
            return None
        signatures = sorted(by_signature)
        drawn = rng.choices(signatures, [self.want(task, signature) for signature in signatures])[0]
        return rng.choice(by_signature[drawn])

    def add_trajectory(self, trajectory: Mapping[str, Any]) -> None:
        """Enter all actions of a recorded trajectory."""
        for step in trajectory["traj"]:
            for action in (step["value"], *step["value"]["rejected"]):
                self.add(trajectory["task_kind"], action["signature"], action["last_step_correct"])


def _keys(task: str, signature: str) -> tuple[str, str, str]:
    return f"{task}|{signature}", signature, "|".join(signature.split("|")[:2])
