import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ablations.metrics import METRICS, NotANumber, Outcomes, Undefined, evaluate, evaluate_all, metric, read_outcomes
from cuascore.errors import UserError
from tests.reports.store import gaps, pair_columns, step_columns, write_outcomes

SCORES = st.floats(-1, 1, width=32).map(float)
PAIRS = st.lists(
    st.fixed_dictionaries(
        {
            "part": st.sampled_from(["test", "validation"]),
            "kind": st.sampled_from(["hard", "real_incorrect"]),
            # Few distinct values, so that ties and gaps at the threshold come up.
            "score_correct": st.sampled_from([0.0, 0.25, 0.5]) | SCORES,
            "score_incorrect": st.sampled_from([0.0, 0.25, 0.5]) | SCORES,
            "blind_correct": st.sampled_from([0.0, 0.25]) | SCORES,
            "blind_incorrect": st.sampled_from([0.0, 0.25]) | SCORES,
        }
    ),
    max_size=30,
)
STEPS = st.lists(
    st.fixed_dictionaries(
        {
            "part": st.sampled_from(["test", "validation"]),
            "label": st.sampled_from(["correct", "incorrect"]),
            "score": SCORES,
        }
    ),
    max_size=30,
)


def outcomes_of(pairs, steps=()) -> Outcomes:
    def arrays(columns):
        return {
            key: np.asarray(values, np.float32 if key.startswith(("score", "blind")) else object)
            for key, values in columns.items()
        }

    return Outcomes(Path("evaluation"), arrays(pair_columns(pairs)), arrays(step_columns(list(steps))))


def looped(name: str, pairs, steps, part: str, threshold: float) -> float | None:
    """Every metric again from its words, one record at a time; None where there is nothing to average."""
    if name == "correct_incorrect_gap":
        means = []
        for label in ("correct", "incorrect"):
            values = [step["score"] for step in steps if step["part"] == part and step["label"] == label]
            if not values:
                return None
            means.append(math.fsum(values) / len(values))
        return means[0] - means[1]
    kind = "real_incorrect" if "real_incorrect" in name else "hard"
    side = "blind" if name.endswith("state_blind") else "score"
    values = []
    for pair in pairs:
        if pair["part"] != part or pair["kind"] != kind:
            continue
        correct, incorrect = pair[f"{side}_correct"], pair[f"{side}_incorrect"]
        if "accuracy" in name:
            values.append(1.0 if correct > incorrect else 0.5 if correct == incorrect else 0.0)
        elif name.startswith("tie_share"):
            values.append(1.0 if correct == incorrect else 0.0)
        elif name.endswith("above_threshold"):
            values.append(1.0 if correct - incorrect > threshold else 0.0)
        else:
            values.append(correct - incorrect)
    return math.fsum(values) / len(values) if values else None


@given(pairs=PAIRS, steps=STEPS, part=st.sampled_from(["test", "validation"]), threshold=st.sampled_from([0.1, 0.25]))
def test_every_metric_equals_a_plain_loop(pairs, steps, part, threshold):
    outcomes = outcomes_of(pairs, steps)
    for name in METRICS:
        expected = looped(name, pairs, steps, part, threshold)
        if expected is None:
            with pytest.raises(Undefined, match=name):
                evaluate(name, outcomes, part, threshold)
        else:
            assert evaluate(name, outcomes, part, threshold) == pytest.approx(expected, abs=1e-12)


def test_evaluate_all_leaves_out_what_has_no_records():
    found = evaluate_all(outcomes_of(gaps([0.3, -0.1])))
    assert found["hard_accuracy"] == 0.5
    assert found["hard_gap_mean"] == pytest.approx(0.1)
    assert not [name for name in found if "real_incorrect" in name or name == "correct_incorrect_gap"]


def test_k16_equal_scores_are_half_right_in_either_order():
    for kind in ("hard", "real_incorrect"):
        pairs = [{"kind": kind, "score_correct": 0.7, "score_incorrect": 0.7}] * 100
        outcomes = outcomes_of(pairs)
        assert evaluate(f"{kind}_accuracy", outcomes) == 0.5
        assert evaluate(f"tie_share_{kind}", outcomes) == 1.0


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_k16_a_score_that_is_no_number_makes_the_metric_undefined(wrong):
    outcomes = outcomes_of([*gaps([0.3]), {"score_incorrect": wrong}])
    with pytest.raises(NotANumber, match="1 of 2 values of 'score_incorrect' are NaN or infinite"):
        evaluate("hard_accuracy", outcomes)


def test_unknown_metric_names_the_nearest():
    with pytest.raises(UserError, match="metric 'hard_acuracy': unknown; did you mean 'hard_accuracy'"):
        metric("hard_acuracy")


def test_bounds_hold_the_extremes():
    extreme = outcomes_of(
        [{"kind": kind, "score_correct": 1, "score_incorrect": -1} for kind in ("hard", "real_incorrect")],
        [{"label": "correct", "score": 1}, {"label": "incorrect", "score": -1}],
    )
    for name, value in evaluate_all(extreme).items():
        low, high = metric(name).bounds
        assert low <= value <= high, name


def test_outcomes_come_back_as_stored(tmp_path):
    outcomes = write_outcomes(tmp_path, gaps([0.25, -0.5]), summary={"selected_epoch": 7})
    assert outcomes.pairs["score_correct"].tolist() == [0.25, -0.5]
    assert outcomes.pairs["has_intent"].tolist() == [True, True]
    assert outcomes.summary["selected_epoch"] == 7


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "pairs.parquet").write_bytes(b"PAR1"), "pairs.parquet: unreadable"),
        (lambda folder: (folder / "steps.parquet").unlink(), "steps.parquet: unreadable"),
        (lambda folder: (folder / "summary.json").write_text("{"), "summary.json: unreadable"),
        (lambda folder: (folder / "summary.json").write_text("[]"), "summary.json: not a JSON object"),
    ],
)
def test_damaged_outcomes_name_the_file(tmp_path, damage, message):
    write_outcomes(tmp_path, gaps([0.25]))
    damage(tmp_path)
    with pytest.raises(UserError, match=message) as error:
        read_outcomes(tmp_path)
    assert "\n" not in str(error.value)


def test_a_missing_column_is_named(tmp_path):
    columns = pair_columns(gaps([0.25]))
    del columns["blind_correct"]
    with pytest.raises(UserError, match="no column 'blind_correct'"):
        write_outcomes(tmp_path, columns)


def test_metrics_and_reports_load_neither_torch_nor_matplotlib():
    code = "import sys, ablations.metrics, reports; print([m for m in ('torch', 'matplotlib') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == []
