"""Agents that record: the expert, and agents that now and then take another move than the expert's."""

from dataclasses import dataclass
from random import Random

from cuascore.miniwob.ledger import Ledger
from cuascore.miniwob.moves import Move, expert_move
from cuascore.miniwob.proposals import near_miss, other_moves
from cuascore.miniwob.screen import Screen

MISS_SHARE = 0.12
"""Share of the wrong moves that are near misses of the expert's own target."""
CANDIDATES = (1, 1, 2)
"""How many other candidates a state gets: drawn from these."""
OWN_TEXT_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent by its name and the chance, at each step, that it takes another move than the expert's."""

    name: str
    error_rate: float


AGENTS = (
    Agent("expert", 0.0),
    Agent("careful", 0.2),
    Agent("hasty", 0.4),
    Agent("erratic", 0.6),
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent does in a state, and what else was proposed there."""

    executed: Move
    others: tuple[Move, ...]


def take_turn(
    agent: Agent, task: str, screen: Screen, texts: tuple[str, ...], ledger: Ledger, rng: Random
) -> Turn | None:
    """Choose the move that is executed and the other candidates; None where the expert is lost."""
    right = expert_move(screen)
    if right is None:
        return None
    pool = [move for move in other_moves(screen, texts, rng) if not _same(move, right)]

    def other(taken: list[Move]) -> Move | None:
        free = [move for move in pool if not any(_same(move, before) for before in taken)]
        if rng.random() < MISS_SHARE or not free:
            miss = near_miss(right, screen, rng)
            if miss is not None and not any(_same(miss, before) for before in taken):
                return miss
        return ledger.choose(task, free, rng)

    count = rng.choice(CANDIDATES)
    wrong = other([right]) if rng.random() < agent.error_rate else None
    executed = wrong or right
    taken = [executed] if executed is right else [right, executed]
    others = [right] if executed is not right else []
    while len(others) < count:
        candidate = other(taken)
        if candidate is None:
            break
        taken.append(candidate)
        others.append(candidate)
    # The right move must not be known by its place among the candidates.
    rng.shuffle(others)
    return Turn(executed, tuple(others))


def _same(one: Move, two: Move) -> bool:
    if one.action.code == two.action.code:
        return True
    return (
        one.control is not None
        and one.control == two.control
        and one.action.verb == two.action.verb != "type"
        and (
            one.action.x in {x for x, _ in one.control.points}
            and two.action.x in {x for x, _ in two.control.points}
            and one.action.y in {y for _, y in one.control.points}
            and two.action.y in {y for _, y in two.control.points}
        )
    )
