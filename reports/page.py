"""The report as one page: no network, no script, all text from rows and logs escaped."""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reports.figures.style import Drawing
from reports.results import CellResult, Results
from reports.table import Cell, Table, interval, number

_TEMPLATES = Path(__file__).parent / "templates"


def to_page(table: Table, controls: Table, results: Results, drawings: Sequence[tuple[Drawing, bytes]]) -> str:
    """The page's HTML.

    Args:
        table: the study's columns.
        controls: ties and state-blind metrics of the same rows.
        results: the cells, for what happened to each.
        drawings: each figure with its SVG, which is embedded as an image.
    """
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters.update(number=number, interval=interval, minutes=_minutes)
    return environment.get_template("report.html.j2").render(
        table=table,
        controls=controls,
        plan=results.plan,
        rows=results.rows,
        cells=_cells(table, results),
        figures=[
            (drawing, "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")) for drawing, svg in drawings
        ],
        definitions=list(dict.fromkeys((*table.columns, *controls.columns))),
        style=(_TEMPLATES / "report.css").read_text("utf-8"),
    )


def _cells(table: Table, results: Results) -> list[dict[str, Any]]:
    """One entry a planned cell: what happened to it and its value in every column."""
    entries = []
    for row, shown in zip(results.rows, table.rows, strict=True):
        for seed, cell in sorted(row.cells.items()):
            summary = {} if cell.outcomes is None else cell.outcomes.summary
            entries.append(
                {
                    "row": shown.name,
                    "seed": seed,
                    "values": [_of_seed(column, seed) for column in shown.cells],
                    "epoch": summary.get("selected_epoch"),
                    "selection": summary.get("selection"),
                    "seconds": cell.seconds,
                    "state": _state(cell),
                    "key": cell.planned.key[:8],
                }
            )
    return entries


def _of_seed(cell: Cell, seed: int) -> float | None:
    return dict(cell.by_seed).get(seed)


def _state(cell: CellResult) -> str:
    if cell.outcomes is None:
        return f"{cell.state}: {cell.reason}"
    again = [
        f"{count} {word}"
        for count, word in ((cell.attempts.failed, "failed"), (cell.attempts.interrupted, "interrupted"))
        if count
    ]
    return "done" + (f" ({', '.join(again)} before)" if again else "")


def _minutes(seconds: float | None) -> str:
    return "—" if seconds is None else f"{seconds / 60:.1f}"
