"""How much of a label can be read from an action alone: classifiers without the state, cross-validated by group."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack
from scipy.stats import rankdata

FOLDS = 5
PENALTIES = {"words": 10.0, "numbers": 1.0}
"""L2 penalty of each classifier on the summed log loss; the words have many more columns than there are actions."""
WORD = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]")
KINDS = ("click", "keyDown", "moveTo", "scroll", "write", "hotkey", "press")
BINS = 8


@dataclass(frozen=True, slots=True)
class Judged:
    """One judged action of a recording: its texts, its label, its group, and the state that it was proposed in."""

    intent: str
    action: str
    code: str
    correct: bool
    group: str
    state: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What a classifier without the state reaches; 0.5 is chance.

    Attributes:
        auc: area under the ROC curve of all correct against all incorrect actions.
        pairs: share of the pairs (a correct and an incorrect action of one state) that it orders rightly, ties as half.
        count: of the actions; pair_count: of the pairs.
    """

    auc: float
    pairs: float
    count: int
    pair_count: int


def judged_actions(trajectories: Iterable[Mapping[str, Any]]) -> list[Judged]:
    """Return all judged actions, executed and rejected, of trajectories in the recorder's layout."""
    found = []
    for trajectory in trajectories:
        for step in trajectory["traj"]:
            state = f"{trajectory['task_id']} {step['index']}"
            for item in (step["value"], *step["value"]["rejected"]):
                found.append(
                    Judged(
                        item["thought"],
                        item["action"],
                        item["code"],
                        item["last_step_correct"],
                        trajectory["group"],
                        state,
                    )
                )
    return found


def audit_words(actions: Sequence[Judged]) -> Audit:
    """Audit a bag of words and word pairs over intent, description and code (its numbers too)."""
    return _audit(actions, out_of_fold(actions, "words"))


def audit_numbers(actions: Sequence[Judged]) -> Audit:
    """Audit coordinates (also binned), kind of action, and lengths of the three texts."""
    return _audit(actions, out_of_fold(actions, "numbers"))


def out_of_fold(actions: Sequence[Judged], features: str) -> np.ndarray:
    """Return float64 (n,): each action's log odds of being correct, from classifiers fitted on other groups only."""
    labels = np.array([action.correct for action in actions], dtype=np.float64)
    folds = np.array([_fold(action.group) for action in actions])
    columns = _word_columns(actions) if features == "words" else _number_columns(actions)
    scores = np.zeros(len(actions))
    for fold in range(FOLDS):
        held = folds == fold
        if held.any() and not held.all():
            weights = _fit(columns[~held], labels[~held], PENALTIES[features])
            scores[held] = columns[held] @ weights[1:] + weights[0]
    return scores


def _fold(group: str) -> int:
    return int.from_bytes(hashlib.sha256(group.encode()).digest()[:4], "big") % FOLDS


def _word_columns(actions: Sequence[Judged]) -> csr_matrix:
    index: dict[str, int] = {}
    rows, places = [], []
    for row, action in enumerate(actions):
        for part, text in (("i", action.intent), ("a", action.action), ("c", action.code)):
            words = WORD.findall(text)
            terms = {f"{part} {word}" for word in words} | {f"{part} {a} {b}" for a, b in pairwise(words)}
            for term in sorted(terms):
                rows.append(row)
                places.append(index.setdefault(term, len(index)))
    table = csr_matrix((np.ones(len(rows)), (rows, places)), shape=(len(actions), len(index)))
    # A term of one action alone can't help on another.
    return table[:, np.asarray((table > 0).sum(axis=0)).ravel() >= 3]


def _number_columns(actions: Sequence[Judged]) -> csr_matrix:
    table = np.zeros((len(actions), 5 + len(KINDS)))
    grid = np.zeros((len(actions), BINS * BINS))
    for row, action in enumerate(actions):
        kind = action.code.removeprefix("pyautogui.").split("(")[0]
        point = re.search(r"x=([\d.]+), y=([\d.]+)", action.code)
        x, y = (float(point[1]), float(point[2])) if point else (0.0, 0.0)
        table[row, :5] = x, y, len(action.intent) / 100, len(action.action) / 100, len(action.code) / 100
        if kind in KINDS:
            table[row, 5 + KINDS.index(kind)] = 1
        if point:
            grid[row, min(BINS - 1, int(x * BINS)) * BINS + min(BINS - 1, int(y * BINS))] = 1
    table[:, :5] -= table[:, :5].mean(axis=0)
    return csr_matrix(hstack([csr_matrix(table), csr_matrix(grid)]))


def _fit(columns: csr_matrix, labels: np.ndarray, penalty: float) -> np.ndarray:
    signs = 2 * labels - 1

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (columns @ weights[1:] + weights[0])
        value = np.logaddexp(0, -margins).sum() + penalty / 2 * (weights[1:] ** 2).sum()
        slope = -signs / (1 + np.exp(np.clip(margins, -500, 500)))
        return value, np.concatenate([[slope.sum()], columns.T @ slope + penalty * weights[1:]])

    return minimize(loss, np.zeros(columns.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x


def _audit(actions: Sequence[Judged], scores: np.ndarray) -> Audit:
    labels = np.array([action.correct for action in actions])
    positives, negatives = int(labels.sum()), int((~labels).sum())
    ranks = rankdata(scores)
    auc = (ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * negatives)
    by_state: dict[str, tuple[list[float], list[float]]] = {}
    for action, score in zip(actions, scores, strict=True):
        by_state.setdefault(action.state, ([], []))[0 if action.correct else 1].append(float(score))
    wins = [
        1.0 if good > bad else 0.5 if good == bad else 0.0
        for goods, bads in by_state.values()
        for good in goods
        for bad in bads
    ]
    return Audit(float(auc), float(np.mean(wins)), len(actions), len(wins))
