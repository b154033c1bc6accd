"""Arguments that several commands share, and what they mean."""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from rich.console import Console

from cuascore.errors import UserError

if TYPE_CHECKING:
    from ablations.plan import Plan


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add ``--store``."""
    parser.add_argument("--store", metavar="DIR", help="where results lie (default: CUASCORE_STORE, or ./.cuascore)")


def add_study(parser: argparse.ArgumentParser) -> None:
    """Add the study and what may be changed of it."""
    parser.add_argument("study", metavar="STUDY", help="name of a study (see `ablate plan --list`) or a YAML file")
    parser.add_argument("--seeds", type=int, metavar="N", help="how many seeds, counted from 0")
    parser.add_argument("--preset", metavar="NAME", help="sizes: paper, small")
    parser.add_argument("--data", metavar="NAME", help="data set: miniwob (ships with the package), agentnet, ...")
    parser.add_argument("--data-root", metavar="DIR", type=Path, help="folder of the data set")
    parser.add_argument("--target", metavar="OS", help="platform to train for and test on, or all")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="override a toggle, e.g. loss.margin=0.3"
    )


def console() -> Console:
    """Return the console of all commands: results on stdout, wide enough for a table when it is no terminal."""
    plain = Console()
    return plain if plain.is_terminal else Console(width=160, highlight=False)


def overrides(pairs: list[str]) -> dict[str, Any]:
    """Parse ``--set`` values as YAML scalars or lists.

    Raises:
        UserError: no ``=``, or a value that is no YAML.
    """
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UserError(f"--set {pair}: write KEY=VALUE, e.g. --set loss.margin=0.3")
        try:
            found[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise UserError(f"--set {pair}: the value is no YAML scalar or list") from None
        if isinstance(found[key], str):
            # YAML reads "1e-3" as text; every user means a number.
            with suppress(ValueError):
                found[key] = float(found[key])
    return found


def plan_of(arguments: argparse.Namespace) -> "Plan":
    """Resolve the study that the arguments name.

    Raises:
        UserError: whatever is wrong with study, data or toggles.
    """
    from ablations.plan import make_plan
    from ablations.study import load_study
    from cuascore.trajectories.dataset import load_dataset
    from lightning_modules.registry import load_system

    study = load_study(arguments.study)
    if arguments.seeds is not None and arguments.seeds < 1:
        raise UserError(f"--seeds {arguments.seeds}: at least 1")
    changes = {"dataset": arguments.data, "target": arguments.target}
    data = study.data.override({key: value for key, value in changes.items() if value is not None})
    if arguments.data is not None and arguments.target is None and arguments.data != study.data.dataset:
        # The study's target is a platform of its own data set; another data set is taken whole unless one is named.
        data = data.override({"target": "all"})
    dataset = load_dataset(data, arguments.data_root)
    return make_plan(
        study,
        load_system(study.system),
        dataset,
        preset=arguments.preset,
        seeds=arguments.seeds,
        overrides=overrides(arguments.set),
    )
