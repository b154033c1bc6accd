"""One training stage: batches, the Lightning trainer, and the files of the selected epoch."""

import logging
import warnings
from collections.abc import Sequence
from pathlib import Path

import torch
from pytorch_lightning import Trainer
from pytorch_lightning.callbacks import EarlyStopping
from pytorch_lightning.loggers import Logger

from cuascore.errors import UserError
from cuascore.trajectories.dataset import Dataset
from lightning_modules.intentscore.batches import TrainingBatches, ValidationBatches
from lightning_modules.intentscore.config import IntentScoreConfig
from lightning_modules.intentscore.features import FeatureBank
from lightning_modules.intentscore.module import IntentScoreModule
from lightning_modules.selection import MONITOR, CurvesLogger, KeepBest, load_weights

# Lightning greets every Trainer, on its logger.
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


def train(
    config: IntentScoreConfig,
    dataset: Dataset,
    bank: FeatureBank,
    platforms: tuple[str, ...],
    seed: int,
    epochs: int,
    folder: Path,
    phase: str,
    start: Path | None = None,
    loggers: Sequence[Logger] = (),
) -> None:
    """Train on some platforms and write the selected epoch's weights, its metrics and the curves into ``folder``.

    Args:
        epochs: at most this many; early stopping may end before.
        phase: "pretraining" or "training", written beside the curves.
        start: folder of a finished stage whose weights to begin with.

    Raises:
        UserError: there is nothing to train on or to select with.
        Diverged: the loss or the validation score is no number.
    """
    batches = TrainingBatches(dataset, bank, config, platforms, seed)
    validation = ValidationBatches(dataset, bank, config, platforms)
    if not len(validation.pairs):
        raise UserError(
            f"{', '.join(platforms)}: the validation part has no pair of adjacent steps to select a checkpoint with"
        )
    module = IntentScoreModule(config, bank.text_width, bank.vision_width, seed, steps=epochs * len(batches))
    if start is not None:
        load_weights(module, start)
    best, curves = KeepBest(), CurvesLogger()
    trainer = Trainer(
        accelerator="auto",
        devices=1,
        max_epochs=epochs,
        gradient_clip_val=config.training.gradient_clip,
        logger=[curves, *loggers],
        callbacks=[best, EarlyStopping(MONITOR, mode="max", patience=config.training.patience, check_finite=False)],
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
        log_every_n_steps=1,
    )
    with warnings.catch_warnings():
        # Lightning 2.6 over torch 2.14: its own pytree code, nothing that a user could mend.
        warnings.filterwarnings("ignore", message=".*treespec, LeafSpec.*", category=FutureWarning)
        trainer.fit(module, batches, validation)
    parameters = sum(parameter.numel() for parameter in module.parameters())
    best.save(
        folder,
        {
            "parameters": parameters,
            "text_width": bank.text_width,
            "vision_width": bank.vision_width,
            "model": config.model.model_dump(mode="json"),
            "epochs_run": trainer.current_epoch,
            "temperature": float(module.temperature.detach()),
        },
    )
    curves.write(folder, phase)


def load_module(config: IntentScoreConfig, bank: FeatureBank, folder: Path) -> IntentScoreModule:
    """Return a trained module in evaluation mode."""
    module = IntentScoreModule(config, bank.text_width, bank.vision_width, seed=0, steps=1)
    load_weights(module, folder)
    return module.eval()


@torch.no_grad()
def weights_digest(module: IntentScoreModule) -> list[float]:
    """Return two sums of each parameter tensor, enough to tell two trainings apart."""
    return [float(f(p.double())) for p in module.parameters() for f in (torch.sum, torch.norm)]
