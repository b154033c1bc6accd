"""The command ``ablate``. This module and ``ablations.commands`` put the rooms together: they alone import from all."""

import argparse
import errno
import importlib
import sys
from collections.abc import Sequence

from cuascore.errors import UserError

COMMANDS = ("run", "plan", "queue", "work", "status", "report", "features", "data")
BAD_INPUT, INTERRUPTED = 2, 130
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)
"""Errors of the user's disk; any other is a bug and shows its traceback."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every command's own arguments."""
    parser = argparse.ArgumentParser(
        prog="ablate",
        description="Ablation studies of reward models for computer-use agents: queue grids, run them, write tables.",
        epilog="example: ablate run quickstart --seeds 5 --workers 2",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        importlib.import_module(f"ablations.commands.{name}_command").add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Bad input is one line on stderr and exit status 2; Ctrl-C is exit status 130."""
    parsed = build_parser().parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
        return status
    except BrokenPipeError:
        # The reader of our output has closed it (`ablate status | head`).
        sys.stderr.close()
        return 0
    except UserError as error:
        print(f"ablate: {error}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        if error.errno not in DISK:
            raise
        print(f"ablate: {error.filename or 'store'}: {error.strerror}; what was finished is kept", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("ablate: interrupted; what was finished is kept, run the command again to go on", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
