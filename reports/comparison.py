"""All rows of a study drawn together: values, paired differences and marks from the same weights."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ablations.metrics import Metric
from reports.results import Results
from reports.statistics.bootstrap import Resampling, draw
from reports.statistics.estimate import ENOUGH_SEEDS, Estimate, estimate
from reports.statistics.tally import Tally, common_records, tally
from reports.table import Row


def test_trajectories(results: Results) -> tuple[str, ...]:
    """Every trajectory of the test part that any finished cell has a record of, sorted."""
    names: set[str] = set()
    for row in results.rows:
        for outcomes in row.outcomes.values():
            for frame in (outcomes.pairs, outcomes.steps):
                names.update(frame["trajectory"][frame["part"] == "test"])
    return tuple(sorted(names))


@dataclass(frozen=True)
class _Group:
    """A row on some of its seeds and the records that it shares: what is drawn at once."""

    row: str
    seeds: tuple[int, ...]
    common: bytes


class Comparison:
    """Tallies of all rows and their draws. Each (row, seeds, records) is drawn once, all in one pass.

    ``tallies`` has the rows with outcomes, without the records that differ between their seeds; ``uneven`` counts the
    trajectories that lost some by this.
    """

    def __init__(self, results: Results, columns: Sequence[Metric], resampling: Resampling) -> None:
        self.results, self.columns, self.resampling = results, columns, resampling
        self.trajectories = test_trajectories(results)
        threshold = results.plan.threshold
        self.tallies: dict[str, Tally] = {}
        self.uneven: dict[str, int] = {}
        for row in results.rows:
            if row.outcomes:
                full = tally(row.outcomes, columns, self.trajectories, threshold=threshold)
                common = common_records([full])
                self.tallies[row.planned.name] = full.restrict(full.seeds, common)
                self.uneven[row.planned.name] = int(np.count_nonzero(~common.all(1)))
        self.best = [self._best(column) for column in range(len(columns))]
        groups: dict[_Group, Tally] = {}
        for name, entry in self.tallies.items():
            self._need(groups, self._group(name, entry, entry.seeds))
            for other in {results.plan.base, *(best for best in self.best if best)} - {name}:
                if other in self.tallies:
                    for pair in self._pair(name, other) or ():
                        self._need(groups, pair)
        self.draws = dict(zip(groups, draw(list(groups.values()), resampling), strict=True))

    def value(self, name: str, column: int) -> Estimate | None:
        """A row's own value; None where it has no records."""
        entry = self.tallies.get(name)
        if entry is None or np.isnan(entry.points()[column]):
            return None
        group, restricted = self._group(name, entry, entry.seeds)
        return estimate(
            float(restricted.points()[column]),
            restricted.points_by_seed()[:, column],
            self.draws[group][:, column],
            trajectories=restricted.trajectories_of(column),
            bounds=self.columns[column].bounds,
            confidence=self.resampling.confidence,
        )

    def difference(self, name: str, other: str, column: int) -> tuple[Estimate, tuple[int, ...]] | None:
        """``name`` minus ``other`` on common seeds and records, and the seeds; None where they share none."""
        if name not in self.tallies or other not in self.tallies:
            return None
        pair = self._pair(name, other)
        if pair is None:
            return None
        (group, mine), (other_group, theirs) = pair
        if np.isnan(mine.points()[column] - theirs.points()[column]):
            return None
        low, high = self.columns[column].bounds
        change = estimate(
            float(mine.points()[column] - theirs.points()[column]),
            (mine.points_by_seed() - theirs.points_by_seed())[:, column],
            self.draws[group][:, column] - self.draws[other_group][:, column],
            trajectories=mine.trajectories_of(column),
            bounds=(low - high, high - low),
            confidence=self.resampling.confidence,
            noun="spread of the difference",
        )
        return change, mine.seeds

    def marks(self, column: int) -> set[str]:
        """The best row of a column and all that cannot be separated from it; none with fewer than five seeds."""
        best = self.best[column]
        if best is None or len(self.tallies) < 2 or len(self.tallies[best].seeds) < ENOUGH_SEEDS:
            return set()
        marked = {best}
        for name, entry in self.tallies.items():
            found = self.difference(name, best, column)
            if name != best and found and len(entry.seeds) >= ENOUGH_SEEDS and not found[0].separated:
                marked.add(name)
        return marked

    def facts(self, rows: Sequence[Row]) -> tuple[tuple[str, str], ...]:
        """The line that stands under the table."""
        plan = self.results.plan
        counts = sorted({len(row.seeds) for row in rows if row.seeds})
        seeds = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        cells = [(column, cell) for row in rows for column, cell in enumerate(row.cells) if cell.records]
        trajectories = _range(cell.trajectories for _, cell in cells)
        records = {
            word: _range(cell.records for column, cell in cells if self.columns[column].table == word)
            for word in dict.fromkeys(metric.table for metric in self.columns)
        }
        missing = self.results.missing
        return (
            ("seeds", seeds),
            ("trajectories", trajectories),
            *((word, count) for word, count in records.items()),
            ("part", "test"),
            (
                "interval",
                f"{self.resampling.confidence:.0%}, crossed percentile bootstrap, seeds widened to Student's t",
            ),
            ("resamples", f"{self.resampling.resamples:,}"),
            ("resampling seed", str(self.resampling.seed)),
            ("commit", plan.commit[:12] + (" (dirty)" if plan.dirty else "")),
            ("data", f"{plan.data.get('dataset', 'unknown')} {str(plan.data.get('fingerprint', ''))[:12]}".strip()),
            ("split seed", str(plan.data.get("split_seed", "unknown"))),
            ("missing cells", str(len(missing))),
        )

    def _best(self, column: int) -> str | None:
        if self.columns[column].better == "neither":
            return None
        sign = 1 if self.columns[column].better == "higher" else -1
        points = {name: sign * entry.points()[column] for name, entry in self.tallies.items()}
        defined = {name: point for name, point in points.items() if not np.isnan(point)}
        return max(defined, key=lambda name: defined[name]) if defined else None

    def _group(
        self, name: str, entry: Tally, seeds: tuple[int, ...], common: NDArray[np.bool_] | None = None
    ) -> tuple[_Group, Tally]:
        if common is None or np.array_equal(entry.counts[0] * common, entry.counts[0]):
            common = np.ones(entry.counts.shape[1:], bool)
        return _Group(name, seeds, common.tobytes()), entry.restrict(seeds, common)

    def _pair(self, name: str, other: str) -> tuple[tuple[_Group, Tally], tuple[_Group, Tally]] | None:
        mine, theirs = self.tallies[name], self.tallies[other]
        seeds = tuple(sorted(set(mine.seeds) & set(theirs.seeds)))
        if not seeds:
            return None
        common = common_records([mine, theirs])
        return self._group(name, mine, seeds, common), self._group(other, theirs, seeds, common)

    @staticmethod
    def _need(groups: dict[_Group, Tally], found: tuple[_Group, Tally]) -> None:
        groups.setdefault(*found)


def _range(values: Iterable[int]) -> str:
    found = sorted(set(values))
    if not found:
        return "0"
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"
