"""``ablate queue``: put a study's cells into the store without running them."""

import argparse
from typing import TYPE_CHECKING

from ablations.commands.arguments import add_store, add_study, console, plan_of

if TYPE_CHECKING:
    from sweeps.store import Store


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "queue",
        help="put a study's cells into the store, for `ablate work`",
        epilog="example: ablate queue intentscore/table3 --data agentnet --data-root /data/agentnet",
    )
    add_inputs(parser)
    parser.set_defaults(run=run)


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add what putting cells into the store needs to know."""
    add_study(parser)
    add_store(parser)
    parser.add_argument("--wandb", choices=("online", "offline", "disabled"), help="default: offline without a key")


def run(arguments: argparse.Namespace) -> int:
    """Write the plan and its cells."""
    store, study, keys = put(arguments)
    done = sum(store.done(key) for key in keys)
    console().print(f"queued: {len(keys)} cells, {done} of them done; `ablate work {study}` runs the rest")
    return 0


def put(arguments: argparse.Namespace) -> "tuple[Store, str, list[str]]":
    """Resolve and show the study, compute its features, and write its cells; return store, study and cell keys."""
    from ablations.commands.plan_command import show
    from sweeps.queue import queue_plan
    from sweeps.store import Store, find_store
    from sweeps.tracking import resolve_mode

    store = Store(find_store(arguments.store))
    mode, remark = resolve_mode(arguments.wandb)
    plan = plan_of(arguments)
    show(plan)
    if remark:
        console().print(remark, markup=False)
    return store, plan.study.study, queue_plan(store, plan, arguments.data_root, mode)
