"""The report of a study: tables, figures and one page, written beside its plan."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from reports.analysis import analyse
from reports.files import write_file
from reports.plan import study_folder
from reports.renderers.csv_text import to_csv
from reports.renderers.latex import to_latex
from reports.renderers.markdown import to_markdown
from reports.renderers.terminal import to_terminal
from reports.results import read_results
from reports.statistics.bootstrap import Resampling


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
    table = analyse(results, results.plan.columns, results.plan.title, resampling)
    folder = study_folder(store, study) / "report"
    files = ReportFiles(
        folder, folder / "table.md", folder / "table.tex", folder / "table.csv", folder / "report.html", ()
    )
    write_file(files.markdown, to_markdown(table))
    write_file(files.latex, to_latex(table))
    write_file(files.csv, to_csv(table))
    return files


def render_text(store: Path, study: str, resampling: Resampling | None = None, width: int | None = None) -> str:
    """The table for a terminal of ``width`` columns (that of this terminal, at least 100).

    Raises:
        UserError: as ``write_report``.
    """
    results = read_results(store, study)
    table = analyse(results, results.plan.columns, results.plan.title, resampling or Resampling())
    return to_terminal(table, width or max(100, shutil.get_terminal_size().columns))


def print_table(store: Path, study: str) -> None:
    """Print ``render_text``."""
    print(render_text(store, study))
