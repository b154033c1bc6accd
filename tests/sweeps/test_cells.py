"""One cell by its key: run once, adopted, resumed after a death, its failure recorded and never a number."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

from ablations.metrics import evaluate, read_outcomes
from cuascore.errors import UserError
from lightning_modules.intentscore.system import IntentScoreSystem
from sweeps.attempts import MAX_FAILURES, cell_state, given_up, worth_running
from sweeps.cell import read_cell
from sweeps.execution import run_cell
from sweeps.store import Store


def events(store, key: str) -> list[str]:
    return [event["event"] for event in store.attempts(key)]


def test_a_cell_leaves_outcomes_curves_weights_and_what_made_them(queued):
    key = queued.keys[0]
    assert run_cell(queued.store, queued.study, key)
    evaluation = queued.store.stage(key)
    facts = json.loads((evaluation / "stage.json").read_text())
    assert facts["digest"] == key
    training = queued.store.stage(facts["parents"]["training"])
    assert {file.name for file in training.iterdir()} == {
        "curves.csv",
        "selection.json",
        "stage.json",
        "weights.safetensors",
    }
    assert facts["environment"]["torch"]
    pairs = pq.read_table(evaluation / "pairs.parquet")
    assert set(pairs["kind"].to_pylist()) == {"hard", "real_incorrect"}
    assert set(pairs["part"].to_pylist()) == {"validation", "test"}
    dataset = queued.plan.dataset
    members = {trajectory.key for trajectory in dataset.members("test", dataset.target)}
    rows = [row for row in pairs.to_pylist() if row["part"] == "test"]
    assert {row["trajectory"] for row in rows} == members
    assert 0 <= evaluate("hard_accuracy", read_outcomes(evaluation)) <= 1
    assert events(queued.store, key) == ["started", "finished"]


def test_running_again_changes_nothing(queued):
    key = queued.keys[0]
    run_cell(queued.store, queued.study, key)
    before = (queued.store.stage(key) / "pairs.parquet").stat().st_mtime_ns
    assert run_cell(queued.store, queued.study, key)
    assert (queued.store.stage(key) / "pairs.parquet").stat().st_mtime_ns == before
    assert events(queued.store, key) == ["started", "finished"]


def test_a_cell_gives_the_same_outcomes_on_a_rerun(queued, queued_once, tmp_path):
    key = queued.keys[-1]
    other = Store(shutil.copytree(queued_once.store.root, tmp_path / "other"))
    for store in (queued.store, other):
        run_cell(store, queued.study, key)
    one, two = (pq.read_table(store.stage(key) / "pairs.parquet") for store in (queued.store, other))
    assert one.equals(two)


def test_k04_outcomes_are_the_selected_epochs(queued, monkeypatch):
    """Validation scores .5 .9 .6 .55: the weights, the epoch and every stored number are the second epoch's."""
    from lightning_modules.intentscore import module

    scores = iter([0.5, 0.9, 0.6, 0.55])
    seen = []

    def on_validation_epoch_end(self) -> None:
        self._take("validation/")
        score = next(scores)
        seen.append({name: value.clone() for name, value in self.state_dict().items()})
        self.log_dict({"validation/selection": score, "validation/adjacent_accuracy": score})

    monkeypatch.setattr(module.IntentScoreModule, "on_validation_epoch_end", on_validation_epoch_end)
    key = queued.keys[0]
    cell = json.loads((queued.store.study("tiny") / "cells" / f"{key}.json").read_text())
    cell["config"]["training"]["epochs"] = 4
    (queued.store.study("tiny") / "cells" / f"{key}.json").write_text(json.dumps(cell))
    run_cell(queued.store, queued.study, key)
    summary = json.loads((queued.store.stage(key) / "summary.json").read_text())
    assert summary["selected_epoch"] == 1
    assert summary["selection"] == pytest.approx(0.9)
    assert summary["validation"]["validation/adjacent_accuracy"] == pytest.approx(0.9)
    facts = json.loads((queued.store.stage(key) / "stage.json").read_text())
    from safetensors.torch import load_file

    kept = load_file(queued.store.stage(facts["parents"]["training"]) / "weights.safetensors")
    assert len(seen) == 4
    assert all((kept[name] == value).all() for name, value in seen[1].items())
    assert any((kept[name] != value).any() for name, value in seen[3].items())


