"""The store: one folder in which a stage or cell is done when its folder was renamed into place, and not before."""

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from cuascore.errors import UserError
from cuascore.files import lock
from sweeps.files import append_line, commit_folder, read_json, write_json

DEFAULT_STORE = ".cuascore"


def find_store(given: str | None) -> Path:
    """Return the store's folder: ``given``, else CUASCORE_STORE, else ``./.cuascore``."""
    return Path(given or os.environ.get("CUASCORE_STORE") or DEFAULT_STORE).absolute()


class Store:
    """Paths of a store, and the few operations that must be atomic.

    Raises:
        UserError: the folder cannot be written.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        try:
            for name in ("stages", "locks", "attempts", "logs", "studies"):
                (root / name).mkdir(parents=True, exist_ok=True)
            probe = root / "locks" / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise UserError(f"{root}: cannot write the store ({error.strerror}); choose another with --store") from None

    def stage(self, digest: str) -> Path:
        """Folder of a finished stage; it exists only when it is complete."""
        return self.root / "stages" / digest

    def done(self, digest: str) -> bool:
        """Whether a stage is finished."""
        return self.stage(digest).is_dir()

    def log(self, key: str) -> Path:
        """File that holds what a cell printed and why it failed."""
        return self.root / "logs" / f"{key}.log"

    def study(self, name: str) -> Path:
        """Folder of a study as it was run."""
        return self.root / "studies" / name

    def cell_lock(self, key: str) -> AbstractContextManager[bool]:
        """Try to hold a cell; another worker's is not waited for."""
        return lock(self.root / "locks" / f"cell-{key}", wait=False)

    def run_stage(self, digest: str, facts: Mapping[str, Any], work: Callable[[Path], None]) -> bool:
        """Do a stage's work once, whoever needs it first; others wait for it.

        Args:
            facts: written to ``stage.json`` beside the times.
            work: writes its files into the folder it is given.

        Returns:
            Whether this call did the work.
        """
        if self.done(digest):
            return False
        with lock(self.root / "locks" / f"stage-{digest}", wait=True):
            if self.done(digest):
                return False
            temporary = self.root / "stages" / f".tmp-{digest}"
            # The lock is ours, so whatever stands there was left by a process that died.
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir()
            started = time.time()
            try:
                work(temporary)
                seconds = round(time.time() - started, 3)
                write_json(temporary / "stage.json", {**facts, "started": started, "seconds": seconds})
                commit_folder(temporary, self.stage(digest))
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)
                raise
        return True

    def note_attempt(self, key: str, event: str, **facts: Any) -> None:
        """Record what happened to a cell: started, finished, failed, interrupted."""
        line = {"event": event, "time": time.time(), "pid": os.getpid(), **facts}
        append_line(self.root / "attempts" / f"{key}.jsonl", line)

    def attempts(self, key: str) -> list[dict[str, Any]]:
        """Return a cell's events, oldest first; a torn last line is passed over."""
        path = self.root / "attempts" / f"{key}.jsonl"
        events = []
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                events.append(json.loads(line))
            except ValueError:
                continue
        return events

    def write_plan(self, study: str, plan: Mapping[str, Any]) -> None:
        """Write ``plan.json``, the study as it is run."""
        write_json(self.study(study) / "plan.json", plan)

    def read_plan(self, study: str) -> dict[str, Any]:
        """Read ``plan.json``."""
        path = self.study(study) / "plan.json"
        if not path.exists():
            raise UserError(f"{study}: not in the store {self.root}; `ablate run {study}` puts it there")
        plan: dict[str, Any] = read_json(path)
        return plan
