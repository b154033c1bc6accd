"""Choosing what is kept of a recording."""

from typing import Any


def select(trajectories: list[dict[str, Any]], steps: int, seed: int) -> list[dict[str, Any]]:
    kept, count = [], 0
    for trajectory in trajectories:
        if count >= steps:
            break
        count += len(trajectory["traj"])
        for step in trajectory["traj"]:
            for action in (step["value"], *step["value"]["rejected"]):
                action.pop("signature", None)
        kept.append(trajectory)
    return kept
