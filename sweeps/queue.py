"""From a plan to cells in the store: features first, then one description a cell, and the study as it is run."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ablations.plan import Plan, Row
from cuascore.trajectories.dataset import Part
from sweeps.files import write_json
from sweeps.provenance import git_state, versions
from sweeps.store import Store

PARTS: tuple[Part, ...] = ("train", "validation", "test")


def queue_plan(store: Store, plan: Plan, data_root: Path | None, wandb: str) -> list[str]:
    """Compute the features that all cells share and write the cells and the plan.

    Returns:
        The keys of the cells in the order of work: seed by seed, the base row first.
    """
    name = plan.study.study
    rows = []
    keys: dict[tuple[int, int], str] = {}
    for place, row in enumerate(plan.rows):
        cells = []
        if row.gap is None:
            features = plan.system.prepare(row.config, plan.dataset, store.root)
            for seed in plan.seeds:
                cell = _cell(plan, row, seed, features, data_root, wandb)
                key = cell["stages"][-1]["digest"]
                keys[seed, place] = key
                write_json(store.study(name) / "cells" / f"{key}.json", cell)
                stages = {stage["kind"]: stage["digest"] for stage in cell["stages"]}
                cells.append({"seed": seed, "key": key, "stages": stages})
        rows.append(_row(plan, row, cells))
    _save_data(store, plan)
    store.write_plan(name, {**_header(plan), "rows": rows})
    return [keys[place] for place in sorted(keys)]


def _cell(
    plan: Plan, row: Row, seed: int, features: dict[str, str], data_root: Path | None, wandb: str
) -> dict[str, Any]:
    stages = plan.system.stages(row.config, plan.dataset, seed, features)
    return {
        "study": plan.study.study,
        "row": row.name,
        "seed": seed,
        "system": plan.system.name,
        "config": row.config.model_dump(mode="json"),
        "data": plan.dataset.config.model_dump(mode="json"),
        "data_root": None if data_root is None else str(data_root.resolve()),
        "stages": [
            {"kind": s.kind, "reads": dict(s.reads), "parents": dict(s.parents), "digest": s.digest} for s in stages
        ],
        "wandb": wandb,
    }


def _row(plan: Plan, row: Row, cells: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": row.name,
        "set": dict(row.changes),
        "difference": {key: list(values) for key, values in plan.differences(row).items()},
        "paper": dict(row.spec.paper),
        "gap": row.gap,
        "notes": list(row.notes),
        "cells": cells,
    }


def _header(plan: Plan) -> dict[str, Any]:
    dataset = plan.dataset
    members = {part: len(dataset.members(part, dataset.target)) for part in PARTS}
    return {
        "study": plan.study.study,
        "title": plan.study.title,
        "system": plan.system.name,
        "preset": plan.preset,
        "columns": list(plan.study.columns),
        "headline": plan.study.headline,
        "threshold": plan.study.threshold,
        "base": plan.base.name,
        "base_config": plan.base.config.model_dump(mode="json"),
        "seeds": list(plan.seeds),
        "data": {**dataset.identity, "trajectories": members, "dropped": dict(dataset.problems)},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        **git_state(),
    }


def _save_data(store: Store, plan: Plan) -> None:
    """Keep the split and the pairs beside the study: what was trained on and tested is part of its record."""
    dataset = plan.dataset
    folder = store.study(plan.study.study) / "data"
    write_json(folder / "split.json", dict(sorted(dataset.split.part_of.items())))
    pairs = {
        part: [
            {
                "kind": pair.kind,
                "trajectory": pair.trajectory,
                "step": pair.step,
                "correct": [pair.correct.step, pair.correct.candidate],
                "incorrect": [pair.incorrect.step, pair.incorrect.candidate],
            }
            for pair in dataset.pairs(part, dataset.target)
        ]
        for part in ("validation", "test")
    }
    write_json(folder / "pairs.json", pairs)
