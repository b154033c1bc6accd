"""A study as it was planned: ``<store>/studies/<name>/plan.json``, checked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ablations.metrics import THRESHOLD, Metric, metric
from cuascore.errors import UserError, nearest


@dataclass(frozen=True)
class PlannedCell:
    """One (row, seed): its key and the digests of its stages by name (``training``, ``evaluation``, ...)."""

    seed: int
    key: str
    stages: Mapping[str, str]


@dataclass(frozen=True)
class PlannedRow:
    """A row of the study: overrides of the base config, published numbers, and why it cannot run (``gap``), if so."""

    name: str
    overrides: Mapping[str, Any]
    published: Mapping[str, float]
    gap: str | None
    notes: tuple[str, ...]
    cells: tuple[PlannedCell, ...]


@dataclass(frozen=True)
class Plan:
    """The plan of one study. ``threshold`` is a cosine; ``data`` names data set, fingerprint, split seed and target."""

    study: str
    title: str
    system: str
    preset: str
    columns: tuple[Metric, ...]
    headline: Metric
    data: Mapping[str, Any]
    seeds: tuple[int, ...]
    base: str
    threshold: float
    rows: tuple[PlannedRow, ...]
    created: str
    commit: str
    dirty: bool
    versions: Mapping[str, str]


def study_folder(store: Path, study: str) -> Path:
    """Where the files of a study lie; a study's name may contain slashes.

    Raises:
        UserError: the name would leave the store.
    """
    root = (store / "studies").resolve()
    folder = (root / study).resolve()
    if folder == root or not folder.is_relative_to(root):
        raise UserError(f"study {study!r}: not a name inside {root}; use one that `ablate plan` has written")
    return folder


def read_plan(store: Path, study: str) -> Plan:
    """Read and check the plan of a study.

    Raises:
        UserError: there is no plan (names the nearest), or it is not what a plan must be.
    """
    path = study_folder(store, study) / "plan.json"
    if not path.is_file():
        known = [str(found.parent.relative_to(store / "studies")) for found in (store / "studies").rglob("plan.json")]
        hint = nearest(study, known) if known else "the store has no study yet"
        raise UserError(f"{path}: no such study; {hint}; `ablate plan {study}` writes it")
    try:
        raw = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: unreadable ({error}); plan the study again") from error
    try:
        return _plan(raw)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    except KeyError as error:
        raise UserError(f"{path}: no key {error}; plan the study again") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{path}: not a plan ({error}); plan the study again") from error


def _plan(raw: Mapping[str, Any]) -> Plan:
    rows = tuple(_row(row) for row in raw["rows"])
    names = [row.name for row in rows]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise UserError(f"two rows are named {min(repeated)!r}; give each a name of its own")
    if raw["base"] not in names:
        raise UserError(f"base {raw['base']!r} is not a row; {nearest(str(raw['base']), names)}")
    if not raw["columns"]:
        raise UserError("no columns; name at least one metric")
    return Plan(
        study=str(raw["study"]),
        title=str(raw.get("title") or raw["study"]),
        system=str(raw["system"]),
        preset=str(raw.get("preset") or ""),
        columns=tuple(metric(name) for name in raw["columns"]),
        headline=metric(raw.get("headline") or raw["columns"][0]),
        data=dict(raw["data"]),
        seeds=tuple(sorted(int(seed) for seed in raw["seeds"])),
        base=str(raw["base"]),
        threshold=float(raw.get("threshold", THRESHOLD)),
        rows=rows,
        created=str(raw.get("created", "")),
        commit=str(raw.get("commit") or "unknown"),
        dirty=bool(raw.get("dirty", False)),
        versions={str(name): str(version) for name, version in (raw.get("versions") or {}).items()},
    )


def _row(raw: Mapping[str, Any]) -> PlannedRow:
    return PlannedRow(
        name=str(raw["name"]),
        overrides=dict(raw.get("set") or {}),
        published={metric(name).name: float(value) for name, value in (raw.get("paper") or {}).items()},
        gap=None if raw.get("gap") is None else str(raw["gap"]),
        notes=tuple(str(note) for note in raw.get("notes") or ()),
        cells=tuple(
            PlannedCell(int(cell["seed"]), str(cell["key"]), dict(cell["stages"])) for cell in raw.get("cells") or ()
        ),
    )
