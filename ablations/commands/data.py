"""What ``ablate data check`` finds out about a data set and prints."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from cuascore.errors import UserError
from cuascore.trajectories.images import open_image
from cuascore.trajectories.pairs import make_pairs
from cuascore.trajectories.problems import Problem
from cuascore.trajectories.readers import read_trajectories
from cuascore.trajectories.sources import DataSource
from cuascore.trajectories.step import Label, Trajectory

EXAMPLES = 5
"""How many places of each kind of problem are printed."""
NOTHING_USABLE, FOUND_SOMETHING = 2, 1


class Counts:
    """Running counts; memory grows with kinds and platforms, not with the data."""

    def __init__(self) -> None:
        self.by_platform: dict[str, Counter[str]] = defaultdict(Counter)
        self.problems: Counter[str] = Counter()
        self.examples: dict[str, list[Problem]] = defaultdict(list)
        self.severities: Counter[str] = Counter()
        self.images: set[str] = set()

    def problem(self, problem: Problem) -> None:
        """Count one finding and keep the first few of its kind."""
        self.problems[problem.kind] += 1
        self.severities[problem.severity] += 1
        if len(self.examples[problem.kind]) < EXAMPLES:
            self.examples[problem.kind].append(problem)

    def trajectory(self, trajectory: Trajectory) -> None:
        """Count one trajectory, its steps, candidates, labels and possible pairs."""
        counts = self.by_platform[trajectory.platform]
        counts["trajectories"] += 1
        for step in trajectory.steps:
            counts["steps"] += 1
            counts[f"{step.label} steps"] += 1
            counts["candidates"] += len(step.candidates)
            counts["incorrect candidates"] += sum(c.label is Label.INCORRECT for c in step.candidates)
            counts["without intent"] += not step.action.intent
        for pair in make_pairs([trajectory], seed=0, cap=None):
            counts[f"{pair.kind} pairs"] += 1

    def decode(self, trajectory: Trajectory) -> None:
        """Open every screenshot once and report those that cannot be read."""
        for step in trajectory.steps:
            if step.image is None or str(step.image) in self.images:
                continue
            self.images.add(str(step.image))
            try:
                open_image(step.image)
            except UserError as error:
                self.problem(Problem("unreadable image", trajectory.source, trajectory.line, str(error)))


ROWS = (
    "trajectories",
    "steps",
    "correct steps",
    "incorrect steps",
    "unknown steps",
    "candidates",
    "incorrect candidates",
    "without intent",
    "hard pairs",
    "real_incorrect pairs",
)


def check(source: DataSource, strict: bool, console: Console) -> int:
    """Read a data set whole, decode its screenshots, and print counts and problems.

    Returns:
        0; 1 with ``strict`` when there is any problem; 2 when no trajectory is usable.
    """
    counts = Counts()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for trajectory in progress.track(_read(source, counts), description="reading"):
            counts.trajectory(trajectory)
            counts.decode(trajectory)
    _print(source, counts, console)
    if not any(platform["trajectories"] for platform in counts.by_platform.values()):
        return NOTHING_USABLE
    return FOUND_SOMETHING if strict and counts.problems else 0


def _read(source: DataSource, counts: Counts) -> Iterable[Trajectory]:
    return read_trajectories(source, counts.problem, keep_going=True)


def _print(source: DataSource, counts: Counts, console: Console) -> None:
    console.print(f"{source.root} as {source.dataset}: {len(source.files)} files", markup=False, soft_wrap=True)
    platforms = sorted(counts.by_platform)
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for platform in platforms:
        table.add_column(platform, justify="right")
    table.add_column("all", justify="right")
    for row in ROWS:
        values = [counts.by_platform[platform][row] for platform in platforms]
        table.add_row(row, *(f"{value:,}" for value in values), f"{sum(values):,}")
    console.print(table)
    if not sum(counts.by_platform[platform]["real_incorrect pairs"] for platform in platforms):
        console.print("no real incorrect pairs: no action here is labelled incorrect")
    if not counts.problems:
        console.print("no problems")
    for kind, count in counts.problems.most_common():
        shown = counts.examples[kind]
        console.print(f"{shown[0].severity}: {kind}: {count:,}", highlight=False)
        for problem in shown:
            console.print(f"  {problem.file}:{problem.line}: {problem.detail}", markup=False, highlight=False)
        if count > len(shown):
            console.print(f"  … and {count - len(shown):,} more")
