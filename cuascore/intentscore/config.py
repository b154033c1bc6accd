"""Shape of the IntentScore network."""

from typing import Annotated, Literal

from pydantic import Field

from cuascore.config import Toggles

Modality = Literal[
    "vision", "instruction", "observation", "reflection", "history", "description", "code", "coordinates"
]


class HistoryConfig(Toggles):
    """What the state knows of earlier steps."""

    length: Annotated[int, Field(ge=0, le=10)] = 3
    """The paper's K: how many previous steps are read; 0 is no history."""
    architecture: Literal["gru", "visual_change", "skip", "parallel"] = "gru"
    layers: Annotated[int, Field(ge=1, le=4)] = 2


class ModelConfig(Toggles):
    """Widths, heads and modalities. The defaults give about 13M parameters over 768-d encoders, as in the paper."""

    head: Literal["dual_encoder", "transformer", "binary_classifier"] = "dual_encoder"
    embedding_width: Annotated[int, Field(ge=8)] = 384
    """Width of the L2-normalised state and action embeddings."""
    modality_width: Annotated[int, Field(ge=8)] = 512
    """Every modality is projected to this width before they are joined."""
    hidden_width: Annotated[int, Field(ge=8)] = 1152
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.1
    intent: Literal["action", "state", "both", "none"] = "action"
    """Which encoder reads the planning intent (paper: intention-aware action encoder)."""
    without: tuple[Modality, ...] = ()
    """Modalities left out."""
    history: HistoryConfig = HistoryConfig()
