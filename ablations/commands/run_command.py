"""``ablate run``: plan, queue, work and report in one."""

import argparse
import os
import signal
from types import FrameType
from typing import TYPE_CHECKING

from ablations.commands.arguments import console
from ablations.commands.queue_command import add_inputs, put

if TYPE_CHECKING:
    from sweeps.store import Store

FAILED = 1


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "run",
        help="run a study's missing cells and write its report",
        epilog="example: ablate run quickstart --seeds 5 --workers 2",
    )
    add_inputs(parser)
    add_work(parser)
    parser.set_defaults(run=run)


def add_work(parser: argparse.ArgumentParser) -> None:
    """Add what ``run`` and ``work`` share."""
    parser.add_argument(
        "--workers", type=int, metavar="W", default=os.cpu_count() or 1, help="processes (default: cores)"
    )
    parser.add_argument("--retry", action="store_true", help="also run cells that failed too often before")
    parser.add_argument(
        "--optuna", metavar="URL", help="Optuna storage to mirror into (default: the store's SQLite file)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run whatever of the study is missing, then report."""
    from ablations.commands.report_command import write_and_print

    signal.signal(signal.SIGTERM, _as_interrupt)
    store, study, keys = put(arguments)
    status = work_off(store, study, keys, arguments)
    if any(store.done(key) for key in keys):
        write_and_print(store.root, study)
    return status


def work_off(store: "Store", study: str, keys: list[str], arguments: argparse.Namespace) -> int:
    """Run cells, mirror them to Optuna, and say what was kept, done and failed."""
    from sweeps.attempts import worth_running
    from sweeps.mirror import mirror_study
    from sweeps.pool import run_pool

    out = console()
    todo, left = worth_running(store, keys, arguments.retry)
    kept = len(keys) - len(todo) - len(left)
    out.print(f"{len(keys)} cells: {kept} kept from before, {len(todo)} to run with {arguments.workers} workers")
    outcome = run_pool(store, study, todo, max(1, arguments.workers), out)
    mirror_study(store, study, arguments.optuna)
    for state in outcome.failed:
        reason = state.error or "its worker ended without a word"
        out.print(f"FAILED {state.key[:12]}: {reason} (log: {state.log or store.root / 'logs'})", markup=False)
    for key in left:
        out.print(f"left alone after repeated failures: {key[:12]}; --retry runs it again", markup=False)
    if outcome.interrupted:
        out.print(f"interrupted: {outcome.done} of {len(todo)} cells finished and kept; run again to go on")
        raise KeyboardInterrupt
    return FAILED if outcome.failed or left else 0


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
