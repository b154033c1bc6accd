"""Small trajectories and folders for the tests of this room."""

import json
from pathlib import Path
from typing import Any

from PIL import Image

from cuascore.trajectories import Action, Candidate, DataSource, Label, Problem, Step, Trajectory, resolve_source
from cuascore.trajectories.readers import read_trajectories


def value(**changes: Any) -> dict[str, Any]:
    """The value of a good record."""
    return {
        "observation": "A window",
        "thought": "I press Save",
        "action": "Click Save",
        "code": "pyautogui.click(x=0.5, y=0.5)",
        "last_step_correct": True,
        "last_step_redundant": False,
        "reflection": "Saved",
        **changes,
    }


def record(index: int, image: str = "a.png", **changes: Any) -> dict[str, Any]:
    """A good record."""
    return {"index": index, "image": image, "value": value(**changes)}


def task(identity: str = "t1", *records: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A good task; two records unless others are given."""
    chosen = list(records) or [record(0), record(1, code="pyautogui.press(keys=['enter'])")]
    return {
        "task_id": identity,
        "instruction": "Save it",
        "task_completed": True,
        "os": "ubuntu",
        "traj": chosen,
        **changes,
    }


def folder(path: Path, *tasks: Any, name: str = "data.jsonl", dataset: str = "folder") -> DataSource:
    """Write tasks (or raw lines) and one screenshot, and return the source."""
    (path / "images").mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (16, 10)).save(path / "images" / "a.png")
    lines = [line if isinstance(line, str) else json.dumps(line) for line in tasks]
    (path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return resolve_source(dataset, path)


def read(source: DataSource, **options: Any) -> tuple[list[Trajectory], list[Problem]]:
    """Read everything, and return what was found wrong."""
    problems: list[Problem] = []
    return list(read_trajectories(source, problems.append, **options)), problems


def kinds(problems: list[Problem]) -> list[str]:
    """The kinds of problems, in order."""
    return [problem.kind for problem in problems]


def step(index: int, label: str = "correct", code: str | None = None, follows: bool = True, **changes: Any) -> Step:
    """A step whose code is its index unless another is given."""
    action = Action(f"do {index}", f"press({index})" if code is None else code, intent=f"I do {index}", kind="press")
    return Step(index, None, f"screen {index}", f"did {index}", action, Label(label), follows=follows, **changes)


def candidate(name: str, label: str) -> Candidate:
    """A candidate with a code of its own."""
    return Candidate(Action(name, f"press({name!r})"), Label(label))


def trajectory(key: str, *steps: Step, **changes: Any) -> Trajectory:
    """A trajectory of its own group."""
    facts = {
        "instruction": f"do {key}",
        "platform": "ubuntu",
        "completed": True,
        "group": key,
        "source": "x",
        "line": 1,
    }
    return Trajectory(key=key, steps=steps, **{**facts, **changes})
