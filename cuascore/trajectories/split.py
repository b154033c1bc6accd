"""Train, validation and test: cut between trajectories, never inside one, by ids and a seed of its own."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cuascore.errors import UserError
from cuascore.files import write_file
from cuascore.identity import digest
from cuascore.trajectories.step import Trajectory

PARTS = ("train", "validation", "test")
FRACTIONS = (0.6, 0.15, 0.25)
SHARED_STEPS = 0.8
"""Trajectories that share this much of the shorter one's (code, intent) steps are one recording under two names."""


@dataclass(frozen=True, slots=True)
class Split:
    """Part of each trajectory by key, and the group that holds near-identical ones together."""

    part_of: Mapping[str, str]
    group_of: Mapping[str, str]

    def save(self, path: Path) -> None:
        """Write the split as JSON, whole or not at all."""
        text = json.dumps({"part_of": dict(self.part_of), "group_of": dict(self.group_of)}, indent=1, sort_keys=True)
        write_file(path, text)

    @classmethod
    def load(cls, path: Path) -> "Split":
        """Read a saved split."""
        tree = json.loads(path.read_text(encoding="utf-8"))
        return cls(tree["part_of"], tree["group_of"])


def split_trajectories(
    trajectories: Iterable[Trajectory], *, seed: int, fractions: Sequence[float] = FRACTIONS
) -> Split:
    """Assign every trajectory to a part, platform by platform, near-identical ones together.

    The groups of a platform are dealt out in the order of a hash of (seed, group): neither the order of lines nor the
    training seed matters.

    Args:
        fractions: of train, validation and test; they sum to 1.

    Raises:
        UserError: a part would be empty.
    """
    if len(fractions) != len(PARTS) or abs(sum(fractions) - 1) > 1e-9 or min(fractions) < 0:
        raise UserError(f"split fractions {tuple(fractions)}: give three shares that sum to 1")
    members = sorted(trajectories, key=lambda trajectory: trajectory.key)
    group_of = near_identical(members)
    sizes = Counter(group_of.values())
    home: dict[str, str] = {}
    for trajectory in members:
        # A group with trajectories of several platforms is dealt out once, where its first member is.
        home.setdefault(group_of[trajectory.key], trajectory.platform)
    part_of_group: dict[str, str] = {}
    for platform in sorted(set(home.values())):
        groups = [group for group, where in home.items() if where == platform]
        groups.sort(key=lambda group: digest([seed, group]))
        part_of_group |= _cut(groups, sizes, fractions)
    part_of = {trajectory.key: part_of_group[group_of[trajectory.key]] for trajectory in members}
    counts = Counter(part_of.values())
    if empty := [part for part, share in zip(PARTS, fractions, strict=True) if share > 0 and not counts[part]]:
        raise UserError(
            f"split: no trajectory for {' and '.join(empty)}: {len(members)} trajectories"
            f" in {len(sizes)} groups are too few for fractions {tuple(fractions)}"
        )
    return Split(part_of, group_of)


def _cut(groups: Sequence[str], sizes: Mapping[str, int], fractions: Sequence[float]) -> dict[str, str]:
    """Deal the groups out in order, each to the part that lags furthest behind its share."""
    seen, held, parts = 0, [0] * len(PARTS), {}
    for group in groups:
        seen += sizes[group]
        lag = [share * seen - count for share, count in zip(fractions, held, strict=True)]
        place = lag.index(max(lag))
        parts[group] = PARTS[place]
        held[place] += sizes[group]
    return parts


def near_identical(trajectories: Sequence[Trajectory]) -> dict[str, str]:
    """Return key -> group: the smallest key of those that are joined.

    Joined are trajectories with the same ``group``, the same instruction and codes, a shared screenshot file, or at
    least 80 % of the shorter one's steps in common.
    """
    parent = {trajectory.key: trajectory.key for trajectory in trajectories}

    def root(key: str) -> str:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    def join(a: str, b: str) -> None:
        first, second = sorted((root(a), root(b)))
        parent[second] = first

    owner: dict[object, str] = {}
    for trajectory in trajectories:
        for mark in _marks(trajectory):
            join(owner.setdefault(mark, trajectory.key), trajectory.key)
    for a, b in _overlapping(trajectories):
        join(a, b)
    return {key: root(key) for key in parent}


def _marks(trajectory: Trajectory) -> Iterable[object]:
    yield ("group", trajectory.group)
    yield ("codes", " ".join(trajectory.instruction.lower().split()), tuple(s.action.code for s in trajectory.steps))
    yield from (("image", step.image) for step in trajectory.steps if step.image is not None)


COMMON = 50
"""A step that more trajectories share than this (an Enter without a thought) says nothing of being near-identical."""


def _overlapping(trajectories: Sequence[Trajectory]) -> Iterable[tuple[str, str]]:
    """Pairs that share enough steps, found through an index of steps and not by comparing all with all."""
    signatures = {t.key: {(s.action.code, s.action.intent) for s in t.steps if s.action.intent} for t in trajectories}
    holders: dict[object, list[str]] = {}
    for key, marks in signatures.items():
        for mark in marks:
            holders.setdefault(mark, []).append(key)
    shared: Counter[tuple[str, str]] = Counter()
    for keys in holders.values():
        if 1 < len(keys) <= COMMON:
            shared.update((a, b) for place, a in enumerate(keys) for b in keys[place + 1 :])
    for (a, b), count in shared.items():
        if count >= max(2, SHARED_STEPS * min(len(signatures[a]), len(signatures[b]))):
            yield a, b
