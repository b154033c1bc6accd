"""Which episodes are recorded: rounds over all tasks, each round a new seed in two of the three looks."""

from collections.abc import Iterator, Sequence
from random import Random
from zlib import crc32

from cuascore.miniwob.agents import AGENTS
from cuascore.miniwob.environment import LOOKS
from cuascore.miniwob.episodes import Episode

LOOKS_A_SEED = 2
AGENT_WEIGHTS = (2, 3, 4, 2)
"""How often each of ``agents.AGENTS`` records, in their order."""


def episodes(tasks: Sequence[str], seed: int) -> Iterator[Episode]:
    """Yield episodes without end; any beginning of the sequence is balanced over tasks and looks."""
    number = 0
    while True:
        for position, task in enumerate(tasks):
            draw = Random(f"{seed} {number} {task}")
            # Kinds of task must not share a seed: pages of one seed draw the same names.
            page = 100 * (crc32(f"{seed} {task}".encode()) % 10_000) + number
            for turn in range(LOOKS_A_SEED):
                look = LOOKS[(number * LOOKS_A_SEED + turn + position) % len(LOOKS)]
                yield Episode(task, page, look, draw.choices(AGENTS, AGENT_WEIGHTS)[0])
        number += 1
