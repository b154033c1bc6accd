import json

import pytest

from cuascore.errors import UserError
from reports.attempts import Attempts, read_attempts
from reports.plan import read_plan
from tests.reports.store import SyntheticRow, simulated, write_store


def edited(store, edit):
    write_store(store, [SyntheticRow("row", lambda seed: None)])
    path = store / "studies" / "synthetic" / "plan.json"
    plan = json.loads(path.read_text())
    edit(plan)
    path.write_text(json.dumps(plan))
    return store


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda plan: plan.pop("rows"), "no key 'rows'"),
        (lambda plan: plan.update(rows=3), "not a plan"),
        (lambda plan: plan.update(base="rwo"), "base 'rwo' is not a row; did you mean 'row'"),
        (lambda plan: plan.update(columns=["hard_acuracy"]), "did you mean 'hard_accuracy'"),
        (lambda plan: plan.update(columns=[]), "no columns"),
        (lambda plan: plan["rows"].append(plan["rows"][0]), "two rows are named 'row'"),
        (lambda plan: plan["rows"][0].update(paper={"hard": 1}), "metric 'hard': unknown"),
    ],
)
def test_a_plan_that_is_none_names_file_and_key(tmp_path, edit, message):
    with pytest.raises(UserError, match=message) as error:
        read_plan(edited(tmp_path, edit), "synthetic")
    assert "plan.json" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_plan_that_is_no_json_is_named(tmp_path):
    store = edited(tmp_path, lambda plan: None)
    (store / "studies" / "synthetic" / "plan.json").write_text('{"study": ')
    with pytest.raises(UserError, match=r"plan\.json: unreadable"):
        read_plan(store, "synthetic")


def test_an_unknown_study_names_the_nearest(tmp_path):
    write_store(tmp_path, [SyntheticRow("row", simulated(0.1))], study="intentscore/table1", seeds=[0])
    with pytest.raises(UserError, match="did you mean 'intentscore/table1'"):
        read_plan(tmp_path, "intentscore/table2")
    assert read_plan(tmp_path, "intentscore/table1").study == "intentscore/table1"


@pytest.mark.parametrize("name", ["../outside", "..", "a/../../b", ""])
def test_a_study_name_stays_in_the_store(tmp_path, name):
    with pytest.raises(UserError, match="not a name inside"):
        read_plan(tmp_path, name)


def test_attempts_survive_torn_lines_and_unknown_events(tmp_path):
    path = tmp_path / "cell.jsonl"
    path.write_text('{"event": "started"}\n[1]\n{"event": "paused"}\n{"event": "failed", "error": "boom"}\n{"eve')
    assert read_attempts(path) == Attempts(started=1, failed=1, error="boom")
    assert read_attempts(tmp_path / "none.jsonl") == Attempts()


def test_attempts_read_both_kinds_of_time(tmp_path):
    path = tmp_path / "cell.jsonl"
    path.write_text('{"event": "started"}\n{"event": "finished", "time": "1970-01-01T00:01:00+00:00"}\n')
    assert read_attempts(path).finished == 60
    path.write_text('{"event": "finished", "time": 61.5}\n')
    assert read_attempts(path).finished == 61.5
