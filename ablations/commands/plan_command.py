"""``ablate plan``: what a study would run, without running it."""

import argparse
import json
from typing import TYPE_CHECKING

from rich.table import Table

from ablations.commands.arguments import add_store, add_study, console, plan_of

if TYPE_CHECKING:
    from ablations.plan import Plan


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "plan",
        help="show a study's rows, their differences from the base, and what cannot run here",
        epilog="example: ablate plan intentscore/table1 --data miniwob --target ubuntu --preset small",
    )
    if_list = parser.add_argument("--list", action=_List, nargs=0, help="name the studies that come with the package")
    assert if_list is not None
    add_study(parser)
    add_store(parser)
    parser.add_argument("--json", action="store_true", help="the resolved config of every row as JSON")
    parser.set_defaults(run=run)


class _List(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from ablations.study import load_study, study_names

        for name in study_names():
            print(f"{name:24} {load_study(name).title}")
        parser.exit(0)


def run(arguments: argparse.Namespace) -> int:
    """Resolve the study and print it."""
    plan = plan_of(arguments)
    if arguments.json:
        print(json.dumps({row.name: row.config.model_dump(mode="json") for row in plan.rows}, indent=1))
        return 0
    show(plan)
    hours = sum(plan.system.longest(row.config, plan.dataset) for row in plan.runnable) * len(plan.seeds) / 3600
    console().print(f"training: at most about {hours:.1g} hours with one worker on this machine, by a timed probe")
    return 0


def show(plan: "Plan") -> None:
    """Print the rows of a plan."""
    out = console()
    dataset = plan.dataset
    parts = ", ".join(
        f"{len(dataset.members(part, dataset.target))} {part}" for part in ("train", "validation", "test")
    )
    out.print(f"[bold]{plan.study.title}[/]  ({plan.study.study}, preset {plan.preset}, {len(plan.seeds)} seeds)")
    out.print(f"data: {dataset.config.dataset}, target {dataset.config.target}: {parts} trajectories")
    if dataset.problems:
        out.print("data: " + ", ".join(f"{n} x {kind}" for kind, n in dataset.problems.most_common()))
    table = Table(box=None, pad_edge=False)
    for heading in ("row", "differs from the base in", "stages"):
        table.add_column(heading, overflow="fold")
    shared: set[str] = set()
    for row in plan.rows:
        changed = ", ".join(f"{key}: {old} -> {new}" for key, (old, new) in plan.differences(row).items()) or "-"
        if row.gap is not None:
            table.add_row(row.name, changed, f"[yellow]cannot run: {row.gap}[/]")
            continue
        stages = plan.system.stages(row.config, dataset, plan.seeds[0], {})
        names = [f"{stage.kind} (shared)" if stage.digest in shared else stage.kind for stage in stages]
        shared |= {stage.digest for stage in stages}
        table.add_row(row.name, changed, " > ".join(names))
    out.print(table)
    for row in plan.rows:
        for note in row.notes:
            out.print(f"{row.name}: {note}")
    out.print(f"{len(plan.runnable) * len(plan.seeds)} cells")
