"""Experts, environment and judge on real pages."""

import json
from io import BytesIO
from random import Random

import pytest
from PIL import Image

from cuascore.errors import UserError
from cuascore.miniwob.actions import GuiAction, action_from_code
from cuascore.miniwob.environment import LOOKS
from cuascore.miniwob.judge import Judge, Judgement
from cuascore.miniwob.moves import expert_move
from cuascore.miniwob.observations import observation_text
from cuascore.trajectories.sources import EMBEDDED

pytestmark = pytest.mark.browser

TASKS = [
    "login-user",
    "click-menu",
    "choose-list",
    "click-scroll-list",
    "email-inbox-nl-turk",
    "social-media",
    "phone-book",
]


def run_expert(environment, task, seed, look, limit=15):
    """Return what was seen and done, and the outcome."""
    seen = environment.reset(task, seed, look)
    path = []
    while not environment.outcome().done and len(path) < limit:
        move = expert_move(seen)
        path.append((observation_text(seen), move.action.code))
        environment.act(move.action)
        if not environment.outcome().done:
            seen = environment.observe()
    return path, environment.outcome()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("task", TASKS)
def test_experts_reach_the_full_reward_in_every_look(environment, task, look):
    for seed in (1, 2):
        path, outcome = run_expert(environment, task, seed, look)
        assert outcome.success, (task, seed, look, path)


def test_an_episode_is_alike_every_time(environment):
    first = run_expert(environment, "email-inbox-forward", 5, "mac")
    run_expert(environment, "click-checkboxes", 1, "ubuntu")
    assert run_expert(environment, "email-inbox-forward", 5, "mac") == first


def test_the_look_changes_the_picture_and_not_the_task(environment):
    screens = {look: environment.reset("login-user", 4, look) for look in LOOKS}
    assert len({seen.instruction for seen in screens.values()}) == 1
    assert len({observation_text(seen) for seen in screens.values()}) == 1
    pictures = set()
    for look in LOOKS:
        environment.reset("login-user", 4, look)
        png = environment.screenshot()
        assert Image.open(BytesIO(png)).size == (480, 270)
        pictures.add(png)
    assert len(pictures) == 3


def point_of(seen, name):
    return next(item.points[0] for item in seen.controls if item.name == name)


def test_the_judge_tells_progress_wasted_set_back_and_fatal(environment):
    seen = environment.reset("login-user", 3, "windows")
    login, user, password = (point_of(seen, name) for name in ("Login", "Username", "Password"))
    judge = Judge(environment, "login-user", 3, "windows")
    assert judge.remaining(()) == 5
    assert judge.judge((), GuiAction("click", *login)) is Judgement.FATAL
    assert judge.judge((), GuiAction("click", *user)) is Judgement.PROGRESS
    # Either field may be filled first: a right action need not be the expert's.
    assert judge.judge((), GuiAction("click", *password)) is Judgement.PROGRESS
    assert judge.judge((), GuiAction("click", 0.999, 0.001)) is Judgement.WASTED
    on_user = (GuiAction("click", *user),)
    assert judge.judge(on_user, GuiAction("type", text="nobody")) is Judgement.SET_BACK
    assert judge.judge(on_user, GuiAction("click", *user)) is Judgement.WASTED


def test_the_judge_refuses_a_state_that_is_lost(environment):
    seen = environment.reset("click-button-sequence", 1, "mac")
    second = GuiAction("click", *point_of(seen, "TWO"))
    judge = Judge(environment, "click-button-sequence", 1, "mac")
    assert judge.judge((), second) is Judgement.FATAL
    with pytest.raises(ValueError, match="no expert"):
        judge.judge((second,), second)


def test_the_judge_answers_from_a_run_for_all_states_it_passed(environment):
    judge = Judge(environment, "enter-password", 2, "ubuntu")
    needed = judge.remaining(())
    move = expert_move(environment.reset("enter-password", 2, "ubuntu"))
    assert judge.judge((), move.action) is Judgement.PROGRESS
    assert judge.remaining((move.action,)) == needed - 1
    assert judge.replays == 1


def test_nothing_on_the_screen_tells_the_reward(environment):
    environment.reset("click-option", 1, "ubuntu")
    hidden = "getComputedStyle(desktop.page().document.getElementById('reward-display')).display"
    assert environment.browser.evaluate(hidden) == "none"


def test_unknown_tasks_and_looks_are_named(environment):
    with pytest.raises(UserError, match="did you mean 'login-user'"):
        environment.reset("login-usr", 0, "mac")
    with pytest.raises(UserError, match="unknown look"):
        environment.reset("login-user", 0, "amiga")


def test_shipped_labels_hold_when_they_are_executed_again(environment):
    with (EMBEDDED / "miniwob.jsonl").open() as lines:
        trajectories = [json.loads(line) for line in lines]
    for trajectory in Random(20).sample([some for some in trajectories if len(some["traj"]) <= 4], 6):
        page = int(trajectory["group"].rsplit("-", 1)[1])
        judge = Judge(environment, trajectory["task_kind"], page, trajectory["os"])
        prefix = ()
        for step in trajectory["traj"]:
            for item in (step["value"], *step["value"]["rejected"]):
                where = (trajectory["task_id"], step["index"], item["code"])
                assert judge.judge(prefix, action_from_code(item["code"])) == item["judgement"], where
            prefix = (*prefix, action_from_code(step["value"]["code"]))
