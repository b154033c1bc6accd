"""The table as CSV: one line a (row, column), every number in full precision, empty where there is none."""

import csv
import io

from reports.statistics.estimate import Estimate
from reports.table import Table

HEADER = (
    "row",
    "metric",
    "unit",
    "seeds",
    "missing_seeds",
    "selected_epochs",
    "trajectories",
    "records",
    "value",
    "low",
    "high",
    "difference",
    "difference_low",
    "difference_high",
    "difference_seeds",
    "published",
    "best_or_not_separable",
    "note",
)


def to_csv(table: Table) -> str:
    """RFC 4180 text with ``HEADER``; seeds are separated by spaces, numbers have 9 significant digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    for row in table.rows:
        for metric, cell in zip(table.columns, row.cells, strict=True):
            writer.writerow(
                [
                    row.name,
                    metric.name,
                    metric.unit,
                    _seeds(row.seeds),
                    _seeds(row.missing),
                    " ".join("?" if epoch is None else str(epoch) for epoch in row.selected_epochs),
                    cell.trajectories,
                    cell.records,
                    *_estimate(cell.value),
                    *_estimate(cell.difference),
                    _seeds(cell.difference_seeds),
                    "" if cell.published is None else f"{cell.published:.9g}",
                    int(cell.best),
                    "; ".join(dict.fromkeys((*row.notes, *cell.notes))),
                ]
            )
    return out.getvalue()


def _seeds(seeds: tuple[int, ...]) -> str:
    return " ".join(map(str, seeds))


def _estimate(entry: Estimate | None) -> list[str]:
    if entry is None:
        return ["", "", ""]
    bounds = ["", ""] if entry.interval is None else [f"{bound:.9g}" for bound in entry.interval]
    return [f"{entry.point:.9g}", *bounds]
