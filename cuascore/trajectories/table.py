"""Trajectories as columns: every distinct text and screenshot once, states and actions as rows of integers."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cuascore.trajectories.pairs import ActionRef, Pair
from cuascore.trajectories.step import Label

MAX_HISTORY = 10
MISSING = 0
"""Row 0 of the texts is "" and row 0 of the images is no image: both have the zero vector as feature."""
LABELS = (Label.UNKNOWN, Label.CORRECT, Label.INCORRECT)
COMPLETION = (None, True, False)

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StepTable:
    """S states and A actions.

    Attributes:
        texts: distinct strings; images: distinct screenshots, ``images[0]`` is None.
        state_text: name -> (S,) row in ``texts``, for "instruction", "observation", "reflection" (the previous step's).
        state_image, state_trajectory: (S,); state_completion: (S,) position in ``COMPLETION``.
        history: (S, 10) earlier executed states of the trajectory, oldest first, -1 in front as padding.
        executed: (S,) row of the action that was executed.
        action_text: name -> (A,) row in ``texts``, for "description", "code", "intent".
        coordinates: (A, 6) float32, x, y and presence of the first two points.
        action_state: (A,); action_label: (A,) position in ``LABELS``; action_kind: A names of first calls.
        trajectories: keys; platforms: platform of each trajectory; first_state: row of its first state.
    """

    texts: list[str]
    images: list[Path | None]
    state_text: dict[str, Ids]
    state_image: Ids
    state_trajectory: Ids
    state_completion: Ids
    history: Ids
    executed: Ids
    action_text: dict[str, Ids]
    coordinates: NDArray[np.float32]
    action_state: Ids
    action_label: Ids
    action_kind: list[str]
    trajectories: list[str]
    platforms: list[str]
    first_state: Ids

    def locate(self, pairs: Sequence[Pair]) -> "PairRows":
        """Translate pairs into rows of this table."""
        position = {key: row for row, key in enumerate(self.trajectories)}
        starts = [int(self.first_state[position[pair.trajectory]]) for pair in pairs]

        def action(start: int, ref: ActionRef) -> int:
            state = start + ref.step
            if ref.candidate is None:
                return int(self.executed[state])
            return int(self.executed[state]) + 1 + ref.candidate

        return PairRows(
            kind=np.array([pair.kind for pair in pairs], dtype=object),
            state=np.array([start + pair.step for start, pair in zip(starts, pairs, strict=True)], np.int64),
            correct=np.array([action(s, pair.correct) for s, pair in zip(starts, pairs, strict=True)], np.int64),
            incorrect=np.array([action(s, pair.incorrect) for s, pair in zip(starts, pairs, strict=True)], np.int64),
        )


@dataclass(frozen=True, slots=True)
class PairRows:
    """P pairs as rows of a table: kind (P,) of str, state, correct and incorrect (P,) int64."""

    kind: NDArray[np.object_]
    state: Ids
    correct: Ids
    incorrect: Ids

    def __len__(self) -> int:
        return len(self.state)

    def take(self, rows: NDArray[np.bool_] | Ids) -> "PairRows":
        """Return a subset, by mask or by positions."""
        return PairRows(self.kind[rows], self.state[rows], self.correct[rows], self.incorrect[rows])
