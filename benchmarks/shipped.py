"""The shipped data and the small preset, as the benchmarks use them."""

from pathlib import Path

from cuascore.trajectories.dataset import DataConfig, Dataset, load_dataset
from lightning_modules.intentscore.config import IntentScoreConfig
from lightning_modules.intentscore.features import FeatureBank, load_features
from lightning_modules.intentscore.presets import PRESETS


def shipped(store: Path) -> tuple[IntentScoreConfig, Dataset, FeatureBank]:
    """Return the small preset's config, the shipped data, and its features from ``store``."""
    config = IntentScoreConfig().override({**PRESETS["small"], "pretraining.kind": "none"})
    dataset = load_dataset(DataConfig(), None)
    return config, dataset, load_features(dataset, config.encoders, config.word_dropout, store)
