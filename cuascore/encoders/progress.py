"""Progress of embedding: a bar with a rate in a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PLAIN_SECONDS = 15.0
"""How often a plain line is printed."""


def notice(message: str) -> None:
    """Say one line on stderr that the user should know but need not act on."""
    print(message, file=sys.stderr, flush=True)


@contextmanager
def embedding_progress(what: str, total: int, shown: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes how many more were embedded; writes to stderr."""
    started = time.monotonic()
    console = Console(stderr=True)
    if not shown or not console.is_terminal:
        done, printed = 0, started

        def plain(count: int) -> None:
            nonlocal done, printed
            done += count
            now = time.monotonic()
            if shown and (done == total or now - printed >= PLAIN_SECONDS):
                printed = now
                rate = done / max(now - started, 1e-9)
                notice(f"embedding {what}: {done}/{total} ({rate:.0f}/s)")

        yield plain
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.speed:.0f}/s"), console=console) as bar:
        task = bar.add_task(f"embedding {what}", total=total)
        yield lambda count: bar.advance(task, count)
