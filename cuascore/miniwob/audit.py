"""How much of a label can be read from an action alone: classifiers without the state, cross-validated by group."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.compose import make_column_transformer  # type: ignore[import-untyped]
from sklearn.feature_extraction.text import CountVectorizer  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]
from sklearn.model_selection import PredefinedSplit, cross_val_predict  # type: ignore[import-untyped]
from sklearn.pipeline import Pipeline, make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # type: ignore[import-untyped]

View = Literal["words", "numbers"]
VIEWS: tuple[View, ...] = ("words", "numbers")
FOLDS = 5
WORD = r"[A-Za-z]+|\d+|[^\sA-Za-z\d]"
BINS = 8
"""A point on the screen falls into one of BINS x BINS fields, for classifiers that can't bend."""


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
    """Return all judged actions of trajectories in the recorder's layout: a step's executed one, then its rejected."""
    found = []
    for trajectory in trajectories:
        for step in trajectory["traj"]:
            state = f"{trajectory['task_id']} {step['index']}"
            for item in (step["value"], *step["value"]["rejected"]):
                texts = item["thought"], item["action"], item["code"]
                found.append(Judged(*texts, item["last_step_correct"], trajectory["group"], state))
    return found


def log_odds(actions: Sequence[Judged], view: View) -> np.ndarray:
    """Return float64 (n,): each action's log odds of being correct, from classifiers fitted on other groups only.

    Args:
        view: "words" is a bag of words and word pairs of intent, description and code (its numbers too);
            "numbers" is coordinates (also binned), the kind of action, and the lengths of the three texts.
    """
    labels = np.array([action.correct for action in actions])
    folds = PredefinedSplit([_fold(action.group) for action in actions])
    model, columns = (_word_model(), _texts(actions)) if view == "words" else (_number_model(), _numbers(actions))
    return cross_val_predict(model, columns, labels, cv=folds, method="decision_function")


def audit(actions: Sequence[Judged], view: View) -> Audit:
    """Measure what the action alone gives away in one view (see ``log_odds``)."""
    scores = log_odds(actions, view)
    by_state: dict[str, tuple[list[float], list[float]]] = {}
    for action, score in zip(actions, scores, strict=True):
        by_state.setdefault(action.state, ([], []))[0 if action.correct else 1].append(float(score))
    wins = [
        1.0 if good > bad else 0.5 if good == bad else 0.0
        for goods, bads in by_state.values()
        for good in goods
        for bad in bads
    ]
    auc = roc_auc_score([action.correct for action in actions], scores)
    return Audit(float(auc), float(np.mean(wins)), len(actions), len(wins))


def _fold(group: str) -> int:
    # By name, so that a group stays in its fold when others are dropped.
    return int.from_bytes(hashlib.sha256(group.encode()).digest()[:4], "big") % FOLDS


def _word_model() -> Pipeline:
    # A word of fewer than three actions can't help on others.
    bags = [
        (CountVectorizer(token_pattern=WORD, lowercase=False, ngram_range=(1, 2), min_df=3, binary=True), column)
        for column in range(3)
    ]
    return make_pipeline(make_column_transformer(*bags), LogisticRegression(C=0.1, max_iter=2000))


def _texts(actions: Sequence[Judged]) -> np.ndarray:
    return np.array([(action.intent, action.action, action.code) for action in actions], dtype=object)


def _number_model() -> Pipeline:
    columns = make_column_transformer(
        (StandardScaler(), [0, 1, 2, 3, 4]), (OneHotEncoder(handle_unknown="ignore"), [5, 6])
    )
    return make_pipeline(columns, LogisticRegression(max_iter=2000))


def _numbers(actions: Sequence[Judged]) -> np.ndarray:
    rows: list[list[float]] = []
    calls = sorted({action.code.split("(")[0] for action in actions})
    for action in actions:
        point = re.search(r"x=([\d.]+), y=([\d.]+)", action.code)
        x, y = (float(point[1]), float(point[2])) if point else (0.0, 0.0)
        field = min(BINS - 1, int(x * BINS)) * BINS + min(BINS - 1, int(y * BINS)) if point else -1
        lengths = len(action.intent), len(action.action), len(action.code)
        rows.append([x, y, *lengths, calls.index(action.code.split("(")[0]), field])
    return np.array(rows)
