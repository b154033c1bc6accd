"""What a table's columns mean: metrics over the outcomes of an evaluation.

A metric is a linear combination of ratios ``sum(value) / sum(count)`` over records, never an opaque function, so that a
bootstrap can weigh each record's trajectory anew without reading a file twice. Scores and gaps are cosines in [-1, 1];
shares and accuracies are in [0, 1]. A tie counts half, so that a scorer that gives equal scores to everything has an
accuracy of 0.5 in either order of the candidates.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ablations.outcomes import Frame, Outcomes, read_outcomes
from cuascore.errors import UserError, nearest

__all__ = [
    "METRICS",
    "THRESHOLD",
    "Frame",
    "Metric",
    "NotANumber",
    "Outcomes",
    "Term",
    "Undefined",
    "evaluate",
    "evaluate_all",
    "metric",
    "read_outcomes",
    "records",
]

THRESHOLD = 0.10
"""sigma of the paper, a cosine: the gap that counts as clear, and the score above which a scorer overrides an agent."""


class Undefined(UserError):
    """There is no record that the metric could be computed from."""


class NotANumber(UserError):
    """A score is NaN or infinite: the run has failed, whatever its other scores are."""


@dataclass(frozen=True)
class Term:
    """One ratio: ``coefficient * mean(value)`` over the records of ``table`` whose column ``where`` equals ``equals``.

    ``value(frame, threshold)`` gives a float64 array of the frame's length; ``scores`` are the columns that it reads.
    """

    coefficient: float
    table: Literal["pairs", "steps"]
    where: str
    equals: str
    scores: tuple[str, ...]
    value: Callable[[Frame, float], NDArray[np.float64]]


@dataclass(frozen=True)
class Metric:
    """A column of a table.

    ``unit`` is "share" (in [0, 1]) or "cosine" (in [-1, 1]; a difference of two is in [-2, 2]); ``better`` says which
    way is good, and "neither" takes no mark; ``definition`` is one sentence for the page.
    """

    name: str
    label: str
    unit: Literal["share", "cosine"]
    better: Literal["higher", "lower", "neither"]
    terms: tuple[Term, ...]
    definition: str

    @property
    def table(self) -> Literal["pairs", "steps"]:
        """The file of outcomes that the metric reads."""
        return self.terms[0].table

    @property
    def bounds(self) -> tuple[float, float]:
        """The values that the metric can take: an interval is cut to them."""
        if self.unit == "share":
            return 0.0, 1.0
        reach = sum(abs(term.coefficient) * len(term.scores) for term in self.terms)
        return -reach, reach


def _gap(frame: Frame, prefix: str) -> NDArray[np.float64]:
    """Correct minus incorrect, in float64: float32 differences near the threshold would move shares."""
    return frame[f"{prefix}_correct"].astype(np.float64) - frame[f"{prefix}_incorrect"].astype(np.float64)


def _wins(prefix: str) -> Callable[[Frame, float], NDArray[np.float64]]:
    return lambda frame, _threshold: 0.5 + 0.5 * np.sign(_gap(frame, prefix))


def _gap_mean(frame: Frame, _threshold: float) -> NDArray[np.float64]:
    return _gap(frame, "score")


def _gap_above(frame: Frame, threshold: float) -> NDArray[np.float64]:
    return (_gap(frame, "score") > threshold).astype(np.float64)


def _ties(frame: Frame, _threshold: float) -> NDArray[np.float64]:
    return (_gap(frame, "score") == 0).astype(np.float64)


def _score(frame: Frame, _threshold: float) -> NDArray[np.float64]:
    return frame["score"].astype(np.float64)


def _on_pairs(
    kind: str, value: Callable[[Frame, float], NDArray[np.float64]], prefix: str = "score"
) -> tuple[Term, ...]:
    return (Term(1.0, "pairs", "kind", kind, (f"{prefix}_correct", f"{prefix}_incorrect"), value),)


_HARD_GAP = _on_pairs("hard", _gap_mean)
_OWN_GAP = (
    Term(1.0, "steps", "label", "correct", ("score",), _score),
    Term(-1.0, "steps", "label", "incorrect", ("score",), _score),
)

METRICS: Mapping[str, Metric] = {
    entry.name: entry
    for entry in (
        Metric(
            "hard_accuracy",
            "Hard",
            "share",
            "higher",
            _on_pairs("hard", _wins("score")),
            "Share of hard pairs whose correct action scores above that of step t±1 of the same task; a tie is half.",
        ),
        Metric(
            "real_incorrect_accuracy",
            "Real inc.",
            "share",
            "higher",
            _on_pairs("real_incorrect", _wins("score")),
            "Share of real incorrect pairs whose correct action scores above one labelled incorrect in the same task; "
            "a tie counts half.",
        ),
        Metric(
            "hard_gap_mean",
            "Gap mean",
            "cosine",
            "higher",
            _HARD_GAP,
            "Mean of correct minus incorrect score over hard pairs.",
        ),
        Metric(
            "hard_gap_above_threshold",
            "Gap > threshold",
            "share",
            "higher",
            _on_pairs("hard", _gap_above),
            "Share of hard pairs whose gap exceeds the study's threshold (0.10 in the paper).",
        ),
        Metric(
            "real_incorrect_gap_mean",
            "Real inc. gap",
            "cosine",
            "higher",
            _on_pairs("real_incorrect", _gap_mean),
            "Mean of correct minus incorrect score over real incorrect pairs.",
        ),
        Metric(
            "adjacent_gap",
            "Adjacent gap",
            "cosine",
            "higher",
            _HARD_GAP,
            "Table 3's word for the mean gap over hard pairs (equal to hard_gap_mean).",
        ),
        Metric(
            "correct_incorrect_gap",
            "Correct–incorrect gap",
            "cosine",
            "higher",
            _OWN_GAP,
            "Mean score of states with their own correct action minus mean score of states with their own incorrect "
            "actions. The paper does not define its column of this name: compare with care.",
        ),
        Metric(
            "hard_accuracy_state_blind",
            "Hard, state-blind",
            "share",
            "neither",
            _on_pairs("hard", _wins("blind"), "blind"),
            "Hard accuracy of the same pairs scored with another trajectory's state: above 0.5, actions alone tell.",
        ),
        Metric(
            "real_incorrect_accuracy_state_blind",
            "Real inc., state-blind",
            "share",
            "neither",
            _on_pairs("real_incorrect", _wins("blind"), "blind"),
            "Real incorrect accuracy of the same pairs scored with another trajectory's state.",
        ),
        Metric(
            "tie_share_hard",
            "Ties, hard",
            "share",
            "neither",
            _on_pairs("hard", _ties),
            "Share of hard pairs with exactly equal scores.",
        ),
        Metric(
            "tie_share_real_incorrect",
            "Ties, real inc.",
            "share",
            "neither",
            _on_pairs("real_incorrect", _ties),
            "Share of real incorrect pairs with exactly equal scores.",
        ),
    )
}


def metric(name: str) -> Metric:
    """The metric of that name.

    Raises:
        UserError: there is none; names the nearest.
    """
    if name not in METRICS:
        raise UserError(f"metric {name!r}: unknown; {nearest(name, METRICS)}")
    return METRICS[name]


def records(
    term: Term, outcomes: Outcomes, part: str = "test", threshold: float = THRESHOLD
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """The trajectory (str) and the value (float64) of each record of ``part`` that the term counts, in stored order.

    Raises:
        NotANumber: one of the scores read is NaN or infinite.
    """
    frame = outcomes.pairs if term.table == "pairs" else outcomes.steps
    chosen = (frame["part"] == part) & (frame[term.where] == term.equals)
    selection = {name: column[chosen] for name, column in frame.items()}
    for column in term.scores:
        wrong = int(np.count_nonzero(~np.isfinite(selection[column].astype(np.float64))))
        if wrong:
            raise NotANumber(
                f"{outcomes.folder}: {wrong} of {len(selection[column])} values of {column!r} are NaN or infinite; "
                "the run diverged: lower its learning rate or look at its log"
            )
    return selection["trajectory"], term.value(selection, threshold)


def evaluate(chosen: Metric | str, outcomes: Outcomes, part: str = "test", threshold: float = THRESHOLD) -> float:
    """The metric of one evaluation, each record weighing the same.

    Args:
        chosen: a metric or its name.
        outcomes: as ``read_outcomes`` gives them.
        part: "validation" to choose, "test" to report.
        threshold: a cosine, read by ``hard_gap_above_threshold`` alone.

    Raises:
        NotANumber: a score is NaN or infinite.
        Undefined: no record of that kind in that part.
    """
    entry = metric(chosen) if isinstance(chosen, str) else chosen
    total = 0.0
    for term in entry.terms:
        _, values = records(term, outcomes, part, threshold)
        if not len(values):
            raise Undefined(
                f"{outcomes.folder}: {entry.name} needs {term.equals} {term.table}; the {part} part has none"
            )
        total += term.coefficient * float(values.mean())
    return total


def evaluate_all(outcomes: Outcomes, part: str = "test", threshold: float = THRESHOLD) -> dict[str, float]:
    """Every metric that the part has records for, by name.

    Raises:
        NotANumber: a score is NaN or infinite.
    """
    values = {}
    for name, entry in METRICS.items():
        try:
            values[name] = evaluate(entry, outcomes, part, threshold)
        except Undefined:
            continue
    return values
