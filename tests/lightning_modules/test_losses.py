"""The losses against loops written from the paper's formulas, and against closed forms."""

import math

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from lightning_modules.intentscore.module import retrieval
from lightning_modules.losses import alignment_loss, margin_ranking_loss


def unit_rows(count: int, width: int, seed: int) -> torch.Tensor:
    return normalize(torch.randn(count, width, generator=torch.Generator().manual_seed(seed)), dim=-1)


def slow_alignment(state: np.ndarray, action: np.ndarray, temperature: float, weights: list[float]) -> float:
    """InfoNCE pair by pair: the log of a softmax over the row and of one over the column."""
    count, total = len(state), 0.0
    for i in range(count):
        own = float(state[i] @ action[i]) / temperature
        row = sum(math.exp(float(state[i] @ action[j]) / temperature) for j in range(count))
        column = sum(math.exp(float(state[j] @ action[i]) / temperature) for j in range(count))
        total += weights[i] * ((math.log(row) - own) + (math.log(column) - own)) / 2
    return total / sum(weights)


@pytest.mark.parametrize(("count", "width", "temperature"), [(2, 3, 1.0), (7, 5, 0.07), (16, 8, 0.2)])
def test_alignment_is_the_slow_oracle(count, width, temperature):
    state, action = unit_rows(count, width, 0), unit_rows(count, width, 1)
    weights = [1.0, 0.3, 0.7, 0.3] * 4
    found = alignment_loss(state, action, temperature, torch.tensor(weights[:count]))
    expected = slow_alignment(state.double().numpy(), action.double().numpy(), temperature, weights[:count])
    assert float(found) == pytest.approx(expected, rel=1e-5)


def test_alignment_of_equal_embeddings_is_log_n():
    same = unit_rows(1, 4, 0).repeat(9, 1)
    assert float(alignment_loss(same, same, 0.07, torch.ones(9))) == pytest.approx(math.log(9), rel=1e-5)


def test_alignment_is_symmetric_and_weights_matter():
    state, action = unit_rows(6, 4, 0), unit_rows(6, 4, 1)
    weights = torch.tensor([1.0, 1.0, 0.3, 0.3, 0.7, 0.0])
    forward = alignment_loss(state, action, 0.1, weights)
    assert float(forward) == pytest.approx(float(alignment_loss(action, state, 0.1, weights)), rel=1e-6)
    assert float(forward) != pytest.approx(float(alignment_loss(state, action, 0.1, torch.ones(6))), rel=1e-3)
    assert float(forward) == pytest.approx(float(alignment_loss(state, action, 0.1, 5 * weights)), rel=1e-6)


def slow_margin(correct: list[float], incorrect: list[float], margin: float, present: list[bool]) -> float:
    terms = [max(0.0, margin - (c - w)) for c, w, p in zip(correct, incorrect, present, strict=True) if p]
    return sum(terms) / len(terms) if terms else 0.0


@pytest.mark.parametrize("present", [[True] * 5, [True, False, True, True, False], [False] * 5])
def test_margin_ranking_is_the_slow_oracle(present):
    correct, incorrect = [0.9, 0.1, 0.3, 0.5, 0.2], [0.1, 0.2, 0.25, 0.5, -0.9]
    found = margin_ranking_loss(torch.tensor(correct), torch.tensor(incorrect), 0.2, torch.tensor(present))
    assert float(found) == pytest.approx(slow_margin(correct, incorrect, 0.2, present), abs=1e-6)


def test_margin_ranking_at_the_margin_costs_nothing_and_below_it_something():
    one, yes = torch.tensor([0.5]), torch.tensor([True])
    assert float(margin_ranking_loss(one, torch.tensor([0.25]), 0.25, yes)) == 0.0
    assert float(margin_ranking_loss(one, one, 0.25, yes)) == pytest.approx(0.25)


def test_absent_negatives_get_no_gradient():
    correct = torch.tensor([0.1, 0.1], requires_grad=True)
    margin_ranking_loss(correct, torch.zeros(2), 0.5, torch.tensor([True, False])).backward()
    assert correct.grad is not None
    assert correct.grad.tolist() == [-1.0, 0.0]


def test_k16_retrieval_of_equal_scores_is_chance_and_not_perfect():
    same = unit_rows(1, 4, 0).repeat(5, 1)
    assert retrieval(same, same).tolist() == pytest.approx([0.2] * 5)
    apart = torch.eye(5)
    assert retrieval(apart, apart).tolist() == [1.0] * 5
    assert retrieval(apart, apart.flip(0)).tolist() == [0.0, 0.0, 1.0, 0.0, 0.0]
