"""A study: rows, seeds, data, columns and the paper's published numbers, read from one YAML file. Torch-free."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field

from ablations.metrics import metric
from cuascore.config import Toggles, parse
from cuascore.errors import UserError, nearest
from cuascore.trajectories.dataset import DataConfig

STUDIES = Path(__file__).parent / "studies"
SUFFIX = ".yaml"


class RowSpec(Toggles):
    """One line of a table as it is written in the file."""

    name: Annotated[str, Field(min_length=1)]
    set: dict[str, Any] = {}
    """Overrides: of the base ("named") or of the row above ("ladder")."""
    paper: dict[str, float] = {}
    """Published value by column."""
    note: str = ""


class Study(Toggles):
    """One table of a paper."""

    study: Annotated[str, Field(pattern=r"^[a-z0-9_]+(/[a-z0-9_]+)*$")]
    title: str
    system: str
    preset: str = "paper"
    data: DataConfig = DataConfig()
    seeds: Annotated[int, Field(ge=1, le=1000)] = 5
    columns: Annotated[tuple[str, ...], Field(min_length=1)]
    headline: str = "hard_accuracy"
    """The column that figures show."""
    threshold: Annotated[float, Field(ge=-1, le=1)] = 0.10
    """Of the share of gaps above it, in cosine; also the paper's sigma in the threshold curve."""
    base: dict[str, Any] = {}
    """Overrides of the system's defaults, shared by all rows."""
    rows: dict[Literal["ladder", "named"], tuple[RowSpec, ...]]

    @property
    def row_specs(self) -> tuple[RowSpec, ...]:
        """The rows in the file's order."""
        return tuple(row for rows in self.rows.values() for row in rows)


def study_names() -> list[str]:
    """Return the names of the studies that come with the package."""
    return sorted(str(file.relative_to(STUDIES).with_suffix("")) for file in STUDIES.rglob(f"*{SUFFIX}"))


def load_study(name: str) -> Study:
    """Read a study by its name, or from the path of a YAML file.

    Raises:
        UserError: no such study, or the file is not a valid one; the line names file and key.
    """
    path = Path(name) if name.endswith((SUFFIX, ".yml")) else STUDIES / f"{name}{SUFFIX}"
    if not path.is_file():
        if path.parent.is_relative_to(STUDIES):
            raise UserError(f"unknown study {name!r}: {nearest(name, study_names())}")
        raise UserError(f"{path}: no such study file")
    return read_study(path)


def read_study(path: Path) -> Study:
    """Read and check one study file."""
    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f"{mark.line + 1}: " if mark else " "
        raise UserError(f"{path}:{line}not valid YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(tree, Mapping):
        raise UserError(f"{path}: a study is a mapping with the keys {', '.join(Study.model_fields)}")
    study = parse(Study, {**tree, "base": flatten(tree.get("base") or {})}, where=str(path))
    _check(study, path)
    return study


def flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested overrides with dotted keys; keys that are dotted already stay."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping) and f"{prefix}{key}" != "pretraining.finetuning":
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _check(study: Study, path: Path) -> None:
    for column in (*study.columns, study.headline):
        try:
            metric(column)
        except UserError as error:
            raise UserError(f"{path}: columns: {error}") from None
    names: list[str] = []
    for row in study.row_specs:
        if row.name in names:
            raise UserError(f"{path}: rows: two rows are called {row.name!r}")
        names.append(row.name)
        for column in row.paper:
            if column not in study.columns:
                raise UserError(f"{path}: row {row.name!r}: paper.{column} is no column of this study")
    if not names:
        raise UserError(f"{path}: rows: a study needs at least one row")
