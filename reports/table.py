"""The one model of a table. Every format renders these cells; none computes or edits a number."""

from dataclasses import dataclass

from ablations.metrics import Metric
from reports.statistics.estimate import Estimate

DASH = "—"


@dataclass(frozen=True)
class Cell:
    """A row's value in one column.

    ``value`` is None where there are no outcomes; ``difference`` is paired, to the base row, on common seeds, and None
    for the base itself; ``best`` marks the best row of the column and all that cannot be separated from it.
    """

    value: Estimate | None
    difference: Estimate | None = None
    difference_seeds: tuple[int, ...] = ()
    published: float | None = None
    trajectories: int = 0
    records: int = 0
    best: bool = False
    by_seed: tuple[tuple[int, float], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A row: its cells in the order of the columns.

    ``seeds`` are those with outcomes, ``missing`` those without; ``selected_epochs`` goes with ``seeds``.
    """

    name: str
    cells: tuple[Cell, ...]
    seeds: tuple[int, ...]
    missing: tuple[int, ...]
    is_base: bool = False
    gap: str | None = None
    selected_epochs: tuple[int | None, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def epochs(self) -> str:
        """The epochs whose checkpoints were selected on validation, as a range over the seeds."""
        known = sorted({epoch for epoch in self.selected_epochs if epoch is not None})
        if not known:
            return DASH
        return str(known[0]) if len(known) == 1 else f"{known[0]}–{known[-1]}"

    @property
    def count(self) -> str:
        """n as it is printed: ``5``, or ``4 of 5 †`` where seeds are missing."""
        if self.missing:
            return f"{len(self.seeds)} of {len(self.seeds) + len(self.missing)} †"
        return str(len(self.seeds))


@dataclass(frozen=True)
class Table:
    """A table with what must stand under it: ``facts`` (name, value) and ``notes``."""

    title: str
    columns: tuple[Metric, ...]
    rows: tuple[Row, ...]
    base: str
    threshold: float
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns' headings, with the study's threshold in place of the word."""
        return tuple(metric.label.replace("threshold", f"{self.threshold:.2f}") for metric in self.columns)

    def has_published(self, column: int) -> bool:
        """Whether any row has a published number in that column."""
        return any(row.cells[column].published is not None for row in self.rows)


def number(value: float | None, *, sign: bool = False) -> str:
    """Three decimals, a real minus sign, and a dash where there is nothing."""
    if value is None or value != value:
        return DASH
    text = f"{value:+.3f}" if sign else f"{value:.3f}"
    if float(text) == 0:
        text = "0.000"
    return text.replace("-", "−")


def interval(bounds: tuple[float, float] | None, *, sign: bool = False) -> str:
    """``[low, high]``, or nothing where there is no interval."""
    if bounds is None:
        return ""
    return f"[{number(bounds[0], sign=sign)}, {number(bounds[1], sign=sign)}]"


def with_interval(entry: Estimate | None, *, sign: bool = False) -> str:
    """``0.886 [0.871, 0.899]``, the point alone, or a dash."""
    if entry is None:
        return DASH
    return f"{number(entry.point, sign=sign)} {interval(entry.interval, sign=sign)}".rstrip()
