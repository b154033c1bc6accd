"""What to run: the best-scored candidate if it passes the threshold, else what the agent would have done."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

SIGMA = 0.10
"""The paper's threshold, a cosine."""


class Verdict(StrEnum):
    """How a step was decided."""

    OVERRIDE = "override"
    """The best candidate passed the threshold and was not the default."""
    AGREE = "agree"
    """The best candidate passed the threshold and was the default."""
    DEFER = "defer"
    """No candidate passed the threshold: the default runs."""
    SINGLE = "single"
    """One candidate was left after merging: nothing to choose."""
    FAILED = "failed"
    """A score was no number: the default runs."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Position of the candidate to run, how that came about, and by how much the best led (None below two scores)."""

    chosen: int
    verdict: Verdict
    lead: float | None


def decide(scores: Sequence[float], default: int = 0, sigma: float = SIGMA) -> Decision:
    """Choose among N candidates that are distinct actions.

    Args:
        scores: cosines in [-1, 1]; default: position of the agent's own choice.
        sigma: the best score must be greater than this to override or agree.

    Raises:
        ValueError: no candidate, or a default that is none of them.
    """
    if not 0 <= default < len(scores):
        raise ValueError(f"default {default} is none of {len(scores)} candidates")
    if len(scores) == 1:
        return Decision(default, Verdict.SINGLE, None)
    if not all(math.isfinite(score) for score in scores):
        return Decision(default, Verdict.FAILED, None)
    # A tie goes to the default first, then to the earlier one: equal scores are no reason to override.
    order = sorted(range(len(scores)), key=lambda n: (-scores[n], n != default, n))
    best, lead = order[0], scores[order[0]] - scores[order[1]]
    if scores[best] <= sigma:
        return Decision(default, Verdict.DEFER, lead)
    return Decision(best, Verdict.AGREE if best == default else Verdict.OVERRIDE, lead)
