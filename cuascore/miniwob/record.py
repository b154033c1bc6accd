"""Record the embedded data set: ``python -m cuascore.miniwob.record --out DIR --seed 0 --steps 2800``."""

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cuascore.errors import UserError
from cuascore.miniwob.environment import Environment
from cuascore.miniwob.episodes import EpisodeRecorder
from cuascore.miniwob.ledger import Ledger
from cuascore.miniwob.plan import episodes

JOURNAL = "recording.jsonl"
RESULT = "miniwob.jsonl"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _terminate)
    try:
        if options.steps < 1:
            raise UserError(f"--steps {options.steps}: must be at least 1")
        record(options.out, seed=options.seed, steps=options.steps, tasks=options.tasks)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on where this one ended", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cuascore.miniwob.record",
        description="Record labelled trajectories from MiniWoB++ in a headless Chromium.",
        epilog="example: python -m cuascore.miniwob.record --out recorded --seed 0 --steps 2800",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for miniwob.jsonl and images/")
    parser.add_argument("--seed", type=int, default=0, help="of pages, agents and wording (default 0)")
    parser.add_argument("--steps", type=int, default=2800, help="steps to keep (default 2800)")
    parser.add_argument("--tasks", nargs="+", default=None, metavar="TASK", help="only these kinds of task")
    return parser


def _terminate(number: int, frame: FrameType | None) -> None:
    # As Ctrl-C: the browser's process group is ended on the way out.
    raise KeyboardInterrupt


def record(out: Path, *, seed: int, steps: int, tasks: Sequence[str] | None = None) -> Path:
    """Record into a folder and return the file of trajectories.

    Episodes go to a journal one by one; a folder with the journal of the same seed and tasks is continued.

    Raises:
        UserError: no browser, an unknown task, a folder that can't be written, or another recording's folder.
    """
    images = out / "images"
    try:
        images.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{out}: {error.strerror}") from None
    head = {"seed": seed, "tasks": sorted(tasks) if tasks else None}
    done = _read_journal(out / JOURNAL, head)
    ledger = Ledger()
    for trajectory in done:
        ledger.add_trajectory(trajectory)
    with Environment() as environment, _Journal(out / JOURNAL, head) as journal, _progress() as progress:
        unknown = set(tasks or ()) - set(environment.tasks)
        if unknown:
            environment.begin(min(unknown), 0, "ubuntu")
        bar = progress.add_task("recording", total=steps, completed=min(steps, _count(done)), note="")
        recorder = EpisodeRecorder(environment, ledger, lambda name, webp: _write(images / name, webp))
        known = {trajectory["task_id"] for trajectory in done}
        plan = episodes(sorted(tasks) if tasks else environment.tasks, seed)
        while (count := _count(done)) < steps:
            episode = next(plan)
            progress.update(bar, completed=count, note=episode.key)
            if episode.key in known:
                continue
            known.add(episode.key)
            recorded = recorder.record(episode, seed)
            journal.add(episode.key, recorded)
            if recorded is not None:
                done.append(recorded)
        progress.update(bar, completed=steps, note="")
    kept = _publish(done, steps)
    _write(out / RESULT, "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in kept).encode())
    named = {step["image"] for trajectory in kept for step in trajectory["traj"]}
    for image in images.iterdir():
        if image.name not in named:
            image.unlink()
    (out / JOURNAL).unlink()
    return out / RESULT


def _count(trajectories: Sequence[dict[str, Any]]) -> int:
    return sum(len(trajectory["traj"]) for trajectory in trajectories)


def _publish(trajectories: Sequence[dict[str, Any]], steps: int) -> list[dict[str, Any]]:
    """Return the first trajectories that hold ``steps`` steps, without what only the recorder needs."""
    kept: list[dict[str, Any]] = []
    for trajectory in trajectories:
        if _count(kept) >= steps:
            break
        for step in trajectory["traj"]:
            for action in (step["value"], *step["value"]["rejected"]):
                del action["signature"]
        kept.append(trajectory)
    return kept


def _read_journal(file: Path, head: dict[str, Any]) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    lines = [json.loads(line) for line in file.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    if not lines or lines[0] != head:
        raise UserError(f"{file}: belongs to another recording; name another folder or remove it")
    return [line["trajectory"] for line in lines[1:] if line["trajectory"] is not None]


class _Journal:
    """Appends one line an episode, so that nothing that was recorded is lost."""

    def __init__(self, file: Path, head: dict[str, Any]) -> None:
        whole = file.read_bytes() if file.exists() else b""
        whole = whole[: whole.rfind(b"\n") + 1]
        _write(file, whole or (json.dumps(head) + "\n").encode())
        self._stream = file.open("ab")

    def __enter__(self) -> "_Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def add(self, key: str, trajectory: dict[str, Any] | None) -> None:
        line = json.dumps({"key": key, "trajectory": trajectory}, ensure_ascii=False) + "\n"
        self._stream.write(line.encode())
        self._stream.flush()


def _write(file: Path, content: bytes) -> None:
    temporary = file.with_name(f".{file.name}.tmp")
    with temporary.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.rename(file)


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    return Progress(*columns, console=Console(stderr=True))


if __name__ == "__main__":
    sys.exit(main())
