"""Recorded trajectories: readers, validation, splits and pairs. No torch here."""

from cuascore.trajectories.images import open_image
from cuascore.trajectories.pairs import ActionRef, Pair, make_pairs
from cuascore.trajectories.problems import Problem
from cuascore.trajectories.readers import read_trajectories
from cuascore.trajectories.sources import DataSource, fingerprint, resolve_source
from cuascore.trajectories.split import Split, split_trajectories
from cuascore.trajectories.step import Action, Candidate, Label, Step, Trajectory

__all__ = [
    "Action",
    "ActionRef",
    "Candidate",
    "DataSource",
    "Label",
    "Pair",
    "Problem",
    "Split",
    "Step",
    "Trajectory",
    "fingerprint",
    "make_pairs",
    "open_image",
    "read_trajectories",
    "resolve_source",
    "split_trajectories",
]
