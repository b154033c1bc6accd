"""IntentScore as the harness sees it: pretraining, training, evaluation, and what each of them depends on."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from cuascore.encoders import EncoderUnavailable, check_available
from cuascore.errors import UserError
from cuascore.identity import digest
from cuascore.intentscore.scorer import check_built
from cuascore.trajectories.dataset import Dataset
from lightning_modules.intentscore.batches import TrainingBatches
from lightning_modules.intentscore.config import IntentScoreConfig
from lightning_modules.intentscore.evaluation import evaluate
from lightning_modules.intentscore.features import FeatureBank, blank_features, load_features, random_features
from lightning_modules.intentscore.module import IntentScoreModule
from lightning_modules.intentscore.presets import PRESETS
from lightning_modules.intentscore.training import load_module, train, weights_digest
from lightning_modules.system import StageContext, StageSpec

VERSION = {"pretraining": 1, "training": 1, "evaluation": 1}
"""Raised by hand when a stage's code changes what it computes."""
TIMED_STEPS = 3


class IntentScoreSystem:
    """arXiv 2604.05157."""

    name = "intentscore"
    config_type = IntentScoreConfig
    presets = PRESETS

    def __init__(self) -> None:
        self._banks: dict[str, FeatureBank] = {}

    def gap(self, config: IntentScoreConfig, dataset: Dataset) -> str | None:
        try:
            check_built(config.model)
            check_available("text", config.encoders.text)
            check_available("vision", config.encoders.vision)
        except (EncoderUnavailable, UserError) as error:
            return str(error)
        sources = self._sources(config, dataset)
        if absent := sorted(set(sources) - set(dataset.platforms)):
            return (
                f"no trajectories of {', '.join(absent)} to pretrain on (this data has {', '.join(dataset.platforms)})"
            )
        if config.pretraining.kind == "cross_os" and set(sources) <= set(dataset.target):
            return f"cross-OS pretraining needs other platforms than the target's ({', '.join(dataset.target)})"
        if config.negatives.kind == "incorrect" and config.loss.margin_weight > 0:
            pairs = dataset.pairs("train", dataset.target)
            if not any(pair.kind == "real_incorrect" for pair in pairs):
                return "no incorrect actions in the training part to rank against (negatives.kind=incorrect)"
        return None

    def stages(
        self, config: IntentScoreConfig, dataset: Dataset, seed: int, features: Mapping[str, str]
    ) -> list[StageSpec]:
        chain: list[StageSpec] = []
        second = config
        if config.pretraining.kind != "none":
            first = config.model_dump(mode="json")
            first["pretraining"] = {"epochs": config.pretraining.epochs, "on": list(self._sources(config, dataset))}
            chain.append(self._spec("pretraining", first, dataset, seed, features, {}))
            second = config.finetuning()
        own = second.model_dump(mode="json", exclude={"pretraining"})
        parents = {stage.kind: stage.digest for stage in chain}
        chain.append(self._spec("training", own, dataset, seed, features, parents))
        chain.append(self._spec("evaluation", {}, dataset, seed, features, {"training": chain[-1].digest}))
        return chain

    def prepare(self, config: IntentScoreConfig, dataset: Dataset, store: Path) -> dict[str, str]:
        return {"features": self._bank(config, dataset, store).fingerprint}

    def run(self, stage: StageSpec, config: IntentScoreConfig, context: StageContext) -> None:
        dataset = context.dataset
        bank = self._bank(config, dataset, context.store)
        if stage.kind == "evaluation":
            module = load_module(config, bank, context.parents["training"])
            evaluate(module, dataset, bank, context.parents["training"], context.folder)
            return
        phases = self._phases(config, dataset)
        phase, platforms, epochs = phases[0 if stage.kind == "pretraining" else -1]
        train(
            phase,
            dataset,
            bank,
            platforms,
            context.seed,
            epochs=epochs,
            folder=context.folder,
            phase=stage.kind,
            start=context.parents.get("pretraining"),
            loggers=context.loggers,
        )

    def longest(self, config: IntentScoreConfig, dataset: Dataset) -> float:
        bank = blank_features(dataset, config.word_dropout)
        seconds = 0.0
        for phase, platforms, epochs in self._phases(config, dataset):
            batches = TrainingBatches(dataset, bank, phase, platforms, seed=0)
            module = IntentScoreModule(phase, bank.text_width, bank.vision_width, seed=0, steps=TIMED_STEPS)
            optimizer = module.configure_optimizers()["optimizer"]
            started = time.perf_counter()
            steps = len(list(_take_steps(module, optimizer, batches, TIMED_STEPS)))
            seconds += (time.perf_counter() - started) / steps * len(batches) * epochs
        return seconds

    def probe(self, config: IntentScoreConfig, dataset: Dataset, steps: int) -> str:
        bank = random_features(dataset, config.word_dropout)
        found: list[Any] = [config.encoders.model_dump(mode="json")]
        weights = None
        for phase, platforms, _ in self._phases(config, dataset):
            small = phase.override({"training.batch_size": min(phase.training.batch_size, 64)})
            batches = TrainingBatches(dataset, bank, small, platforms, seed=0)
            module = IntentScoreModule(phase, bank.text_width, bank.vision_width, seed=0, steps=steps)
            if weights is not None:
                module.load_state_dict(weights)
            optimizer = module.configure_optimizers()["optimizer"]
            found += _take_steps(module, optimizer, batches, steps)
            found.append(weights_digest(module))
            weights = module.state_dict()
        return digest(found)

    def _spec(
        self,
        kind: str,
        config: Mapping[str, Any],
        dataset: Dataset,
        seed: int,
        features: Mapping[str, str],
        parents: Mapping[str, str],
    ) -> StageSpec:
        data = dict(dataset.identity)
        if kind == "pretraining":
            # It reads the platforms its config names, whatever the target: studies of other targets share it.
            del data["target"]
        reads = {
            "system": self.name,
            "version": VERSION[kind],
            "config": dict(config),
            "seed": seed,
            "data": data,
            **features,
        }
        return StageSpec(kind, reads, parents)

    def _phases(
        self, config: IntentScoreConfig, dataset: Dataset
    ) -> list[tuple[IntentScoreConfig, tuple[str, ...], int]]:
        """Config, platforms and epochs of each training stage, in order."""
        if config.pretraining.kind == "none":
            return [(config, dataset.target, config.training.epochs)]
        second = config.finetuning()
        return [
            (config, self._sources(config, dataset), config.pretraining.epochs),
            (second, dataset.target, second.training.epochs),
        ]

    def _sources(self, config: IntentScoreConfig, dataset: Dataset) -> tuple[str, ...]:
        if config.pretraining.kind == "none" or config.pretraining.kind == "target_longer":
            return dataset.target
        return config.pretraining.sources or dataset.platforms

    def _bank(self, config: IntentScoreConfig, dataset: Dataset, store: Path) -> FeatureBank:
        key = digest(
            [
                dataset.identity,
                config.encoders.model_dump(mode="json"),
                config.word_dropout.model_dump(mode="json"),
                str(store),
            ]
        )
        if key not in self._banks:
            self._banks = {key: load_features(dataset, config.encoders, config.word_dropout, store)}
        return self._banks[key]


def _take_steps(
    module: IntentScoreModule, optimizer: torch.optim.Optimizer, batches: TrainingBatches, steps: int
) -> Iterator[dict[str, float]]:
    """Take a few optimiser steps, and yield the losses of each."""
    for batch, _ in zip(batches, range(steps), strict=False):
        parts = module.losses(batch)
        optimizer.zero_grad()
        parts["loss"].backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), module.config.training.gradient_clip)
        optimizer.step()
        yield {name: float(part.detach()) for name, part in parts.items()}


SYSTEM = IntentScoreSystem()
