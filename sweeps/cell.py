"""A cell as it lies in the store: everything that running it needs to know."""

from dataclasses import dataclass
from pathlib import Path

from cuascore.config import Toggles, parse
from cuascore.errors import UserError, nearest
from cuascore.trajectories.dataset import DataConfig
from lightning_modules.registry import load_system
from lightning_modules.system import StageSpec
from sweeps.files import read_json
from sweeps.store import Store


@dataclass(frozen=True)
class Cell:
    """A (row, seed) as it lies in the store, ready to run.

    Attributes:
        key: digest of the evaluation stage.
        stages: the chain, in order.
        wandb: "online", "offline" or "disabled".
    """

    key: str
    study: str
    row: str
    seed: int
    system: str
    config: Toggles
    data: DataConfig
    data_root: Path | None
    stages: tuple[StageSpec, ...]
    wandb: str


def read_cell(store: Store, study: str, key: str) -> Cell:
    """Read a cell's description.

    Raises:
        UserError: the study has no such cell.
    """
    folder = store.study(study) / "cells"
    path = folder / f"{key}.json"
    if not path.exists():
        raise UserError(f"{study}: no cell {key!r}; {nearest(key, [file.stem for file in folder.glob('*.json')])}")
    tree = read_json(path)
    system = load_system(tree["system"])
    root = tree["data_root"]
    return Cell(
        key=key,
        study=study,
        row=tree["row"],
        seed=tree["seed"],
        system=tree["system"],
        config=parse(system.config_type, tree["config"], where=str(path)),
        data=parse(DataConfig, tree["data"], where=str(path)),
        data_root=None if root is None else Path(root),
        stages=tuple(StageSpec(stage["kind"], stage["reads"], stage["parents"]) for stage in tree["stages"]),
        wandb=tree["wandb"],
    )
