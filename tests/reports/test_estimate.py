import numpy as np
import pytest

from reports.statistics.estimate import estimate


def normal(scale: float = 0.01, centre: float = 0.8):
    return np.random.default_rng(0).normal(centre, scale, 4000)


def say(by_seed, drawn, *, trajectories: int = 50, bounds=(0.0, 1.0), point: float | None = None):
    values = np.asarray(by_seed, float)
    return estimate(
        float(values.mean()) if point is None else point, values, drawn, trajectories=trajectories, bounds=bounds
    )


def test_an_interval_is_the_percentiles():
    found = say([0.79, 0.8, 0.81, 0.8, 0.8], normal())
    assert found.interval == pytest.approx((0.8 - 0.0196, 0.8 + 0.0196), abs=1e-3)
    assert found.remarks == ()
    assert found.separated


def test_k07_one_or_two_seeds_have_no_interval():
    for by_seed in ([0.8], [0.8, 0.7]):
        found = say(by_seed, normal())
        assert found.interval is None
        assert found.remarks == (f"n={len(by_seed)}, no interval",)


def test_k07_constant_seeds_and_draws_are_said_in_words():
    found = say([0.8] * 5, np.full(1000, 0.8))
    assert (found.point, found.interval, found.separated) == (0.8, None, False)
    assert "no spread over n=5 seeds" in found.remarks


def test_k07_constant_seeds_leave_the_trajectories_interval_and_no_claim():
    found = say([0.02] * 5, normal(0.001, 0.02), bounds=(-1, 1))
    assert found.interval is not None
    assert found.interval[0] > 0
    assert not found.separated
    assert "the interval is that of the trajectories alone" in found.remarks


def test_k07_rounding_noise_does_not_decide():
    base = np.array([0.1, 0.2, 0.3, 0.7, 0.55])
    change = (base + 0.02) - base
    assert 0 < np.ptp(change) < 1e-12
    draws = np.random.default_rng(0).choice(change, (1000, 5)).mean(1)
    forth, back = say(change, draws, bounds=(-1, 1)), say(-change, -draws, bounds=(-1, 1))
    assert forth.point == -back.point
    assert (forth.interval, back.interval) == (None, None)
    assert forth.remarks == back.remarks == ("no spread over n=5 seeds", "no interval")
    assert not forth.separated


def test_k08_few_seeds_are_warned_of():
    assert "fewer than 5 seeds are too narrow" in say([0.7, 0.8, 0.9], normal()).remarks[0]
    assert say([0.7, 0.8, 0.9, 0.8, 0.7], normal()).remarks == ()


def test_few_trajectories_are_warned_of():
    assert "9 trajectories are too narrow" in say([0.7, 0.8, 0.9, 0.8, 0.7], normal(), trajectories=9).remarks[0]


def test_draws_without_records_are_counted_and_too_many_withhold_the_interval():
    few = normal()
    few[:40] = np.nan
    found = say([0.7, 0.8, 0.9, 0.8, 0.7], few)
    assert found.interval is not None
    assert found.remarks == ("40 of 4000 resamples drew no records",)
    few[:400] = np.nan
    assert say([0.7, 0.8, 0.9, 0.8, 0.7], few).interval is None


def test_an_interval_stays_in_bounds():
    found = say([0.99, 0.98, 1, 1, 0.99], normal(0.02, 0.99))
    assert found.interval is not None
    assert found.interval[1] == 1.0
