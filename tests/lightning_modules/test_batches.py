"""Anchors and negatives: what they are made of, how they are drawn, and that draws depend on seed and epoch alone."""

from collections import Counter

import numpy as np
import pytest

from cuascore.errors import UserError
from cuascore.trajectories.dataset import DataConfig, load_dataset
from cuascore.trajectories.table import LABELS
from lightning_modules.intentscore.batches import TrainingBatches, anchors_of
from lightning_modules.intentscore.config import IntentScoreConfig, NegativesConfig
from lightning_modules.intentscore.features import random_features
from lightning_modules.intentscore.negatives import ABSENT, NegativeSampler


@pytest.fixture(scope="module")
def data(tiny_data):
    return load_dataset(DataConfig(dataset="folder"), tiny_data)


def sampler(data, **changes) -> tuple[NegativeSampler, np.ndarray]:
    anchors = anchors_of(data, data.target)
    pairs = data.pair_rows("train", data.target)
    return NegativeSampler(anchors, pairs, NegativesConfig(**changes), seed=0), anchors


def test_anchors_are_correct_actions_of_the_training_part(data):
    table = data.table
    anchors = anchors_of(data, data.target)
    for state, action in anchors.tolist():
        assert LABELS[table.action_label[action]] == "correct"
        assert table.action_state[action] == state
        assert data.split.part_of[table.trajectories[table.state_trajectory[state]]] == "train"
    # The last step of each tiny trajectory is unjudged, so it is no anchor.
    members = data.members("train", data.target)
    assert len(anchors) == sum(len(t.steps) - 1 for t in members)


def test_anchors_of_one_platform(data):
    table = data.table
    for platform in data.platforms:
        owners = {table.platforms[table.state_trajectory[state]] for state, _ in anchors_of(data, (platform,)).tolist()}
        assert owners == {platform}


@pytest.mark.parametrize("kind", ["adjacent", "incorrect", "both"])
def test_negatives_belong_to_their_anchor(data, kind):
    table = data.table
    drawn, anchors = sampler(data, kind=kind)
    for epoch in range(5):
        for (state, _), wrong in zip(anchors.tolist(), drawn.draw(epoch).tolist(), strict=True):
            if wrong == ABSENT:
                continue
            adjacent = table.action_state[wrong] != state
            assert table.state_trajectory[table.action_state[wrong]] == table.state_trajectory[state]
            if adjacent:
                assert kind != "incorrect"
                assert abs(table.action_state[wrong] - state) == 1
            else:
                assert kind != "adjacent"
                assert LABELS[table.action_label[wrong]] == "incorrect"


def test_the_mix_is_the_share_that_was_asked_for(data):
    table = data.table
    drawn, anchors = sampler(data, adjacent_share=0.25)
    counts: Counter[bool] = Counter()
    for epoch in range(200):
        wrong = drawn.draw(epoch)
        counts.update((table.action_state[wrong] != anchors[:, 0]).tolist())
    assert counts[True] / counts.total() == pytest.approx(0.25, abs=0.02)


def test_all_choices_come_up_equally_often(data):
    drawn, _ = sampler(data, kind="adjacent")
    middle = int(np.flatnonzero(np.diff(drawn.adjacent.start) == 2)[0])
    counts = Counter(int(drawn.draw(epoch)[middle]) for epoch in range(600))
    assert len(counts) == 2
    assert min(counts.values()) > 240


def test_draws_depend_on_seed_and_epoch_alone(data):
    one, anchors = sampler(data)
    two, _ = sampler(data)
    assert np.array_equal(one.draw(3), two.draw(3))
    assert not np.array_equal(one.draw(3), one.draw(4))
    pairs = data.pair_rows("train", data.target)
    other = NegativeSampler(anchors, pairs, NegativesConfig(), seed=1)
    assert not np.array_equal(one.draw(3), other.draw(3))


def test_kinds_that_are_not_built_yet_name_themselves(data):
    with pytest.raises(UserError, match=r"negatives\.kind='hard_mined' is not built yet"):
        sampler(data, kind="hard_mined")


def test_an_epoch_shows_every_anchor_once_in_near_equal_batches(data):
    config = IntentScoreConfig().override({"training.batch_size": 10, "word_dropout.variants": 1})
    batches = TrainingBatches(data, random_features(data, config.word_dropout), config, data.target, seed=0)
    sizes = [len(batch.weights) for batch in batches]
    assert sum(sizes) == len(batches.anchors)
    assert max(sizes) <= 10
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) == len(batches)
    first, second = (np.concatenate([b.correct.coordinates.numpy() for b in batches]) for _ in range(2))
    assert not np.array_equal(first, second), "the next epoch has another order"
    assert np.array_equal(np.sort(first, axis=0), np.sort(second, axis=0))
