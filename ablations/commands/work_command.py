"""``ablate work``: run the cells that a study has in the store."""

import argparse
from collections.abc import Mapping
from typing import Any

from ablations.commands.arguments import add_store


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    from ablations.commands.run_command import add_work

    parser = commands.add_parser(
        "work",
        help="run the missing cells of a queued study",
        epilog="example: ablate work quickstart --workers 2   (start it as often as you like, on one machine)",
    )
    parser.add_argument("study", metavar="STUDY")
    add_store(parser)
    add_work(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Work off what is queued."""
    from ablations.commands.run_command import work_off
    from sweeps.store import Store, find_store

    store = Store(find_store(arguments.store))
    return work_off(store, arguments.study, planned_keys(store.read_plan(arguments.study)), arguments)


def planned_keys(plan: Mapping[str, Any]) -> list[str]:
    """Return a stored plan's cells in the order of work: seed by seed, the base row first."""
    cells = [(cell["seed"], place, cell["key"]) for place, row in enumerate(plan["rows"]) for cell in row["cells"]]
    return [key for _, _, key in sorted(cells)]
