"""``ablate status``: where the cells of a study stand."""

import argparse

from rich.table import Table

from ablations.commands.arguments import add_store, console

STATES = ("done", "started", "queued", "interrupted", "failed")


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "status", help="show a study's cells by state, and its failures", epilog="example: ablate status quickstart"
    )
    parser.add_argument("study", metavar="STUDY")
    add_store(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one line a row and one a failure."""
    from sweeps.attempts import cell_state
    from sweeps.store import Store, find_store

    store = Store(find_store(arguments.store))
    plan = store.read_plan(arguments.study)
    table = Table(box=None, pad_edge=False)
    for heading in ("row", *STATES):
        table.add_column(heading)
    failures = []
    for row in plan["rows"]:
        states = [cell_state(store, cell["key"]) for cell in row["cells"]]
        counts = [sum(state.state == name for state in states) for name in STATES]
        table.add_row(row["name"], *map(str, counts) if row["gap"] is None else ["-"] * len(STATES))
        failures += [(row["name"], cell["seed"], s) for cell, s in zip(row["cells"], states, strict=True) if s.error]
    out = console()
    out.print(table)
    for name, seed, state in failures:
        out.print(f"{name}, seed {seed}: {state.state}: {state.error} {state.log}", markup=False, soft_wrap=True)
    return 0
