"""The bootstrap against plain loops over records with the same weights."""

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from ablations.metrics import metric
from reports.statistics import bootstrap
from reports.statistics.bootstrap import Resampling, draw, seed_stretch, weights
from reports.statistics.tally import common_records, tally
from tests.reports.store import write_outcomes

METRICS = ["hard_accuracy", "hard_gap_mean", "real_incorrect_accuracy", "correct_incorrect_gap"]
TRAJECTORIES = ("a", "b", "c", "d", "e")


def random_records(seed: int):
    """Uneven numbers of records a trajectory, the same in every seed; trajectory "e" has no real incorrect pair."""
    rng = np.random.default_rng(seed)
    pairs, steps = [], []
    for amount, trajectory in enumerate(TRAJECTORIES, start=1):
        for kind in ("hard", "real_incorrect"):
            for _ in range(amount if (kind, trajectory) != ("real_incorrect", "e") else 0):
                correct, incorrect = (float(value) for value in rng.uniform(-1, 1, 2).astype(np.float32))
                pairs.append(
                    {"kind": kind, "trajectory": trajectory, "score_correct": correct, "score_incorrect": incorrect}
                )
        for label in ("correct", "incorrect"):
            steps.append({"trajectory": trajectory, "label": label, "score": float(np.float32(rng.uniform(-1, 1)))})
    return pairs, steps


def weighted_mean(records, value, weigh) -> float:
    total = math.fsum(weigh(record) * value(record) for record in records)
    return total / math.fsum(weigh(record) for record in records)


def looped(records_of, seed_weights, trajectory_weights):
    """The four metrics with each record weighing (weight of its seed) * (weight of its trajectory)."""

    def weigh(record):
        seed, entry = record
        return seed_weights[seed] * trajectory_weights[TRAJECTORIES.index(entry["trajectory"])]

    pairs = [(seed, pair) for seed, (found, _) in enumerate(records_of) for pair in found]
    steps = [(seed, step) for seed, (_, found) in enumerate(records_of) for step in found]

    def gap(record):
        return record[1]["score_correct"] - record[1]["score_incorrect"]

    hard = [pair for pair in pairs if pair[1]["kind"] == "hard"]
    real = [pair for pair in pairs if pair[1]["kind"] == "real_incorrect"]
    correct = [step for step in steps if step[1]["label"] == "correct"]
    incorrect = [step for step in steps if step[1]["label"] == "incorrect"]

    def score(record):
        return record[1]["score"]

    return [
        weighted_mean(hard, lambda record: float(gap(record) > 0), weigh),
        weighted_mean(hard, gap, weigh),
        weighted_mean(real, lambda record: float(gap(record) > 0), weigh),
        weighted_mean(correct, score, weigh) - weighted_mean(incorrect, score, weigh),
    ]


@pytest.fixture
def study(tmp_path):
    """Records of 4 seeds, and their tally."""
    records = [random_records(seed) for seed in range(4)]
    outcomes = {seed: write_outcomes(tmp_path / str(seed), *found) for seed, found in enumerate(records)}
    return records, tally(outcomes, [metric(name) for name in METRICS], TRAJECTORIES, threshold=0.1)


def test_points_are_those_of_equal_weights(study):
    records, entry = study
    assert entry.points() == pytest.approx(looped(records, [1] * 4, [1] * 5))
    for seed in range(4):
        assert entry.points_by_seed()[seed] == pytest.approx(looped([records[seed]], [1], [1] * 5))


def test_each_draw_equals_a_loop_with_the_same_weights(study):
    records, entry = study
    resampling = Resampling(resamples=60, seed=3)
    drawn = draw([entry], resampling)[0]
    _, by_trajectory, by_seed = next(weights(5, [4], resampling, 1))
    stretch = math.sqrt(4 / 3) * t.ppf(0.975, 3) / norm.ppf(0.975)
    checked = 0
    for resample in range(60):
        counted = by_trajectory[resample]
        if counted[:4].sum() == 0:
            assert np.isnan(drawn[resample, 2])
            continue
        centre = np.array(looped(records, [0.25] * 4, counted))
        moved = np.array(looped(records, by_seed[4][resample], counted))
        assert drawn[resample] == pytest.approx(centre + stretch * (moved - centre))
        checked += 1
    assert checked > 50