def test_k03_a_failure_is_recorded_and_the_next_run_tries_only_that_cell(queued, monkeypatch):
    key = queued.keys[1]
    whole = IntentScoreSystem.run

    def boom(self, stage, config, context):
        raise RuntimeError("boom")

    monkeypatch.setattr(IntentScoreSystem, "run", boom)
    with pytest.raises(RuntimeError, match="boom"):
        run_cell(queued.store, queued.study, key, "first")
    state = cell_state(queued.store, key)
    assert (state.state, state.error) == ("failed", "RuntimeError: boom")
    assert "RuntimeError: boom" in queued.store.log(key).read_text()
    assert given_up(queued.store, key, "first")
    assert not given_up(queued.store, key, "second")
    assert worth_running(queued.store, [key], retry=False) == ([key], [])
    monkeypatch.setattr(IntentScoreSystem, "run", whole)
    assert run_cell(queued.store, queued.study, key, "second")
    assert cell_state(queued.store, key).state == "done"


def test_k03_retries_have_a_limit_that_only_asking_lifts(queued):
    key = queued.keys[1]
    for _ in range(MAX_FAILURES):
        queued.store.note_attempt(key, "failed", session="s", error="boom")
    assert worth_running(queued.store, [key], retry=False) == ([], [key])
    assert worth_running(queued.store, [key], retry=True) == ([key], [])
    assert worth_running(queued.store, [key], retry=False) == ([key], [])


def test_k02_a_start_without_an_end_is_recorded_as_interrupted(queued):
    key = queued.keys[2]
    queued.store.note_attempt(key, "started", session="dead")
    assert run_cell(queued.store, queued.study, key)
    assert events(queued.store, key) == ["started", "interrupted", "started", "finished"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_k02_ctrl_c_in_training_is_an_interruption_and_no_failure(queued, monkeypatch, stop):
    """Lightning turns Ctrl-C into SystemExit, which ``except Exception`` does not see."""

    def stopped(self, stage, config, context):
        raise stop

    monkeypatch.setattr(IntentScoreSystem, "run", stopped)
    with pytest.raises(KeyboardInterrupt):
        run_cell(queued.store, queued.study, queued.keys[0])
    assert events(queued.store, queued.keys[0]) == ["started", "interrupted"]
    assert list((queued.store.root / "stages").glob(".tmp*")) == []


def test_k16_a_run_that_diverges_is_a_failure_with_a_name(queued, monkeypatch):
    from lightning_modules.intentscore import module

    def broken(self, batch):
        return {"loss": sum(parameter.sum() for parameter in self.parameters()) * float("nan")}

    monkeypatch.setattr(module.IntentScoreModule, "losses", broken)
    with pytest.raises(UserError, match="diverged"):
        run_cell(queued.store, queued.study, queued.keys[0])
    assert not queued.store.done(queued.keys[0])
    assert cell_state(queued.store, queued.keys[0]).error.startswith("diverged: ")


def test_a_cell_that_kills_its_workers_twice_in_a_session_is_set_aside_by_name(queued):
    key = queued.keys[0]
    for _ in range(2):
        queued.store.note_attempt(key, "started", session="one")
        if events(queued.store, key).count("started") == 1:
            queued.store.note_attempt(key, "interrupted", session="one", killed=True)
    with pytest.raises(UserError, match="set aside: 2 processes died under it"):
        run_cell(queued.store, queued.study, key, "one")
    assert given_up(queued.store, key, "one")
    assert run_cell(queued.store, queued.study, key, "another")


def test_an_unknown_cell_is_named(queued):
    with pytest.raises(UserError, match=r"tiny: no cell 'abc'"):
        read_cell(queued.store, "tiny", "abc")
