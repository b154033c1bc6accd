"""From trajectories to the columns of a StepTable, in one pass."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from cuascore.trajectories.step import Action, Step, Trajectory
from cuascore.trajectories.table import COMPLETION, LABELS, MAX_HISTORY, StepTable


def tabulate(trajectories: Iterable[Trajectory]) -> StepTable:
    """Return these trajectories as columns; a step's actions stand together, the executed one first."""
    texts: dict[str, int] = {"": 0}
    images: dict[Path | None, int] = {None: 0}
    states: dict[str, list[int]] = {name: [] for name in ("instruction", "observation", "reflection", "image")}
    actions: dict[str, list[int]] = {name: [] for name in ("description", "code", "intent", "state", "label")}
    coordinates: list[tuple[float, ...]] = []
    kinds: list[str] = []
    owner: list[int] = []
    completion: list[int] = []
    history: list[list[int]] = []
    executed: list[int] = []
    first_state: list[int] = []
    keys: list[str] = []
    platforms: list[str] = []

    def intern(text: str) -> int:
        return texts.setdefault(text, len(texts))

    def add_action(action: Action, label: str, state: int) -> None:
        actions["description"].append(intern(action.text))
        actions["code"].append(intern(action.code))
        actions["intent"].append(intern(action.intent))
        actions["state"].append(state)
        actions["label"].append(LABELS.index(label))
        coordinates.append(_coordinates(action))
        kinds.append(action.kind)

    for row, trajectory in enumerate(trajectories):
        keys.append(trajectory.key)
        platforms.append(trajectory.platform)
        first_state.append(len(owner))
        instruction = intern(trajectory.instruction)
        past: list[int] = []
        reflection = ""
        for step in trajectory.steps:
            state = len(owner)
            owner.append(row)
            completion.append(COMPLETION.index(trajectory.completed))
            states["instruction"].append(instruction)
            states["observation"].append(intern(_shown(step)))
            # A reflection is written after its own action: a state may only show the one before, and none across a gap.
            states["reflection"].append(intern(reflection if step.follows else ""))
            states["image"].append(images.setdefault(step.image, len(images)))
            history.append([-1] * (MAX_HISTORY - len(past)) + past)
            executed.append(len(kinds))
            add_action(step.action, step.label, state)
            for candidate in step.candidates:
                add_action(candidate.action, candidate.label, state)
            past = [*past, state][-MAX_HISTORY:]
            reflection = step.reflection

    def column(values: list[int]) -> np.ndarray:
        return np.array(values, np.int64)

    return StepTable(
        texts=list(texts),
        images=list(images),
        state_text={name: column(states[name]) for name in ("instruction", "observation", "reflection")},
        state_image=column(states["image"]),
        state_trajectory=column(owner),
        state_completion=column(completion),
        history=np.array(history, np.int64).reshape(-1, MAX_HISTORY),
        executed=column(executed),
        action_text={name: column(actions[name]) for name in ("description", "code", "intent")},
        coordinates=np.array(coordinates, np.float32).reshape(-1, 6),
        action_state=column(actions["state"]),
        action_label=column(actions["label"]),
        action_kind=kinds,
        trajectories=keys,
        platforms=platforms,
        first_state=column(first_state),
    )


def _shown(step: Step) -> str:
    """What a state says of the screen; a subtask is part of the agent's plan and stands before it."""
    return " ".join(filter(None, (f"Subtask: {step.subtask}" if step.subtask else "", step.observation)))


def _coordinates(action: Action) -> tuple[float, ...]:
    flat: list[float] = []
    for x, y in action.points[:2]:
        flat += [x, y, 1.0]
    return (*flat, *[0.0] * (6 - len(flat)))
