"""Worker processes on one machine, watched from a driver that may die without harm: the store is all they share."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sweeps.attempts import CellState, cell_state, given_up
from sweeps.store import Store

POLL_SECONDS = 0.2
GRACE_SECONDS = 15
"""How long workers may take to record an interruption before they are killed."""


@dataclass(frozen=True)
class Outcome:
    """How a run of the pool ended.

    Attributes:
        done: cells finished by it; failed: cells it tried in vain; interrupted: whether it was stopped.
    """

    done: int
    failed: tuple[CellState, ...]
    interrupted: bool


def run_pool(
    store: Store, study: str, keys: Sequence[str], workers: int, console: Console, threads: int | None = None
) -> Outcome:
    """Work cells off with ``workers`` processes.

    Args:
        keys: in order of work.
        threads: of torch in each worker; None divides the machine's cores.
    """
    if not keys:
        return Outcome(0, (), False)
    session = uuid.uuid4().hex
    workers = min(workers, len(keys))
    threads = threads or max(1, (os.cpu_count() or 1) // workers)
    with tempfile.NamedTemporaryFile("w", prefix="keys-", suffix=".txt") as listing:
        listing.write("\n".join(keys))
        listing.flush()
        pool = _Pool(store, study, Path(listing.name), session, threads)
        try:
            for number in range(workers):
                pool.start(number)
            _watch(store, keys, pool, session, console)
            interrupted = False
        except KeyboardInterrupt:
            interrupted = True
        finally:
            pool.stop()
    states = [cell_state(store, key) for key in keys]
    # Workers end when nothing is left for them, so what is not done has failed, even without a word (a full disk).
    failed = () if interrupted else tuple(state for state in states if state.state != "done")
    return Outcome(sum(state.state == "done" for state in states), failed, interrupted)


class _Pool:
    def __init__(self, store: Store, study: str, keys: Path, session: str, threads: int) -> None:
        self.store, self.study, self.keys, self.session, self.threads = store, study, keys, session, threads
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self.deaths = 0

    def start(self, number: int) -> None:
        command = [sys.executable, "-m", "sweeps.worker", "--store", str(self.store.root), "--study", self.study]
        command += ["--session", self.session, "--threads", str(self.threads), "--keys", str(self.keys)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.threads), "TOKENIZERS_PARALLELISM": "false"}
        with (self.store.root / "logs" / f"worker-{number}.log").open("ab") as log:
            # A session of its own: Ctrl-C reaches the driver alone, which then asks the workers once.
            self.processes[number] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True
            )

    def replace_the_dead(self) -> bool:
        """Start workers anew that died by a signal; return whether any is still running."""
        for number, process in list(self.processes.items()):
            code = process.poll()
            if code is None:
                continue
            del self.processes[number]
            # Each death costs a cell one of its lives (given_up), so this ends.
            if code < 0 or code > 128:
                self.deaths += 1
                self.start(number)
        return bool(self.processes)

    def stop(self) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        until = time.monotonic() + GRACE_SECONDS
        for process in self.processes.values():
            try:
                process.wait(max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _watch(store: Store, keys: Sequence[str], pool: _Pool, session: str, console: Console) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    known: set[str] = set()
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("cells", total=len(keys))
        while True:
            alive = pool.replace_the_dead()
            for key in [key for key in keys if key not in known]:
                done = store.done(key)
                if done or given_up(store, key, session):
                    known.add(key)
                    progress.advance(task)
                    if not console.is_terminal:
                        console.print(f"cell {len(known)}/{len(keys)} {'done' if done else 'FAILED'}", highlight=False)
            if not alive:
                return
            time.sleep(POLL_SECONDS)
