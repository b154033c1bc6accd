import subprocess
import sys

import matplotlib
from PIL import Image

from reports import write_report
from reports.analysis import analyse
from reports.figures.style import save
from reports.report import draw_figures
from reports.results import read_results
from reports.statistics.bootstrap import Resampling
from tests.reports.store import SyntheticRow, gaps, golden_store, simulated, write_store

FAST = Resampling(500)


def test_each_figure_comes_in_three_formats_and_as_text(report):
    names = {path.name for path in report.figures}
    assert names == {
        f"{name}.{kind}" for name in ("seeds", "learning", "threshold") for kind in ("svg", "pdf", "png", "txt")
    }
    for path in report.figures:
        assert path.parent == report.folder / "figures"
        assert path.stat().st_size > 200


def test_fonts_are_embedded(report):
    pdf = (report.folder / "figures" / "seeds.pdf").read_bytes()
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    svg = (report.folder / "figures" / "seeds.svg").read_text()
    assert "<text" not in svg
    assert "font-family" not in svg


def test_pictures_are_not_blank(report):
    for name in ("seeds", "learning", "threshold"):
        with Image.open(report.folder / "figures" / f"{name}.png") as image:
            assert len(image.convert("L").getcolors(256) or []) > 50
            assert image.width > 1200


def test_the_text_alternative_holds_the_numbers(report):
    text = (report.folder / "figures" / "seeds.txt").read_text()
    assert "Alignment loss only: 0.725 [" in text
    assert "seed 4 0." in text
    assert "published 0.866" in text
    assert "50%_data & a|b #2 w/o $\\tau$ <b>" in text
    threshold = (report.folder / "figures" / "threshold.txt").read_text()
    assert "chosen on validation" in threshold


def test_equal_stores_give_equal_files(report, tmp_path):
    again = write_report(golden_store(tmp_path), "synthetic")
    for first, second in zip(report.figures, again.figures, strict=True):
        assert first.read_bytes() == second.read_bytes(), first.name
    assert report.html.read_bytes() == again.html.read_bytes()


def drawn(store):
    results = read_results(store, "synthetic")
    table = analyse(results, results.plan.columns, "A study", FAST)
    return draw_figures(results, table, FAST)


def test_drawing_leaves_no_state_behind(tmp_path):
    before = dict(matplotlib.rcParams)
    save(drawn(golden_store(tmp_path))[0], tmp_path)
    assert dict(matplotlib.rcParams) == before
    code = "import sys, reports.figures.seeds; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_awkward_names_are_drawn_as_they_are(tmp_path):
    names = ["$\\frac$ {", "_hidden", "漢字🙂", "x" * 200]
    rows = [SyntheticRow(name, simulated(0.1 + index / 20, salt=index)) for index, name in enumerate(names)]
    seeds, learning, _ = drawn(write_store(tmp_path, rows))
    save(seeds, tmp_path)
    assert [text.get_text() for text in learning.figure.legends[0].get_texts()][:3] == names[:3]
    assert [text.get_text() for text in seeds.figure.axes[0].get_yticklabels()][:3] == names[:3]


def test_many_rows_share_the_threshold_figure_by_a_rule(tmp_path):
    rows = [SyntheticRow(f"row {index}", simulated(0.3 if index == 3 else 0.1, salt=index)) for index in range(6)]
    threshold = drawn(write_store(tmp_path, rows, base="row 1"))[2]
    shown = [text.get_text() for text in threshold.figure.legends[0].get_texts()]
    assert shown == ["row 0", "row 1", "row 3", "row 5", "sigma = 0.10, the study's"]


def test_a_store_without_curves_or_test_pairs_draws_what_it_can(tmp_path):
    write_store(tmp_path, [SyntheticRow("row", lambda seed: gaps([0.2, 0.1]))], columns=["hard_accuracy"], seeds=[0])
    for curves in tmp_path.rglob("curves.csv"):
        curves.write_text("epoch,phase\n")
    assert [drawing.name for drawing in drawn(tmp_path)] == ["seeds", "threshold"]
