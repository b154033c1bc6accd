"""Keeping the selected checkpoint and the learning curves: what a stage writes when training ends."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import torch
from pytorch_lightning import Callback, LightningModule, Trainer
from pytorch_lightning.loggers import Logger
from safetensors.torch import load_file, save_file

from cuascore.errors import UserError

MONITOR = "validation/selection"


class Diverged(UserError):
    """A loss or a validation score stopped being a number: the run is a failure, never a value."""


class KeepBest(Callback):
    """Holds the weights of the epoch with the best validation score; an equal later epoch does not replace it."""

    def __init__(self) -> None:
        self.epoch = -1
        self.metrics: dict[str, float] = {}
        self._weights: dict[str, torch.Tensor] = {}

    def on_validation_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        metrics = {name: float(value) for name, value in trainer.callback_metrics.items()}
        if not math.isfinite(metrics[MONITOR]):
            raise Diverged(f"diverged: {MONITOR} is {metrics[MONITOR]} at epoch {trainer.current_epoch}")
        if not self._weights or metrics[MONITOR] > self.metrics[MONITOR]:
            self.epoch = trainer.current_epoch
            self.metrics = {name: value for name, value in metrics.items() if name.startswith("validation/")}
            self._weights = {name: value.detach().cpu().clone() for name, value in pl_module.state_dict().items()}

    def save(self, folder: Path, facts: dict[str, Any]) -> None:
        """Write ``weights.safetensors`` and ``selection.json`` (epoch, metrics of that epoch, facts)."""
        save_file(self._weights, folder / "weights.safetensors")
        chosen = {"selected_epoch": self.epoch, "metrics": self.metrics, **facts}
        (folder / "selection.json").write_text(json.dumps(chosen, indent=1, sort_keys=True))


def load_weights(module: torch.nn.Module, folder: Path) -> None:
    """Load a stage's ``weights.safetensors`` into a module; every name and shape must fit."""
    module.load_state_dict(load_file(folder / "weights.safetensors"))


class CurvesLogger(Logger):
    """A Lightning logger that gathers the epoch's metrics and writes them as ``curves.csv``."""

    def __init__(self) -> None:
        super().__init__()
        self.epochs: dict[int, dict[str, float]] = {}

    @property
    def name(self) -> str:
        return "curves"

    @property
    def version(self) -> str:
        return ""

    def log_hyperparams(self, params: Any, *args: Any, **kwargs: Any) -> None:
        """Nothing: ``stage.json`` holds the resolved config."""

    def log_metrics(self, metrics: dict[str, float], step: int | None = None) -> None:
        values = dict(metrics)
        epoch = int(values.pop("epoch"))
        for name, value in values.items():
            if name.startswith("train/") and not math.isfinite(value):
                raise Diverged(f"diverged: {name} is {value} at epoch {epoch}")
        self.epochs.setdefault(epoch, {}).update(values)

    def write(self, folder: Path, phase: str) -> None:
        """Write one line an epoch: epoch, phase, then every metric that was logged."""
        names = sorted({name for values in self.epochs.values() for name in values})
        with (folder / "curves.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["epoch", "phase", *names])
            for epoch, values in sorted(self.epochs.items()):
                writer.writerow([epoch, phase, *(values.get(name, "") for name in names)])
