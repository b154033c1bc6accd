"""The whole report: pinned tables, and errors that are one line."""

import shutil
import subprocess

import pytest

from cuascore.errors import UserError
from reports import print_table, render_text, write_report
from reports.statistics.bootstrap import Resampling
from tests.reports.regenerate import GOLDEN, NAMES
from tests.reports.store import SyntheticRow, gaps, golden_store, simulated, write_store

FAST = Resampling(500)


def test_golden_report(report):
    """Pinned; ``python -m tests.reports.regenerate`` writes it anew."""
    for name in NAMES:
        assert (report.folder / name).read_text("utf-8") == (GOLDEN / name).read_text("utf-8"), name


def test_files_lie_where_they_are_said_to(tmp_path):
    write_store(tmp_path, [SyntheticRow("row", simulated(0.1))], study="intentscore/table1")
    report = write_report(tmp_path, "intentscore/table1", FAST)
    write_report(tmp_path, "intentscore/table1", FAST)
    assert report.folder == tmp_path / "studies" / "intentscore" / "table1" / "report"
    assert sorted(path.name for path in report.folder.iterdir()) == [
        "figures",
        "report.html",
        "table.csv",
        "table.md",
        "table.tex",
    ]
    assert {report.markdown, report.latex, report.csv, report.html} <= set(report.folder.iterdir())


def test_k16_ties_are_reported(report, tmp_path):
    assert "ties: none" in report.markdown.read_text("utf-8")
    write_store(
        tmp_path,
        [SyntheticRow("collapsed", lambda seed: gaps([0.0] * 9 + [0.1]))],
        columns=["hard_accuracy"],
        seeds=[0],
    )
    text = render_text(tmp_path, "synthetic", FAST, width=100)
    assert "0.550" in text
    assert "'collapsed': 90.0% of hard pairs" in text
    assert "ties: up to 90.0%" in text


def test_the_terminal_table(tmp_path, capsys):
    golden_store(tmp_path)
    text = render_text(tmp_path, "synthetic", FAST, width=100)
    assert "4 of 5 †" in text
    assert "cannot run" in text
    assert "resampling seed: 0" in text
    print_table(tmp_path, "synthetic")
    assert "resamples: 10,000" in capsys.readouterr().out


def test_a_study_without_finished_cells_is_one_line(tmp_path):
    write_store(tmp_path, [SyntheticRow("row", lambda seed: None)])
    with pytest.raises(UserError, match="no finished cell yet") as error:
        write_report(tmp_path, "synthetic")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "studies" / "synthetic" / "report").exists()


def test_a_damaged_outcome_names_its_file(tmp_path):
    store = golden_store(tmp_path)
    next((store / "stages").rglob("pairs.parquet")).write_bytes(b"torn")
    with pytest.raises(UserError, match=r"pairs\.parquet: unreadable"):
        write_report(store, "synthetic")


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium-headless-shell") is None, reason="needs chromium-headless-shell")
@pytest.mark.parametrize("width", [400, 1600])
def test_the_page_fits_the_screen(report, tmp_path, width):
    """In a real browser: nothing is wider than the window, and the page needs nothing from a network."""
    frame = tmp_path / "frame.html"
    # The page allows no script of its own, so a frame of the wanted width looks into a copy that does.
    inner = report.html.read_text("utf-8").replace("default-src 'none'", "default-src 'unsafe-inline'")
    probe = "<script>document.title = 'overflow ' + (document.documentElement.scrollWidth - innerWidth)</script>"
    frame.write_text(inner.replace("</body>", f"{probe}</body>"), "utf-8")
    command = [
        "chromium-headless-shell", "--no-sandbox", "--disable-gpu", f"--window-size={width},900", "--dump-dom",
        frame.as_uri(),
    ]  # fmt: skip
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "<title>overflow 0</title>" in found.stdout or "<title>overflow -" in found.stdout
