"""``ablate report``: tables, figures and the page of a study, from the store's files alone."""

import argparse
from pathlib import Path

from ablations.commands.arguments import add_store, console


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "report",
        help="write table.md, table.tex, table.csv, report.html and figures of a study",
        epilog="example: ablate report quickstart",
    )
    parser.add_argument("study", metavar="STUDY")
    add_store(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the report."""
    from sweeps.store import find_store

    write_and_print(find_store(arguments.store), arguments.study)
    return 0


def write_and_print(store: Path, study: str) -> None:
    """Write the report and print its table and where it lies."""
    from reports import render_text, write_report

    files = write_report(store, study)
    out = console()
    out.print(render_text(store, study), markup=False, highlight=False)
    out.print(f"report: {files.html}", markup=False, soft_wrap=True)
