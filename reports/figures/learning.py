"""Learning curves: each seed thin, the mean thick, the selected epoch marked."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reports.figures.style import MUTED, Drawing, legend_below, line_style, new_figure, style
from reports.results import CellResult, Results
from reports.table import number

PANELS = (
    ("validation/selection", "Validation: selection"),
    ("validation/adjacent_accuracy", "Validation: adjacent accuracy"),
    ("validation/retrieval", "Validation: retrieval"),
    ("train/loss", "Training loss (not comparable across losses)"),
)


@dataclass(frozen=True)
class Curve:
    """One training: columns by name, (epochs,) each, NaN where nothing was logged; ``selected`` is a position."""

    columns: Mapping[str, np.ndarray]
    selected: int | None


def read_curve(store: Path, cell: CellResult) -> Curve | None:
    """The curves of a finished cell's training stage, or None where it has none that can be read."""
    digest = cell.planned.stages.get("training") or cell.planned.stages.get("finetuning")
    if cell.outcomes is None or digest is None:
        return None
    try:
        with open(store / "stages" / digest / "curves.csv", newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        names = [name for name, _ in PANELS if lines and name in lines[0]]
        columns = {name: np.array([float(line[name] or "nan") for line in lines]) for name in names}
        epochs = [int(float(line["epoch"])) for line in lines]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    epoch = cell.outcomes.summary.get("selected_epoch")
    places = [place for place, found in enumerate(epochs) if found == epoch]
    return Curve(columns, places[-1] if places else None) if columns else None


def draw_learning(results: Results) -> Drawing | None:
    """One panel a logged quantity; None where no cell has curves."""
    curves = {
        row.planned.name: [curve for cell in row.cells.values() if (curve := read_curve(results.store, cell))]
        for row in results.rows
    }
    curves = {name: found for name, found in curves.items() if found}
    logged = {column for found in curves.values() for curve in found for column in curve.columns}
    panels = [(column, label) for column, label in PANELS if column in logged]
    if not panels:
        return None
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    with style():
        figure = new_figure(4.2 * columns, 2.7 * lines + 0.25 * -(-len(curves) // 2) + 0.3)
        axes = figure.subplots(lines, columns, squeeze=False).ravel()
        for axis, (column, label) in zip(axes, panels, strict=False):
            axis.set_title(label)
            axis.set_xlabel("epoch", color=MUTED)
            for position, found in enumerate(curves.values()):
                _draw_row(axis, [curve for curve in found if column in curve.columns], column, position)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        handles = [Line2D([], [], lw=1.8, ms=4, **line_style(position)) for position in range(len(curves))]
        legend_below(figure, list(curves), handles)
    title = "Learning curves: seeds thin, mean thick, markers at the selected epochs"
    return Drawing("learning", title, _alternative(curves), figure)


def _draw_row(axis: Axes, curves: Sequence[Curve], column: str, position: int) -> None:
    look = line_style(position)
    for curve in curves:
        values = curve.columns[column]
        axis.plot(values, lw=0.7, alpha=0.4, color=look["color"])
        if curve.selected is not None and np.isfinite(values[curve.selected]):
            axis.plot(curve.selected, values[curve.selected], marker=look["marker"], ms=4, color=look["color"])
    if len(curves) > 1:
        # Seeds stop at different epochs: past the first stop a mean would be over fewer of them.
        shared = min(len(curve.columns[column]) for curve in curves)
        mean = np.mean([curve.columns[column][:shared] for curve in curves], axis=0)
        axis.plot(mean, lw=1.8, color=look["color"], linestyle=look["linestyle"])


def _alternative(curves: Mapping[str, Sequence[Curve]]) -> str:
    lines = []
    for name, found in curves.items():
        epochs = ", ".join(str(curve.selected) for curve in found if curve.selected is not None)
        lines.append(f"- {name}: {len(found)} seeds; selected epochs {epochs or 'not stored'}.")
        for column, label in PANELS:
            ends = [curve.columns[column] for curve in found if column in curve.columns]
            if ends:
                first = np.mean([values[0] for values in ends])
                last = np.mean([values[-1] for values in ends])
                lines.append(f"  {label}: mean {number(float(first))} at the start, {number(float(last))} at the end.")
    return "\n".join(lines)
