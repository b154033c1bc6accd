"""Recording one episode: run an agent, then judge everything it did and everything that was proposed."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from random import Random
from typing import Any

from PIL import Image

from cuascore.miniwob.agents import Agent, Turn, take_turn
from cuascore.miniwob.environment import Environment
from cuascore.miniwob.judge import Judge, Judgement, Prefix
from cuascore.miniwob.ledger import Ledger
from cuascore.miniwob.moves import Move
from cuascore.miniwob.observations import observation_text, reflection_text
from cuascore.miniwob.phrases import action_text, intent_text
from cuascore.miniwob.screen import Screen
from cuascore.miniwob.textbank import TextBank

LONGEST_TASK = 9
"""Steps that the expert may need; longer tasks are left out, so that no kind of task fills the recording."""
SPARE_STEPS = 3
"""Steps that an agent may take beyond what the expert needs."""
COLOURS = 32
"""Of a screenshot: flat screens stay crisp in few colours, at half the size of a lossy picture."""


@dataclass(frozen=True, slots=True)
class Episode:
    """What is recorded: a task by its seed, in a look, by an agent."""

    task: str
    seed: int
    look: str
    agent: Agent

    @property
    def key(self) -> str:
        """Unique in a recording."""
        return f"{self.task}-{self.seed}-{self.look}-{self.agent.name}"


@dataclass(frozen=True, slots=True)
class _Seen:
    screen: Screen
    image: str
    turn: Turn


def _webp(png: bytes) -> bytes:
    out = BytesIO()
    few = Image.open(BytesIO(png)).convert("RGB").quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.convert("RGB").save(out, "WEBP", lossless=True, method=4, quality=70)
    return out.getvalue()


def _alignment(remaining: int | None, needed: int) -> int:
    return 0 if remaining is None else max(0, 10 - round(10 * remaining / needed))


class EpisodeRecorder:
    """Records episodes with one environment; shares the ledger and the text bank among them."""

    def __init__(self, environment: Environment, ledger: Ledger, save_image: Callable[[str, bytes], None]) -> None:
        self._environment = environment
        self._ledger = ledger
        self._save_image = save_image
        self._texts = TextBank(environment)
        self._judges: dict[tuple[str, int, str], Judge] = {}
        self._images: dict[str, str] = {}
        self._succeeded = False

    def record(self, episode: Episode, seed: int) -> dict[str, Any] | None:
        """Return the trajectory as a JSON object in AgentNet's layout; None where the expert fails or needs too long.

        Args:
            seed: of the recording as a whole.
        """
        place = (episode.task, episode.seed, episode.look)
        if place not in self._judges:
            # Episodes of one page follow one another; older ones are not asked for again.
            self._judges = {place: Judge(self._environment, *place)}
        judge = self._judges[place]
        needed = judge.remaining(())
        if needed is None or not 0 < needed <= LONGEST_TASK:
            return None
        rng = Random(f"{seed} {episode.key}")
        seen, last = self._run(episode, needed, rng)
        steps, remaining = self._judge(episode, judge, seen, last, rng)
        completed = remaining == 0
        # Labels come from replays: where the run itself went another way than its replay, they don't fit what was seen.
        ended = last is None and len(steps) == len(seen)
        if not steps or completed != (ended and self._succeeded) or (ended and not completed and remaining is not None):
            return None
        return {
            "task_id": episode.key,
            "group": f"{episode.task}-{episode.seed}",
            "os": episode.look,
            "task_kind": episode.task,
            "agent": episode.agent.name,
            "instruction": seen[0].screen.instruction,
            "natural_language_task": seen[0].screen.instruction,
            "actual_task": seen[0].screen.instruction if completed else "",
            "task_completed": completed,
            "alignment_score": 10
            if completed
            else 0
            if remaining is None
            else max(0, 10 - round(10 * remaining / needed)),
            "efficiency_score": round(10 * needed / max(needed, len(steps))) if completed else 0,
            "task_difficulty": min(10, needed),
            "traj": steps,
        }

    def _run(self, episode: Episode, needed: int, rng: Random) -> tuple[list[_Seen], Screen | None]:
        environment = self._environment
        screen: Screen | None = environment.reset(episode.task, episode.seed, episode.look)
        seen: list[_Seen] = []
        while screen is not None and len(seen) < needed + SPARE_STEPS:
            image = self._image(environment.screenshot())
            texts = self._texts_beside(episode, screen, seen, rng)
            turn = take_turn(episode.agent, episode.task, screen, texts, self._ledger, rng)
            if turn is None:
                break
            seen.append(_Seen(screen, image, turn))
            environment.act(turn.executed.action)
            screen = None if environment.outcome().done else environment.observe()
        self._succeeded = environment.outcome().success
        return seen, screen

    def _texts_beside(self, episode: Episode, screen: Screen, seen: list[_Seen], rng: Random) -> tuple[str, ...]:
        filled = self._texts.knows(episode.task)
        texts = self._texts.texts_for(episode.task, screen, rng)
        if not filled and self._texts.knows(episode.task):
            # Filling the bank has used the page: bring the episode back to where it was.
            self._environment.begin(episode.task, episode.seed, episode.look)
            for step in seen:
                self._environment.act(step.turn.executed.action)
        return texts

    def _image(self, png: bytes) -> str:
        digest = hashlib.sha256(png).hexdigest()
        if digest not in self._images:
            webp = _webp(png)
            self._images[digest] = f"{hashlib.sha256(webp).hexdigest()[:12]}.webp"
            self._save_image(self._images[digest], webp)
        return self._images[digest]

    def _judge(
        self, episode: Episode, judge: Judge, seen: list[_Seen], last: Screen | None, rng: Random
    ) -> tuple[list[dict[str, Any]], int | None]:
        prefix: Prefix = ()
        steps: list[dict[str, Any]] = []
        for index, step in enumerate(seen):
            if judge.remaining(prefix) is None:
                break
            after = seen[index + 1].screen if index + 1 < len(seen) else last
            executed = self._judged(episode, judge, prefix, step.turn.executed, rng)
            rejected = [self._judged(episode, judge, prefix, move, rng) for move in step.turn.others]
            value = {
                "observation": observation_text(step.screen),
                **executed,
                "last_step_redundant": executed["judgement"] == Judgement.WASTED,
                "reflection": reflection_text(step.screen, after),
                "rejected": rejected,
            }
            steps.append({"index": index, "image": step.image, "value": value})
            prefix = (*prefix, step.turn.executed.action)
        return steps, judge.remaining(prefix)

    def _judged(self, episode: Episode, judge: Judge, prefix: Prefix, move: Move, rng: Random) -> dict[str, Any]:
        judgement = judge.judge(prefix, move.action)
        correct = judgement is Judgement.PROGRESS
        self._ledger.add(episode.task, move.signature, correct)
        return {
            "thought": intent_text(move, rng),
            "action": action_text(move, rng),
            "code": move.action.code,
            "last_step_correct": correct,
            "judgement": str(judgement),
            "signature": move.signature,
        }
