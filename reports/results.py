"""A study's cells as they stand in the store: outcomes where there are any, and in words where there are none."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ablations.metrics import NotANumber, Outcomes, evaluate_all, read_outcomes
from reports.attempts import Attempts, read_attempts
from reports.plan import Plan, PlannedCell, PlannedRow, read_plan


@dataclass(frozen=True)
class CellResult:
    """One (row, seed). ``outcomes`` is None unless the cell is finished and all its scores are numbers.

    ``state`` is "done", "failed", "interrupted", "running" or "not run"; ``reason`` says why it is not done.
    """

    planned: PlannedCell
    state: str
    reason: str
    attempts: Attempts
    outcomes: Outcomes | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class RowResult:
    """One row: its cells by seed, and remarks such as "seed 5 missing"."""

    planned: PlannedRow
    cells: Mapping[int, CellResult]
    duplicates: tuple[str, ...] = ()

    @property
    def outcomes(self) -> dict[int, Outcomes]:
        """Outcomes of the finished cells, by seed in ascending order."""
        return {seed: cell.outcomes for seed, cell in sorted(self.cells.items()) if cell.outcomes is not None}


@dataclass(frozen=True)
class Results:
    """A plan and what became of it."""

    store: Path
    plan: Plan
    rows: tuple[RowResult, ...]
    identical: tuple[tuple[str, str], ...] = field(default=())

    @property
    def missing(self) -> list[tuple[str, CellResult]]:
        """(row, cell) of every planned cell without outcomes, rows that cannot run left out."""
        return [
            (row.planned.name, cell)
            for row in self.rows
            if row.planned.gap is None
            for _, cell in sorted(row.cells.items())
            if cell.outcomes is None
        ]


def read_results(store: Path, study: str) -> Results:
    """Read the plan of a study and every finished cell.

    Raises:
        UserError: no plan, or a file of a finished stage is damaged.
    """
    plan = read_plan(store, study)
    rows = tuple(_read_row(store, row) for row in plan.rows)
    return Results(store, plan, rows, _identical(rows))


def _read_row(store: Path, row: PlannedRow) -> RowResult:
    by_seed: dict[int, list[CellResult]] = {}
    for planned in row.cells:
        by_seed.setdefault(planned.seed, []).append(_read_cell(store, planned))
    cells, duplicates = {}, []
    for seed, found in sorted(by_seed.items()):
        first, *others = sorted(found, key=_precedence)
        cells[seed] = first
        duplicates += [
            f"seed {seed} is there twice: {first.planned.key[:8]} is used, {other.planned.key[:8]} is not "
            "(the cell that finished first counts)"
            for other in others
        ]
    return RowResult(row, cells, tuple(duplicates))


def _precedence(cell: CellResult) -> tuple[bool, float, str]:
    """Of two cells with one seed the one that finished first counts; the key decides between equals."""
    finished = cell.attempts.finished
    return cell.outcomes is None, float("inf") if finished is None else finished, cell.planned.key


def _read_cell(store: Path, planned: PlannedCell) -> CellResult:
    attempts = read_attempts(store / "attempts" / f"{planned.key}.jsonl")
    digest = planned.stages.get("evaluation")
    folder = store / "stages" / str(digest)
    if digest is None or not folder.is_dir():
        return CellResult(planned, *_unfinished(attempts), attempts)
    outcomes = read_outcomes(folder)
    try:
        evaluate_all(outcomes)
    except NotANumber as error:
        return CellResult(planned, "failed", f"NaN scores ({error})", attempts)
    seconds = sum(stage_record(store, stage).get("seconds") or 0.0 for stage in planned.stages.values())
    return CellResult(planned, "done", "", attempts, outcomes, seconds or None)


def _unfinished(attempts: Attempts) -> tuple[str, str]:
    if attempts.running:
        return "running", "started and not finished: running, or its worker was killed"
    if attempts.error is not None:
        where = f", log {attempts.log}" if attempts.log else ""
        return "failed", f"{attempts.error}{where}"
    if attempts.interrupted:
        return "interrupted", "interrupted and not run again"
    return "not run", "not run yet"


def stage_record(store: Path, digest: str) -> Mapping[str, Any]:
    """``stage.json`` of a stage, or nothing where it cannot be read: it tells of cost, never of outcomes."""
    try:
        record = json.loads((store / "stages" / digest / "stage.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _identical(rows: tuple[RowResult, ...]) -> tuple[tuple[str, str], ...]:
    """Pairs of rows whose scores are equal to the last bit in all the seeds that both have."""
    found = []
    for position, first in enumerate(rows):
        for second in rows[position + 1 :]:
            a, b = first.outcomes, second.outcomes
            common = a.keys() & b.keys()
            if common and all(_same(a[seed], b[seed]) for seed in common):
                found.append((first.planned.name, second.planned.name))
    return tuple(found)


def _same(a: Outcomes, b: Outcomes) -> bool:
    return all(
        np.array_equal(a.pairs[column], b.pairs[column])
        for column in ("trajectory", "kind", "score_correct", "score_incorrect")
    )
