"""The threshold's sensitivity: what is overridden, and how well, against sigma."""

from collections.abc import Sequence

import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from reports.figures.style import LINES, MUTED, PUBLISHED, Drawing, legend_below, line_style, new_figure, style
from reports.statistics.sensitivity import CURVES, GRID, Sensitivity
from reports.table import number

FEWEST_OVERRIDDEN = 0.01
"""The share of pairs above sigma below which the accuracy of overrides is not drawn: it is that of a few pairs."""


def draw_threshold(curves: Sequence[Sensitivity], threshold: float) -> Drawing:
    """Three panels, a band around each row, the study's threshold dotted, each row's sigma of validation marked."""
    with style():
        figure = new_figure(9.0, 3.1 + 0.25 * -(-(len(curves) + 1) // 2))
        for panel, (axis, label) in enumerate(zip(figure.subplots(1, 3), CURVES, strict=True)):
            axis.set_title(label.capitalize())
            axis.set_xlabel("sigma (cosine)", color=MUTED)
            axis.axvline(threshold, color=PUBLISHED, lw=1.4, linestyle=LINES[2])
            for position, curve in enumerate(curves):
                look = line_style(position)
                if curve.low is not None and curve.high is not None:
                    band = _shown(curve, panel, curve.low), _shown(curve, panel, curve.high)
                    axis.fill_between(GRID, *band, color=look["color"], alpha=0.15, lw=0)
                points = _shown(curve, panel, curve.points)
                axis.plot(GRID, points, lw=1.5, color=look["color"], linestyle=look["linestyle"])
                if curve.chosen is not None:
                    mark = {"marker": look["marker"], "color": look["color"], "mec": "white", "mew": 0.7}
                    axis.plot(curve.chosen, points[GRID.index(curve.chosen)], ms=6, zorder=5, **mark)
            axis.set_xlim(*_span(curves, threshold))
            axis.set_ylim(-0.02, 0.52 if panel == 0 else 1.02)
        handles = [Line2D([], [], lw=1.5, ms=5, **line_style(position)) for position in range(len(curves))]
        handles.append(Line2D([], [], lw=1.4, color=PUBLISHED, linestyle=LINES[2]))
        legend_below(figure, [*(curve.row for curve in curves), f"sigma = {threshold:.2f}, the study's"], handles)
    kind = curves[0].kind.replace("_", " ")
    title = f"Sensitivity to the threshold ({kind} pairs; band: pointwise 95 %; marker: sigma chosen on validation)"
    return Drawing("threshold", title, _alternative(curves, threshold), figure)


def _shown(curve: Sensitivity, panel: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A panel's values; the accuracy of overrides stops where fewer than 1 % of pairs are left to have one."""
    if CURVES[panel] != "accuracy of overrides":
        return values[panel]
    return np.where(curve.points[0] >= 0.5 * FEWEST_OVERRIDDEN, values[panel], np.nan)


def _span(curves: Sequence[Sensitivity], threshold: float) -> tuple[float, float]:
    """The sigmas between which anything changes, with a margin; all of them would be half empty."""
    moving = [
        GRID[place]
        for curve in curves
        for place in np.flatnonzero((curve.points[0] > 0) & (curve.points[0] < curve.points[0].max()))
    ]
    moving += [threshold, *(curve.chosen for curve in curves if curve.chosen is not None)]
    return max(-1.0, min(moving) - 0.1), min(1.0, max(moving) + 0.1)


def _alternative(curves: Sequence[Sensitivity], threshold: float) -> str:
    lines = []
    nearest = min(range(len(GRID)), key=lambda place: abs(GRID[place] - threshold))
    for curve in curves:
        lines.append(f"- {curve.row} ({curve.seeds} seeds):")
        places = [(f"sigma {GRID[nearest]:.3f}", nearest)]
        if curve.chosen is not None:
            places.append((f"sigma {curve.chosen:.3f}, chosen on validation", GRID.index(curve.chosen)))
        for word, place in places:
            values = ", ".join(
                f"{label} {number(float(curve.points[panel][place]))}" for panel, label in enumerate(CURVES)
            )
            lines.append(f"  at {word}: {values}.")
        if curve.chosen is None:
            lines.append("  no sigma chosen: the validation part has no such pairs.")
    return "\n".join(lines)
