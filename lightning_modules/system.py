"""What the harness asks of a system that can be ablated. IntentScore is the first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pytorch_lightning.loggers import Logger

from cuascore.config import Toggles
from cuascore.identity import digest
from cuascore.trajectories.dataset import Dataset


@dataclass(frozen=True)
class StageSpec:
    """A unit of cached work.

    Attributes:
        kind: "pretraining", "training", "evaluation", ...; unique within a cell.
        reads: exactly what the work depends on: its code version, its part of the config, seed, data.
        parents: kind -> digest of the stages whose results it reads.
    """

    kind: str
    reads: Mapping[str, Any]
    parents: Mapping[str, str]

    @cached_property
    def digest(self) -> str:
        """The stage's identity, 64 hex digits."""
        return digest({"kind": self.kind, "reads": dict(self.reads), "parents": dict(self.parents)})


@dataclass(frozen=True)
class StageContext:
    """What a running stage is given.

    Attributes:
        folder: where to write; renamed into the store when the stage returns.
        parents: kind -> folder of a finished stage.
        store: root of the store (features live there).
        loggers: Lightning loggers of the cell, to be passed to a Trainer.
    """

    folder: Path
    parents: Mapping[str, Path]
    store: Path
    dataset: Dataset
    seed: int
    loggers: Sequence[Logger] = ()


C = TypeVar("C", bound=Toggles)


class System(Protocol, Generic[C]):
    """Something that can be ablated: a config tree, its stages and its outcomes."""

    name: str
    config_type: type[C]
    presets: Mapping[str, Mapping[str, Any]]
    """Named overrides, e.g. "small" for data sets of a few thousand steps."""

    def gap(self, config: C, dataset: Dataset) -> str | None:
        """Say why a row cannot run on this data and this machine, or None where it can."""
        ...

    def stages(self, config: C, dataset: Dataset, seed: int, features: Mapping[str, str]) -> list[StageSpec]:
        """Return the chain of a cell, in order of work; the last one evaluates."""
        ...

    def prepare(self, config: C, dataset: Dataset, store: Path) -> dict[str, str]:
        """Compute what all seeds share (features), and return its fingerprints."""
        ...

    def run(self, stage: StageSpec, config: C, context: StageContext) -> None:
        """Do one stage's work, writing into ``context.folder``."""
        ...

    def longest(self, config: C, dataset: Dataset) -> float:
        """Return the seconds that training one seed can take here, by a few timed steps."""
        ...

    def probe(self, config: C, dataset: Dataset, steps: int) -> str:
        """Train a few steps on random features; two rows with equal answers differ in no toggle that has effect."""
        ...
