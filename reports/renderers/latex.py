r"""The table as LaTeX for pdfLaTeX or newer. Packages: booktabs and graphicx (for \resizebox)."""

import re
import unicodedata
from collections.abc import Sequence

from reports.table import Cell, Row, Table, interval, number

_GREEK = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"
_GREEK_NAMES = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi
chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"""
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "{''}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "−": r"\ensuremath{-}",
    "±": r"\ensuremath{\pm}",
    "×": r"\ensuremath{\times}",
    "→": r"\ensuremath{\rightarrow}",
    "←": r"\ensuremath{\leftarrow}",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
    "≈": r"\ensuremath{\approx}",
    "·": r"\ensuremath{\cdot}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "—": "---",
    "–": "--",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "°": r"\ensuremath{^{\circ}}",
    "√": r"\ensuremath{\surd}",
    "∞": r"\ensuremath{\infty}",
    **{letter: rf"\ensuremath{{\{name}}}" for letter, name in zip(_GREEK, _GREEK_NAMES.split(), strict=True)},
}


def to_latex(table: Table) -> str:
    """A ``table`` environment with the values, facts and notes, and one with the differences to the base."""
    label = re.sub(r"[^a-z0-9]+", "-", table.title.lower()).strip("-")
    below = [" · ".join(f"{name}: {value}" for name, value in table.facts), *table.notes]
    below += [f"{row.name}: {'; '.join(row.notes)}" for row in table.rows if row.notes]
    parts = [
        "% \\usepackage{booktabs,graphicx}",
        _environment(_values(table), table.title, label, below),
    ]
    if any(cell.difference for row in table.rows for cell in row.cells):
        caption = f"{table.title}: paired difference to {table.base}"
        parts.append(_environment(_differences(table), caption, f"{label}-difference"))
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Text that LaTeX prints as it is. Letters that pdfLaTeX has no glyph for are spelt as ``[U+XXXX]``."""
    return "".join(_character(letter) for letter in re.sub(r"\s+", " ", text).strip())


def _character(letter: str) -> str:
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if " " <= letter <= "~" or letter in "ßæÆøØœŒ":
        return letter
    # A letter with one of the accents that every font encoding can set.
    parts = unicodedata.normalize("NFD", letter)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in "\u0300\u0301\u0302\u0303\u0308":
        return letter
    return f"{{[}}U+{ord(letter):04X}{{]}}"


def _environment(lines: list[list[str]], caption: str, label: str, below: Sequence[str] = ()) -> str:
    header, *rows = [" & ".join(line) + r" \\" for line in lines]
    columns = "l" + "r" * (len(lines[0]) - 1)
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape(caption)}}}",
            rf"\label{{tab:{label}}}",
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            header,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}}",
            *_below(below),
            r"\end{table}",
        ]
    )


def _below(texts: Sequence[str]) -> list[str]:
    if not texts:
        return []
    paragraphs = [escape(text) + r"\par" for text in texts]
    return [r"\par\smallskip", r"\begin{minipage}{\linewidth}\footnotesize\raggedright", *paragraphs, r"\end{minipage}"]


def _values(table: Table) -> list[list[str]]:
    header = ["Row", "$n$", "epoch"]
    for position, label in enumerate(table.labels):
        header.append(escape(label))
        if table.has_published(position):
            header.append(r"\emph{paper}")
    return [header, *(_value_row(table, row) for row in table.rows)]


def _value_row(table: Table, row: Row) -> list[str]:
    name = escape(row.name) + (" (base)" if row.is_base else "")
    line = [name, "cannot run" if row.gap else escape(row.count), escape(row.epochs)]
    for position, cell in enumerate(row.cells):
        line.append(_value(cell))
        if table.has_published(position):
            line.append(rf"\emph{{{escape(number(cell.published))}}}")
    return line


def _value(cell: Cell) -> str:
    if cell.value is None:
        return "---"
    point = escape(number(cell.value.point))
    bounds = escape(interval(cell.value.interval))
    return (rf"\textbf{{{point}}}" if cell.best else point) + (rf" {{\small {bounds}}}" if bounds else "")


def _differences(table: Table) -> list[list[str]]:
    lines = [["Row", *(escape(label) for label in table.labels)]]
    for row in table.rows:
        if not row.is_base:
            lines.append([escape(row.name), *(_difference(cell) for cell in row.cells)])
    return lines


def _difference(cell: Cell) -> str:
    if cell.difference is None:
        return "---"
    bounds = escape(interval(cell.difference.interval, sign=True))
    return escape(number(cell.difference.point, sign=True)) + (rf" {{\small {bounds}}}" if bounds else "")