def test_weights_are_draws_with_replacement():
    resampling = Resampling(resamples=4000, seed=1)
    _, by_trajectory, by_seed = next(weights(6, [3, 5], resampling, 1))
    for found, size in ((by_trajectory, 6), (by_seed[3], 3), (by_seed[5], 5)):
        assert np.allclose(found.sum(1), 1)
        assert np.allclose(found * size, np.round(found * size))
        assert found.mean(0) == pytest.approx(np.full(size, 1 / size), abs=0.02)
        # Multinomial variance of a share: (1/n)(1 - 1/n)/n.
        assert found.var(0) == pytest.approx(np.full(size, (1 / size) * (1 - 1 / size) / size), rel=0.15)


def test_both_kinds_of_weights_follow_the_resampling_seed():
    def drawn(seed):
        _, by_trajectory, by_seed = next(weights(6, [3], Resampling(50, seed), 1))
        return by_trajectory, by_seed[3]

    for first, again, other in zip(drawn(1), drawn(1), drawn(2), strict=True):
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)


def test_the_same_seed_gives_the_same_digits_whatever_the_chunk(study, monkeypatch):
    _, entry = study
    whole = draw([entry], Resampling(200, 5))[0]
    monkeypatch.setattr(bootstrap, "CHUNK_BYTES", 7 * 8 * 60)
    assert np.array_equal(draw([entry], Resampling(200, 5))[0], whole, equal_nan=True)
    assert not np.array_equal(draw([entry], Resampling(200, 6))[0], whole, equal_nan=True)


def test_tallies_drawn_together_are_paired(study):
    _, entry = study
    alone = draw([entry], Resampling(100, 5))[0]
    fewer = entry.restrict([1, 2], np.ones((5, 5), bool))
    first, other, second = draw([entry, fewer, entry], Resampling(100, 5))
    assert np.allclose(first, second, equal_nan=True)
    assert np.allclose(first, alone, equal_nan=True)
    assert not np.allclose(first, other, equal_nan=True)


def test_a_metric_without_records_leaves_the_others_alone(study):
    _, entry = study
    common = np.ones((5, 5), bool)
    common[:, 0] = False
    hollow = entry.restrict(entry.seeds, common)
    assert np.isnan(hollow.points()[0])
    assert hollow.points()[1:] == pytest.approx(entry.points()[1:])
    drawn = draw([hollow], Resampling(50))[0]
    assert np.isnan(drawn[:, 0]).all()
    assert np.isfinite(drawn[:, 1]).all()


def test_stretch_is_students_over_normal():
    assert seed_stretch(1) == 1
    assert seed_stretch(3) == pytest.approx(math.sqrt(1.5) * 4.302653 / 1.959964, rel=1e-6)
    assert seed_stretch(2000) == pytest.approx(1, abs=2e-3)


def test_common_records_are_those_of_equal_number(study):
    _, entry = study
    assert common_records([entry]).all()
    shorter = entry.restrict(entry.seeds, np.ones((5, 5), bool))
    shorter.counts[2, 1, 0] -= 1
    common = common_records([entry, shorter])
    assert not common[1, 0]
    assert common.sum() == common.size - 1


def test_intervals_cover_what_they_promise():
    """Coverage of a mean with known truth, where a plain bootstrap over few seeds covers 0.81 to 0.88."""
    rng = np.random.default_rng(0)
    for seeds, floor in ((3, 0.92), (5, 0.92)):
        hits = 0
        for repetition in range(300):
            level = rng.normal(0, 0.4, (seeds, 1, 1)) + rng.normal(0, 0.3, (1, 40, 1))
            values = level + rng.normal(0, 0.5, (seeds, 40, 1))
            entry = bootstrap.Tally(
                tuple(range(seeds)), tuple(map(str, range(40))), values, np.ones_like(values), np.eye(1)
            )
            low, high = np.quantile(draw([entry], Resampling(600, repetition))[0], [0.025, 0.975])
            hits += low <= 0 <= high
        assert hits / 300 >= floor
