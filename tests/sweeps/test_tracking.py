"""W&B as a mirror: one run a cell, its own config, never a wait, never a reason to fail."""

import importlib.util
import json
import socket
import time

import pytest

from lightning_modules.intentscore.system import IntentScoreSystem
from sweeps import tracking
from sweeps.execution import run_cell
from sweeps.tracking import resolve_mode


@pytest.fixture(autouse=True)
def _no_key(monkeypatch, tmp_path):
    for name in ("WANDB_API_KEY", "WANDB_MODE", "WANDB_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NETRC", raising=False)


def offline(queued, key: str) -> None:
    path = queued.store.study("tiny") / "cells" / f"{key}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "wandb": "offline"}))


def test_k06_without_a_key_the_default_is_offline_and_online_says_why(monkeypatch):
    assert resolve_mode(None) == ("offline", "")
    assert resolve_mode("offline") == ("offline", "")
    assert resolve_mode("disabled") == ("disabled", "")
    mode, remark = resolve_mode("online")
    assert mode == "offline"
    assert "no API key" in remark


def test_k06_online_without_reach_falls_back_within_the_stated_time(monkeypatch):
    monkeypatch.setenv("WANDB_API_KEY", "x" * 40)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("WANDB_BASE_URL", f"http://127.0.0.1:{taken.getsockname()[1]}")
        started = time.monotonic()
        mode, remark = resolve_mode("online")
    assert time.monotonic() - started < tracking.REACH_SECONDS + 1
    assert mode == "offline"
    assert "127.0.0.1 cannot be reached" in remark


def test_k06_with_a_key_and_reach_the_default_is_online(monkeypatch):
    monkeypatch.setenv("WANDB_API_KEY", "x" * 40)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("WANDB_BASE_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        assert resolve_mode(None) == ("online", "")


def test_k06_without_the_package_training_still_works(monkeypatch, queued):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "wandb" else find(name, *a))
    assert resolve_mode("online")[0] == "disabled"
    assert run_cell(queued.store, queued.study, queued.keys[0])


def test_k06_a_mirror_that_fails_does_not_take_the_cell_with_it(monkeypatch, queued):
    offline(queued, queued.keys[0])

    def fails(self):
        raise OSError("no space for runs")

    monkeypatch.setattr(tracking.CellTracking, "_start", fails)
    with pytest.warns(UserWarning, match="W&B: run not started"):
        assert run_cell(queued.store, queued.study, queued.keys[0])


@pytest.mark.slow
def test_k05_every_cell_has_a_run_of_its_own_and_a_failed_one_is_closed_as_failed(queued, monkeypatch):
    whole = IntentScoreSystem.run
    finished = []

    def sometimes(self, stage, config, context):
        if context.seed == 0 and config.loss.alignment_weight == 0 and stage.kind == "training":
            raise RuntimeError("boom")
        whole(self, stage, config, context)

    exit_run = tracking.CellTracking.__exit__

    def noted(self, kind, error, trace):
        finished.append((self.cell.key, dict(self._run.config), dict(self._run.summary), self._run.id, kind))
        exit_run(self, kind, error, trace)

    monkeypatch.setattr(IntentScoreSystem, "run", sometimes)
    monkeypatch.setattr(tracking.CellTracking, "__exit__", noted)
    for key in queued.keys:
        offline(queued, key)
        if key == queued.keys[1]:
            with pytest.raises(RuntimeError, match="boom"):
                run_cell(queued.store, queued.study, key)
        else:
            run_cell(queued.store, queued.study, key)
    folders = sorted((queued.store.root / "wandb").glob("offline-run-*"))
    assert len(folders) == len(queued.keys)
    assert len({run for _, _, _, run, _ in finished}) == len(queued.keys)
    for key, config, summary, _, kind in finished:
        assert config["cell"] == key
        assert config["study"] == "tiny"
        assert (kind is RuntimeError) == (key == queued.keys[1])
        assert ("test/hard_accuracy" in summary) == (kind is None)
    values = {config["row"]: config["loss.margin_weight"] for _, config, _, _, _ in finished}
    assert values == {"Alignment only": 0.0, "Margin only": 2.0, "Both losses": 2.0}
    # A second attempt has a new id that names the first.
    monkeypatch.setattr(IntentScoreSystem, "run", whole)
    run_cell(queued.store, queued.study, queued.keys[1])
    _, config, _, run, kind = finished[-1]
    assert kind is None
    assert run.endswith("-2")
    assert config["earlier_runs"] == [run.removesuffix("-2") + "-1"]
