"""W&B as a mirror: one run a cell, offline unless asked, and nothing of ours ever waits for it or depends on it."""

import importlib.util
import json
import netrc
import os
import socket
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import urlsplit

from pytorch_lightning.loggers import Logger

from ablations.metrics import evaluate_all, read_outcomes
from sweeps.cell import Cell
from sweeps.store import Store

MODES = ("online", "offline", "disabled")
REACH_SECONDS = 5.0
"""How long ``online`` looks for its server before it falls back to ``offline``."""
PROJECT = "cuascore"


def resolve_mode(asked: str | None) -> tuple[str, str]:
    """Decide once, before any training, how W&B is used.

    Args:
        asked: "online", "offline", "disabled", or None: online where a key is configured, else offline.

    Returns:
        The mode, and one line for the user ("" where there is nothing to say).
    """
    if asked == "disabled":
        return "disabled", ""
    if importlib.util.find_spec("wandb") is None:
        return "disabled", "W&B: the wandb package is not installed, runs are not mirrored"
    if asked is None and not _has_key():
        return "offline", ""
    if asked == "offline":
        return "offline", ""
    if not _has_key():
        return "offline", "W&B: no API key (WANDB_API_KEY or `wandb login`), so runs are kept offline"
    host, port = _server()
    try:
        socket.create_connection((host, port), timeout=REACH_SECONDS).close()
    except OSError as error:
        return "offline", f"W&B: {host} cannot be reached ({error}), so runs are kept offline"
    return "online", ""


def _server() -> tuple[str, int]:
    url = urlsplit(os.environ.get("WANDB_BASE_URL") or "https://api.wandb.ai")
    return url.hostname or "", url.port or (80 if url.scheme == "http" else 443)


def _has_key() -> bool:
    if os.environ.get("WANDB_API_KEY"):
        return True
    try:
        return netrc.netrc().authenticators(_server()[0]) is not None
    except (OSError, netrc.NetrcParseError):
        return False


class CellTracking:
    """The W&B run of one attempt at a cell, a context that closes it as failed when the cell fails.

    Every attempt has a run id of its own (``<cell>-<attempt>``) and names the runs before it in its config: two offline
    runs under one id would replace each other when they are synced.
    """

    def __init__(self, root: Path, cell: Cell) -> None:
        self.root, self.cell = root, cell
        self._run: Any = None

    def __enter__(self) -> Self:
        if self.cell.wandb == "disabled":
            return self
        try:
            self._run = self._start()
        except Exception as error:  # A mirror that fails must not take the cell with it.
            warnings.warn(f"W&B: run not started ({error})", stacklevel=2)
        return self

    def _start(self) -> Any:
        import wandb

        cell = self.cell
        tries = sum(event["event"] == "started" for event in Store(self.root).attempts(cell.key))
        names = [f"{cell.key[:16]}-{number}" for number in range(1, max(tries, 1) + 1)]
        return wandb.init(
            project=PROJECT,
            dir=self.root,
            mode=cast(Any, cell.wandb),
            id=names[-1],
            name=f"{cell.row} / seed {cell.seed}",
            group=cell.study,
            job_type=cell.row,
            tags=[cell.system, cell.data.dataset, f"target:{cell.data.target}"],
            config={
                **dict(cell.config.flat()),
                "study": cell.study,
                "row": cell.row,
                "seed": cell.seed,
                "cell": cell.key,
                "data": dict(cell.data.flat()),
                "earlier_runs": names[:-1],
            },
            # The default would hand back the run of the cell before, or share its steps.
            reinit="create_new",
            settings=wandb.Settings(
                silent=True, console="off", disable_git=True, x_disable_stats=True, init_timeout=20
            ),
        )

    def loggers(self, phase: str) -> list[Logger]:
        """Return the Lightning loggers of one stage; its curves are named ``<phase>/...``."""
        if self._run is None:
            return []
        from pytorch_lightning.loggers import WandbLogger

        return [WandbLogger(experiment=self._run, prefix=phase)]

    def finish(self, stages: Mapping[str, Path]) -> None:
        """Give the run the test metrics of the selected checkpoint, and the outcomes as an artifact."""
        if self._run is None:
            return
        import wandb

        folder = stages["evaluation"]
        summary = json.loads((folder / "summary.json").read_text())
        outcomes = read_outcomes(folder)
        for name, value in evaluate_all(outcomes).items():
            self._run.summary[f"test/{name}"] = value
        self._run.summary["selected_epoch"] = summary["selected_epoch"]
        self._run.summary["validation/selection"] = summary["selection"]
        artifact = wandb.Artifact(f"outcomes-{self.cell.key[:16]}", type="outcomes")
        for file in sorted(folder.glob("*.parquet")):
            artifact.add_file(str(file))
        self._run.log_artifact(artifact)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._run is not None:
            self._run.finish(exit_code=0 if kind is None else 1)
