"""``ablate features``: embed a study's texts and screenshots ahead of time."""

import argparse

from ablations.commands.arguments import add_store, add_study, console, plan_of


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "features",
        help="embed what a study's rows need and the store has not yet",
        epilog="example: ablate features intentscore/table1 --data agentnet --data-root /data/agentnet",
    )
    add_study(parser)
    add_store(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Fill the feature store."""
    from sweeps.store import Store, find_store

    store = Store(find_store(arguments.store))
    plan = plan_of(arguments)
    for row in plan.runnable:
        found = plan.system.prepare(row.config, plan.dataset, store.root)
        console().print(f"{row.name}: features {found['features'][:12]}")
    return 0
