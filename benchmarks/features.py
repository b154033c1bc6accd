"""An epoch on cached features against an epoch that encodes its texts and screenshots."""

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.shipped import shipped
from benchmarks.timing import medians
from cuascore.encoders import text_encoder, vision_encoder
from cuascore.trajectories.images import open_image
from lightning_modules.intentscore.batches import TrainingBatches

SAMPLE_TEXTS, SAMPLE_IMAGES = 512, 128


def run(store: Path) -> Iterator[str]:
    """Yield the ratio; encoding is timed on a sample and scaled to what one epoch reads."""
    config, dataset, bank = shipped(store)
    batches = TrainingBatches(dataset, bank, config, dataset.target, seed=0)
    table = dataset.table
    texts = text_encoder(config.encoders.text, max_tokens=config.encoders.max_text_tokens)
    vision = vision_encoder(config.encoders.vision)
    strings = table.texts[1 : 1 + SAMPLE_TEXTS]
    images = [open_image(path) for path in table.images[1 : 1 + SAMPLE_IMAGES] if path is not None]
    texts.encode(strings[:8])
    vision.encode(images[:8])
    started = time.perf_counter()
    texts.encode(strings)
    each_text = (time.perf_counter() - started) / len(strings)
    started = time.perf_counter()
    vision.encode(images)
    each_image = (time.perf_counter() - started) / len(images)

    def gather() -> None:
        for _ in batches:
            pass

    cached = medians(3, gather=gather)["gather"]
    anchors, history = len(batches.anchors), config.model.history.length
    # Each anchor shows a screenshot, three texts and its past; two actions of three texts each.
    encoded = anchors * ((1 + history) * each_image + (3 + history + 6) * each_text)
    yield (
        f"encoded each epoch / cached = {encoded / cached:.0f}"
        f" ({encoded:.0f} s and {cached:.2f} s an epoch of {anchors} anchors;"
        f" {1 / each_text:.0f} texts/s, {1 / each_image:.0f} screenshots/s)"
    )
