"""Pairs to rank: a state with a correct and an incorrect action, hard (an adjacent step's) or really incorrect."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from cuascore.identity import digest
from cuascore.trajectories.step import Label, Step, Trajectory

PairKind = Literal["hard", "real_incorrect"]
CAP = 2000


@dataclass(frozen=True, slots=True)
class ActionRef:
    """An action of a trajectory: the executed one of a step, or the candidate at a position of ``Step.candidates``."""

    step: int
    candidate: int | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """One comparison. ``step`` is the position of the state in ``Trajectory.steps``; both actions are scored in it."""

    kind: PairKind
    trajectory: str
    step: int
    correct: ActionRef
    incorrect: ActionRef


def make_pairs(trajectories: Iterable[Trajectory], *, seed: int, cap: int | None = CAP) -> list[Pair]:
    """Return the pairs of these trajectories, at most ``cap`` of each kind, chosen by a hash of (seed, pair).

    hard: a correct executed action against the executed action of step t-1 or t+1 of the same task, where no index is
    missing between them and the code differs. real incorrect: a correct action of a state against an action labelled
    incorrect: each of the state's own, and one executed elsewhere in the task where the state has none of its own.
    """
    found: dict[PairKind, list[Pair]] = {"hard": [], "real_incorrect": []}
    for trajectory in trajectories:
        for pair in (*_hard(trajectory), *_real_incorrect(trajectory, seed)):
            found[pair.kind].append(pair)
    chosen: list[Pair] = []
    for pairs in found.values():
        if cap is not None and len(pairs) > cap:
            pairs = sorted(pairs, key=lambda pair: _rank(seed, pair))[:cap]
        chosen += sorted(pairs, key=_place)
    return chosen


def _place(pair: Pair) -> tuple[object, ...]:
    refs = [(ref.step, -1 if ref.candidate is None else ref.candidate) for ref in (pair.correct, pair.incorrect)]
    return (pair.trajectory, pair.step, *refs)


def _rank(seed: int, pair: Pair) -> str:
    return digest([seed, pair.kind, *_place(pair)])


def _hard(trajectory: Trajectory) -> Iterator[Pair]:
    steps = trajectory.steps
    for position, step in enumerate(steps):
        if step.label is not Label.CORRECT:
            continue
        for other in (position - 1, position + 1):
            if not 0 <= other < len(steps) or not steps[max(position, other)].follows:
                continue
            if steps[other].action.code != step.action.code:
                yield Pair("hard", trajectory.key, position, ActionRef(position), ActionRef(other))


def _real_incorrect(trajectory: Trajectory, seed: int) -> Iterator[Pair]:
    wrong_steps = [place for place, step in enumerate(trajectory.steps) if step.label is Label.INCORRECT]
    for position, step in enumerate(trajectory.steps):
        correct = list(_refs(position, step, Label.CORRECT))
        incorrect = list(_refs(position, step, Label.INCORRECT))
        if not incorrect:
            incorrect = [ActionRef(place) for place in wrong_steps]
            incorrect.sort(key=lambda ref: digest([seed, trajectory.key, position, ref.step]))
            incorrect = incorrect[:1]
        for good in correct:
            good_code = _code(trajectory, good)
            for bad in incorrect:
                if _code(trajectory, bad) != good_code:
                    yield Pair("real_incorrect", trajectory.key, position, good, bad)


def _refs(position: int, step: Step, label: Label) -> Iterator[ActionRef]:
    if step.label is label:
        yield ActionRef(position)
    for place, candidate in enumerate(step.candidates):
        if candidate.label is label:
            yield ActionRef(position, place)


def _code(trajectory: Trajectory, ref: ActionRef) -> str:
    step = trajectory.steps[ref.step]
    return (step.action if ref.candidate is None else step.candidates[ref.candidate].action).code
