"""``ablate data check``: what a data set holds, and what is wrong with it."""

import argparse
from pathlib import Path

from ablations.commands.arguments import console


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("data", help="check a data set", epilog="example: ablate data check /data/agentnet")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser(
        "check",
        help="count trajectories, labels and pairs, and name every problem with its file and line",
        epilog="example: ablate data check /data/agentnet --data agentnet --strict",
    )
    check.add_argument(
        "path", metavar="PATH", type=Path, nargs="?", help="folder of the data set (default: the shipped one)"
    )
    check.add_argument("--data", metavar="NAME", help="layout: agentnet, screenagent, agentnetbench, miniwob, folder")
    check.add_argument("--strict", action="store_true", help="exit with 1 if anything is wrong")
    check.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check and print."""
    from ablations.commands.data import check
    from cuascore.trajectories.sources import recognise, resolve_source

    dataset = arguments.data or recognise(arguments.path)
    return check(resolve_source(dataset, arguments.path), arguments.strict, console())
