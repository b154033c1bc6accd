"""What the network reads: frozen features of a batch of states and of a batch of actions."""

from typing import NamedTuple

from torch import Tensor

POINTS = 2
"""Coordinates kept of an action (a drag has two)."""
POINT_WIDTH = 3 * POINTS
"""x, y and presence of each point."""


class StateInputs(NamedTuple):
    """Features of B states; every tensor is float32 except ``history_mask`` (bool).

    Attributes:
        vision: (B, Dv) screenshot.
        instruction, observation: (B, Dt) texts.
        reflection: (B, Dt) what was written after the *previous* step; zero where there is none.
        intent: (B, Dt) planning intent of the action at hand; read only where ``model.intent`` is "state" or "both".
        history_vision: (B, K, Dv), history_action: (B, K, Dt) earlier steps, oldest first, padded in front with zeros.
        history_mask: (B, K) True where a step is real.
    """

    vision: Tensor
    instruction: Tensor
    observation: Tensor
    reflection: Tensor
    intent: Tensor
    history_vision: Tensor
    history_action: Tensor
    history_mask: Tensor


class ActionInputs(NamedTuple):
    """Features of B actions, float32.

    Attributes:
        description, code, intent: (B, Dt) texts; zero where missing.
        coordinates: (B, 6) x, y in [0, 1] and presence in {0, 1} of the first two points.
    """

    description: Tensor
    code: Tensor
    intent: Tensor
    coordinates: Tensor
