"""The Lightning module: two losses, one learnable temperature, and the paper's validation score."""

import math
from typing import Any

import torch
from pytorch_lightning import LightningModule
from torch import Tensor, nn

from cuascore.intentscore.inputs import ActionInputs, StateInputs
from cuascore.intentscore.scorer import IntentScorer
from lightning_modules.intentscore.batches import TrainingBatch, ValidationBatch
from lightning_modules.intentscore.config import IntentScoreConfig
from lightning_modules.losses import alignment_loss, margin_ranking_loss

TEMPERATURE_RANGE = (0.01, 1.0)
RETRIEVAL_SHARE, ADJACENT_SHARE = 0.3, 0.7
"""Validation score = 0.3 x in-batch retrieval + 0.7 x adjacent pair accuracy (arXiv 2604.05157)."""


class IntentScoreModule(LightningModule):
    """Trains an IntentScorer.

    Args:
        config: the toggles.
        text_width, vision_width: widths of the frozen features.
        seed: of the initial values and the dropout masks.
        steps: optimiser steps in all, the length of the cosine schedule.
    """

    def __init__(self, config: IntentScoreConfig, text_width: int, vision_width: int, seed: int, steps: int) -> None:
        super().__init__()
        self.config, self.steps = config, steps
        self.scorer = IntentScorer(config.model, text_width, vision_width, seed)
        start = torch.tensor(math.log(config.loss.temperature))
        self.log_temperature = nn.Parameter(start, requires_grad=config.loss.learn_temperature)
        self._reads_intent = config.model.intent in ("state", "both")
        self._sums: dict[str, Tensor] = {}
        self._steps_in_epoch = 0

    @property
    def temperature(self) -> Tensor:
        """The temperature, clipped to [0.01, 1]."""
        return self.log_temperature.exp().clamp(*TEMPERATURE_RANGE)

    def forward(self, state: StateInputs, action: ActionInputs) -> tuple[Tensor, dict[str, Tensor]]:
        """Return scores (B,) in [-1, 1] and diagnostics: both embeddings and the temperature."""
        scores, diagnostics = self.scorer(state, action)
        return scores, {**diagnostics, "temperature": self.temperature.detach()}

    def losses(self, batch: TrainingBatch) -> dict[str, Tensor]:
        """Return "loss" and its unweighted parts "alignment" and "margin" (those whose weight is above 0)."""
        config = self.config.loss
        scores, out = self.scorer(batch.state, batch.correct)
        parts: dict[str, Tensor] = {}
        if config.alignment_weight > 0:
            parts["alignment"] = alignment_loss(out["state"], out["action"], self.temperature, batch.weights)
        if config.margin_weight > 0:
            state = self.scorer.state_encoder(batch.negative_state) if self._reads_intent else out["state"]
            wrong = (state * self.scorer.action_encoder(batch.negative)).sum(dim=-1)
            unit = self.temperature if config.margin_on == "scaled" else 1.0
            parts["margin"] = margin_ranking_loss(scores / unit, wrong / unit, config.margin, batch.has_negative)
        weights = {"alignment": config.alignment_weight, "margin": config.margin_weight}
        total = torch.stack([weights[name] * part for name, part in parts.items()]).sum()
        return {"loss": total, **parts}

    def training_step(self, batch: TrainingBatch, batch_index: int) -> Tensor:
        parts = self.losses(batch)
        for name, value in parts.items():
            self._add(f"train/{name}", value.detach())
        self._steps_in_epoch += 1
        return parts["loss"]

    def on_train_epoch_end(self) -> None:
        # One log call an epoch: logging every step costs more than a small network's step.
        sums = {name: value / self._steps_in_epoch for name, value in self._take("train/").items()}
        self._steps_in_epoch = 0
        self.log_dict({**sums, "train/temperature": self.temperature.detach()})

    def validation_step(self, batch: ValidationBatch, batch_index: int) -> None:
        _, out = self.scorer(batch.state, batch.action)
        self._add("validation/retrieval", retrieval(out["state"], out["action"]).sum())
        self._add("validation/anchors", torch.tensor(float(len(out["state"]))))
        correct, _ = self.scorer(batch.pair_state[0], batch.correct)
        incorrect, _ = self.scorer(batch.pair_state[1], batch.incorrect)
        gap = correct - incorrect
        self._add("validation/adjacent_accuracy", ((gap > 0) + 0.5 * (gap == 0)).sum())
        self._add("validation/adjacent_gap", gap.sum())
        self._add("validation/pairs", torch.tensor(float(len(gap))))

    def on_validation_epoch_end(self) -> None:
        sums = self._take("validation/")
        anchors, pairs = sums.pop("validation/anchors"), sums.pop("validation/pairs")
        found = {name: value / (anchors if name == "validation/retrieval" else pairs) for name, value in sums.items()}
        score = RETRIEVAL_SHARE * found["validation/retrieval"] + ADJACENT_SHARE * found["validation/adjacent_accuracy"]
        self.log_dict({**found, "validation/selection": score})

    def configure_optimizers(self) -> Any:
        training = self.config.training
        learnt = [parameter for parameter in self.parameters() if parameter.requires_grad]
        # Decay would pull norms, biases and the temperature's logarithm towards values that mean something.
        groups = [
            {"params": [p for p in learnt if p.ndim >= 2], "weight_decay": training.weight_decay},
            {"params": [p for p in learnt if p.ndim < 2], "weight_decay": 0.0},
        ]
        optimizer = torch.optim.AdamW(groups, lr=training.learning_rate, fused=True)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=self.steps)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def _add(self, name: str, value: Tensor) -> None:
        self._sums[name] = self._sums[name] + value if name in self._sums else value

    def _take(self, prefix: str) -> dict[str, Tensor]:
        return {name: self._sums.pop(name) for name in list(self._sums) if name.startswith(prefix)}


def retrieval(state: Tensor, action: Tensor) -> Tensor:
    """Return (B,) the chance that each state's own action wins among the batch's: 1/(ties + 1) at the top, else 0.

    Args:
        state, action: (B, D) unit vectors.
    """
    scores = state @ action.T
    own = scores.diagonal().unsqueeze(1)
    better, equal = (scores > own).sum(dim=1), (scores == own).sum(dim=1)
    return torch.where(better == 0, 1.0 / equal.clamp(min=1), 0.0)
