"""Batches as index gathers: an epoch's order, negatives and word dropout are drawn from streams keyed by the epoch."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from cuascore.errors import UserError
from cuascore.intentscore.inputs import ActionInputs, StateInputs
from cuascore.streams import stream
from cuascore.trajectories.dataset import Dataset
from cuascore.trajectories.table import COMPLETION, LABELS, Ids, PairRows
from lightning_modules.intentscore.config import CompletionWeights, IntentScoreConfig
from lightning_modules.intentscore.features import FULL, FeatureBank
from lightning_modules.intentscore.negatives import ABSENT, NegativeSampler


class TrainingBatch(NamedTuple):
    """B anchors. ``negative_state`` is the anchor's state with the negative's intent at hand."""

    state: StateInputs
    correct: ActionInputs
    negative_state: StateInputs
    negative: ActionInputs
    has_negative: Tensor
    """(B,) bool."""
    weights: Tensor
    """(B,) completion weights."""


def anchors_of(dataset: Dataset, platforms: tuple[str, ...]) -> Ids:
    """Return the training part's (state, correct action) rows, (N, 2), candidates included."""
    table = dataset.table
    executed = {
        (state, action)
        for state, action in enumerate(table.executed.tolist())
        if LABELS[table.action_label[action]] == "correct"
    }
    members = {trajectory.key for trajectory in dataset.members("train", platforms)}
    inside = np.array([key in members for key in table.trajectories], bool)
    pairs = dataset.pair_rows("train", platforms)
    paired = set(zip(pairs.state.tolist(), pairs.correct.tolist(), strict=True))
    rows = sorted(row for row in executed | paired if inside[table.state_trajectory[row[0]]])
    return np.array(rows, np.int64).reshape(-1, 2)


class TrainingBatches:
    """Every iteration is one epoch over all anchors, in near-equal batches of at most ``training.batch_size``.

    Raises:
        UserError: there are fewer than two anchors.
    """

    def __init__(
        self, dataset: Dataset, bank: FeatureBank, config: IntentScoreConfig, platforms: tuple[str, ...], seed: int
    ) -> None:
        self.anchors = anchors_of(dataset, platforms)
        if len(self.anchors) < 2:
            found, where = len(self.anchors), ", ".join(platforms)
            raise UserError(f"{where}: {found} correct steps to train on; at least 2 are needed")
        pairs: PairRows = dataset.pair_rows("train", platforms)
        self.sampler = NegativeSampler(self.anchors, pairs, config.negatives, seed)
        self.weights = _weights(dataset, config.loss.completion)
        self.bank, self.config, self.seed = bank, config, seed
        self.epoch = 0

    def __len__(self) -> int:
        return -(-len(self.anchors) // self.config.training.batch_size)

    def __iter__(self) -> Iterator[TrainingBatch]:
        epoch, count = self.epoch, len(self.anchors)
        self.epoch += 1
        order = np.random.default_rng(stream(self.seed, "order", epoch)).permutation(count)
        negatives = self.sampler.draw(epoch)
        variants = {name: self._variants(name, epoch) for name in ("correct", "negative")}
        # Near-equal parts: a last batch of two anchors would make InfoNCE trivial.
        for rows in np.array_split(order, len(self)):
            state, correct = self.anchors[rows].T
            negative = negatives[rows]
            present = negative != ABSENT
            negative = np.where(present, negative, correct)
            history = self.config.model.history.length
            inputs = self.bank.states(state, correct, history)
            yield TrainingBatch(
                state=inputs,
                correct=self.bank.actions(correct, variants["correct"][rows]),
                negative_state=inputs._replace(intent=self.bank.intents(negative)),
                negative=self.bank.actions(negative, variants["negative"][rows]),
                has_negative=torch.from_numpy(present),
                weights=torch.from_numpy(self.weights[state]),
            )

    def _variants(self, name: str, epoch: int) -> Ids:
        config, count = self.config.word_dropout, len(self.anchors)
        generator = np.random.default_rng(stream(self.seed, "word_dropout", name, epoch))
        pick = generator.integers(config.variants, size=count)
        return np.where(generator.random(count) < config.probability, pick, FULL)


def _weights(dataset: Dataset, weights: CompletionWeights) -> np.ndarray:
    by_outcome = {None: weights.unknown, True: weights.completed, False: weights.failed}
    return np.array([by_outcome[outcome] for outcome in COMPLETION], np.float32)[dataset.table.state_completion]


class ValidationBatch(NamedTuple):
    """Anchors for in-batch retrieval, and adjacent pairs; ``pair_state`` holds both sides' states."""

    state: StateInputs
    action: ActionInputs
    pair_state: tuple[StateInputs, StateInputs]
    correct: ActionInputs
    incorrect: ActionInputs


class ValidationBatches:
    """The validation part's hard pairs, and their distinct anchors for retrieval, always in the same order."""

    def __init__(
        self, dataset: Dataset, bank: FeatureBank, config: IntentScoreConfig, platforms: tuple[str, ...]
    ) -> None:
        pairs = dataset.pair_rows("validation", platforms)
        self.pairs = pairs.take(pairs.kind == "hard")
        anchors = sorted(set(zip(self.pairs.state.tolist(), self.pairs.correct.tolist(), strict=True)))
        self.anchors = np.array(anchors, np.int64).reshape(-1, 2)
        self.bank, self.config = bank, config

    def __len__(self) -> int:
        return max(1, -(-len(self.pairs) // self.config.training.batch_size))

    def __iter__(self) -> Iterator[ValidationBatch]:
        history = self.config.model.history.length
        parts = zip(
            np.array_split(self.anchors, len(self)), np.array_split(np.arange(len(self.pairs)), len(self)), strict=True
        )
        for anchors, rows in parts:
            pairs = self.pairs.take(rows)
            state, action = anchors.T
            yield ValidationBatch(
                state=self.bank.states(state, action, history),
                action=self.bank.actions(action),
                pair_state=(
                    self.bank.states(pairs.state, pairs.correct, history),
                    self.bank.states(pairs.state, pairs.incorrect, history),
                ),
                correct=self.bank.actions(pairs.correct),
                incorrect=self.bank.actions(pairs.incorrect),
            )
