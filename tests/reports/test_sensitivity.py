"""The threshold's curves against the coin tossed both ways, pair by pair."""

import math

import numpy as np
import pytest

from reports.statistics.bootstrap import Resampling
from reports.statistics.sensitivity import GRID, choose_sigma, pair_kind, sensitivity
from tests.reports.store import gaps, write_outcomes

FAST = Resampling(resamples=400)


def random_pairs(seed: int, part: str = "test", count: int = 60):
    rng = np.random.default_rng([seed, len(part)])
    # Scores on a grid of their own: ties, and scores equal to a sigma, come up.
    values = np.round(rng.uniform(-1, 1, (count, 2)) * 8) / 8
    return [
        {
            "part": part,
            "kind": "real_incorrect",
            "trajectory": f"t{index % 12}",
            "score_correct": float(correct),
            "score_incorrect": float(incorrect),
        }
        for index, (correct, incorrect) in enumerate(values)
    ]


def tossed(pairs, sigma: float):
    """Play each pair with either side as the default, and with either order of tied candidates; then average."""
    overridden, override_right, right = [], [], []
    for pair in pairs:
        scores = {"correct": pair["score_correct"], "incorrect": pair["score_incorrect"]}
        top = max(scores.values())
        bests = [side for side, score in scores.items() if score == top]
        for default in ("correct", "incorrect"):
            for best in bests if len(bests) == 2 else bests * 2:
                taken = best if top > sigma else default
                overridden.append(taken != default)
                right.append(taken == "correct")
                if top > sigma:
                    override_right.append(best == "correct")
    return [math.fsum(values) / len(values) if values else math.nan for values in (overridden, override_right, right)]


@pytest.fixture
def study(tmp_path):
    pairs = [[*random_pairs(seed), *random_pairs(seed, "validation")] for seed in range(3)]
    return pairs, {seed: write_outcomes(tmp_path / str(seed), found) for seed, found in enumerate(pairs)}


def test_curves_are_the_expectation_over_the_agents_default(study):
    pairs, outcomes = study
    names = sorted({pair["trajectory"] for found in pairs for pair in found})
    (curve,) = sensitivity({"row": outcomes}, "real_incorrect", names, threshold=0.1, resampling=FAST)
    tested = [pair for found in pairs for pair in found if pair["part"] == "test"]
    for place, sigma in enumerate(GRID):
        assert curve.points[:, place] == pytest.approx(tossed(tested, sigma), nan_ok=True)
    assert np.isnan(curve.points[1, -1])
    assert curve.points[2, -1] == 0.5


def test_the_band_holds_the_curve_and_stays_in_range(study):
    pairs, outcomes = study
    names = sorted({pair["trajectory"] for found in pairs for pair in found})
    (curve,) = sensitivity({"row": outcomes}, "real_incorrect", names, threshold=0.1, resampling=FAST)
    assert curve.low is not None
    assert curve.high is not None
    known = np.isfinite(curve.low)
    assert known[0].all()
    assert (curve.low[known] <= curve.points[known] + 1e-9).all()
    assert (curve.high[known] >= curve.points[known] - 1e-9).all()
    assert curve.low[known].min() >= 0
    assert curve.high[known].max() <= 1


def test_two_seeds_have_no_band(study):
    pairs, outcomes = study
    names = sorted({pair["trajectory"] for found in pairs for pair in found})
    two = {seed: outcomes[seed] for seed in (0, 1)}
    (curve,) = sensitivity({"row": two}, "real_incorrect", names, threshold=0.1, resampling=FAST)
    assert curve.low is None


def test_sigma_is_chosen_on_validation_alone(tmp_path):
    """Validation: overriding pays above 0.3 and harms below. Test: the other way round."""

    def pairs(part, high_right):
        return [
            {"part": part, "kind": "real_incorrect", "score_correct": 0.5, "score_incorrect": 0.4},
            {"part": part, "kind": "real_incorrect", "score_correct": 0.2, "score_incorrect": 0.25},
        ][:: 1 if high_right else -1]

    validation = pairs("validation", True)
    test = [{**pair, "part": "test", "score_correct": pair["score_incorrect"], "score_incorrect": pair["score_correct"]}
            for pair in validation]  # fmt: skip
    outcomes = {0: write_outcomes(tmp_path, [*validation, *test])}
    chosen = choose_sigma(outcomes, "real_incorrect", 0.1)
    # Every sigma from 0.25 up to 0.5 is as good; the nearest to the study's threshold is taken.
    assert chosen == 0.25
    only_test = {0: write_outcomes(tmp_path / "none", test)}
    assert choose_sigma(only_test, "real_incorrect", 0.1) is None


def test_hard_pairs_stand_in_where_there_are_no_real_incorrect_ones(tmp_path):
    hard = write_outcomes(tmp_path / "hard", gaps([0.2]))
    both = write_outcomes(tmp_path / "both", [*gaps([0.2]), *gaps([0.2], kind="real_incorrect")])
    neither = write_outcomes(tmp_path / "neither", gaps([0.2], part="validation"))
    assert pair_kind([hard]) == "hard"
    assert pair_kind([hard, both]) == "real_incorrect"
    assert pair_kind([neither]) is None
