"""A study's table from a store: what is averaged, what is compared, and what is said."""

import numpy as np
import pytest

from ablations.metrics import metric
from cuascore.errors import UserError
from reports.analysis import analyse
from reports.results import read_results
from reports.statistics.bootstrap import Resampling
from tests.reports.store import START, SyntheticRow, accuracy_pairs, finished, gaps, simulated, write_store

FAST = Resampling(resamples=2000, seed=0)


def table_of(store, rows, **options):
    write_store(store, rows, **options)
    results = read_results(store, options.get("study", "synthetic"))
    return analyse(results, results.plan.columns, "A study", FAST)


def accuracies(*values: float, count: int = 200):
    """``scores`` of a row by seed number or position."""
    return lambda seed: accuracy_pairs(values[seed], count)


def row_of(table, name):
    return next(row for row in table.rows if row.name == name)


def test_k08_the_interval_reflects_seeds_not_steps(tmp_path):
    table = table_of(
        tmp_path,
        [SyntheticRow("only", accuracies(0.6, 0.7, 0.8, count=2000))],
        columns=["hard_accuracy"],
        seeds=[0, 1, 2],
    )
    cell = table.rows[0].cells[0]
    low, high = cell.value.interval
    assert cell.value.point == pytest.approx(0.7)
    assert low <= 0.61
    assert high >= 0.79
    assert (cell.records, cell.trajectories, table.rows[0].count) == (2000, 10, "3")
    assert dict(table.facts)["seeds"] == "3"
    assert any("fewer than 5 seeds are too narrow" in note for note in table.notes)
    assert not any(entry.best for entry in table.rows[0].cells)


def test_k08_steps_of_one_trajectory_are_not_independent(tmp_path):
    """All pairs of a trajectory right or wrong together: as uncertain as one pair a trajectory, not as 40."""

    def clustered(repeats):
        return lambda seed: [
            {"trajectory": f"t{number}", "score_correct": (0.2 if number % 2 else -0.2) + seed / 1000}
            for number in range(20)
            for _ in range(repeats)
        ]

    widths = []
    for repeats in (1, 40):
        table = table_of(tmp_path / str(repeats), [SyntheticRow("only", clustered(repeats))], columns=["hard_accuracy"])
        low, high = table.rows[0].cells[0].value.interval
        widths.append(high - low)
    assert widths[0] == pytest.approx(widths[1], rel=1e-9)
    assert widths[0] > 0.3


@pytest.mark.parametrize("shuffled", [False, True])
def test_k09_differences_use_common_seeds_and_name_the_missing_and_the_duplicate(tmp_path, shuffled):
    base = accuracies(0.0, 0.70, 0.71, 0.72, 0.73, 0.50, count=100)
    variant_seeds = [1, 2, 2, 3, 4, 5]
    values = [0.69, 0.70, 0.64, 0.71, 0.72, 0.0]
    failed = [
        {"event": "started", "time": START, "pid": 1},
        {"event": "failed", "time": START + 1, "pid": 1, "error": "RuntimeError: boom", "log": "cell.log"},
    ]
    # The second seed 2 finished later, and stands first when shuffled.
    order = [2, 5, 4, 0, 3, 1] if shuffled else list(range(6))
    rows = [
        SyntheticRow("base", base),
        SyntheticRow(
            "variant",
            lambda place: accuracy_pairs(values[order[place]], 100) if order[place] != 5 else None,
            seeds=[variant_seeds[place] for place in order],
            events={place: failed if order[place] == 5 else finished(order[place]) for place in range(6)},
        ),
    ]
    table = table_of(
        tmp_path, rows[::-1] if shuffled else rows, columns=["hard_accuracy"], seeds=[1, 2, 3, 4, 5], base="base"
    )
    variant = row_of(table, "variant")
    cell = variant.cells[0]
    assert cell.difference.point == pytest.approx(-0.01)
    assert cell.difference_seeds == (1, 2, 3, 4)
    assert cell.value.point == pytest.approx(np.mean([0.69, 0.70, 0.71, 0.72]))
    assert (variant.count, variant.missing) == ("4 of 5 †", (5,))
    text = "; ".join(variant.notes)
    assert "seed 5 missing (failed: RuntimeError: boom, log cell.log)" in text
    assert "seed 2 is there twice" in text
    assert "finished first counts" in text
    assert "difference to the base on the common seeds 1, 2, 3, 4 only" in text
    assert any("† seeds are missing" in note for note in table.notes)
    assert row_of(table, "base").count == "5"
    assert row_of(table, "base").cells[0].value.point == pytest.approx(0.672)


