"""Outcomes of a trained scorer: the score of each side of every validation and test pair, and of every step."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from cuascore.streams import stream
from cuascore.trajectories.dataset import Dataset
from cuascore.trajectories.table import LABELS, Ids
from lightning_modules.intentscore.features import FeatureBank
from lightning_modules.intentscore.module import IntentScoreModule
from lightning_modules.selection import Diverged

CHUNK = 1024
PARTS = ("validation", "test")


def evaluate(module: IntentScoreModule, dataset: Dataset, bank: FeatureBank, training: Path, folder: Path) -> None:
    """Write ``pairs.parquet``, ``steps.parquet`` and ``summary.json`` into ``folder``.

    Args:
        training: folder of the training stage, whose ``selection.json`` names the epoch these weights are from.

    Raises:
        Diverged: a score is no number.
    """
    scorer = _Scorer(module, bank)
    tables = [_pairs(scorer, dataset, part) for part in PARTS]
    pq.write_table(pa.concat_tables(tables), folder / "pairs.parquet")
    steps = [_steps(scorer, dataset, part) for part in PARTS]
    pq.write_table(pa.concat_tables(steps), folder / "steps.parquet")
    chosen = json.loads((training / "selection.json").read_text())
    summary = {
        "selected_epoch": chosen["selected_epoch"],
        "selection": chosen["metrics"]["validation/selection"],
        "validation": chosen["metrics"],
        "parameters": chosen["parameters"],
    }
    (folder / "summary.json").write_text(json.dumps(summary, indent=1, sort_keys=True))


class _Scorer:
    def __init__(self, module: IntentScoreModule, bank: FeatureBank) -> None:
        self.module, self.bank = module, bank
        self.history = module.config.model.history.length

    @torch.inference_mode()
    def __call__(self, states: Ids, actions: Ids) -> np.ndarray:
        parts = [np.zeros(0, np.float32)]
        for first in range(0, len(states), CHUNK):
            state, action = states[first : first + CHUNK], actions[first : first + CHUNK]
            scores, _ = self.module(self.bank.states(state, action, self.history), self.bank.actions(action))
            parts.append(scores.float().numpy())
        found = np.concatenate(parts)
        if not np.isfinite(found).all():
            raise Diverged(f"diverged: {int((~np.isfinite(found)).sum())} of {len(found)} scores are no numbers")
        return found


def _pairs(scorer: _Scorer, dataset: Dataset, part: Any) -> pa.Table:
    table, rows = dataset.table, dataset.pair_rows(part, dataset.target)
    owner = table.state_trajectory[rows.state]
    blind = _other_states(rows.state, owner, dataset.config.split_seed)
    return pa.table(
        {
            "part": pa.array([part] * len(rows), pa.string()),
            "kind": pa.array(list(rows.kind), pa.string()),
            "trajectory": pa.array([table.trajectories[row] for row in owner], pa.string()),
            "platform": pa.array([table.platforms[row] for row in owner], pa.string()),
            "action_type": pa.array([table.action_kind[row] for row in rows.correct], pa.string()),
            "has_intent": pa.array((table.action_text["intent"][rows.correct] > 0).tolist(), pa.bool_()),
            "score_correct": scorer(rows.state, rows.correct),
            "score_incorrect": scorer(rows.state, rows.incorrect),
            "blind_correct": scorer(blind, rows.correct),
            "blind_incorrect": scorer(blind, rows.incorrect),
        }
    )


def _steps(scorer: _Scorer, dataset: Dataset, part: Any) -> pa.Table:
    table = dataset.table
    members = {trajectory.key for trajectory in dataset.members(part, dataset.target)}
    inside = np.array([key in members for key in table.trajectories], bool)
    owner = table.state_trajectory[table.action_state]
    actions = np.flatnonzero(inside[owner] & (table.action_label > 0))
    owner = owner[actions]
    return pa.table(
        {
            "part": pa.array([part] * len(actions), pa.string()),
            "trajectory": pa.array([table.trajectories[row] for row in owner], pa.string()),
            "platform": pa.array([table.platforms[row] for row in owner], pa.string()),
            "label": pa.array([str(LABELS[row]) for row in table.action_label[actions]], pa.string()),
            "score": scorer(table.action_state[actions], actions),
        }
    )


def _other_states(states: Ids, owner: Ids, seed: int) -> Ids:
    """For each pair, the state of a pair of another trajectory; the state-blind control scores with it.

    Where all pairs are of one trajectory there is no other state, and the own one is returned.
    """
    order = np.random.default_rng(stream(seed, "state_blind")).permutation(len(states))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    chosen = states.copy()
    pending = np.arange(len(states))
    for shift in range(1, len(states)):
        other = order[(place[pending] + shift) % len(states)]
        fits = owner[other] != owner[pending]
        chosen[pending[fits]] = states[other[fits]]
        pending = pending[~fits]
        if not len(pending):
            break
    return chosen
