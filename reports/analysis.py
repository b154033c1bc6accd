"""From a study's results to its table: points, paired differences, marks, and every remark that belongs beside them."""

from collections.abc import Sequence

import numpy as np

from ablations.metrics import Metric
from cuascore.errors import UserError
from reports.comparison import Comparison
from reports.results import Results, RowResult
from reports.statistics.bootstrap import Resampling
from reports.statistics.estimate import ENOUGH_SEEDS, FEW_SEEDS_WARNING, FEWEST_SEEDS
from reports.statistics.tally import Tally
from reports.table import Cell, Row, Table


def analyse(results: Results, columns: Sequence[Metric], title: str, resampling: Resampling) -> Table:
    """Estimate every column of every row.

    Raises:
        UserError: the study has no finished cell.
    """
    if not any(row.outcomes for row in results.rows):
        raise UserError(
            f"study {results.plan.study!r} in {results.store}: no finished cell yet; "
            f"`ablate run {results.plan.study}` makes them"
        )
    comparison = Comparison(results, columns, resampling)
    best = [comparison.marks(column) for column in range(len(columns))]
    rows = tuple(_row(results, row, comparison, best) for row in results.rows)
    return Table(
        title,
        tuple(columns),
        rows,
        results.plan.base,
        results.plan.threshold,
        comparison.facts(rows),
        _notes(results, rows),
    )


def _row(results: Results, row: RowResult, comparison: Comparison, best: Sequence[set[str]]) -> Row:
    plan, planned = results.plan, row.planned
    entry = comparison.tallies.get(planned.name)
    seeds = entry.seeds if entry else ()
    cells = []
    for column, metric in enumerate(comparison.columns):
        value = comparison.value(planned.name, column)
        found = None if planned.name == plan.base else comparison.difference(planned.name, plan.base, column)
        notes = list(value.remarks) if value else []
        notes += [remark for remark in found[0].remarks if remark.startswith("no spread")] if found else []
        if value is None and entry is not None:
            notes.append(f"{metric.label}: no records of that kind in the test part")
        cells.append(
            Cell(
                value,
                found[0] if found else None,
                found[1] if found else (),
                planned.published.get(metric.name),
                entry.trajectories_of(column) if entry else 0,
                entry.records_of(column) if entry else 0,
                planned.name in best[column],
                _seed_points(entry, column),
                tuple(notes),
            )
        )
    missing = tuple(seed for seed in plan.seeds if seed not in seeds) if planned.gap is None else ()
    remarks = list(_remarks(row, cells, plan.seeds))
    if uneven := comparison.uneven.get(planned.name):
        remarks.append(f"trajectories left out since their records differ between seeds: {uneven}")
    epochs = tuple(outcomes.summary.get("selected_epoch") for outcomes in row.outcomes.values())
    is_base = planned.name == plan.base
    return Row(planned.name, tuple(cells), seeds, missing, is_base, planned.gap, epochs, tuple(remarks))


def _seed_points(entry: Tally | None, column: int) -> tuple[tuple[int, float], ...]:
    if entry is None:
        return ()
    points = entry.points_by_seed()[:, column]
    return tuple((seed, float(point)) for seed, point in zip(entry.seeds, points, strict=True) if not np.isnan(point))


def _remarks(row: RowResult, cells: Sequence[Cell], planned: tuple[int, ...]) -> tuple[str, ...]:
    remarks = list(row.planned.notes)
    if row.planned.gap is not None:
        remarks.append(f"cannot run: {row.planned.gap}")
    for seed, cell in sorted(row.cells.items()):
        if cell.outcomes is None and row.planned.gap is None:
            remarks.append(f"seed {seed} missing ({cell.state}: {cell.reason})")
        if cell.outcomes is not None and (cell.attempts.failed or cell.attempts.interrupted):
            ends = [
                f"{count} {word}"
                for count, word in ((cell.attempts.failed, "failed"), (cell.attempts.interrupted, "interrupted"))
                if count
            ]
            remarks.append(f"seed {seed}: {' and '.join(ends)}, re-run")
    remarks += row.duplicates
    # What concerns all rows alike stands once under the table.
    remarks += [note for cell in cells for note in cell.notes if "are too narrow" not in note]
    used = next((cell.difference_seeds for cell in cells if cell.difference), None)
    if used is not None and used != planned:
        remarks.append(f"difference to the base on the common seeds {', '.join(map(str, used))} only")
    return tuple(dict.fromkeys(remarks))


def _notes(results: Results, rows: Sequence[Row]) -> tuple[str, ...]:
    notes = [
        f"Rows {first!r} and {second!r} gave identical scores in all common seeds: had the toggle no effect?"
        for first, second in results.identical
    ]
    notes.append("Each value is of the checkpoint that validation selected; epoch: the range of these over the seeds")
    if any(row.missing for row in rows):
        notes.append("† seeds are missing: its mean is over other seeds than the rest, only the difference is paired")
    counts = [len(row.seeds) for row in rows if row.seeds]
    if any(FEWEST_SEEDS <= count < ENOUGH_SEEDS for count in counts):
        notes.append(FEW_SEEDS_WARNING.capitalize().replace("student", "Student"))
    if any(cell.best for row in rows for cell in row.cells):
        notes.append(
            "Marked (bold, *): the best of its column and all that its paired interval cannot separate from it"
        )
    if any(count < ENOUGH_SEEDS for count in counts):
        notes.append(f"No mark for a row with fewer than {ENOUGH_SEEDS} seeds")
    few = {cell.trajectories for row in rows for cell in row.cells for note in cell.notes if "trajectories are" in note}
    if few:
        notes.append(f"Intervals from {min(few)} trajectories are too narrow")
    if any(row.cells and cell.published is not None for row in rows for cell in row.cells):
        notes.append("Published numbers are those of the paper, on its own data and without intervals")
    return tuple(notes)
