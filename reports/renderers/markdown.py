"""The table as Markdown: values beside published numbers, paired differences, facts and notes."""

import re

from reports.table import DASH, Cell, Row, Table, number, with_interval


def to_markdown(table: Table) -> str:
    """A Markdown document; row names and notes are escaped, so that every row keeps its columns."""
    parts = [f"# {escape(table.title)}", _grid(_values(table)), facts_line(table)]
    if any(cell.difference for row in table.rows for cell in row.cells):
        parts += [
            f"## Difference to {escape(table.base)}",
            "Paired: the same seeds, trajectories and records on both sides.",
            _grid(_differences(table)),
        ]
    notes = [f"- {escape(note)}" for note in table.notes]
    notes += [f"- **{escape(row.name)}**: {escape('; '.join(row.notes))}" for row in table.rows if row.notes]
    if notes:
        parts += ["## Notes", "\n".join(notes)]
    return "\n\n".join(parts) + "\n"


def facts_line(table: Table) -> str:
    """The facts in one line."""
    return " · ".join(f"{escape(name)}: {escape(value)}" for name, value in table.facts)


def escape(text: str) -> str:
    """Text that Markdown shows as it is: one line, no markup, no HTML, no new column."""
    flat = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"([\\`*_{}\[\]<>|#$~&])", r"\\\1", flat)


def _values(table: Table) -> list[list[str]]:
    header = ["Row", "n seeds", "epoch"]
    for position, label in enumerate(table.labels):
        header.append(escape(label))
        if table.has_published(position):
            header.append("paper")
    return [header, *(_value_row(table, row) for row in table.rows)]


def _value_row(table: Table, row: Row) -> list[str]:
    line = [escape(row.name) + (" (base)" if row.is_base else ""), "cannot run" if row.gap else row.count, row.epochs]
    for position, cell in enumerate(row.cells):
        line.append(_value(cell))
        if table.has_published(position):
            line.append(number(cell.published))
    return line


def _value(cell: Cell) -> str:
    if cell.value is None:
        return DASH
    text = with_interval(cell.value)
    point, _, rest = text.partition(" ")
    return (f"**{point}** {rest}" if cell.best else text).strip()


def _differences(table: Table) -> list[list[str]]:
    header = ["Row", *(escape(label) for label in table.labels)]
    lines = [header]
    for row in table.rows:
        if not row.is_base:
            lines.append([escape(row.name), *(with_interval(cell.difference, sign=True) for cell in row.cells)])
    return lines


def _grid(lines: list[list[str]]) -> str:
    """Columns of equal width, so that the source reads as a table too."""
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(lines[0]))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    rows = [lines[0], rule, *lines[1:]]
    return "\n".join(
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |" for row in rows
    )
