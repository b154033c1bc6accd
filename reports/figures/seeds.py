"""The dot plot: every seed, the mean with its interval, and the published number."""

from math import ceil

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reports.figures.style import COLOURS, INK, MUTED, PUBLISHED, Drawing, legend_below, new_figure, style, wrapped
from reports.table import Row, Table, number, with_interval


def draw_seeds(table: Table) -> Drawing:
    """One panel a column, one line a row, rows in the study's order from the top."""
    columns = min(2, len(table.columns))
    lines = ceil(len(table.columns) / columns)
    names = [_label(row) for row in table.rows]
    height = sum(0.16 + 0.15 * (name.count("\n") + 1) for name in names) + 0.5
    with style():
        figure = new_figure(2.2 + 2.9 * columns, lines * height + 0.6)
        axes = figure.subplots(lines, columns, sharey=True, squeeze=False).ravel()
        for position, (axis, label) in enumerate(zip(axes, table.labels, strict=False)):
            axis.set_title(label)
            for line, row in enumerate(table.rows):
                _draw_row(axis, line, row, position)
            axis.set_xlabel("cosine" if table.columns[position].unit == "cosine" else "share of pairs", color=MUTED)
            axis.grid(axis="y", visible=False)
            axis.margins(x=0.06)
            axis.locator_params(axis="x", nbins=5)
        for axis in axes[len(table.columns) :]:
            axis.set_visible(False)
        axes[0].set_yticks(range(len(names)))
        axes[0].set_yticklabels(names)
        axes[0].set_ylim(len(names) - 0.4, -0.6)
        legend_below(figure, ["one seed", "all seeds, 95 % interval", "published"], _handles(), columns=3)
    return Drawing("seeds", "Every seed, mean with interval, published number", _alternative(table), figure)


def _draw_row(axis: Axes, line: int, row: Row, position: int) -> None:
    cell = row.cells[position]
    for place, (_, point) in enumerate(cell.by_seed):
        # Spread over the line by seed, the same way in every row: equal values stay visible.
        offset = 0.0 if len(cell.by_seed) == 1 else 0.5 * place / (len(cell.by_seed) - 1) - 0.25
        axis.plot(point, line + offset, "o", ms=4, mfc="white", mec=COLOURS[0], mew=1.0, zorder=2)
    if cell.published is not None:
        axis.plot(cell.published, line, marker="D", ms=5, mfc=PUBLISHED, mec="white", mew=0.6, zorder=3)
    if cell.value is not None:
        if cell.value.interval is not None:
            axis.plot(cell.value.interval, (line, line), "-", color=INK, lw=1.4, zorder=4, solid_capstyle="butt")
        axis.plot(cell.value.point, line, "|", color=INK, ms=11, mew=2.0, zorder=5)
    elif row.seeds:
        axis.text(
            0.98, line, "no such pairs", ha="right", va="center", color=MUTED, transform=axis.get_yaxis_transform()
        )


def _label(row: Row) -> str:
    """The row's name, with what keeps it from having all its seeds."""
    name = wrapped(row.name, 26)
    if row.gap is not None:
        return f"{name}\n(cannot run)"
    return f"{name}\n(n = {row.count})" if row.missing else name


def _handles() -> list[Line2D]:
    return [
        Line2D([], [], ls="none", marker="o", ms=4, mfc="white", mec=COLOURS[0]),
        Line2D([], [], color=INK, marker="|", ms=10, mew=2.0),
        Line2D([], [], ls="none", marker="D", ms=5, mfc=PUBLISHED, mec="white"),
    ]


def _alternative(table: Table) -> str:
    parts = []
    for position, label in enumerate(table.labels):
        parts.append(f"{label}:")
        for row in table.rows:
            cell = row.cells[position]
            seeds = ", ".join(f"seed {seed} {number(point)}" for seed, point in cell.by_seed)
            published = f"; published {number(cell.published)}" if cell.published is not None else ""
            parts.append(f"- {row.name}: {with_interval(cell.value)}" + (f" ({seeds})" if seeds else "") + published)
    return "\n".join(parts)
