"""Every toggle of IntentScore (arXiv 2604.05157) as one frozen tree. The defaults are the paper's full model."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from cuascore.config import Toggles
from cuascore.errors import UserError
from cuascore.intentscore.config import ModelConfig

Weight = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class EncodersConfig(Toggles):
    """The frozen encoders whose features are cached (paper: MPNet and SigLIP, later SigLIP2)."""

    text: str = "all-mpnet-base-v2"
    vision: str = "ViT-B-16-SigLIP2/webli"
    max_text_tokens: Annotated[int, Field(ge=8)] | None = None
    """Longest text in tokens; None: the encoder's own limit."""


class CompletionWeights(Toggles):
    """Weight of a state in InfoNCE by its task's outcome."""

    completed: Weight = 1.0
    failed: Weight = 0.3
    unknown: Weight = 0.7


class LossConfig(Toggles):
    """Total loss = alignment_weight * InfoNCE + margin_weight * margin ranking."""

    alignment_weight: Weight = 1.0
    margin_weight: Weight = 2.0
    """The paper's lambda."""
    margin: Annotated[float, Field(ge=0, le=2)] = 0.20
    """The paper's m, in the unit that ``margin_on`` names."""
    margin_on: Literal["cosine", "scaled"] = "cosine"
    """Whether m is compared with the gap of cosines or with that gap divided by the temperature."""
    temperature: Annotated[float, Field(ge=0.01, le=1)] = 0.07
    """Initial value; clipped to [0.01, 1] while it is learnt."""
    learn_temperature: bool = True
    completion: CompletionWeights = CompletionWeights()


class NegativesConfig(Toggles):
    """Which wrong action the margin loss compares with."""

    kind: Literal["adjacent", "incorrect", "both", "in_task", "hard_mined"] = "both"
    adjacent_share: Share = 0.5
    """With ``both``: probability of an adjacent negative where a state has either kind."""


class WordDropoutConfig(Toggles):
    """Words of action and code text are dropped in training. The encoders are frozen, so variants are embedded once."""

    probability: Share = 0.75
    """Probability that an action shows a variant instead of its full text."""
    rate_min: Share = 0.3
    rate_max: Share = 0.5
    """A variant loses a share of its words drawn from [rate_min, rate_max]."""
    variants: Annotated[int, Field(ge=1, le=16)] = 4
    """How many variants of a string are embedded; drawn once for a string, the same in every cell."""


class TrainingConfig(Toggles):
    """Optimisation: AdamW, cosine annealing, gradient clipping, early stopping on the validation score."""

    batch_size: Annotated[int, Field(ge=2)] = 1024
    epochs: Annotated[int, Field(ge=1)] = 50
    learning_rate: Annotated[float, Field(gt=0)] = 3e-4
    weight_decay: Weight = 0.01
    gradient_clip: Annotated[float, Field(gt=0)] = 1.0
    patience: Annotated[int, Field(ge=1)] = 8
    """Epochs without a better validation score before training stops."""


class PretrainingConfig(Toggles):
    """Training on other operating systems first (paper: cross-OS pretraining, then Ubuntu)."""

    kind: Literal["none", "cross_os", "target_longer"] = "cross_os"
    sources: tuple[str, ...] = ()
    """Platforms to pretrain on; empty: every platform of the data set, the target included."""
    epochs: Annotated[int, Field(ge=1)] = 30
    finetuning: dict[str, Any] = {"loss.margin_weight": 3.0, "training.learning_rate": 1e-4}
    """Overrides for the second stage, by dotted key."""


class IntentScoreConfig(Toggles):
    """The whole experiment apart from its data and seed."""

    encoders: EncodersConfig = EncodersConfig()
    model: ModelConfig = ModelConfig()
    loss: LossConfig = LossConfig()
    negatives: NegativesConfig = NegativesConfig()
    word_dropout: WordDropoutConfig = WordDropoutConfig()
    training: TrainingConfig = TrainingConfig()
    pretraining: PretrainingConfig = PretrainingConfig()

    @model_validator(mode="after")
    def _rules_across_fields(self) -> Self:
        if self.loss.alignment_weight == 0 and self.loss.margin_weight == 0:
            raise ValueError("loss: alignment_weight and margin_weight are both 0, nothing would be trained")
        if self.word_dropout.rate_min > self.word_dropout.rate_max:
            raise ValueError("word_dropout: rate_min is above rate_max")
        if self.pretraining.kind != "none":
            self.finetuning()
        return self

    def finetuning(self) -> Self:
        """Return the second stage's config: the finetuning overrides applied, and no pretraining left in it.

        Raises:
            ValueError: an override names no toggle or does not fit it.
        """
        changes = self.pretraining.finetuning
        if any(key.startswith(("pretraining.", "encoders.", "model.")) for key in changes):
            raise ValueError("pretraining.finetuning: encoders, model and pretraining are the same in both stages")
        try:
            return self.override({**changes, "pretraining.kind": "none", "pretraining.finetuning": {}})
        except UserError as error:
            raise ValueError(f"pretraining.finetuning: {error}") from None
