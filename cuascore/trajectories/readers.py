"""Reading a data set: one pass, one line at a time, every record checked."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from cuascore.errors import UserError
from cuascore.trajectories.problems import Findings, OnProblem, Problem
from cuascore.trajectories.records import TERMINATE, BadRecord, read_step
from cuascore.trajectories.sources import DataSource
from cuascore.trajectories.step import Label, Step, Trajectory

SPELLINGS = {
    "ubuntu": "ubuntu",
    "linux": "ubuntu",
    "windows": "windows",
    "win": "windows",
    "win32": "windows",
    "win10": "windows",
    "win11": "windows",
    "darwin": "mac",
    "mac": "mac",
    "macos": "mac",
    "osx": "mac",
}
"""Whole words only: "Darwin" contains "win"."""


def platform_of(name: object) -> str:
    """Return "ubuntu", "windows", "mac", or "unknown" for a platform as somebody spelt it."""
    words = str(name).lower().replace("_", " ").replace("-", " ").split() if name else []
    return next((SPELLINGS[word] for word in words if word in SPELLINGS), "unknown")


def read_trajectories(
    source: DataSource, on_problem: OnProblem | None = None, *, keep_going: bool = False
) -> Iterator[Trajectory]:
    """Yield the trajectories of a data set in the order of its files.

    Args:
        on_problem: called with each finding.
        keep_going: report malformed lines as problems instead of stopping at the first.

    Raises:
        UserError: a line is no JSON, and ``keep_going`` is False.
    """
    report: OnProblem = on_problem or (lambda problem: None)
    systems = _systems(source.meta, report, keep_going) if source.meta else {}
    folders = source.image_folders
    seen: dict[str, int] = {}
    for file in source.files:
        named = next((platform for part, platform in source.layout.platforms if part in file.name), None)
        for line, task in _lines(file, report, keep_going):
            findings = Findings(report, file.name, line)
            try:
                yield _trajectory(source, task, named, systems, folders, seen, findings)
            except BadRecord as bad:
                findings.add("bad task", str(bad))


def _lines(file: Path, report: OnProblem, keep_going: bool) -> Iterator[tuple[int, Any]]:
    empty = True
    try:
        with file.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.strip():
                    continue
                empty = False
                try:
                    yield number, orjson.loads(line)
                except orjson.JSONDecodeError as error:
                    if not keep_going:
                        raise UserError(
                            f"{file}:{number}: not valid JSON ({error}); `ablate data check` lists every such line"
                        ) from None
                    report(Problem("malformed line", file.name, number, str(error)))
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror})") from None
    if empty:
        report(Problem("empty file", file.name, 0, "no line in it"))


def _systems(meta: Path, report: OnProblem, keep_going: bool) -> dict[str, str]:
    """Task id -> platform, from the file that names the operating system."""
    return {
        str(task["task_id"]): platform_of(task.get("system"))
        for _, task in _lines(meta, report, keep_going)
        if isinstance(task, Mapping) and "task_id" in task
    }


def _trajectory(
    source: DataSource,
    task: Any,
    named: str | None,
    systems: Mapping[str, str],
    folders: tuple[Path, ...],
    seen: dict[str, int],
    findings: Findings,
) -> Trajectory:
    if not isinstance(task, Mapping) or not isinstance(task.get("traj"), list):
        raise BadRecord("no object with a list 'traj'")
    identity, instruction = task.get("task_id"), task.get("instruction")
    if not isinstance(identity, str) or not identity:
        raise BadRecord(f"task_id {identity!r} is no text")
    if not isinstance(instruction, str):
        raise BadRecord(f"task {identity}: instruction {instruction!r} is no text")
    steps = _steps(task["traj"], source, folders, findings)
    if not steps:
        findings.add("no steps", f"task {identity}")
        raise BadRecord(f"task {identity}: no usable step")
    if len(steps) == 1:
        findings.add("one step", f"task {identity}")
    platform = systems.get(identity) or (platform_of(task["os"]) if task.get("os") else named) or "unknown"
    if platform == "unknown":
        findings.add("unknown platform", f"task {identity}: {task.get('os')!r}")
    seen[identity] = seen.get(identity, 0) + 1
    key = identity if seen[identity] == 1 else f"{identity}#{seen[identity]}"
    if key != identity:
        findings.add("repeated task id", f"{identity}, now {key}")
    completed, group = task.get("task_completed"), task.get("group")
    return Trajectory(
        key=key,
        instruction=instruction,
        platform=platform,
        completed=completed if isinstance(completed, bool) else None,
        steps=steps,
        group=group if isinstance(group, str) and group else key,
        source=findings.file,
        line=findings.line,
    )


def _steps(records: list[Any], source: DataSource, folders: tuple[Path, ...], findings: Findings) -> tuple[Step, ...]:
    steps: list[Step] = []
    for position, record in enumerate(records):
        try:
            step = read_step(record, position, folders, source.thought, findings)
        except BadRecord as bad:
            findings.add("bad step", f"record {position}: {bad}")
            continue
        last = position == len(records) - 1
        if step.judged and last and _is_default(step, source):
            step = replace(step, judged=False, label=Label.UNKNOWN)
            findings.add("unjudged last step", f"step {step.index}")
        if step.action.kind == TERMINATE and not last:
            findings.add("terminate in mid-trajectory", f"step {step.index}")
        steps.append(replace(step, follows=bool(steps) and _follows(step, steps[-1], findings)))
    return tuple(steps)


def _follows(step: Step, previous: Step, findings: Findings) -> bool:
    if step.index == previous.index + 1:
        return True
    kind = "index gap" if step.index > previous.index else "repeated index"
    findings.add(kind, f"step {step.index} after {previous.index}")
    return False


def _is_default(step: Step, source: DataSource) -> bool:
    """Whether a last record's label is the generator's default (true, false, "") and no verdict."""
    if not source.layout.last_is_judged:
        return True
    unsaid = step.label is Label.CORRECT and step.redundant is False and not step.reflection
    return source.dataset == "folder" and unsaid
