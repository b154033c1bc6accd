"""What a threshold does: candidates are overridden when the best of them scores above sigma.

A pair stands for an agent's two candidates, either of which is its default with probability 1/2; the values are
expectations over that coin, so that no randomness is added. With ``top`` the higher score of the pair:

- overridden: ``top > sigma`` and the best is not the default, 1/2 of ``P(top > sigma)``;
- accuracy of overrides: the share of ``top > sigma`` in which the correct action is the best, a tie counting half;
- accuracy overall: that where ``top > sigma``, and the default's 1/2 elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ablations.metrics import Frame, Outcomes
from reports.statistics.bootstrap import Resampling, draw
from reports.statistics.estimate import FEWEST_SEEDS, UNDEFINED_SHARE
from reports.statistics.tally import Tally

CURVES = ("share overridden", "accuracy of overrides", "accuracy overall")
GRID = tuple(round(-1 + 0.025 * step, 3) for step in range(81))
"""sigma, a cosine: every value that a score can have, in steps that hit the paper's 0.10."""


@dataclass(frozen=True)
class Sensitivity:
    """The three ``CURVES`` of one row against ``GRID``.

    ``points``, ``low`` and ``high`` are (3, grid): NaN where nothing is overridden; the band is pointwise and None with
    fewer than three seeds. ``chosen`` is the sigma with the best overall accuracy on validation, or None without pairs.
    """

    row: str
    kind: str
    seeds: int
    points: NDArray[np.float64]
    low: NDArray[np.float64] | None
    high: NDArray[np.float64] | None
    chosen: float | None


def pair_kind(outcomes: Sequence[Outcomes]) -> str | None:
    """The pairs that stand for candidates: real incorrect ones where the test part has any, else hard ones."""
    for kind in ("real_incorrect", "hard"):
        if any(_chosen(entry.pairs, "test", kind).any() for entry in outcomes):
            return kind
    return None


def sensitivity(
    rows: Mapping[str, Mapping[int, Outcomes]],
    kind: str,
    trajectories: Sequence[str],
    *,
    threshold: float,
    resampling: Resampling,
) -> list[Sensitivity]:
    """The curves of several rows (outcomes by seed) from the same resampling weights."""
    tallies = {name: _tally(outcomes, kind, trajectories, "test") for name, outcomes in rows.items()}
    draws = draw(list(tallies.values()), resampling)
    found = []
    for (name, entry), drawn in zip(tallies.items(), draws, strict=True):
        low = high = None
        if len(entry.seeds) >= FEWEST_SEEDS:
            low, high = _band(drawn, resampling.confidence)
        found.append(
            Sensitivity(
                name,
                kind,
                len(entry.seeds),
                entry.points().reshape(3, -1),
                low,
                high,
                choose_sigma(rows[name], kind, threshold),
            )
        )
    return found


def choose_sigma(outcomes: Mapping[int, Outcomes], kind: str, threshold: float) -> float | None:
    """The sigma of ``GRID`` with the best overall accuracy on validation; of equals, the nearest to ``threshold``."""
    names = sorted({str(name) for entry in outcomes.values() for name in entry.pairs["trajectory"]})
    overall = _tally(outcomes, kind, names, "validation").points().reshape(3, -1)[2]
    if np.isnan(overall).all():
        return None
    equals = np.flatnonzero(overall >= np.nanmax(overall) - 1e-12)
    return GRID[min(equals, key=lambda index: (abs(GRID[index] - threshold), GRID[index]))]


def _tally(outcomes: Mapping[int, Outcomes], kind: str, trajectories: Sequence[str], part: str) -> Tally:
    """Terms are the three curves at each sigma, so that they are drawn as any other metric."""
    place = {trajectory: index for index, trajectory in enumerate(trajectories)}
    seeds = tuple(sorted(outcomes))
    shape = (len(seeds), len(trajectories), len(GRID))
    over, right, count = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for row, seed in enumerate(seeds):
        frame = outcomes[seed].pairs
        chosen = _chosen(frame, part, kind)
        correct = frame["score_correct"][chosen].astype(np.float64)
        incorrect = frame["score_incorrect"][chosen].astype(np.float64)
        owners = np.fromiter((place[owner] for owner in frame["trajectory"][chosen]), np.intp, int(chosen.sum()))
        above = np.maximum(correct, incorrect)[:, None] > np.asarray(GRID)
        wins = 0.5 + 0.5 * np.sign(correct - incorrect)
        np.add.at(over[row], owners, above.astype(np.float64))
        np.add.at(right[row], owners, above * wins[:, None])
        np.add.at(count[row], owners, 1.0)
    values = np.concatenate([0.5 * over, right, right + 0.5 * (count - over)], axis=2)
    counts = np.concatenate([count, over, count], axis=2)
    return Tally(seeds, tuple(trajectories), values, counts, np.eye(3 * len(GRID)))


def _chosen(frame: Frame, part: str, kind: str) -> NDArray[np.bool_]:
    return np.asarray((frame["part"] == part) & (frame["kind"] == kind), bool)


def _band(drawn: NDArray[np.float64], confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Percentiles at each sigma, (3, grid) each; NaN where too many resamples override nothing."""
    low, high = np.full(drawn.shape[1], np.nan), np.full(drawn.shape[1], np.nan)
    for column in range(drawn.shape[1]):
        values = drawn[:, column][~np.isnan(drawn[:, column])]
        if len(values) >= (1 - UNDEFINED_SHARE) * len(drawn):
            low[column], high[column] = np.quantile(values, [0.5 - confidence / 2, 0.5 + confidence / 2])
    return np.clip(low, 0, 1).reshape(3, -1), np.clip(high, 0, 1).reshape(3, -1)
