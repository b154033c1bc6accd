"""The words of the house: a step, its action and label, and the trajectory that holds it."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Label(StrEnum):
    """Whether an action was right in its state. ``UNKNOWN`` is neither: it never becomes a positive or a negative."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Action:
    """One action as an agent proposes it.

    Attributes:
        text: the description in words ("Click the Submit button").
        code: pyautogui lines, joined by ``\\n``; x and y relative to the screen, in [0, 1].
        intent: the planning intent (AgentNet's ``thought``), "" where there is none.
        kind: name of the first call ("click", "write", "hotkey", ...), "" where the code is empty or does not parse.
        points: (x, y) of every call that has coordinates, in order, each in [0, 1].
    """

    text: str
    code: str
    intent: str = ""
    kind: str = ""
    points: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action that was proposed in a state but not executed there, with its label.

    Attributes:
        judgement: how the label came about ("progress", "wasted", "set-back", "fatal", "replaced", ...), "" if unsaid.
    """

    action: Action
    label: Label
    judgement: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One executed step: what the agent saw, what it did, and whether that was right.

    Attributes:
        index: the record's own index in its file.
        image: absolute path of the screenshot before the action, or None where it is missing.
        observation: description of the screen before the action.
        reflection: text written *after* this action about this action; a state may only show the previous step's.
        action: what was done.
        label: of this record's own action (AgentNet's ``last_step_correct`` labels its own record).
        redundant: None where the file does not say.
        judged: False for AgentNet's last record, whose "true" is a default and no verdict.
        follows: True where the previous record of the trajectory has index - 1 (no gap before this step).
        candidates: other actions proposed in this very state.
        subtask: the part of a plan that was being worked on (ScreenAgent), "" where there is none.
    """

    index: int
    image: Path | None
    observation: str
    reflection: str
    action: Action
    label: Label
    redundant: bool | None = None
    judged: bool = True
    follows: bool = True
    candidates: tuple[Candidate, ...] = ()
    subtask: str = ""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The executed steps of one task by one agent or person on one operating system.

    Attributes:
        key: unique in its data set (the task id, with ``#2`` and so on appended to a repeated one).
        platform: "ubuntu", "windows", "mac" or "unknown".
        completed: whether the task was completed; None where the file does not say.
        group: trajectories that share a group stay in one part of a split; defaults to ``key``.
        source: file name, and ``line`` its line number counted from 1.
    """

    key: str
    instruction: str
    platform: str
    completed: bool | None
    steps: tuple[Step, ...]
    group: str
    source: str
    line: int