def test_k07_degenerate_seeds_are_answered_in_words(tmp_path):
    def constant(seed):
        return gaps([0.2] * 20, trajectory=[f"t{number}" for number in range(20)])

    table = table_of(
        tmp_path, [SyntheticRow("constant", constant), SyntheticRow("same", constant)], columns=["hard_gap_mean"]
    )
    cell = table.rows[0].cells[0]
    assert cell.value.point == pytest.approx(0.2)
    assert cell.value.interval is None
    assert "no spread over n=5 seeds" in "; ".join(table.rows[0].notes)
    change = table.rows[1].cells[0].difference
    assert (change.point, change.interval, change.separated) == (0.0, None, False)


def test_k07_a_run_with_nan_is_excluded_by_name(tmp_path):
    def scores(seed):
        pairs = accuracy_pairs([0.8, 0.8, 0.75][seed], 100)
        if seed == 1:
            pairs[3]["score_correct"] = float("nan")
        return pairs

    table = table_of(tmp_path, [SyntheticRow("row", scores)], columns=["hard_accuracy"], seeds=[0, 1, 2])
    row = table.rows[0]
    assert (row.count, row.seeds) == ("2 of 3 †", (0, 2))
    assert row.cells[0].value.point == pytest.approx(0.775)
    assert row.cells[0].value.interval is None
    assert "seed 1 missing (failed: NaN scores" in row.notes[0]
    assert "n=2, no interval" in row.notes


def test_one_seed_has_a_value_and_no_interval(tmp_path):
    table = table_of(tmp_path, [SyntheticRow("row", accuracies(0.8))], columns=["hard_accuracy"], seeds=[0])
    assert table.rows[0].cells[0].value.point == pytest.approx(0.8)
    assert table.rows[0].cells[0].value.interval is None
    assert "n=1, no interval" in table.rows[0].notes


def test_k10_rows_with_identical_outcomes_are_flagged(tmp_path):
    rows = [SyntheticRow(name, simulated(shift, salt=salt)) for name, shift, salt in (("X", 0.1, 1), ("Y", 0.1, 1))]
    rows.append(SyntheticRow("Z", simulated(0.1, salt=2)))
    table = table_of(tmp_path, rows)
    flagged = [note for note in table.notes if "identical scores" in note]
    assert flagged == ["Rows 'X' and 'Y' gave identical scores in all common seeds: had the toggle no effect?"]


def test_k04_values_and_epoch_are_the_selected_checkpoints(tmp_path):
    """Curves end at 0.55, the selected epoch had 0.90: the table takes outcomes and names the epoch."""
    from reports.figures.learning import read_curve
    from tests.reports.store import digest, write_curves

    pairs = accuracy_pairs(0.9, 100)
    chosen = {"selected_epoch": 1, "selection": 0.9}
    table = table_of(
        tmp_path, [SyntheticRow("row", lambda seed: (pairs, None, chosen))], columns=["hard_accuracy"], seeds=[0]
    )
    results = read_results(tmp_path, "synthetic")
    cell = results.rows[0].cells[0]
    write_curves(tmp_path / "stages" / digest("training", cell.planned.key), 0, selections=[0.5, 0.9, 0.6, 0.55])
    assert table.rows[0].cells[0].value.point == pytest.approx(0.9)
    assert (table.rows[0].selected_epochs, table.rows[0].epochs) == ((1,), "1")
    curve = read_curve(tmp_path, cell)
    assert curve is not None
    assert curve.selected == 1
    assert curve.columns["validation/selection"][1] == 0.9


def test_only_the_test_part_enters(tmp_path):
    def scores(seed):
        return [*gaps([0.3, -0.3]), *gaps([0.3] * 50, part="validation", trajectory="v")]

    table = table_of(tmp_path, [SyntheticRow("row", scores)], columns=["hard_accuracy"], seeds=[0, 1])
    assert table.rows[0].cells[0].value.point == 0.5
    assert dict(table.facts)["part"] == "test"
    assert dict(table.facts)["pairs"] == "2"


