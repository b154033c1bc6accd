"""Data sets by name: where their files lie and what is particular to each."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cuascore.errors import UserError, nearest

EMBEDDED = Path(__file__).resolve().parent.parent / "data" / "miniwob"
Thought = Literal["as_published", "fair", "none"]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a named data set looks like on disk.

    Attributes:
        files: the task files, as patterns.
        images: folders that may hold the screenshots, first match wins.
        meta: file that names the operating systems, joined on the task id; "" for none.
        platforms: platform of a file whose records name none, by a part of its name.
        last_is_judged: whether the last record's label is a verdict (AgentNet's is a default).
        thought: which thought stands beside a rejected action by default.
    """

    files: tuple[str, ...]
    images: tuple[str, ...] = ("images",)
    meta: str = ""
    platforms: tuple[tuple[str, str], ...] = ()
    last_is_judged: bool = True
    thought: Thought = "as_published"


LAYOUTS = {
    "miniwob": Layout(files=("*.jsonl",)),
    "agentnet": Layout(
        files=("agentnet_ubuntu_5k.jsonl", "agentnet_win_mac_18k.jsonl"),
        images=("ubuntu_images", "win_mac_images", "images"),
        meta="meta_data_merged.jsonl",
        platforms=(("ubuntu", "ubuntu"),),
        last_is_judged=False,
    ),
    "screenagent": Layout(files=("screenagent_linux.jsonl", "screenagent_windows.jsonl"), thought="fair"),
    "agentnetbench": Layout(files=("agentnetbench.jsonl",)),
    "folder": Layout(files=("*.jsonl",), meta="meta*.jsonl", last_is_judged=True),
}


@dataclass(frozen=True, slots=True)
class DataSource:
    """A data set on disk.

    Attributes:
        dataset: its name; root: its folder; files: its task files; meta: its meta file, if any.
        thought: which thought a reader shows: as published; "fair" (the same language on both sides of a replaced
            action); or none.
    """

    dataset: str
    root: Path
    files: tuple[Path, ...]
    meta: Path | None
    thought: Thought

    @property
    def layout(self) -> Layout:
        """What is particular to this data set."""
        return LAYOUTS[self.dataset]

    @property
    def image_folders(self) -> tuple[Path, ...]:
        """Folders that may hold screenshots."""
        return tuple(folder for name in self.layout.images if (folder := self.root / name).is_dir())


def resolve_source(dataset: str, root: Path | None, *, thought: Thought | None = None) -> DataSource:
    """Find a data set's files.

    Args:
        root: its folder; None for the data set that the package ships.
        thought: in place of the data set's default.

    Raises:
        UserError: unknown name, no folder, or none of its files.
    """
    if dataset not in LAYOUTS:
        raise UserError(f"unknown data set {dataset!r}: {nearest(dataset, LAYOUTS)}")
    layout = LAYOUTS[dataset]
    if root is None:
        if dataset != "miniwob":
            raise UserError(f"data set {dataset!r} does not come with the package: give its folder with --data-root")
        root = EMBEDDED
    if not root.is_dir():
        raise UserError(f"{root}: no such folder (data set {dataset!r})")
    metas = sorted(root.glob(layout.meta)) if layout.meta else []
    files = [file for pattern in layout.files for file in sorted(root.glob(pattern)) if file not in metas]
    if not files:
        raise UserError(f"{root}: none of {', '.join(layout.files)} is there (data set {dataset!r})")
    return DataSource(dataset, root, tuple(files), metas[0] if metas else None, thought or layout.thought)


def recognise(root: Path | None) -> str:
    """Return the name of the data set whose files a folder holds, "folder" where it is none that is known by name."""
    if root is None:
        return "miniwob"
    known = ("agentnet", "screenagent", "agentnetbench")
    return next((name for name in known if any((root / file).is_file() for file in LAYOUTS[name].files)), "folder")


def fingerprint(source: DataSource) -> str:
    """Return the sha256 of what is read: files' bytes, screenshots' names and sizes, view of thoughts.

    The screenshots' contents are covered by the features' fingerprint, which hashes them when they are embedded.
    """
    found = hashlib.sha256(f"{source.dataset}\n{source.thought}\n".encode())
    for file in [*source.files, *([source.meta] if source.meta else [])]:
        found.update(f"{file.name}\n".encode())
        with file.open("rb") as stream:
            found.update(hashlib.file_digest(stream, "sha256").digest())
    for folder in source.image_folders:
        with os.scandir(folder) as entries:
            listing = sorted((entry.name, entry.stat().st_size) for entry in entries if entry.is_file())
        found.update(f"{folder.name}\n{listing}".encode())
    return found.hexdigest()
