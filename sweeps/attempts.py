"""Reading what happened to cells: states, failures, and who gets another try."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sweeps.store import Store

MAX_FAILURES = 3
"""A cell that failed this often is left alone until ``--retry`` asks for it."""


@dataclass(frozen=True)
class CellState:
    """Where a cell stands: "done", "failed", "interrupted", "started" (running, or its process died) or "queued"."""

    key: str
    state: str
    error: str = ""
    log: str = ""
    failures: int = 0
    interruptions: int = 0


def cell_state(store: Store, key: str) -> CellState:
    """Read a cell's state: the disk says whether it is done, its events say the rest."""
    events = store.attempts(key)
    failures = sum(event["event"] == "failed" for event in _since_retry(events))
    interruptions = sum(event["event"] == "interrupted" for event in events)
    if store.done(key):
        return CellState(key, "done", failures=failures, interruptions=interruptions)
    last: Mapping[str, Any] = events[-1] if events else {"event": "queued"}
    state = "queued" if last["event"] in ("retry", "finished") else str(last["event"])
    return CellState(key, state, last.get("error", ""), last.get("log", ""), failures, interruptions)


def given_up(store: Store, key: str, session: str) -> bool:
    """Whether a cell failed in this session, in whatever process."""
    return any(event["event"] == "failed" and event.get("session") == session for event in store.attempts(key))


def worth_running(store: Store, keys: Iterable[str], retry: bool) -> tuple[list[str], list[str]]:
    """Sort the cells that are not done into those to run and those that failed too often.

    Args:
        retry: give the latter a fresh count, and run them too.
    """
    run, left = [], []
    for key in keys:
        state = cell_state(store, key)
        if state.state == "done":
            continue
        if state.failures >= MAX_FAILURES:
            if not retry:
                left.append(key)
                continue
            store.note_attempt(key, "retry")
        run.append(key)
    return run, left


def _since_retry(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    places = [place for place, event in enumerate(events) if event["event"] == "retry"]
    return events[places[-1] + 1 :] if places else events
