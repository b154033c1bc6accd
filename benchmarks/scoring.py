"""Time to score one step's candidates: features given, and with their texts encoded."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from benchmarks.shipped import shipped
from benchmarks.timing import medians
from cuascore.encoders import text_encoder
from lightning_modules.intentscore.module import IntentScoreModule

CANDIDATES, REPETITIONS = 3, 200


def run(store: Path) -> Iterator[str]:
    """Yield the ratio and the milliseconds, on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield from _run(store)
    finally:
        torch.set_num_threads(threads)


def _run(store: Path) -> Iterator[str]:
    config, dataset, bank = shipped(store)
    scorer = IntentScoreModule(config, bank.text_width, bank.vision_width, seed=0, steps=1).scorer.eval()
    state_row, actions = np.array([0]), np.arange(CANDIDATES)
    state = bank.states(state_row, actions[:1], config.model.history.length)
    action = bank.actions(actions)
    encoder = text_encoder(config.encoders.text, max_tokens=config.encoders.max_text_tokens)
    table = dataset.table
    texts = [table.texts[table.action_text[name][row]] for row in actions for name in ("description", "code", "intent")]

    @torch.inference_mode()
    def given() -> None:
        scorer.action_encoder(action) @ scorer.state_encoder(state).T

    def with_text() -> None:
        encoder.encode(texts)
        given()

    found = medians(REPETITIONS, given=given)["given"], medians(REPETITIONS // 10, text=with_text)["text"]
    yield (
        f"with text encoding / features given = {found[1] / found[0]:.0f}"
        f" ({1000 * found[1] / CANDIDATES:.2f} and {1000 * found[0] / CANDIDATES:.3f} ms a candidate,"
        f" N = {CANDIDATES}, one thread, state included)"
    )
