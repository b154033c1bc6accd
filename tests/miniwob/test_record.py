"""The recorder's command: bad input, resuming, determinism, and what it leaves behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cuascore.errors import UserError
from cuascore.miniwob import browser
from cuascore.miniwob.record import JOURNAL, RESULT, main, record

COMMAND = [sys.executable, "-m", "cuascore.miniwob.record"]
SMALL = {"seed": 3, "steps": 6, "tasks": ["click-option", "enter-text"]}


def one_line(capsys):
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


def test_a_missing_browser_is_one_line(monkeypatch, tmp_path, capsys):
    pytest.importorskip("websocket", reason="needs the extra `online`")
    pytest.importorskip("miniwob", reason="needs the extra `online`")
    monkeypatch.setenv(browser.VARIABLE, "no-such-browser")
    assert main(["--out", str(tmp_path / "out"), "--steps", "5"]) == 2
    assert "no-such-browser" in one_line(capsys)


def test_no_browser_on_path_names_the_ways_out(monkeypatch):
    monkeypatch.delenv(browser.VARIABLE, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match=r"chromium-headless-shell.*CUASCORE_CHROMIUM"):
        browser.find_chromium()


def test_bad_options_are_one_line(tmp_path, capsys):
    assert main(["--out", str(tmp_path), "--steps", "0"]) == 2
    assert "--steps 0" in one_line(capsys)
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert main(["--out", str(blocked), "--steps", "5"]) == 2
    assert str(blocked) in one_line(capsys)


def test_another_recordings_folder_is_refused(tmp_path, capsys):
    (tmp_path / JOURNAL).write_text(json.dumps({"seed": 9, "tasks": None}) + "\n")
    assert main(["--out", str(tmp_path), "--seed", "0"]) == 2
    assert "belongs to another recording" in one_line(capsys)


@pytest.mark.browser
@pytest.mark.usefixtures("environment")
def test_a_recording_repeats_and_resumes(tmp_path):
    whole = record(tmp_path / "whole", **SMALL).read_text()
    journal = [json.loads(line) for line in whole.splitlines()]
    assert sum(len(trajectory["traj"]) for trajectory in journal) >= SMALL["steps"]

    cut = tmp_path / "cut"
    process = subprocess.Popen(
        [*COMMAND, "--out", str(cut), "--seed", "3", "--steps", "6", "--tasks", *SMALL["tasks"]],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_for(lambda: (cut / JOURNAL).exists() and len((cut / JOURNAL).read_bytes().splitlines()) >= 2)
    children = browsers_of(process.pid)
    assert children
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 130
    wait_for(lambda: not any(alive(child) for child in children))
    with (cut / JOURNAL).open("a") as stream:
        stream.write('{"key": "half a li')
    assert record(cut, **SMALL).read_text() == whole
    assert sorted(path.name for path in cut.iterdir()) == ["images", RESULT]
    named = {step["image"] for trajectory in journal for step in trajectory["traj"]}
    assert {path.name for path in (cut / "images").iterdir()} == named


@pytest.mark.browser
@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_browser_outlives_its_process(number, tmp_path):
    start = "from cuascore.miniwob.browser import Browser; browser = Browser(); print('up', flush=True)"
    script = f"import time; {start}; time.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    with process:
        assert process.stdout.readline() == b"up\n"
        children = browsers_of(process.pid)
        process.send_signal(number)
    wait_for(lambda: not any(alive(child) for child in children) and not list(tmp_path.iterdir()))


def wait_for(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def browsers_of(parent):
    """Process groups of a process's children (the browser has a session of its own)."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.add(int(status.parent.name))
    return found


def alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
