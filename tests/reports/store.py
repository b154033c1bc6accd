"""A synthetic store with known numbers, in the layout that workers leave behind."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ablations.metrics import Outcomes, read_outcomes

COLUMNS = ["hard_accuracy", "real_incorrect_accuracy", "hard_gap_mean", "hard_gap_above_threshold"]
START = 1_764_547_200.0


@dataclass
class SyntheticRow:
    """A row to write. ``scores(seed)`` gives (pairs, steps) columns, or None for a cell that never finished."""

    name: str
    scores: Any
    published: Mapping[str, float] = field(default_factory=dict)
    overrides: Mapping[str, Any] = field(default_factory=dict)
    gap: str | None = None
    notes: Sequence[str] = ()
    seeds: Sequence[int] | None = None
    events: Mapping[int, list[dict[str, Any]]] = field(default_factory=dict)


def digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def pair_columns(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Columns of pairs.parquet from records that name only what a test is about."""
    default = {
        "part": "test",
        "kind": "hard",
        "trajectory": "t0",
        "platform": "ubuntu",
        "action_type": "click",
        "has_intent": True,
        "score_correct": 0.0,
        "score_incorrect": 0.0,
        "blind_correct": 0.1,
        "blind_incorrect": 0.1,
    }
    return {key: [record.get(key, value) for record in records] for key, value in default.items()}


def step_columns(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    default = {"part": "test", "trajectory": "t0", "platform": "ubuntu", "label": "correct", "score": 0.5}
    return {key: [record.get(key, value) for record in records] for key, value in default.items()}


def gaps(values: Sequence[float], *, kind: str = "hard", trajectory: str | Sequence[str] = "t0", part: str = "test"):
    """Pairs with these gaps, the incorrect side at 0."""
    owners = [trajectory] * len(values) if isinstance(trajectory, str) else trajectory
    return [
        {"kind": kind, "trajectory": owner, "score_correct": value, "part": part}
        for value, owner in zip(values, owners, strict=True)
    ]


def accuracy_pairs(accuracy: float, count: int, *, trajectories: int = 10):
    """``count`` hard pairs of which exactly ``accuracy * count`` are right, spread over trajectories."""
    right = round(accuracy * count)
    return [
        {"trajectory": f"t{index % trajectories}", "score_correct": 0.2 if index < right else -0.2}
        for index in range(count)
    ]


def write_outcomes(folder: Path, pairs, steps=None, summary: Mapping[str, Any] | None = None) -> Outcomes:
    """Write pairs.parquet, steps.parquet and summary.json, float32 scores as the evaluation does."""
    folder.mkdir(parents=True, exist_ok=True)
    pairs = pair_columns(pairs) if isinstance(pairs, list) else pairs
    steps = steps if isinstance(steps, dict) else step_columns(steps or [{"label": "correct"}, {"label": "incorrect"}])
    for name, columns in (("pairs", pairs), ("steps", steps)):
        arrays = {
            key: pa.array(
                np.asarray(values, np.float32) if key.startswith(("score", "blind")) else values,
                pa.float32()
                if key.startswith(("score", "blind"))
                else pa.bool_()
                if key == "has_intent"
                else pa.string(),
            )
            for key, values in columns.items()
        }
        pq.write_table(pa.table(arrays), folder / f"{name}.parquet")
    chosen = {"selected_epoch": 1, "selection": 0.9, "validation": {"hard_accuracy": 0.9}, **(summary or {})}
    (folder / "summary.json").write_text(json.dumps(chosen))
    return read_outcomes(folder)


def write_store(
    store: Path,
    rows: Sequence[SyntheticRow],
    *,
    study: str = "synthetic",
    columns: Sequence[str] = COLUMNS,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    base: str | None = None,
    **plan: Any,
) -> Path:
    """Write the plan, stages and attempts of a study; ``plan`` overrides keys of plan.json."""
    written: list[dict[str, Any]] = []
    for row in rows:
        cells = []
        for position, seed in enumerate(row.seeds if row.seeds is not None else seeds):
            key = digest(study, row.name, position, seed)
            stages = {name: digest(name, key) for name in ("training", "evaluation")}
            cells.append({"seed": seed, "key": key, "stages": stages})
            found = None if row.gap else row.scores(seed if row.seeds is None else position)
            if found is not None:
                pairs, steps, *more = found if isinstance(found, tuple) else (found, None)
                write_outcomes(store / "stages" / stages["evaluation"], pairs, steps, more[0] if more else None)
                (store / "stages" / stages["evaluation"] / "stage.json").write_text(json.dumps({"seconds": 2.0}))
                write_curves(store / "stages" / stages["training"], seed, rate=1.5 + len(written) / 2)
            events = row.events.get(position if row.seeds is not None else seed)
            if events is None:
                events = [] if found is None else finished(position)
            write_attempts(store, key, events)
        written.append(
            {
                "name": row.name,
                "set": dict(row.overrides),
                "paper": dict(row.published),
                "gap": row.gap,
                "notes": list(row.notes),
                "cells": [] if row.gap else cells,
            }
        )
    folder = store / "studies" / study
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "study": study,
        "title": "A synthetic study",
        "system": "intentscore",
        "preset": "tiny",
        "columns": list(columns),
        "headline": columns[0],
        "data": {
            "dataset": "synthetic",
            "fingerprint": "5" * 64,
            "split_seed": 0,
            "target": "ubuntu",
            "trajectories": {"train": 60, "validation": 15, "test": 25},
        },
        "seeds": list(seeds),
        "base": base or rows[0].name,
        "threshold": 0.10,
        "rows": written,
        "created": "2026-01-01T00:00:00Z",
        "commit": "0123456789abcdef0123456789abcdef01234567",
        "dirty": False,
        "versions": {"python": "3.11", "numpy": "2"},
        **plan,
    }
    (folder / "plan.json").write_text(json.dumps(content))
    return store


