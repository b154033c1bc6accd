"""Interleaved timing: A B A B ..., so that a machine that slows down slows both."""

import statistics
import time
from collections.abc import Callable


def medians(repetitions: int, **functions: Callable[[], object]) -> dict[str, float]:
    """Return the median seconds of each function, called in turn ``repetitions`` times after one warm-up each."""
    for function in functions.values():
        function()
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repetitions):
        for name, function in functions.items():
            started = time.perf_counter()
            function()
            seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(values) for name, values in seconds.items()}