def test_a_row_that_cannot_run_is_shown_with_its_reason_and_published_numbers(tmp_path):
    rows = [
        SyntheticRow("base", simulated(0.1)),
        SyntheticRow("pretrained", None, {"hard_accuracy": 0.975}, gap="one operating system only"),
    ]
    row = row_of(table_of(tmp_path, rows), "pretrained")
    assert row.cells[0].value is None
    assert row.cells[0].published == 0.975
    assert row.notes == ("cannot run: one operating system only",)
    assert row.missing == ()


def test_data_without_incorrect_labels_gives_a_dash_in_that_column_alone(tmp_path):
    table = table_of(
        tmp_path,
        [SyntheticRow("row", accuracies(0.8, 0.7, 0.9))],
        columns=["hard_accuracy", "real_incorrect_accuracy"],
        seeds=[0, 1, 2],
    )
    hard, real = table.rows[0].cells
    assert hard.value.interval is not None
    assert real.value is None
    assert any("Real inc.: no records of that kind" in note for note in table.rows[0].notes)


def test_marks_go_to_all_that_cannot_be_separated_from_the_best(tmp_path):
    rows = [
        SyntheticRow("low", simulated(0.0, salt=1, seed_spread=0.01)),
        SyntheticRow("high", simulated(0.25, salt=2, seed_spread=0.01)),
        SyntheticRow("as high", simulated(0.25, salt=3, seed_spread=0.01)),
    ]
    table = table_of(tmp_path, rows, columns=["hard_gap_mean", "tie_share_hard"])
    assert [row.cells[0].best for row in table.rows] == [False, True, True]
    assert not any(row.cells[1].best for row in table.rows)


def test_k01_k02_attempts_are_told_and_nothing_counts_as_running(tmp_path):
    started = {"event": "started", "time": START, "pid": 1}
    table = table_of(
        tmp_path,
        [
            SyntheticRow(
                "row",
                lambda seed: None if seed in (2, 3) else simulated(0.1)(seed),
                events={1: [started, *finished(5)], 2: [started], 3: [started, {"event": "interrupted"}]},
            )
        ],
    )
    text = "; ".join(table.rows[0].notes)
    assert "seed 1: 1 interrupted, re-run" in text
    assert "seed 2 missing (running: started and not finished" in text
    assert "seed 3 missing (interrupted" in text
    assert table.rows[0].count == "3 of 5 †"


def test_records_that_differ_between_seeds_are_left_out_and_said(tmp_path):
    def scores(seed):
        return gaps([0.2 + seed / 100] * 12, trajectory=[f"t{number}" for number in range(12)]) + gaps(
            [-0.9] * seed, trajectory="t0"
        )

    table = table_of(tmp_path, [SyntheticRow("row", scores)], columns=["hard_gap_mean"], seeds=[0, 1, 2])
    assert table.rows[0].cells[0].value.point == pytest.approx(0.21)
    assert "trajectories left out since their records differ between seeds: 1" in table.rows[0].notes


def test_differences_are_paired(tmp_path):
    """Trajectories vary a lot and alike in both rows: the difference is far surer than either value."""

    def scores(shift):
        levels = np.random.default_rng(1).normal(0, 0.2, 30)
        return lambda seed: gaps(
            [float(level) + shift + 0.001 * ((seed * 7) % 5) * (1 + shift) for level in levels],
            trajectory=[f"t{number}" for number in range(30)],
        )

    table = table_of(
        tmp_path, [SyntheticRow("a", scores(0.0)), SyntheticRow("b", scores(0.05))], columns=["hard_gap_mean"]
    )
    value, change = table.rows[1].cells[0].value, table.rows[1].cells[0].difference
    assert change.point == pytest.approx(0.05, abs=0.001)
    assert (change.interval[1] - change.interval[0]) * 20 < value.interval[1] - value.interval[0]


def test_no_finished_cell_is_a_clear_error(tmp_path):
    with pytest.raises(UserError, match="no finished cell yet; `ablate run synthetic` makes them"):
        table_of(tmp_path, [SyntheticRow("row", lambda seed: None)])


def test_columns_other_than_the_studys_can_be_analysed(tmp_path):
    write_store(tmp_path, [SyntheticRow("row", simulated(0.1))])
    results = read_results(tmp_path, "synthetic")
    table = analyse(results, [metric("correct_incorrect_gap")], "Other", FAST)
    assert dict(table.facts)["steps"] == "80"
