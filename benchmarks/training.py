"""Lightning against a bare PyTorch loop: same batches, losses, optimiser and schedule on the same cached features."""

import logging
from collections.abc import Iterator
from pathlib import Path

import torch
from pytorch_lightning import Trainer

from benchmarks.shipped import shipped
from benchmarks.timing import medians
from lightning_modules.intentscore.batches import TrainingBatches
from lightning_modules.intentscore.module import IntentScoreModule

EPOCHS, REPETITIONS = 10, 7


def run(store: Path) -> Iterator[str]:
    """Yield the ratio of training time, validation left out of both."""
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    config, dataset, bank = shipped(store)

    def parts() -> tuple[TrainingBatches, IntentScoreModule]:
        batches = TrainingBatches(dataset, bank, config, dataset.target, seed=0)
        return batches, IntentScoreModule(config, bank.text_width, bank.vision_width, 0, EPOCHS * len(batches))

    def with_lightning() -> None:
        batches, module = parts()
        trainer = Trainer(
            accelerator="cpu",
            max_epochs=EPOCHS,
            gradient_clip_val=config.training.gradient_clip,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        trainer.fit(module, batches)

    def bare() -> None:
        batches, module = parts()
        chosen = module.configure_optimizers()
        optimizer, schedule = chosen["optimizer"], chosen["lr_scheduler"]["scheduler"]
        for _ in range(EPOCHS):
            for batch in batches:
                optimizer.zero_grad()
                module.losses(batch)["loss"].backward()
                torch.nn.utils.clip_grad_norm_(module.parameters(), config.training.gradient_clip)
                optimizer.step()
                schedule.step()

    found = medians(REPETITIONS, lightning=with_lightning, bare=bare)
    steps = EPOCHS * len(parts()[0])
    yield (
        f"Lightning / bare PyTorch = {found['lightning'] / found['bare']:.2f}"
        f" ({1000 * found['lightning'] / steps:.1f} and {1000 * found['bare'] / steps:.1f} ms a step,"
        f" batch {config.training.batch_size}, {EPOCHS} epochs, set-up included in both)"
    )
