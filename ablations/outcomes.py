"""What an evaluation stores: a record for each pair and each labelled step, read back from its folder."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from pyarrow import ArrowException
from pyarrow.parquet import read_table

from cuascore.errors import UserError

Frame = Mapping[str, NDArray[Any]]
"""Columns of one Parquet file, all of the same length."""

PAIR_COLUMNS = (
    "part",
    "kind",
    "trajectory",
    "platform",
    "action_type",
    "has_intent",
    "score_correct",
    "score_incorrect",
    "blind_correct",
    "blind_incorrect",
)
STEP_COLUMNS = ("part", "trajectory", "platform", "label", "score")


@dataclass(frozen=True)
class Outcomes:
    """The records of one evaluation, as stored.

    ``pairs`` and ``steps`` map each column of ``PAIR_COLUMNS`` and ``STEP_COLUMNS`` to an array; ``summary`` holds what
    was selected on validation (``selected_epoch``, ``selection``, ``validation``).
    """

    folder: Path
    pairs: Frame
    steps: Frame
    summary: Mapping[str, Any] = field(default_factory=dict)


def read_outcomes(folder: Path) -> Outcomes:
    """Read the stored outcomes of one evaluation.

    Raises:
        UserError: a file or a column is missing or unreadable.
    """
    pairs = _read_columns(folder / "pairs.parquet", PAIR_COLUMNS)
    steps = _read_columns(folder / "steps.parquet", STEP_COLUMNS)
    path = folder / "summary.json"
    try:
        summary = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: unreadable ({error}); delete the folder and run the cell again") from error
    if not isinstance(summary, dict):
        raise UserError(f"{path}: not a JSON object; delete the folder and run the cell again")
    return Outcomes(folder, pairs, steps, summary)


def _read_columns(path: Path, columns: tuple[str, ...]) -> Frame:
    try:
        table = read_table(path)
    except (OSError, ArrowException) as error:
        raise UserError(f"{path}: unreadable ({error}); delete the folder and run the cell again") from error
    missing = [column for column in columns if column not in table.column_names]
    if missing:
        raise UserError(f"{path}: no column {missing[0]!r}; it was written by another version, run the cell again")
    return {column: table[column].to_numpy() for column in columns}
