"""Run every benchmark and print one line a ratio. Times are medians over interleaved repetitions, so drift cancels."""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import features, scoring, training

BENCHMARKS = {"training": training.run, "features": features.run, "scoring": scoring.run}


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--store", type=Path, help="store whose features may be reused (default: a temporary one)")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in BENCHMARKS:
            parser.error(f"unknown benchmark {name!r}; valid: {', '.join(BENCHMARKS)}")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.names or BENCHMARKS:
            for line in BENCHMARKS[name](arguments.store or Path(folder)):
                print(f"{name}: {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
