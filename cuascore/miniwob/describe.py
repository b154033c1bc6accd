"""A recording in numbers, as the Markdown of its page: ``python -m cuascore.miniwob.describe DIR``."""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from cuascore.errors import UserError
from cuascore.miniwob.audit import audit_numbers, audit_words, judged_actions
from cuascore.miniwob.record import RESULT


def describe(folder: Path) -> str:
    """Return tables of what a recorded folder holds.

    Raises:
        UserError: no recording is there.
    """
    file = folder / RESULT
    if not file.is_file():
        raise UserError(f"{file}: no such file; record it with python -m cuascore.miniwob.record --out {folder}")
    with file.open(encoding="utf-8") as lines:
        trajectories = [json.loads(line) for line in lines]
    steps = [step for trajectory in trajectories for step in trajectory["traj"]]
    images = list((folder / "images").iterdir())
    size = sum(path.stat().st_size for path in [file, *images])
    parts = [
        f"{len(trajectories)} trajectories, {len(steps)} steps ({len(steps) / len(trajectories):.1f} a trajectory), "
        f"{sum(len(step['value']['rejected']) for step in steps)} rejected candidates, {len(images)} screenshots, "
        f"{size / 1e6:.1f} MB.",
        _by("look", trajectories, "os"),
        _by("agent", trajectories, "agent"),
        _judgements(steps),
        _audits(trajectories),
        _by("kind of task", trajectories, "task_kind"),
    ]
    return "\n\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(str(cell) for cell in row)} |" for row in rows)])


def _by(title: str, trajectories: Sequence[dict[str, Any]], key: str) -> str:
    found = defaultdict(list)
    for trajectory in trajectories:
        found[trajectory[key]].append(trajectory)
    rows = []
    for name, some in sorted(found.items()):
        steps = [step["value"]["last_step_correct"] for trajectory in some for step in trajectory["traj"]]
        completed = sum(trajectory["task_completed"] for trajectory in some)
        groups = len({trajectory["group"] for trajectory in some})
        rows.append((name, groups, len(some), completed, len(steps), f"{1 - sum(steps) / len(steps):.0%}"))
    return _table((title, "groups", "trajectories", "completed", "steps", "executed wrong"), rows)


def _judgements(steps: Sequence[dict[str, Any]]) -> str:
    executed = Counter(step["value"]["judgement"] for step in steps)
    rejected = Counter(item["judgement"] for step in steps for item in step["value"]["rejected"])
    names = ("progress", "wasted", "set-back", "fatal")
    return _table(("judgement", "executed", "rejected"), [(name, executed[name], rejected[name]) for name in names])


def _audits(trajectories: Sequence[dict[str, Any]]) -> str:
    actions = judged_actions(trajectories)
    rows = [
        (name, f"{found.auc:.3f}", f"{found.pairs:.3f}", found.count, found.pair_count)
        for name, found in (("words", audit_words(actions)), ("numbers", audit_numbers(actions)))
    ]
    return _table(("classifier without the state", "AUC", "pairs of one state", "actions", "pairs"), rows)


def main(arguments: Sequence[str]) -> int:
    """Print the tables of one folder; return the exit status."""
    try:
        if len(arguments) != 1:
            raise UserError("name one folder: python -m cuascore.miniwob.describe DIR")
        print(describe(Path(arguments[0])))
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
