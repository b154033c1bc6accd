"""The store: whole or absent, one worker a stage, and locks that die with their holder."""

import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cuascore.errors import UserError
from cuascore.files import lock
from sweeps.files import append_line, commit_folder, read_json, write_json
from sweeps.store import Store, find_store


def writes(text: str):
    def work(folder: Path) -> None:
        (folder / "result.txt").write_text(text)

    return work


def test_a_stage_is_run_once_and_adopted_afterwards(tmp_path):
    store = Store(tmp_path)
    assert store.run_stage("a" * 64, {"kind": "training"}, writes("first"))
    assert not store.run_stage("a" * 64, {}, writes("second"))
    folder = store.stage("a" * 64)
    assert (folder / "result.txt").read_text() == "first"
    facts = json.loads((folder / "stage.json").read_text())
    assert facts["kind"] == "training"
    assert facts["seconds"] >= 0


def test_a_stage_that_fails_leaves_nothing_behind(tmp_path):
    store = Store(tmp_path)

    def fails(folder: Path) -> None:
        (folder / "half.txt").write_text("half")
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        store.run_stage("b" * 64, {}, fails)
    assert list((tmp_path / "stages").iterdir()) == []
    assert store.run_stage("b" * 64, {}, writes("whole"))


def test_a_full_disk_in_the_middle_of_a_stage_loses_nothing_finished(tmp_path):
    store = Store(tmp_path)
    store.run_stage("a" * 64, {}, writes("kept"))

    def full(folder: Path) -> None:
        (folder / "half.txt").write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left"):
        store.run_stage("b" * 64, {}, full)
    assert [folder.name for folder in (tmp_path / "stages").iterdir()] == ["a" * 64]


def _run_slowly(root: str, started: str, runs: str) -> None:
    def work(folder: Path) -> None:
        append_line(Path(runs), os.getpid())
        Path(started).touch()
        time.sleep(0.5)
        (folder / "result.txt").write_text("done")

    Store(Path(root)).run_stage("c" * 64, {}, work)


def test_two_askers_of_one_stage_run_it_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    arguments = (str(tmp_path), str(tmp_path / "started"), str(tmp_path / "runs"))
    processes = [context.Process(target=_run_slowly, args=arguments) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert len((tmp_path / "runs").read_text().splitlines()) == 1


def test_k02_a_killed_holder_frees_its_lock_and_its_leavings_are_replaced(tmp_path):
    context = multiprocessing.get_context("spawn")
    started = tmp_path / "started"
    process = context.Process(target=_run_slowly, args=(str(tmp_path), str(started), str(tmp_path / "runs")))
    process.start()
    until = time.monotonic() + 60
    while not started.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join(60)
    store = Store(tmp_path)
    assert (tmp_path / "stages" / f".tmp-{'c' * 64}").exists()
    assert not store.done("c" * 64)
    assert store.run_stage("c" * 64, {}, writes("again"))
    assert [folder.name for folder in (tmp_path / "stages").iterdir()] == ["c" * 64]


def test_a_held_lock_is_seen_from_another_process(tmp_path):
    code = (
        "import sys; from pathlib import Path; from cuascore.files import lock\n"
        "with lock(Path(sys.argv[1]), wait=False) as mine: print(mine)"
    )
    ask = [sys.executable, "-c", code, str(tmp_path / "one.lock")]
    with lock(tmp_path / "one.lock", wait=False) as mine:
        assert mine
        assert subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip() == "False"
    assert subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip() == "True"


def test_json_is_whole_or_absent(tmp_path):
    path = tmp_path / "a" / "b.json"
    write_json(path, {"x": [1, None, "ü"]})
    assert read_json(path) == {"x": [1, None, "ü"]}
    with pytest.raises(TypeError):
        write_json(path, {"x": object()})
    assert read_json(path) == {"x": [1, None, "ü"]}
    assert [file.name for file in path.parent.iterdir()] == ["b.json"]
    path.write_text("{")
    with pytest.raises(UserError, match=r"b\.json: damaged"):
        read_json(path)
    with pytest.raises(UserError, match="no such file"):
        read_json(tmp_path / "none.json")


def test_committing_a_folder_that_is_there_already_keeps_the_first(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "who").write_text(name)
        commit_folder(tmp_path / name, tmp_path / "final")
    assert (tmp_path / "final" / "who").read_text() == "first"
    assert not (tmp_path / "second").exists()


def test_a_torn_last_line_of_attempts_is_passed_over(tmp_path):
    store = Store(tmp_path)
    store.note_attempt("k", "started", session="s")
    with (tmp_path / "attempts" / "k.jsonl").open("a") as file:
        file.write('{"event": "fini')
    assert [event["event"] for event in store.attempts("k")] == ["started"]


def test_a_store_that_cannot_be_written_is_one_line(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(UserError, match=r"cannot write the store .*--store"):
        Store(blocked)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a read-only file system needs root")
def test_a_read_only_disk_is_one_line(tmp_path):
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro,size=64k", "tmpfs", str(tmp_path)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mount is not allowed here")
    try:
        with pytest.raises(UserError, match="Read-only file system"):
            Store(tmp_path / "store")
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_really_full_disk_fails_the_stage_and_keeps_the_rest(tmp_path):
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(tmp_path)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mount is not allowed here")
    try:
        store = Store(tmp_path)
        store.run_stage("a" * 64, {}, writes("kept"))
        with pytest.raises(OSError, match="No space left"):
            store.run_stage("b" * 64, {}, writes("x" * 1_000_000))
        assert [folder.name for folder in (tmp_path / "stages").iterdir()] == ["a" * 64]
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_where_a_store_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CUASCORE_STORE", raising=False)
    assert find_store(None) == tmp_path / ".cuascore"
    monkeypatch.setenv("CUASCORE_STORE", str(tmp_path / "env"))
    assert find_store(None) == tmp_path / "env"
    assert find_store("given") == tmp_path / "given"
