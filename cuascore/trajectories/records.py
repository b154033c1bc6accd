"""From one JSON record to a Step: every field checked, what is missing stays unknown."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cuascore.trajectories.alternatives import alternative_actions
from cuascore.trajectories.code import parse_code
from cuascore.trajectories.images import image_path
from cuascore.trajectories.problems import Findings
from cuascore.trajectories.sources import Thought
from cuascore.trajectories.step import Action, Candidate, Label, Step

TERMINATE = "terminate"
REPLACED = "replaced"
"""Judgement of an action that a person replaced by another."""


class BadRecord(Exception):
    """A record that cannot become a step; the message says why."""


def read_step(record: Any, position: int, images: tuple[Path, ...], thought: Thought, findings: Findings) -> Step:
    """Build one step.

    Args:
        position: of the record in its trajectory, used where it has no index.
        images: folders that may hold its screenshot.

    Raises:
        BadRecord: it is no object, or has no action at all.
    """
    if not isinstance(record, Mapping) or not isinstance(record.get("value"), Mapping):
        raise BadRecord("no object with a 'value'")
    index = record.get("index", position)
    if not isinstance(index, int) or isinstance(index, bool):
        raise BadRecord(f"index {index!r} is no whole number")
    value = record["value"]
    where = f"step {index}"
    action = _action(value, where, findings)
    rejected = value.get("rejected") or []
    if not isinstance(rejected, list) or not all(isinstance(item, Mapping) for item in rejected):
        raise BadRecord("'rejected' is no list of objects")
    candidates = [_candidate(item, where, findings) for item in rejected]
    candidates += [Candidate(a, Label.CORRECT, "alternative") for a in alternative_actions(value, where, findings)]
    if thought != "as_published":
        action, candidates = _view(thought, value, rejected, action, candidates)
    return Step(
        index=index,
        image=_image(record.get("image"), images, where, findings),
        observation=_text(value, "observation"),
        reflection=_text(value, "reflection"),
        action=action,
        label=_label(value, action, where, findings),
        redundant=value["last_step_redundant"] if isinstance(value.get("last_step_redundant"), bool) else None,
        judged=action.kind != TERMINATE,
        candidates=tuple(candidates),
        subtask=_text(value, "subtask"),
    )


def _text(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise BadRecord(f"{name!r} is no text")
    return found


def _action(value: Mapping[str, Any], where: str, findings: Findings) -> Action:
    code = _text(value, "code").strip()
    text = _text(value, "action")
    if not code and not text:
        raise BadRecord("neither 'action' nor 'code'")
    kind = ""
    points: tuple[tuple[float, float], ...] = ()
    if not code:
        findings.add("empty code", where)
    else:
        parsed = parse_code(code)
        kind, points = parsed.kind, parsed.points
        if parsed.error:
            findings.add("code does not parse", f"{where}: {parsed.error}")
    return Action(text=text, code=code, intent=_text(value, "thought"), kind=kind, points=points)


def _outside(action: Action) -> bool:
    # The screen is a closed square: y=1.0 is its last row.
    return any(not (0 <= x <= 1 and 0 <= y <= 1) for x, y in action.points)


def _label(value: Mapping[str, Any], action: Action, where: str, findings: Findings) -> Label:
    found = value.get("last_step_correct")
    if not isinstance(found, bool):
        findings.add("missing label", f"{where}: last_step_correct is {found!r}")
        return Label.UNKNOWN
    if _outside(action):
        # Whatever was judged, it was not this point: the label is not to be trusted for the coordinates we would show.
        findings.add("coordinates outside the screen", f"{where}: {action.points}")
        return Label.UNKNOWN
    if action.kind == TERMINATE:
        return Label.UNKNOWN
    return Label.CORRECT if found else Label.INCORRECT


def _candidate(item: Mapping[str, Any], where: str, findings: Findings) -> Candidate:
    action = _action(item, f"{where}, rejected", findings)
    if "last_step_correct" in item:
        label = _label(item, action, f"{where}, rejected", findings)
        judgement = item.get("judgement", "")
        return Candidate(action, label, judgement if isinstance(judgement, str) else "")
    if _outside(action):
        findings.add("coordinates outside the screen", f"{where}, rejected: {action.points}")
        return Candidate(action, Label.UNKNOWN, REPLACED)
    return Candidate(action, Label.INCORRECT, REPLACED)


def _view(
    thought: Thought,
    value: Mapping[str, Any],
    rejected: list[Mapping[str, Any]],
    action: Action,
    candidates: list[Candidate],
) -> tuple[Action, list[Candidate]]:
    """Show thoughts in one language on both sides of a replaced action, or none at all."""
    if thought == "fair":
        language = value.get("thought_lang", "")
        others = [item.get("lang", "") for item in rejected]
        if all(other == language for other in others):
            return action, candidates
        original = value.get("thought_zh")
        if isinstance(original, str) and original and all(other == "zh" for other in others):
            return replace(action, intent=original), candidates
    silent = [replace(candidate, action=replace(candidate.action, intent="")) for candidate in candidates]
    return replace(action, intent=""), silent


def _image(name: Any, folders: tuple[Path, ...], where: str, findings: Findings) -> Path | None:
    if not isinstance(name, str) or not name:
        findings.add("missing image", f"{where}: no name")
        return None
    for folder in folders:
        path = image_path(folder, name)
        if path is None:
            findings.add("image name leaves its folder", f"{where}: {name!r}")
            return None
        if path.is_file():
            return path
    findings.add("missing image", f"{where}: {name!r}")
    return None
