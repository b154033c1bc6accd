"""A data set made ready: read, split by trajectory, tabulated, with the pairs of each part."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from cuascore.config import Toggles
from cuascore.errors import UserError, nearest
from cuascore.identity import digest
from cuascore.trajectories.pairs import Pair, make_pairs
from cuascore.trajectories.problems import Problem
from cuascore.trajectories.readers import read_trajectories
from cuascore.trajectories.sources import DataSource, fingerprint, resolve_source
from cuascore.trajectories.split import Split, split_trajectories
from cuascore.trajectories.step import Trajectory
from cuascore.trajectories.table import PairRows, StepTable
from cuascore.trajectories.tabulate import tabulate

Part = Literal["train", "validation", "test"]
ALL = "all"


class DataConfig(Toggles):
    """Which data a study reads, and how it is cut. The folder is no part of it: content is what counts."""

    dataset: str = "miniwob"
    target: str = ALL
    """Platform that is trained for and tested on ("ubuntu", "windows", "mac"), or "all"."""
    split_seed: Annotated[int, Field(ge=0)] = 0
    """Of the split and of the choice of pairs; never the training seed."""
    pair_cap: Annotated[int, Field(ge=1)] = 2000
    """Most pairs of each kind in validation and in test."""


@dataclass(frozen=True)
class Dataset:
    """Everything a system needs to know of its data.

    Attributes:
        problems: what the reader dropped or doubted, as counts by kind.
    """

    config: DataConfig
    source: DataSource
    fingerprint: str
    trajectories: list[Trajectory]
    split: Split
    problems: Counter[str]
    _pairs: dict[tuple[str, tuple[str, ...]], list[Pair]] = field(default_factory=dict, repr=False)

    @property
    def identity(self) -> dict[str, str | int]:
        """What a stage that reads this data depends on."""
        return {"fingerprint": self.fingerprint, **dict(self.config.flat())}

    @cached_property
    def table(self) -> StepTable:
        """All steps as columns."""
        return tabulate(self.trajectories)

    @property
    def platforms(self) -> tuple[str, ...]:
        """The platforms that occur, sorted."""
        return tuple(sorted({trajectory.platform for trajectory in self.trajectories}))

    @property
    def target(self) -> tuple[str, ...]:
        """The platforms of the target."""
        return self.platforms if self.config.target == ALL else (self.config.target,)

    def members(self, part: Part, platforms: Iterable[str]) -> list[Trajectory]:
        """Return the trajectories of a part on some platforms."""
        wanted = set(platforms)
        return [t for t in self.trajectories if t.platform in wanted and self.split.part_of[t.key] == part]

    def pairs(self, part: Part, platforms: Iterable[str]) -> list[Pair]:
        """Return a part's pairs: all of them to train on, at most ``pair_cap`` of a kind elsewhere."""
        key = (part, tuple(sorted(platforms)))
        if key not in self._pairs:
            # Training takes every pair; the cap only keeps validation and test affordable.
            cap = None if part == "train" else self.config.pair_cap
            self._pairs[key] = make_pairs(self.members(part, key[1]), seed=self.config.split_seed, cap=cap)
        return self._pairs[key]

    def pair_rows(self, part: Part, platforms: Iterable[str]) -> PairRows:
        """Return a part's pairs as rows of the table."""
        return self.table.locate(self.pairs(part, platforms))


def load_dataset(config: DataConfig, root: Path | None) -> Dataset:
    """Read and split a data set.

    Args:
        root: its folder; None for the data set that the package ships.

    Raises:
        UserError: unknown data set or target, unreadable files, a part of the split without trajectories.
    """
    source = resolve_source(config.dataset, root)
    problems: Counter[str] = Counter()

    def count(problem: Problem) -> None:
        problems[problem.kind] += 1

    trajectories = list(read_trajectories(source, count))
    if not trajectories:
        raise UserError(f"{source.root}: no usable trajectory; `ablate data check` says why")
    found = {trajectory.platform for trajectory in trajectories}
    if config.target != ALL and config.target not in found:
        raise UserError(f"data.target={config.target!r}: not in this data; {nearest(config.target, {*found, ALL})}")
    split = split_trajectories(trajectories, seed=config.split_seed)
    return Dataset(config, source, fingerprint(source), trajectories, split, problems)


def data_digest(dataset: Dataset) -> str:
    """Return the digest under which a store keeps this data's split and pairs."""
    return digest(dataset.identity)
