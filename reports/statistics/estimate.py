"""What may be said of a number: its interval, or in words why it has none."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEWEST_SEEDS = 3
"""Below this there is no interval."""
ENOUGH_SEEDS = 5
"""Below this the interval comes with a warning, and no marks are given."""
FEW_SEEDS_WARNING = "plain intervals from fewer than 5 seeds are too narrow; here widened to Student's t, and rough"
FEW_TRAJECTORIES = 10
"""Below this the interval comes with a warning."""
NEGLIGIBLE = 1e-9
"""Differences below this are rounding: which way round a difference is taken must not decide what is said of it."""
UNDEFINED_SHARE = 0.05
"""An interval is withheld when more of its resamples than this had no records to count."""


@dataclass(frozen=True)
class Estimate:
    """A point, its interval if one is honest, and remarks in words.

    ``interval`` is (low, high); ``constant`` says that all seeds agree to rounding.
    """

    point: float
    interval: tuple[float, float] | None
    seeds: int
    constant: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def separated(self) -> bool:
        """Of a difference: whether its interval leaves out zero. Never claimed of seeds without any spread."""
        return self.interval is not None and not self.constant and not self.interval[0] <= 0 <= self.interval[1]


def estimate(
    point: float,
    by_seed: NDArray[np.float64],
    drawn: NDArray[np.float64],
    *,
    trajectories: int,
    bounds: tuple[float, float],
    confidence: float = 0.95,
    noun: str = "spread",
) -> Estimate:
    """Turn resampled values into an interval, or say why there is none.

    Args:
        point: the value over all records.
        by_seed: (seeds,), the same of each seed.
        drawn: (resamples,), NaN where a resample had no records.
        trajectories: how many have records.
        bounds: what the value can be; the interval is cut to it.
        noun: what is missing when all seeds agree, for the remark.
    """
    seeds = len(by_seed)
    if seeds < FEWEST_SEEDS:
        return Estimate(point, None, seeds, remarks=(f"n={seeds}, no interval",))
    remarks = []
    if seeds < ENOUGH_SEEDS:
        remarks.append(f"n={seeds}: {FEW_SEEDS_WARNING}")
    if trajectories < FEW_TRAJECTORIES:
        remarks.append(f"intervals from {trajectories} trajectories are too narrow")
    undefined = np.isnan(drawn)
    if undefined.any():
        remarks.append(f"{undefined.sum()} of {len(drawn)} resamples drew no records")
    if undefined.mean() > UNDEFINED_SHARE:
        return Estimate(point, None, seeds, remarks=(*remarks, "no interval"))
    low, high = np.clip(
        np.quantile(drawn[~undefined], [0.5 - confidence / 2, 0.5 + confidence / 2]), bounds[0], bounds[1]
    )
    constant = bool(np.ptp(by_seed) < NEGLIGIBLE)
    if constant:
        remarks.append(f"no {noun} over n={seeds} seeds")
    if high - low < NEGLIGIBLE:
        return Estimate(point, None, seeds, constant, (*remarks, "no interval"))
    if constant:
        remarks.append("the interval is that of the trajectories alone")
    return Estimate(point, (float(low), float(high)), seeds, constant, tuple(remarks))
