"""Layers whose random streams belong to themselves: initialisation and dropout keyed by seed and name."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from cuascore.streams import stream


@contextmanager
def keyed_init(seed: int, name: str) -> Iterator[None]:
    """Draw the initial values of whatever is built inside from the stream (seed, "init", name)."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(stream(seed, "init", name))
        yield


class KeyedDropout(nn.Module):
    """Dropout with a generator of its own, so that another module's presence does not move its masks."""

    def __init__(self, rate: float, seed: int, name: str) -> None:
        super().__init__()
        self.rate = rate
        self._seed = stream(seed, "dropout", name)
        self._generator: torch.Generator | None = None

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.rate == 0:
            return x
        if self._generator is None or self._generator.device != x.device:
            self._generator = torch.Generator(x.device).manual_seed(self._seed)
        keep = torch.empty_like(x).bernoulli_(1 - self.rate, generator=self._generator)
        return x * keep.div_(1 - self.rate)


class Projection(nn.Sequential):
    """(…, in) to (…, out): linear, layer norm, GELU. One for each modality."""

    def __init__(self, width_in: int, width_out: int, seed: int, name: str) -> None:
        with keyed_init(seed, name):
            super().__init__(nn.Linear(width_in, width_out), nn.LayerNorm(width_out), nn.GELU())


class Tower(nn.Module):
    """Joined modalities (B, in) to a unit vector (B, out): two layers, then L2 normalisation."""

    def __init__(self, width_in: int, hidden: int, width_out: int, dropout: float, seed: int, name: str) -> None:
        super().__init__()
        # A stream each: the inner layer's size depends on the modalities, and must not move the outer one's draws.
        with keyed_init(seed, f"{name}.inner"):
            self.inner = nn.Linear(width_in, hidden)
        with keyed_init(seed, f"{name}.outer"):
            self.outer = nn.Linear(hidden, width_out)
        self.dropout = KeyedDropout(dropout, seed, name)

    def forward(self, x: Tensor) -> Tensor:
        x = self.dropout(nn.functional.gelu(self.inner(x)))
        return nn.functional.normalize(self.outer(x), dim=-1)
