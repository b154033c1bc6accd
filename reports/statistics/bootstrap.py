"""A crossed bootstrap: seeds and trajectories are resampled independently, and a record weighs the product of the two.

Owen, "The pigeonhole bootstrap" (Annals of Applied Statistics 1, 2007). Steps of one trajectory are not independent and
share a weight; seeds are the same experiment run again and share the trajectories.

A few seeds resampled with replacement spread too little: by (n - 1) / n in variance, and the normal quantile that is
implied should be Student's. So each draw's distance from what the same trajectories give at equal seed weights is
stretched by ``seed_stretch(n)``: 2.69 at 3 seeds, 1.58 at 5, 1.22 at 10. The trajectories' part is left alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from reports.statistics.tally import Tally, combine

CHUNK_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Resampling:
    """How often, from which seed, at which confidence. The same resampling gives the same digits."""

    resamples: int = 10_000
    seed: int = 0
    confidence: float = 0.95


def seed_stretch(seeds: int, confidence: float = 0.95) -> float:
    """sqrt(n / (n - 1)) * t(n - 1) / z: Student's interval over that of a plain bootstrap; 1 for one seed."""
    if seeds < 2:
        return 1.0
    tail = 0.5 + confidence / 2
    return float(np.sqrt(seeds / (seeds - 1)) * t.ppf(tail, seeds - 1) / norm.ppf(tail))


def draw(tallies: Sequence[Tally], resampling: Resampling) -> list[NDArray[np.float64]]:
    """Resampled metrics of several tallies over the same trajectories, one (resamples, metrics) array each.

    All tallies get the same trajectory weights, and those with the same number of seeds the same seed weights: the
    difference of two such arrays is the paired bootstrap of the difference. NaN where a draw has no records.
    """
    if not tallies:
        return []
    trajectories = len(tallies[0].trajectories)
    stacked = np.concatenate([_flat(entry) for entry in tallies], axis=1)
    results = [np.empty((resampling.resamples, entry.coefficients.shape[1])) for entry in tallies]
    widths = np.cumsum([0, *(2 * entry.counts.shape[0] * entry.counts.shape[2] for entry in tallies)])
    sizes = sorted({len(entry.seeds) for entry in tallies})
    for start, by_trajectory, by_seed in weights(trajectories, sizes, resampling, stacked.shape[1]):
        sums = by_trajectory @ stacked
        for entry, result, left, right in zip(tallies, results, widths[:-1], widths[1:], strict=True):
            seeds, _, terms = entry.counts.shape
            both = sums[:, left:right].reshape(len(sums), seeds, 2 * terms)
            level = both.mean(1)
            drawn = np.einsum("bs,bsk->bk", by_seed[seeds], both)
            centre = combine(level[:, :terms], level[:, terms:], entry.coefficients)
            moved = combine(drawn[:, :terms], drawn[:, terms:], entry.coefficients)
            stretch = seed_stretch(seeds, resampling.confidence)
            result[start : start + len(sums)] = centre + stretch * (moved - centre)
    return results


def weights(
    trajectories: int, seed_counts: Sequence[int], resampling: Resampling, width: int
) -> Iterator[tuple[int, NDArray[np.float64], dict[int, NDArray[np.float64]]]]:
    """Chunks of resampling weights: the first resample's number, (b, trajectories), and (b, n) for each seed count n.

    Each row of weights is a multinomial draw divided by its size, so that it sums to 1. ``width`` is how many columns
    the caller multiplies them with; it bounds the chunk. Each kind of weight has a stream of its own and is drawn row
    by row, so that neither the chunks nor the other seed counts move it.
    """
    stream = np.random.default_rng(np.random.SeedSequence([resampling.seed, 0]))
    streams = {n: np.random.default_rng(np.random.SeedSequence([resampling.seed, 1, n])) for n in seed_counts}
    chunk = max(1, min(resampling.resamples, CHUNK_BYTES // (8 * (trajectories + width + 1))))
    for start in range(0, resampling.resamples, chunk):
        size = min(chunk, resampling.resamples - start)
        by_trajectory = stream.multinomial(trajectories, np.full(trajectories, 1 / trajectories), size) / trajectories
        by_seed = {n: streams[n].multinomial(n, np.full(n, 1 / n), size) / n for n in seed_counts}
        yield start, by_trajectory, by_seed


def _flat(entry: Tally) -> NDArray[np.float64]:
    """(trajectories, seeds * 2 * terms): values, then counts, for each seed."""
    both = np.concatenate([entry.values, entry.counts], axis=2)
    return both.transpose(1, 0, 2).reshape(len(entry.trajectories), -1)
