"""Optuna holds what the files say, once, and can be lost."""

import optuna
import pytest
from optuna.trial import TrialState

from ablations.metrics import evaluate, read_outcomes
from sweeps.execution import run_cell
from sweeps.mirror import default_url, mirror_study


def trials(queued) -> list[optuna.trial.FrozenTrial]:
    return optuna.load_study(study_name="tiny", storage=default_url(queued.store)).trials


def test_k01_every_finished_cell_is_one_trial_however_often_it_is_mirrored(queued):
    for key in queued.keys[:2]:
        run_cell(queued.store, queued.study, key)
    assert mirror_study(queued.store, "tiny") == 2
    assert mirror_study(queued.store, "tiny") == 0
    run_cell(queued.store, queued.study, queued.keys[2])
    assert mirror_study(queued.store, "tiny") == 1
    found = trials(queued)
    assert [trial.user_attrs["cell"] for trial in found] == queued.keys[:3]
    assert {trial.state for trial in found} == {TrialState.COMPLETE}
    for trial in found:
        outcomes = read_outcomes(queued.store.stage(trial.user_attrs["cell"]))
        assert trial.value == pytest.approx(evaluate("hard_accuracy", outcomes))


def test_k03_a_failed_attempt_is_a_failed_trial_with_its_reason_and_no_number(queued):
    queued.store.note_attempt(queued.keys[0], "failed", error="RuntimeError: boom")
    queued.store.note_attempt(queued.keys[0], "interrupted", error="KeyboardInterrupt")
    mirror_study(queued.store, "tiny")
    run_cell(queued.store, queued.study, queued.keys[0])
    mirror_study(queued.store, "tiny")
    found = trials(queued)
    assert [trial.state for trial in found] == [TrialState.FAIL, TrialState.FAIL, TrialState.COMPLETE]
    assert [trial.user_attrs.get("reason") for trial in found] == ["RuntimeError: boom", "KeyboardInterrupt", None]


def test_a_lost_storage_is_written_anew(queued):
    run_cell(queued.store, queued.study, queued.keys[0])
    mirror_study(queued.store, "tiny")
    (queued.store.root / "optuna.db").unlink()
    assert mirror_study(queued.store, "tiny") == 1
    assert len(trials(queued)) == 1


def test_a_study_whose_rows_changed_is_mirrored_anew(queued):
    run_cell(queued.store, queued.study, queued.keys[0])
    mirror_study(queued.store, "tiny")
    plan = queued.store.read_plan("tiny")
    plan["rows"][1]["name"] = "Renamed"
    queued.store.write_plan("tiny", plan)
    assert mirror_study(queued.store, "tiny") == 1
    assert [trial.params for trial in trials(queued)] == [{"row": "Alignment only", "seed": 0}]
