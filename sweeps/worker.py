"""One worker process: imports torch once, then takes cells until none is left for it."""

import argparse
import signal
import sys
import time
from pathlib import Path
from types import FrameType

POLL_SECONDS = 0.5
"""How often a worker with nothing to take looks whether another's cell was dropped."""
INTERRUPTED = 130


def work(store_root: Path, study: str, keys: list[str], session: str) -> int:
    """Run cells until each is done, has failed in this session, or is held by somebody else who finishes it.

    Returns:
        How many cells failed here.
    """
    from sweeps.attempts import given_up
    from sweeps.execution import run_cell
    from sweeps.store import Store

    store = Store(store_root)
    failed: set[str] = set()
    while True:
        waiting = False
        for key in keys:
            if key in failed or store.done(key):
                continue
            if given_up(store, key, session):
                failed.add(key)
                continue
            try:
                waiting |= not run_cell(store, study, key, session)
            except Exception:
                failed.add(key)
        if not waiting:
            return len(failed)
        time.sleep(POLL_SECONDS)


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m sweeps.worker", description=__doc__)
    parser.add_argument("--store", required=True, type=Path)
    parser.add_argument("--study", required=True)
    parser.add_argument("--session", default="")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch")
    parser.add_argument("--keys", required=True, type=Path, help="file with one cell key a line, in order of work")
    arguments = parser.parse_args()

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    import torch

    torch.set_num_threads(arguments.threads)
    try:
        return 1 if work(arguments.store, arguments.study, arguments.keys.read_text().split(), arguments.session) else 0
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
