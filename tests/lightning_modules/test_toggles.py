"""Every toggle reaches the run: two training steps with and without it differ, and nothing else's stream is moved."""

import numpy as np
import pytest
import torch

from cuascore.trajectories.dataset import DataConfig, Dataset, load_dataset
from lightning_modules.intentscore.batches import TrainingBatches
from lightning_modules.intentscore.config import IntentScoreConfig
from lightning_modules.intentscore.features import random_features
from lightning_modules.intentscore.module import IntentScoreModule
from lightning_modules.intentscore.system import SYSTEM

BASE = {
    "model.embedding_width": 8,
    "model.modality_width": 8,
    "model.hidden_width": 16,
    "word_dropout.variants": 2,
    "training.batch_size": 16,
    "pretraining.kind": "none",
    "pretraining.finetuning": {},
}

MOVES = {
    "model.embedding_width": 16,
    "model.modality_width": 16,
    "model.hidden_width": 8,
    "model.dropout": 0.5,
    "model.intent": "none",
    "model.without": ["vision"],
    "model.history.length": 0,
    "model.history.layers": 1,
    "loss.alignment_weight": 0.5,
    "loss.margin_weight": 1.0,
    "loss.margin": 0.5,
    "loss.margin_on": "scaled",
    "loss.temperature": 0.2,
    "loss.learn_temperature": False,
    "loss.completion.completed": 0.5,
    "loss.completion.failed": 0.9,
    "negatives.kind": "adjacent",
    "negatives.adjacent_share": 1.0,
    "word_dropout.probability": 0.0,
    "word_dropout.variants": 1,
    "training.batch_size": 8,
    "training.learning_rate": 0.01,
    "training.weight_decay": 0.5,
    "training.gradient_clip": 1e-3,
    "pretraining.kind": "target_longer",
}
"""toggle -> a value that two steps must tell from the base's."""

ELSEWHERE = {
    "encoders.text": "tests/sweeps/test_study.py: other features, other stages",
    "encoders.vision": "tests/sweeps/test_study.py: other features, other stages",
    "encoders.max_text_tokens": "tests/encoders: part of the features' identity",
    "loss.completion.unknown": "below: the tiny data has no task of unknown outcome",
    "word_dropout.rate_min": "below: random features stand for positions, not for words",
    "word_dropout.rate_max": "below: random features stand for positions, not for words",
    "training.epochs": "below: seen after an epoch, not after two steps",
    "training.patience": "tests/lightning_modules/test_training.py: seen after several epochs",
    "pretraining.sources": "below: needs pretraining",
    "pretraining.epochs": "tests/sweeps/test_study.py: seen in the curves",
    "pretraining.finetuning": "below: needs pretraining",
    "model.head": "not built yet, and says so",
    "model.history.architecture": "not built yet, and says so",
}
"""toggle -> where it is shown to matter instead."""


@pytest.fixture(scope="module")
def data(tiny_data) -> Dataset:
    return load_dataset(DataConfig(dataset="folder"), tiny_data)


def config(**changes) -> IntentScoreConfig:
    return IntentScoreConfig().override({**BASE, **changes})


def test_no_toggle_is_without_a_test():
    toggles = {key.split("finetuning")[0] + "finetuning" if "finetuning" in key else key for key, _ in config().flat()}
    assert toggles == set(MOVES) | set(ELSEWHERE)
    assert not set(MOVES) & set(ELSEWHERE)


@pytest.mark.parametrize("toggle", MOVES)
def test_k10_the_toggle_moves_the_number(toggle, data):
    assert SYSTEM.probe(config(**{toggle: MOVES[toggle]}), data, 2) != SYSTEM.probe(config(), data, 2)


def test_the_probe_is_deterministic(data):
    assert SYSTEM.probe(config(), data, 2) == SYSTEM.probe(config(), data, 2)


def test_margin_without_weight_has_no_effect_and_the_probe_says_so(data):
    off = {"loss.margin_weight": 0.0}
    assert SYSTEM.probe(config(**off), data, 2) == SYSTEM.probe(config(**off, **{"loss.margin": 0.7}), data, 2)


def test_pretraining_toggles_move_the_number(data):
    cross = {"pretraining.kind": "cross_os"}
    base = SYSTEM.probe(config(**cross), data, 2)
    assert base != SYSTEM.probe(config(), data, 2)
    assert base != SYSTEM.probe(config(**cross, **{"pretraining.sources": ["mac"]}), data, 2)
    assert base != SYSTEM.probe(config(**cross, **{"pretraining.finetuning": {"loss.margin": 0.7}}), data, 2)


def test_completion_weights_are_looked_up_by_outcome(data):
    batches = TrainingBatches(data, random_features(data, config().word_dropout), config(), data.target, seed=0)
    found = batches.weights
    outcomes = [trajectory.completed for trajectory in data.trajectories for _ in trajectory.steps]
    assert found.tolist() == pytest.approx([1.0 if outcome else 0.3 for outcome in outcomes])
    unknown = config(**{"loss.completion.unknown": 0.5})
    assert unknown.loss.completion.unknown == 0.5


def batches_of(data: Dataset, **changes) -> TrainingBatches:
    chosen = config(**changes)
    return TrainingBatches(data, random_features(data, chosen.word_dropout), chosen, data.target, seed=0)


def test_other_toggles_move_neither_the_order_nor_the_negatives(data):
    plain = list(batches_of(data))
    for changes in (
        {"model.without": ["vision"]},
        {"model.intent": "none"},
        {"loss.margin_weight": 0.0},
        {"word_dropout.probability": 0.0},
        {"model.history.length": 0},
    ):
        other = list(batches_of(data, **changes))
        assert len(plain) == len(other)
        for one, two in zip(plain, other, strict=True):
            assert torch.equal(one.state.vision, two.state.vision), changes
            assert torch.equal(one.negative.coordinates, two.negative.coordinates), changes


def test_the_kind_of_negatives_moves_no_other_draw(data):
    plain, other = list(batches_of(data)), list(batches_of(data, **{"negatives.kind": "adjacent"}))
    assert all(torch.equal(a.correct.description, b.correct.description) for a, b in zip(plain, other, strict=True))
    assert any(not torch.equal(a.negative.code, b.negative.code) for a, b in zip(plain, other, strict=True))


def test_epochs_set_the_length_of_the_cosine_schedule(data):
    bank = random_features(data, config().word_dropout)
    rates = []
    for steps in (10, 100):
        module = IntentScoreModule(config(), bank.text_width, bank.vision_width, seed=0, steps=steps)
        chosen = module.configure_optimizers()
        chosen["optimizer"].step()
        chosen["lr_scheduler"]["scheduler"].step()
        rates.append(chosen["optimizer"].param_groups[0]["lr"])
    assert rates == pytest.approx([3e-4 * (1 + np.cos(np.pi / n)) / 2 for n in (10, 100)])
