"""Word dropout over frozen encoders: each string has a few shortened variants, embedded once like any other text."""

import random

from cuascore.streams import stream
from lightning_modules.intentscore.config import WordDropoutConfig


def shortened(text: str, config: WordDropoutConfig) -> tuple[str, ...]:
    """Return ``config.variants`` copies of a text, each without 30 to 50 % (the config's range) of its words.

    The draws depend on the text and the variant's number alone, never on a cell's seed: that is what makes the features
    shareable. At least one word stays; a text of one word is returned as it is.
    """
    words = text.split()
    if len(words) < 2:
        return (text,) * config.variants
    return tuple(
        _drop(words, config, random.Random(stream(0, "word_dropout", text, n))) for n in range(config.variants)
    )


def _drop(words: list[str], config: WordDropoutConfig, draw: random.Random) -> str:
    lost = round(draw.uniform(config.rate_min, config.rate_max) * len(words))
    kept = sorted(draw.sample(range(len(words)), max(1, len(words) - lost)))
    return " ".join(words[position] for position in kept)
