"""InfoNCE over a batch, in both directions, weighted by task completion (arXiv 2604.05157, section on relevance)."""

import torch
from torch import Tensor
from torch.nn import functional


def alignment_loss(state: Tensor, action: Tensor, temperature: Tensor | float, weights: Tensor) -> Tensor:
    """Return the weighted symmetric InfoNCE loss, a scalar in nats.

    With logits ``z[i, j] = <state_i, action_j> / temperature``, pair i costs
    ``(CE(z[i, :], i) + CE(z[:, i], i)) / 2``; the loss is the mean over i weighted by ``weights``.

    Args:
        state, action: (B, D) unit vectors; row i of one belongs to row i of the other.
        temperature: positive scalar.
        weights: (B,) at least one positive, none negative.
    """
    logits = state @ action.T / temperature
    target = torch.arange(len(logits), device=logits.device)
    by_state = functional.cross_entropy(logits, target, reduction="none")
    by_action = functional.cross_entropy(logits.T, target, reduction="none")
    return (weights * (by_state + by_action)).sum() / (2 * weights.sum())
