"""The report of a study: tables, figures and one page, written beside its plan."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ablations.metrics import Outcomes, metric
from cuascore.files import write_file
from reports.analysis import analyse
from reports.comparison import test_trajectories
from reports.plan import study_folder
from reports.renderers.csv_text import to_csv
from reports.renderers.latex import to_latex
from reports.renderers.markdown import to_markdown
from reports.renderers.terminal import to_terminal
from reports.results import Results, read_results
from reports.statistics.bootstrap import Resampling
from reports.statistics.sensitivity import pair_kind, sensitivity
from reports.table import Table

if TYPE_CHECKING:
    from reports.figures.style import Drawing

CONTROLS = (
    "tie_share_hard",
    "tie_share_real_incorrect",
    "hard_accuracy_state_blind",
    "real_incorrect_accuracy_state_blind",
)
CURVED_ROWS = 4
"""How many rows the threshold figure shows: more bands than this cannot be told apart."""


@dataclass(frozen=True)
class ReportFiles:
    """Where a report lies. ``figures`` has each figure as SVG, PDF, PNG and its text alternative."""

    folder: Path
    markdown: Path
    latex: Path
    csv: Path
    html: Path
    figures: tuple[Path, ...]


def write_report(store: Path, study: str, resampling: Resampling | None = None) -> ReportFiles:
    """Write ``<store>/studies/<study>/report/`` from the files of the store.

    Args:
        store: the folder that ``ablate run`` filled.
        study: the study's name, which may contain slashes.
        resampling: 10,000 resamples from seed 0 by default.

    Raises:
        UserError: no such study, a plan or outcome that cannot be read, or no finished cell.
    """
    resampling = resampling or Resampling()
    results = read_results(store, study)
    table, controls = analyse_study(results, resampling)
    folder = study_folder(store, study) / "report"
    markdown, latex, csv = folder / "table.md", folder / "table.tex", folder / "table.csv"
    write_file(markdown, to_markdown(table))
    write_file(latex, to_latex(table))
    write_file(csv, to_csv(table))
    # Drawing is slow to import and needs fonts: the tables are there before it is tried.
    from reports.figures.style import save
    from reports.page import to_page

    drawings = draw_figures(results, table, resampling)
    figures = tuple(path for drawing in drawings for path in save(drawing, folder / "figures"))
    embedded = [(drawing, (folder / "figures" / f"{drawing.name}.svg").read_bytes()) for drawing in drawings]
    html = folder / "report.html"
    write_file(html, to_page(table, controls, results, embedded))
    return ReportFiles(folder, markdown, latex, csv, html, figures)


def analyse_study(results: Results, resampling: Resampling) -> tuple[Table, Table]:
    """The study's own table, with what is to be said of ties, and the table of its controls.

    Raises:
        UserError: no finished cell.
    """
    table = analyse(results, results.plan.columns, results.plan.title, resampling)
    controls = analyse(results, [metric(name) for name in CONTROLS], "Controls", resampling)
    shares = {
        f"{row.name!r}: {cell.value.point:.1%} of {kind} pairs": cell.value.point
        for row in controls.rows
        for kind, cell in zip(("hard", "real incorrect"), row.cells, strict=False)
        if cell.value is not None and cell.value.point > 0
    }
    fact = ("ties", f"up to {max(shares.values()):.1%}" if shares else "none")
    notes = (f"Equal scores count half; {'; '.join(shares)}",) if shares else ()
    return replace(table, facts=(*table.facts, fact), notes=(*table.notes, *notes)), controls


def draw_figures(results: Results, table: Table, resampling: Resampling) -> "list[Drawing]":
    """The figures that the stored files allow: every seed, learning curves, threshold."""
    from reports.figures.learning import draw_learning
    from reports.figures.seeds import draw_seeds
    from reports.figures.threshold import draw_threshold

    drawings = [draw_seeds(table)]
    learning = draw_learning(results)
    if learning is not None:
        drawings.append(learning)
    rows = {name: outcomes for name, outcomes in _curved_rows(results, table).items() if outcomes}
    kind = pair_kind([entry for outcomes in rows.values() for entry in outcomes.values()])
    if kind is not None:
        threshold = results.plan.threshold
        trajectories = test_trajectories(results)
        curves = sensitivity(rows, kind, trajectories, threshold=threshold, resampling=resampling)
        drawings.append(draw_threshold(curves, threshold))
    return drawings


def _curved_rows(results: Results, table: Table) -> dict[str, dict[int, Outcomes]]:
    """All rows if they are few; else the base, the best by the first column, the first and the last."""
    found = {row.planned.name: row.outcomes for row in results.rows if row.outcomes}
    if len(found) <= CURVED_ROWS:
        return found
    points = {row.name: row.cells[0].value.point for row in table.rows if row.cells[0].value is not None}
    names = list(found)
    kept = {table.base, names[0], names[-1], *sorted(points, key=lambda name: -points[name])[:1]}
    return {name: outcomes for name, outcomes in found.items() if name in kept}


def render_text(store: Path, study: str, resampling: Resampling | None = None, width: int | None = None) -> str:
    """The table for a terminal of ``width`` columns (that of this terminal, at least 100).

    Raises:
        UserError: as ``write_report``.
    """
    results = read_results(store, study)
    table, _ = analyse_study(results, resampling or Resampling())
    return to_terminal(table, width or max(100, shutil.get_terminal_size().columns))


def print_table(store: Path, study: str) -> None:
    """Print ``render_text``."""
    print(render_text(store, study))
