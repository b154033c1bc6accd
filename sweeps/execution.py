"""Running one cell by its key: all that an executor has to know how to start, and may start again at any time."""

import platform
import sys
import traceback
from functools import cache
from pathlib import Path
from typing import Any

import torch

from cuascore.errors import UserError
from cuascore.trajectories.dataset import DataConfig, Dataset, load_dataset
from lightning_modules.registry import load_system
from lightning_modules.system import StageContext, StageSpec
from sweeps.cell import Cell, read_cell
from sweeps.provenance import git_state
from sweeps.store import Store
from sweeps.tracking import CellTracking

MAX_KILLS = 2
"""A cell under which this many workers died in one session is set aside for that session."""


def run_cell(store: Store, study: str, key: str, session: str = "") -> bool:
    """Run whatever of a cell is not done yet.

    Args:
        session: name of the run that asks, kept with the attempt.

    Returns:
        True when the cell is done, by this call or an earlier one; False while another process holds it.

    Raises:
        Exception: whatever the work raised, after it was recorded as the cell's failure.
    """
    if store.done(key):
        return True
    with store.cell_lock(key) as mine:
        if not mine:
            return False
        if store.done(key):
            return True
        _record_orphan(store, key, session)
        cell = read_cell(store, study, key)
        store.note_attempt(key, "started", session=session, study=study)
        try:
            _run_chain(store, cell)
        except (KeyboardInterrupt, SystemExit) as stop:
            store.note_attempt(key, "interrupted", session=session, error=type(stop).__name__)
            raise KeyboardInterrupt from stop
        except Exception as error:
            log = store.log(key)
            log.write_text(traceback.format_exc(), encoding="utf-8")
            message = str(error) or type(error).__name__
            if not isinstance(error, UserError):
                message = f"{type(error).__name__}: {message}"
            store.note_attempt(key, "failed", session=session, error=message, log=str(log))
            raise
        store.note_attempt(key, "finished", session=session)
    return True


def _record_orphan(store: Store, key: str, session: str) -> None:
    """The lock is ours, so a start without an end is the trace of a process that was killed.

    Raises:
        UserError: too many processes of this session died under the cell; it is set aside as failed.
    """
    events = store.attempts(key)
    if not events or events[-1]["event"] != "started":
        return
    last = events[-1]
    word = f"process {last['pid']} ended without a word"
    store.note_attempt(key, "interrupted", session=last.get("session", ""), error=word, killed=True)
    kills = sum(event.get("killed", False) and event.get("session") == session for event in store.attempts(key))
    if kills >= MAX_KILLS:
        message = f"set aside: {kills} processes died under it (is memory short?); run again to try it once more"
        store.note_attempt(key, "failed", session=session, error=message)
        raise UserError(message)


def _run_chain(store: Store, cell: Cell) -> None:
    system = load_system(cell.system)
    dataset = dataset_of(cell.data, cell.data_root)
    with CellTracking(store.root, cell) as tracking:
        for stage in cell.stages:

            def work(folder: Path, stage: StageSpec = stage) -> None:
                context = StageContext(
                    folder=folder,
                    parents={kind: store.stage(digest) for kind, digest in stage.parents.items()},
                    store=store.root,
                    dataset=dataset,
                    seed=cell.seed,
                    loggers=tracking.loggers(stage.kind),
                )
                system.run(stage, cell.config, context)

            store.run_stage(stage.digest, _facts(cell, stage), work)
        tracking.finish({stage.kind: store.stage(stage.digest) for stage in cell.stages})


def _facts(cell: Cell, stage: StageSpec) -> dict[str, Any]:
    return {
        "kind": stage.kind,
        "digest": stage.digest,
        "reads": dict(stage.reads),
        "parents": dict(stage.parents),
        "row": cell.row,
        "study": cell.study,
        "seed": cell.seed,
        "environment": {
            "python": sys.version.split()[0],
            "torch": torch.__version__,
            "machine": platform.machine(),
            "threads": torch.get_num_threads(),
        },
        **git_state(),
    }


@cache
def dataset_of(config: DataConfig, root: Path | None) -> Dataset:
    """Load a data set once a process: a worker runs many cells on it."""
    return load_dataset(config, root)