def finished(minute: int = 0) -> list[dict[str, Any]]:
    return [
        {"event": "started", "time": START + 60 * minute, "pid": 1},
        {"event": "finished", "time": START + 60 * minute + 30, "pid": 1},
    ]


def write_attempts(store: Path, key: str, events: Sequence[Mapping[str, Any]]) -> None:
    folder = store / "attempts"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{key}.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))


def write_curves(
    folder: Path, seed: int, epochs: int = 6, selections: Sequence[float] | None = None, rate: float = 2.0
) -> None:
    """Curves of one training: a loss that falls and a selection value that rises, jittered by the seed."""
    folder.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng([seed, 7]).normal(0, 0.01, (epochs, 2))
    values = selections or [0.6 + 0.3 * (1 - np.exp(-epoch / rate)) + noise[epoch, 0] for epoch in range(epochs)]
    lines = ["epoch,phase,train/loss,validation/selection,validation/adjacent_accuracy"]
    for epoch, value in enumerate(values):
        loss = 2 * np.exp(-epoch / (rate + 1)) + noise[epoch % epochs, 1]
        lines.append(f"{epoch},training,{loss:.6f},{value:.6f},{value:.6f}")
    (folder / "curves.csv").write_text("\n".join(lines) + "\n")
    (folder / "stage.json").write_text(json.dumps({"seconds": 60.0 + seed}))


def simulated(
    accuracy_shift: float, *, seed_spread: float = 0.03, trajectories: int = 40, pairs: int = 6, salt: int = 0
):
    """``scores`` for a row: gaps with effects of seed and trajectory, the same data for every row and seed."""

    def scores(seed: int):
        data = np.random.default_rng([99, 0])
        own = np.random.default_rng([salt, seed])
        shift = accuracy_shift + own.normal(0, seed_spread)
        records, steps = [], []
        for part, amount in (("validation", 15), ("test", trajectories)):
            for trajectory in range(amount):
                name, level = f"{part}-{trajectory}", data.normal(0, 0.1)
                for _ in range(pairs):
                    for kind, ease in (("hard", 0.0), ("real_incorrect", 0.06)):
                        correct = 0.45 + level / 2 + data.normal(0, 0.05)
                        gap = shift + ease + level + data.normal(0, 0.15) + own.normal(0, 0.05)
                        blind = data.normal(0, 0.2) + own.normal(0, 0.05)
                        records.append(
                            {
                                "part": part,
                                "kind": kind,
                                "trajectory": name,
                                "score_correct": float(np.clip(correct, -1, 1)),
                                "score_incorrect": float(np.clip(correct - gap, -1, 1)),
                                "blind_correct": 0.3,
                                "blind_incorrect": float(np.clip(0.3 - blind, -1, 1)),
                            }
                        )
                steps.append({"part": part, "trajectory": name, "label": "correct", "score": 0.45 + shift / 4})
                steps.append({"part": part, "trajectory": name, "label": "incorrect", "score": 0.45 - shift / 4})
        return records, steps, {"selected_epoch": 3 + seed % 2, "selection": 0.9}

    return scores


def golden_store(store: Path) -> Path:
    """The store behind the golden report: a ladder with a gap, a failed cell, a re-run and an awkward name."""
    failed = [
        {"event": "started", "time": START, "pid": 1},
        {"event": "failed", "time": START + 5, "pid": 1, "error": "RuntimeError: boom", "log": "logs/cell.log"},
    ]
    complete = simulated(0.20, salt=2)
    return write_store(
        store,
        [
            SyntheticRow(
                "Alignment loss only",
                simulated(0.12, salt=1),
                {"hard_accuracy": 0.866, "hard_gap_mean": 0.202},
                {"loss.margin_weight": 0.0},
            ),
            SyntheticRow(
                "+ Margin ranking (m=0.10, λ=1.0)",
                complete,
                {"hard_accuracy": 0.879, "hard_gap_mean": 0.213},
                {"loss.margin_weight": 1.0, "loss.margin": 0.1},
                events={1: [*failed, *finished(9)], 3: [failed[0], *finished(9)]},
            ),
            SyntheticRow(
                "50%_data & a|b #2 w/o $\\tau$ <b>",
                lambda seed: None if seed == 4 else simulated(0.19, salt=3)(seed),
                overrides={"data.fraction": 0.5},
                events={4: failed},
            ),
            SyntheticRow("Margin ranking again", complete, overrides={"loss.unused": True}),
            SyntheticRow(
                "+ Cross-OS pretraining",
                None,
                {"hard_accuracy": 0.975, "hard_gap_mean": 0.373},
                gap="the data has one operating system",
            ),
        ],
    )
