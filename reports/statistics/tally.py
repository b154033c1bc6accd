"""Outcomes of one row, added up by seed and trajectory: all that a bootstrap needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ablations.metrics import Metric, Outcomes, records


@dataclass(frozen=True)
class Tally:
    """Sums over the records of each (seed, trajectory, term).

    ``values`` and ``counts`` are float64 of shape (seeds, trajectories, terms); ``coefficients`` is (terms, metrics)
    and turns the terms' ratios into metrics. Seeds ascend; trajectories are those of the whole study, in sorted order.
    """

    seeds: tuple[int, ...]
    trajectories: tuple[str, ...]
    values: NDArray[np.float64]
    counts: NDArray[np.float64]
    coefficients: NDArray[np.float64]

    def restrict(self, seeds: Sequence[int], common: NDArray[np.bool_]) -> "Tally":
        """Keep some seeds, and set the (trajectory, term) cells that are not ``common`` to nothing.

        ``common`` is (trajectories, terms). The trajectories stay, so that their resampling weights do too.
        """
        positions = [self.seeds.index(seed) for seed in seeds]
        return Tally(
            tuple(seeds),
            self.trajectories,
            self.values[positions] * common,
            self.counts[positions] * common,
            self.coefficients,
        )

    def points(self) -> NDArray[np.float64]:
        """Metrics over all records, (metrics,): NaN where a term has no records."""
        return combine(self.values.sum((0, 1)), self.counts.sum((0, 1)), self.coefficients)

    def points_by_seed(self) -> NDArray[np.float64]:
        """Metrics of each seed, (seeds, metrics)."""
        return combine(self.values.sum(1), self.counts.sum(1), self.coefficients)

    def trajectories_of(self, metric: int) -> int:
        """How many trajectories have a record that the metric counts."""
        terms = self.coefficients[:, metric] != 0
        return int(np.count_nonzero(self.counts[:, :, terms].sum((0, 2))))

    def records_of(self, metric: int) -> int:
        """How many records of one seed the metric counts (they are the same in all seeds)."""
        terms = self.coefficients[:, metric] != 0
        return round(float(self.counts[0][:, terms].sum()))


def combine(
    values: NDArray[np.float64], counts: NDArray[np.float64], coefficients: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Ratios of sums (..., terms), added up to metrics (..., metrics).

    A metric is NaN where one of its own terms counted nothing; the other metrics are not touched by it.
    """
    empty = counts <= 0
    ratios = np.divide(values, counts, out=np.zeros(np.shape(values)), where=~empty)
    metrics = ratios @ coefficients
    if empty.any():
        metrics[empty.astype(np.float64) @ (coefficients != 0) > 0] = np.nan
    return metrics


def tally(
    outcomes: Mapping[int, Outcomes],
    metrics: Sequence[Metric],
    trajectories: Sequence[str],
    *,
    threshold: float,
    part: str = "test",
) -> Tally:
    """Add up the outcomes of a row, one evaluation a seed.

    Raises:
        ablations.metrics.NotANumber: a score is NaN or infinite.
    """
    terms = [(term, column) for column, metric in enumerate(metrics) for term in metric.terms]
    coefficients = np.zeros((len(terms), len(metrics)))
    for position, (term, column) in enumerate(terms):
        coefficients[position, column] = term.coefficient
    place = {trajectory: index for index, trajectory in enumerate(trajectories)}
    seeds = tuple(sorted(outcomes))
    values = np.zeros((len(seeds), len(trajectories), len(terms)))
    counts = np.zeros_like(values)
    for row, seed in enumerate(seeds):
        for position, (term, _) in enumerate(terms):
            owners, scored = records(term, outcomes[seed], part, threshold)
            where = np.fromiter((place[owner] for owner in owners), np.intp, len(owners))
            values[row, :, position] = np.bincount(where, scored, len(trajectories))
            counts[row, :, position] = np.bincount(where, minlength=len(trajectories))
    return Tally(seeds, tuple(trajectories), values, counts, coefficients)


def common_records(tallies: Sequence[Tally]) -> NDArray[np.bool_]:
    """Which (trajectory, term) hold the same number of records in every seed of every tally, (trajectories, terms).

    Records have no names of their own; those of one trajectory are drawn from the data alone, so that equal numbers
    are the same records.
    """
    stacked = np.concatenate([entry.counts for entry in tallies])
    return np.all(stacked == stacked[:1], axis=0)
