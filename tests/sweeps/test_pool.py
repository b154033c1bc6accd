"""Real worker processes: nothing runs twice, nothing finished is lost, whatever is killed and whenever."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from sweeps.attempts import cell_state
from sweeps.pool import run_pool
from sweeps.store import Store

pytestmark = pytest.mark.slow
QUIET = Console(quiet=True)
TIMEOUT = 240


def events(store: Store, keys: list[str]) -> Counter[str]:
    return Counter(event["event"] for key in keys for event in store.attempts(key))


def lengthen(queued, epochs: int) -> None:
    """Make the queued cells take a while; their keys stay what they were."""
    for path in (queued.store.study("tiny") / "cells").iterdir():
        cell = json.loads(path.read_text())
        cell["config"]["training"] = {**cell["config"]["training"], "epochs": epochs, "patience": epochs}
        path.write_text(json.dumps(cell))


def ablate(*words: str, store: Path, **options) -> subprocess.Popen[str]:
    environment = {**os.environ, "CUASCORE_STORE": str(store), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "ablations.command_line", *words]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
    )


def workers_of(store: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"sweeps.worker" in words and str(store).encode() in words:
            found.append(int(entry.name))
    return found


def wait_for(condition, what: str) -> None:
    until = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def test_k01_four_workers_run_every_cell_once(queued):
    outcome = run_pool(queued.store, "tiny", queued.keys, 4, QUIET, threads=1)
    assert (outcome.done, outcome.failed, outcome.interrupted) == (6, (), False)
    assert events(queued.store, queued.keys) == {"started": 6, "finished": 6}


def test_k02_a_killed_worker_is_replaced_and_its_cell_run_again(queued):
    lengthen(queued, 150)
    watched = queued.keys[0]

    def kill_once() -> None:
        wait_for(lambda: queued.store.attempts(watched), "no worker took the first cell")
        os.kill(queued.store.attempts(watched)[-1]["pid"], signal.SIGKILL)

    import threading

    thread = threading.Thread(target=kill_once)
    thread.start()
    outcome = run_pool(queued.store, "tiny", queued.keys[:2], 1, QUIET, threads=1)
    thread.join()
    assert (outcome.done, outcome.failed) == (2, ())
    assert [event["event"] for event in queued.store.attempts(watched)] == [
        "started",
        "interrupted",
        "started",
        "finished",
    ]
    assert cell_state(queued.store, watched).interruptions == 1


def test_the_whole_command_runs_reports_and_keeps_what_it_did(tmp_path, tiny_study, tiny_data):
    store = tmp_path / "store"
    words = ("run", str(tiny_study), "--data-root", str(tiny_data), "--workers", "2", "--wandb", "disabled")
    first = ablate(*words, store=store)
    printed, _ = first.communicate(timeout=TIMEOUT)
    assert first.returncode == 0, printed
    assert "6 cells: 0 kept from before, 6 to run" in printed
    report = store / "studies" / "tiny" / "report"
    assert str(report / "report.html") in printed
    assert "Alignment only" in (report / "table.md").read_text()
    second = ablate(*words, store=store)
    printed, _ = second.communicate(timeout=TIMEOUT)
    assert second.returncode == 0, printed
    assert "6 kept from before, 0 to run" in printed
    status = ablate("status", "tiny", store=store)
    assert "Both losses" in status.communicate(timeout=TIMEOUT)[0]


def test_k02_ctrl_c_in_training_keeps_what_is_finished(tmp_path, queued):
    lengthen(queued, 200)
    root = queued.store.root
    driver = ablate("work", "tiny", "--workers", "1", store=root)
    wait_for(lambda: any(queued.store.done(key) for key in queued.keys), "no cell finished")
    wait_for(lambda: events(queued.store, queued.keys)["started"] >= 2, "no second cell started")
    driver.send_signal(signal.SIGINT)
    printed, _ = driver.communicate(timeout=TIMEOUT)
    assert driver.returncode == 130, printed
    assert "interrupted" in printed
    assert "Traceback" not in printed
    assert workers_of(root) == []
    done = [key for key in queued.keys if queued.store.done(key)]
    assert 1 <= len(done) < len(queued.keys)
    assert list((root / "stages").glob(".tmp*")) == []
    assert not any(cell_state(queued.store, key).state == "started" for key in queued.keys)
    lengthen(queued, 1)
    outcome = run_pool(queued.store, "tiny", queued.keys, 1, QUIET, threads=1)
    assert outcome.done == 6
    assert events(queued.store, done)["started"] == len(done)


def test_k03_a_failing_cell_is_named_and_the_exit_status_is_1(queued):
    path = queued.store.study("tiny") / "cells" / f"{queued.keys[1]}.json"
    cell = json.loads(path.read_text())
    cell["config"]["negatives"]["kind"] = "in_task"
    path.write_text(json.dumps(cell))
    driver = ablate("work", "tiny", "--workers", "1", store=queued.store.root)
    printed, _ = driver.communicate(timeout=TIMEOUT)
    assert driver.returncode == 1, printed
    assert f"FAILED {queued.keys[1][:12]}: negatives.kind='in_task' is not built yet" in printed
    assert sum(queued.store.done(key) for key in queued.keys) == 5
    report = ablate("report", "tiny", store=queued.store.root)
    table, _ = report.communicate(timeout=TIMEOUT)
    assert report.returncode == 0, table
    assert "seed 0" in table, "the missing seed is named"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_full_disk_in_the_middle_of_a_stage_is_one_line_and_loses_nothing(queued, tmp_path):
    """The stages' folder is a file system with room for one cell and no more."""
    stages = queued.store.root / "stages"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=72k", "tmpfs", str(stages)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mount is not allowed here")
    try:
        driver = ablate("work", "tiny", "--workers", "1", store=queued.store.root)
        printed, _ = driver.communicate(timeout=TIMEOUT)
        assert driver.returncode == 1, printed
        assert "No space left on device" in printed
        assert "Traceback" not in printed
        done = [key for key in queued.keys if queued.store.done(key)]
        assert 1 <= len(done) < len(queued.keys), printed
        assert list(stages.glob(".tmp*")) == []
        subprocess.run(["mount", "-o", "remount,size=8m", str(stages)], check=True)
        outcome = run_pool(queued.store, "tiny", queued.keys, 1, QUIET, threads=1)
        assert (outcome.done, outcome.failed) == (6, ())
        assert events(queued.store, done)["started"] == len(done)
    finally:
        subprocess.run(["umount", str(stages)], check=True)
