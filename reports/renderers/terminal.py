"""The table for a terminal."""

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from reports.table import Cell, Table, interval, number


def to_terminal(table: Table, width: int = 120) -> str:
    """Plain text without colours: value, interval, difference to the base and published number stacked.

    Wider than ``width`` where the columns would not fit: a wrapped line loses less than a cut number.
    """
    grid = Grid(box=box.SIMPLE_HEAD, title=Text(table.title), title_justify="left", show_lines=False)
    grid.add_column("Row", min_width=16)
    grid.add_column("n", justify="right")
    for label in table.labels:
        grid.add_column(Text(label), justify="right", min_width=14)
    for row in table.rows:
        name = Text(row.name + (" (base)" if row.is_base else ""))
        grid.add_row(name, Text("cannot run" if row.gap else row.count), *(_stack(cell) for cell in row.cells))
    console = Console(
        width=max(width, 36 + 17 * len(table.columns)), color_system=None, force_terminal=False, record=False, file=None
    )
    with console.capture() as capture:
        console.print(grid)
        console.print(Text(" · ".join(f"{name}: {value}" for name, value in table.facts)))
        for note in table.notes:
            console.print(Text(f"- {note}"))
        for row in table.rows:
            if row.notes:
                console.print(Text(f"- {row.name}: {'; '.join(row.notes)}"))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _stack(cell: Cell) -> Text:
    if cell.value is None:
        lines = [number(None)]
    else:
        lines = [number(cell.value.point) + (" *" if cell.best else ""), interval(cell.value.interval)]
    if cell.difference is not None:
        lines.append("Δ " + number(cell.difference.point, sign=True))
    if cell.published is not None:
        lines.append("paper " + number(cell.published))
    return Text("\n".join(line for line in lines if line))
