import csv
import io
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ablations.metrics import metric
from reports.renderers import latex, markdown
from reports.renderers.csv_text import HEADER, to_csv
from reports.renderers.latex import to_latex
from reports.renderers.markdown import to_markdown
from reports.renderers.terminal import to_terminal
from reports.statistics.estimate import Estimate
from reports.table import Cell, Row, Table, interval, number

AWKWARD = (
    "no_aux",
    "lr=1e-4",
    "50%_data",
    "a&b",
    "#2",
    r"w/o $\tau$",
    "± Δ → λ=1.0 ≤ ½",
    "x^2 ~ {y} \\ \"q\" 'r' <s> |t| [u] *v* `w`",
    "漢字 and 🙂",
    "[first] in a row",
    "two\nlines",
    "".join(map(chr, range(0xA1, 0x180))),
)


def awkward_table() -> Table:
    value = Estimate(0.8665, (0.8, 0.9), 5)
    change = Estimate(-0.0004, (-0.02, 0.01), 5)
    cell = Cell(value, change, (0, 1, 2, 3, 4), 0.879, 40, 240, best=True)
    rows = [Row(name, (cell, Cell(None)), (0, 1, 2, 3, 4), (), notes=(f"about {name}",)) for name in AWKWARD]
    columns = (metric("hard_accuracy"), metric("hard_gap_above_threshold"))
    facts = (("part", "test"), ("commit", "a_b%"))
    return Table("50% of a_b & c", columns, tuple(rows), "no_aux", 0.1, facts, ("Rows 'a_b' & 'c'",))


def test_numbers_are_formatted_not_edited():
    assert number(0.8665) == "0.867" or number(0.8665) == "0.866"
    assert number(-0.0004, sign=True) == "0.000"
    assert number(-0.25, sign=True) == "−0.250"
    assert number(0.25, sign=True) == "+0.250"
    assert number(None) == number(float("nan")) == "—"
    assert interval((-0.1, 0.2), sign=True) == "[−0.100, +0.200]"


def test_k15_latex_rows_are_whole():
    text = to_latex(awkward_table())
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 2 * (1 + len(AWKWARD))
    counts = [len(re.findall(r"(?<!\\)&", row)) for row in rows]
    assert set(counts[: 1 + len(AWKWARD)]) == {5}
    assert set(counts[1 + len(AWKWARD) :]) == {2}
    assert not [line for line in text.splitlines()[1:] if re.search(r"(?<!\\)%(?!$)", line)]
    assert "50\\%\\_data" in text
    assert r"w/o \$\textbackslash{}tau\$" in text
    assert text.startswith("% \\usepackage{booktabs,graphicx}")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex (texlive-latex-recommended)")
def test_k15_latex_compiles(tmp_path):
    (tmp_path / "table.tex").write_text(to_latex(awkward_table()), "utf-8")
    document = "\n".join(
        [
            r"\documentclass{article}",
            r"\usepackage{booktabs,graphicx}",
            r"\begin{document}",
            r"\input{table}",
            r"\end{document}",
        ]
    )
    (tmp_path / "document.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "document.tex"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert found.returncode == 0, found.stdout[-2000:]
    assert "Missing character" not in found.stdout
    assert (tmp_path / "document.pdf").stat().st_size > 1000


@given(st.text(max_size=30))
def test_k15_latex_text_has_no_bare_special(text):
    bare = re.sub(
        r"\\(textbackslash|text[a-z]+|dag|ddag|ldots)\{\}|\\ensuremath\{[^ ]*?\}+|\\[{}_%&#$]", "", latex.escape(text)
    )
    assert not set(bare.replace("{[}", "").replace("{]}", "").replace("{*}", "")) & set('\\_%&#$^~<>|"')
    assert "\n" not in bare


def test_k15_markdown_keeps_its_columns():
    text = to_markdown(awkward_table())
    lines = [line for line in text.splitlines() if line.startswith("|")]
    counts = [len(re.findall(r"(?<!\\)\|", line)) for line in lines]
    assert counts[: 2 + len(AWKWARD)] == [7] * (2 + len(AWKWARD))
    assert counts[2 + len(AWKWARD) :] == [4] * (2 + len(AWKWARD))
    assert "<s>" not in text.replace("\\<s\\>", "")


@given(st.text(max_size=30))
def test_k15_markdown_text_stays_in_its_cell(text):
    escaped = markdown.escape(text)
    assert not re.search(r"(?<!\\)(\\\\)*\|", escaped)
    assert "\n" not in escaped
    assert re.sub(r"\\([\\`*_{}\[\]<>|#$~&])", r"\1", escaped) == re.sub(r"\s+", " ", text).strip()


def test_csv_reads_back_with_full_precision():
    lines = list(csv.DictReader(io.StringIO(to_csv(awkward_table()))))
    assert len(lines) == 2 * len(AWKWARD)
    assert tuple(lines[0]) == HEADER
    assert [line["row"] for line in lines[::2]] == list(AWKWARD)
    assert float(lines[0]["value"]) == 0.8665
    assert float(lines[0]["difference_low"]) == -0.02
    assert (lines[1]["value"], lines[1]["low"], lines[1]["published"]) == ("", "", "")


def test_the_terminal_shows_markup_as_text():
    text = to_terminal(awkward_table(), 120)
    assert "[first] in a row" in text
    assert "Gap > 0.10" in text
    assert "paper 0.879" in text
    assert "\x1b" not in text


def test_the_page_escapes_what_rows_and_logs_say(tmp_path):
    from reports import write_report
    from reports.statistics.bootstrap import Resampling
    from tests.reports.store import START, SyntheticRow, simulated, write_store

    attack = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    failed = [{"event": "started", "time": START}, {"event": "failed", "time": START, "error": attack, "log": attack}]
    rows = [
        SyntheticRow(attack, simulated(0.1), overrides={attack: attack}, notes=[attack]),
        SyntheticRow("failed", lambda seed: None if seed else simulated(0.2)(seed), events={1: failed}),
    ]
    write_store(tmp_path, rows, title=attack, versions={attack: attack})
    html = write_report(tmp_path, "synthetic", Resampling(500)).html.read_text("utf-8")

    class Tags(HTMLParser):
        def __init__(self):
            super().__init__()
            self.found, self.attributes = set(), []

        def handle_starttag(self, tag, attributes):
            self.found.add(tag)
            self.attributes += attributes

    page = Tags()
    page.feed(html)
    assert "script" not in page.found
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert not [value for name, value in page.attributes if name in {"src", "href"} and not value.startswith("data:")]
    assert html.count("&lt;script&gt;alert(1)") > 5
    assert "http://" not in html.replace("http://www.w3.org", "")
