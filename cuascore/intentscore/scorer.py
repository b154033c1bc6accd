"""The dual encoder: a state tower and an action tower whose cosine is the score."""

import torch
from torch import Tensor, nn

from cuascore.errors import UserError
from cuascore.intentscore.config import Modality, ModelConfig
from cuascore.intentscore.history import HistoryEncoder
from cuascore.intentscore.inputs import POINT_WIDTH, ActionInputs, StateInputs
from cuascore.intentscore.layers import Projection, Tower

STATE_TEXTS: tuple[Modality, ...] = ("instruction", "observation", "reflection")
ACTION_TEXTS: tuple[Modality, ...] = ("description", "code")


def check_built(config: ModelConfig) -> None:
    """Refuse toggles that the tree names and this version does not build.

    Raises:
        UserError: naming the toggle.
    """
    if config.head != "dual_encoder":
        raise UserError(f"model.head={config.head!r} is not built yet; built: 'dual_encoder'")
    if config.history.architecture != "gru":
        raise UserError(f"model.history.architecture={config.history.architecture!r} is not built yet; built: 'gru'")


class StateEncoder(nn.Module):
    """StateInputs of B states to unit vectors (B, embedding_width)."""

    def __init__(self, config: ModelConfig, text_width: int, vision_width: int, seed: int) -> None:
        super().__init__()
        width = config.modality_width
        names = [str(name) for name in ("vision", *STATE_TEXTS) if name not in config.without]
        if config.intent in ("state", "both"):
            names.append("intent")
        self.projections = nn.ModuleDict(
            {
                name: Projection(vision_width if name == "vision" else text_width, width, seed, f"state.{name}")
                for name in names
            }
        )
        reads_history = config.history.length > 0 and "history" not in config.without
        self.history = HistoryEncoder(config, text_width, vision_width, seed) if reads_history else None
        parts = len(names) + reads_history
        if not parts:
            raise UserError("model.without leaves the state encoder nothing to read")
        self.tower = Tower(
            parts * width, config.hidden_width, config.embedding_width, config.dropout, seed, "state.tower"
        )

    def forward(self, state: StateInputs) -> Tensor:
        parts = [projection(getattr(state, name)) for name, projection in self.projections.items()]
        if self.history is not None:
            parts.append(self.history(state))
        return self.tower(torch.cat(parts, dim=-1))


class ActionEncoder(nn.Module):
    """ActionInputs of B actions to unit vectors (B, embedding_width)."""

    def __init__(self, config: ModelConfig, text_width: int, seed: int) -> None:
        super().__init__()
        width = config.modality_width
        names = [str(name) for name in ACTION_TEXTS if name not in config.without]
        if config.intent in ("action", "both"):
            names.append("intent")
        widths = dict.fromkeys(names, text_width)
        if "coordinates" not in config.without:
            widths["coordinates"] = POINT_WIDTH
        if not widths:
            raise UserError("model.without leaves the action encoder nothing to read")
        self.projections = nn.ModuleDict(
            {name: Projection(width_in, width, seed, f"action.{name}") for name, width_in in widths.items()}
        )
        self.tower = Tower(
            len(widths) * width, config.hidden_width, config.embedding_width, config.dropout, seed, "action.tower"
        )

    def forward(self, action: ActionInputs) -> Tensor:
        parts = [projection(getattr(action, name)) for name, projection in self.projections.items()]
        return self.tower(torch.cat(parts, dim=-1))


class IntentScorer(nn.Module):
    """Scores actions in states: cosine of two embeddings, in [-1, 1].

    Args:
        config: widths, head, modalities.
        text_width, vision_width: widths of the frozen features.
        seed: of the initial values and the dropout masks.

    Raises:
        UserError: a toggle is not built yet, or nothing is left to read.
    """

    def __init__(self, config: ModelConfig, text_width: int, vision_width: int, seed: int) -> None:
        super().__init__()
        check_built(config)
        self.state_encoder = StateEncoder(config, text_width, vision_width, seed)
        self.action_encoder = ActionEncoder(config, text_width, seed)

    def forward(self, state: StateInputs, action: ActionInputs) -> tuple[Tensor, dict[str, Tensor]]:
        """Score action i in state i.

        Returns:
            scores (B,) in [-1, 1], and diagnostics: "state" and "action", the (B, embedding_width) unit embeddings.
        """
        state_embedding = self.state_encoder(state)
        action_embedding = self.action_encoder(action)
        scores = (state_embedding * action_embedding).sum(dim=-1)
        return scores, {"state": state_embedding, "action": action_embedding}
