"""How often each kind of action was right and wrong so far: what the choice of further candidates is steered by."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from cuascore.miniwob.moves import Move

FLOOR, CEILING = 0.04, 8.0


class Ledger:
    """Right minus wrong, for each signature of an action, within a kind of task and over all kinds."""

    def __init__(self) -> None:
        self._balance: Counter[str] = Counter()

    def add(self, task: str, signature: str, correct: bool) -> None:
        """Enter one judged action."""
        for key in (signature, f"{task}|{signature}"):
            self._balance[key] += 1 if correct else -1

    def want(self, task: str, signature: str) -> float:
        """Return how welcome a further wrong action of this signature is, in [FLOOR, CEILING]."""
        surplus = self._balance[f"{task}|{signature}"] + 0.25 * self._balance[signature]
        return min(CEILING, max(FLOOR, 0.3 + surplus))

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
