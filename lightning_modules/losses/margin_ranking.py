"""Margin ranking of a correct action above an incorrect one (arXiv 2604.05157, section on correctness)."""

from torch import Tensor


def margin_ranking_loss(correct: Tensor, incorrect: Tensor, margin: float, present: Tensor) -> Tensor:
    """Return the mean of ``max(0, margin - (correct - incorrect))`` over the rows that have a negative.

    Args:
        correct, incorrect: (B,) scores, in the unit of ``margin`` (cosine, or cosine over temperature).
        margin: at least 0.
        present: (B,) bool; False where a state has no wrong action to compare with. None present: the loss is 0.
    """
    shortfall = (margin - (correct - incorrect)).clamp(min=0)
    return (shortfall * present).sum() / present.sum().clamp(min=1)
