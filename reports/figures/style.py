"""How figures look and how they are saved."""

import io
import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from cuascore.files import write_file

INK, MUTED, GRID_INK, PUBLISHED = "#1a1a1a", "#666666", "#dddddd", "#D55E00"
# Okabe and Ito's palette, ordered so that neighbours differ in lightness too; yellow is left out, it is lost on white.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

_STYLE: dict[Any, Any] = {
    # A row's name is text: a dollar sign in it starts no formula.
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": GRID_INK,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": INK,
    "text.color": INK,
    "legend.frameon": False,
    "figure.dpi": 100,
    # Outlines in SVG and embedded TrueType in PDF: no reader needs our font.
    "svg.fonttype": "path",
    "svg.hashsalt": "cuascore",
    "pdf.fonttype": 42,
}


@dataclass(frozen=True)
class Drawing:
    """A figure with its file name, its title and what a reader who cannot see it is told."""

    name: str
    title: str
    alternative: str
    figure: Figure


def style() -> Any:
    """A context in which new figures take the house's look, and after which nothing has changed."""
    return matplotlib.rc_context(_STYLE)


def new_figure(width: float, height: float) -> Figure:
    """An empty figure in inches, with a canvas of its own."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def line_style(position: int) -> dict[str, Any]:
    """Colour, dash and marker of the n-th row; dashes and markers tell rows apart without colour."""
    return {
        "color": COLOURS[position % len(COLOURS)],
        "linestyle": LINES[position % len(LINES)],
        "marker": MARKERS[position % len(MARKERS)],
    }


def legend_below(figure: Figure, names: Sequence[str], handles: Sequence[Line2D], columns: int = 2) -> None:
    """A legend under the panels whose texts are shown as they are, dollar signs and leading underscores included."""
    legend = figure.legend(
        list(handles), [str(number) for number in range(len(names))], loc="outside lower left", ncols=columns
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(wrapped(name, 48))


def wrapped(text: str, width: int) -> str:
    """Text broken into lines, control characters gone."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return "\n".join(textwrap.wrap(printable, width)) or " "


def save(drawing: Drawing, folder: Path) -> list[Path]:
    """Write ``<name>.svg``, ``.pdf``, ``.png`` (200 dpi) and the alternative as ``.txt``; no dates, so that equal
    figures are equal files."""
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None, "ModDate": None}, "png": {"Software": None}}
    paths = []
    with style(), warnings.catch_warnings():
        # A row's name may hold letters that the font lacks: a box in the figure, and the name in the text beside it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        for kind, metadata in undated.items():
            out = io.BytesIO()
            drawing.figure.savefig(out, format=kind, metadata=metadata, dpi=200)
            paths.append(folder / f"{drawing.name}.{kind}")
            write_file(paths[-1], out.getvalue())
    paths.append(folder / f"{drawing.name}.txt")
    write_file(paths[-1], f"{drawing.title}\n\n{drawing.alternative}\n")
    return paths
