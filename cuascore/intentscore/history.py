"""The encoder of earlier steps: a GRU over the K previous ones (paper: two layers, K = 3)."""

import torch
from torch import Tensor, nn

from cuascore.intentscore.config import ModelConfig
from cuascore.intentscore.inputs import StateInputs
from cuascore.intentscore.layers import Projection, keyed_init


class HistoryEncoder(nn.Module):
    """Screenshots and action texts of the K previous steps to one vector (B, modality_width)."""

    def __init__(self, config: ModelConfig, text_width: int, vision_width: int, seed: int) -> None:
        super().__init__()
        width = config.modality_width
        # A modality that is left out is left out of the past too.
        self.vision = None if "vision" in config.without else Projection(vision_width, width, seed, "history.vision")
        self.action = Projection(text_width, width, seed, "history.action")
        with keyed_init(seed, "history.gru"):
            self.gru = nn.GRU(width, width, num_layers=config.history.layers, batch_first=True)
        self.length = config.history.length

    def forward(self, state: StateInputs) -> Tensor:
        steps = self.action(state.history_action[:, -self.length :])
        if self.vision is not None:
            steps = steps + self.vision(state.history_vision[:, -self.length :])
        mask = state.history_mask[:, -self.length :]
        # Padding stands in front and is zero; a state without a past gets the zero vector, not an answer to zeros.
        outputs, _ = self.gru(steps * mask.unsqueeze(-1))
        return torch.where(mask[:, -1:], outputs[:, -1], torch.zeros_like(outputs[:, -1]))
