"""What happened to a cell: its attempts as the workers logged them, one JSON event a line."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True)
class Attempts:
    """Counts of a cell's attempts.

    ``interrupted`` counts attempts that ended without a word (a killed worker) once a later one has started, beside
    those that were logged as such. ``error`` and ``log`` are of the last failure; ``finished`` is the first end, in
    seconds since the epoch; ``running`` says that the last attempt has no end yet.
    """

    started: int = 0
    failed: int = 0
    interrupted: int = 0
    running: bool = False
    finished: float | None = None
    error: str | None = None
    log: str | None = None


def read_attempts(path: Path) -> Attempts:
    """Read one cell's log of attempts; no file means no attempt. A line cut off by a crash is skipped."""
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return Attempts()
    started = failed = interrupted = 0
    running = False
    finished: float | None = None
    error: str | None = None
    log: str | None = None
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if not isinstance(event, dict):
            continue
        kind = event.get("event")
        if kind == "started":
            started += 1
            interrupted += running
            running = True
        elif kind in {"finished", "failed", "interrupted"}:
            running = False
            failed += kind == "failed"
            interrupted += kind == "interrupted"
            if kind == "failed":
                error, log = str(event.get("error") or "no error text"), event.get("log")
            if kind == "finished" and finished is None:
                finished = _seconds(event.get("time"))
    return Attempts(started, failed, interrupted, running, finished, error, None if log is None else str(log))


def _seconds(time: object) -> float | None:
    """Seconds since the epoch of a number or an ISO 8601 text."""
    if isinstance(time, int | float):
        return float(time)
    try:
        return datetime.fromisoformat(str(time)).timestamp()
    except ValueError:
        return None
