"""What a reader finds wrong: named by kind, with file and line, and a severity."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]

KINDS: dict[str, Severity] = {
    "malformed line": "error",
    "bad task": "error",
    "bad step": "error",
    "empty file": "error",
    "no steps": "error",
    "repeated task id": "warning",
    "unknown platform": "warning",
    "index gap": "warning",
    "repeated index": "warning",
    "missing label": "warning",
    "unjudged last step": "warning",
    "terminate in mid-trajectory": "warning",
    "one step": "warning",
    "empty code": "warning",
    "code does not parse": "warning",
    "coordinates outside the screen": "warning",
    "image name leaves its folder": "error",
    "missing image": "warning",
    "unreadable image": "error",
    "alternative not converted": "warning",
}
"""kind -> severity. An error loses data; a warning is a property of the data that the reader has dealt with."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding. ``line`` counts from 1; 0 stands for the whole file."""

    kind: str
    file: str
    line: int
    detail: str

    @property
    def severity(self) -> Severity:
        """ "error" or "warning"."""
        return KINDS[self.kind]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind}: {self.detail}"


OnProblem = Callable[[Problem], None]
"""Called with each finding, in the order of the file."""


class Findings:
    """Reports problems of one line of one file."""

    def __init__(self, on_problem: OnProblem, file: str, line: int) -> None:
        self._on_problem, self.file, self.line = on_problem, file, line

    def add(self, kind: str, detail: str) -> None:
        """Report one problem."""
        self._on_problem(Problem(kind, self.file, self.line, detail))
