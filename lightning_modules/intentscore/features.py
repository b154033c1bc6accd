"""From rows of a StepTable to the network's inputs: index gathers over cached features."""

from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from cuascore.encoders import FeatureStore
from cuascore.identity import digest
from cuascore.intentscore.inputs import ActionInputs, StateInputs
from cuascore.streams import stream
from cuascore.trajectories.dataset import Dataset
from cuascore.trajectories.table import Ids, StepTable
from lightning_modules.intentscore.config import EncodersConfig, WordDropoutConfig
from lightning_modules.intentscore.word_dropout import shortened

FULL = -1
"""Variant number of an action that shows its whole text."""
SHORTENED_TEXTS = ("description", "code")


class Features(Protocol):
    """Vectors of a sequence of texts or images, by position in it."""

    @property
    def width(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    def gather(self, indices: Ids) -> NDArray[np.float32]: ...


class RandomFeatures:
    """Vectors drawn by position: enough to see whether a toggle reaches the run, with no encoder at hand."""

    fingerprint = "random"

    def __init__(self, width: int, name: str) -> None:
        self.width, self.name = width, name

    def gather(self, indices: Ids) -> NDArray[np.float32]:
        flat, inverse = np.unique(indices, return_inverse=True)
        rows = [np.random.default_rng(stream(0, "probe", self.name, int(i))).standard_normal(self.width) for i in flat]
        return np.stack(rows).astype(np.float32)[inverse].reshape(*indices.shape, self.width)


class BlankFeatures:
    """Zeros of a real encoder's width: a timed step costs what it will cost, with no encoder at hand."""

    fingerprint = "blank"

    def __init__(self, width: int) -> None:
        self.width = width

    def gather(self, indices: Ids) -> NDArray[np.float32]:
        return np.zeros((*indices.shape, self.width), np.float32)


class FeatureBank:
    """Answers with StateInputs and ActionInputs for rows of a table.

    Args:
        table: states and actions.
        texts: features of ``strings``; images: features of ``table.images[1:]``.
        strings: position of every string, the variants of word dropout included.
        variants: "description" and "code" -> (A, V) positions of an action's shortened texts.
    """

    def __init__(self, table: StepTable, texts: Features, images: Features, variants: dict[str, Ids]) -> None:
        self.table, self.texts, self.images = table, texts, images
        self.text_width, self.vision_width = texts.width, images.width
        self.fingerprint = digest({"texts": texts.fingerprint, "images": images.fingerprint})
        self._variants = variants

    def states(self, rows: Ids, actions: Ids, history: int) -> StateInputs:
        """Return the inputs of states (B,).

        Args:
            actions: (B,) those at hand, whose intent a state may read.
            history: how many earlier steps to show.
        """
        table = self.table
        past = table.history[rows, -max(history, 1) :]
        mask = past >= 0
        safe = np.where(mask, past, 0)
        history_action = np.where(mask, table.action_text["description"][table.executed[safe]], 0)
        return StateInputs(
            vision=self._image(table.state_image[rows]),
            instruction=self._text(table.state_text["instruction"][rows]),
            observation=self._text(table.state_text["observation"][rows]),
            reflection=self._text(table.state_text["reflection"][rows]),
            intent=self.intents(actions),
            history_vision=self._image(np.where(mask, table.state_image[safe], 0)),
            history_action=self._text(history_action),
            history_mask=torch.from_numpy(mask),
        )

    def actions(self, rows: Ids, variants: Ids | None = None) -> ActionInputs:
        """Return the inputs of actions (B,); ``variants`` (B,) are numbers of word-dropout variants or ``FULL``."""
        table = self.table
        texts = {name: table.action_text[name][rows] for name in SHORTENED_TEXTS}
        if variants is not None:
            for name in SHORTENED_TEXTS:
                short = self._variants[name][rows, np.maximum(variants, 0)]
                texts[name] = np.where(variants == FULL, texts[name], short)
        return ActionInputs(
            description=self._text(texts["description"]),
            code=self._text(texts["code"]),
            intent=self.intents(rows),
            coordinates=torch.from_numpy(table.coordinates[rows]),
        )

    def intents(self, actions: Ids) -> torch.Tensor:
        """Return the intents of actions, (B, Dt)."""
        return self._text(self.table.action_text["intent"][actions])

    def _text(self, rows: Ids) -> torch.Tensor:
        return torch.from_numpy(self.texts.gather(rows))

    def _image(self, rows: Ids) -> torch.Tensor:
        # Row 0 of the table is "no image"; the feature sequence starts at row 1.
        vectors = self.images.gather(np.maximum(rows - 1, 0))
        if (rows == 0).any():
            vectors = np.where((rows == 0)[..., None], np.float32(0), vectors)
        return torch.from_numpy(vectors)


def load_features(
    dataset: Dataset, encoders: EncodersConfig, word_dropout: WordDropoutConfig, store: Path, progress: bool = True
) -> FeatureBank:
    """Embed whatever of this data is not in the store yet, and return its features.

    Raises:
        EncoderUnavailable: weights are neither on this machine nor allowed to be downloaded.
    """
    features = FeatureStore(store)
    strings, variants = _texts(dataset, word_dropout)
    paths = [path for path in dataset.table.images if path is not None]
    texts = features.ensure_texts(encoders.text, strings, max_tokens=encoders.max_text_tokens, progress=progress)
    images = features.ensure_images(encoders.vision, paths, progress=progress)
    return FeatureBank(dataset.table, texts, images, variants)


def random_features(dataset: Dataset, word_dropout: WordDropoutConfig, width: int = 16) -> FeatureBank:
    """Return a bank of random vectors, for probes."""
    _, variants = _texts(dataset, word_dropout)
    return FeatureBank(dataset.table, RandomFeatures(width, "text"), RandomFeatures(width, "image"), variants)


def blank_features(dataset: Dataset, word_dropout: WordDropoutConfig, width: int = 768) -> FeatureBank:
    """Return a bank of zeros, for timing."""
    _, variants = _texts(dataset, word_dropout)
    return FeatureBank(dataset.table, BlankFeatures(width), BlankFeatures(width), variants)


def _texts(dataset: Dataset, config: WordDropoutConfig) -> tuple[list[str], dict[str, Ids]]:
    """Return every string to embed, the table's own first and in its order, and the variants' positions."""
    table = dataset.table
    strings = {text: row for row, text in enumerate(table.texts)}
    trained = np.array([dataset.split.part_of[key] == "train" for key in table.trajectories], bool)
    trained = trained[table.state_trajectory[table.action_state]]
    variants: dict[str, Ids] = {}
    for name in SHORTENED_TEXTS:
        rows = table.action_text[name]
        # Only training shows shortened texts: the others are their own variant and cost no embedding.
        variants[name] = np.repeat(rows[:, None], config.variants, axis=1)
        if config.probability > 0:
            for row in np.unique(rows[trained]).tolist():
                short = [strings.setdefault(text, len(strings)) for text in shortened(table.texts[row], config)]
                variants[name][rows == row] = short
    return list(strings), variants
