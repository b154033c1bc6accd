"""Which wrong action each anchor is compared with: adjacent steps, incorrect ones, or a mix, drawn anew each epoch."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuascore.errors import UserError
from cuascore.streams import stream
from cuascore.trajectories.table import Ids, PairRows
from lightning_modules.intentscore.config import NegativesConfig

ABSENT = -1


@dataclass(frozen=True, slots=True)
class Choices:
    """For N anchors, their wrong actions in one flat array: anchor i owns ``actions[start[i] : start[i + 1]]``."""

    start: Ids
    actions: Ids

    def draw(self, generator: np.random.Generator) -> Ids:
        """Return one of each anchor's actions, (N,), ``ABSENT`` where it has none."""
        count = np.diff(self.start)
        # One number for every anchor, used or not: an anchor's draw depends on nothing but its place.
        pick = (generator.random(len(count)) * count).astype(np.int64)
        drawn = np.full(len(count), ABSENT, np.int64)
        some = count > 0
        drawn[some] = self.actions[(self.start[:-1] + pick)[some]]
        return drawn


class NegativeSampler:
    """Draws (N,) wrong actions for N anchors.

    Args:
        anchors: (N, 2) rows of (state, correct action).
        pairs: the training part's pairs, both kinds.
        config: which kinds may be used.

    Raises:
        UserError: the kind is not built yet.
    """

    def __init__(self, anchors: Ids, pairs: PairRows, config: NegativesConfig, seed: int) -> None:
        if config.kind not in ("adjacent", "incorrect", "both"):
            raise UserError(f"negatives.kind={config.kind!r} is not built yet; built: 'adjacent', 'incorrect', 'both'")
        self.config, self.seed = config, seed
        self.adjacent = _choices(anchors, pairs.take(pairs.kind == "hard"))
        self.incorrect = _choices(anchors, pairs.take(pairs.kind == "real_incorrect"))

    def draw(self, epoch: int) -> Ids:
        """Return the wrong action of each anchor for this epoch, ``ABSENT`` where it has none."""

        def generator(name: str) -> np.random.Generator:
            return np.random.default_rng(stream(self.seed, "negatives", name, epoch))

        if self.config.kind == "adjacent":
            return self.adjacent.draw(generator("adjacent"))
        if self.config.kind == "incorrect":
            return self.incorrect.draw(generator("incorrect"))
        adjacent, incorrect = self.adjacent.draw(generator("adjacent")), self.incorrect.draw(generator("incorrect"))
        first = generator("mix").random(len(adjacent)) < self.config.adjacent_share
        return np.where(_prefer(first, adjacent, incorrect), adjacent, incorrect)


def _prefer(first: NDArray[np.bool_], adjacent: Ids, incorrect: Ids) -> NDArray[np.bool_]:
    return (first & (adjacent != ABSENT)) | (incorrect == ABSENT)


def _choices(anchors: Ids, pairs: PairRows) -> Choices:
    position = {(state, action): row for row, (state, action) in enumerate(anchors.tolist())}
    owned: list[list[int]] = [[] for _ in range(len(anchors))]
    for state, correct, incorrect in zip(
        pairs.state.tolist(), pairs.correct.tolist(), pairs.incorrect.tolist(), strict=True
    ):
        owned[position[state, correct]].append(incorrect)
    start = np.cumsum([0, *map(len, owned)])
    return Choices(start.astype(np.int64), np.array([a for row in owned for a in row], np.int64))
