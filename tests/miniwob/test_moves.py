"""Moves, proposals, the ledger and code, without a browser."""

import ast
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuascore.errors import UserError
from cuascore.miniwob.actions import POINTED, VERBS, GuiAction, action_from_code
from cuascore.miniwob.agents import AGENTS, take_turn
from cuascore.miniwob.ledger import Ledger
from cuascore.miniwob.moves import Move, expert_move
from cuascore.miniwob.plan import episodes
from cuascore.miniwob.proposals import near_miss, other_moves
from cuascore.miniwob.screen import Advice, Outcome, Placement
from cuascore.trajectories.code import parse_code
from tests.miniwob.screens import control, screen

FORM = (
    control("field", "Username", focused=True, points=((0.30, 0.30), (0.34, 0.32))),
    control("field", "Password", points=((0.30, 0.50), (0.34, 0.52))),
    control("button", "Login", points=((0.30, 0.70), (0.34, 0.72))),
)
ADVICE = Advice(verb="type", control=0, text="ann", amount=0, points=())


@given(st.sampled_from(VERBS), st.floats(0, 1), st.floats(0, 1), st.text(max_size=30), st.integers(-5, 5))
def test_code_is_pyautogui_that_parses_and_keeps_text_and_point(verb, x, y, text, amount):
    code = GuiAction(verb, x, y, text, amount).code
    assert all(isinstance(statement, ast.Expr) for statement in ast.parse(code).body)
    parsed = parse_code(code)
    assert not parsed.error
    for px, py in parsed.points:
        assert abs(px - x) <= 5e-5
        assert abs(py - y) <= 5e-5
    if verb == "type":
        assert ast.literal_eval(ast.parse(code).body[0].value.keywords[0].value) == text


@given(st.sampled_from(VERBS), st.integers(0, 9999), st.integers(0, 9999), st.text(max_size=30), st.integers(-5, 5))
def test_an_action_comes_back_from_its_code(verb, x, y, text, amount):
    made = GuiAction(
        verb,
        x / 10_000 if verb in POINTED else 0.0,
        y / 10_000 if verb in POINTED else 0.0,
        text if verb == "type" else "",
        amount if verb == "scroll" else 0,
    )
    assert action_from_code(made.code) == made


@pytest.mark.parametrize(
    "code", ["", "1 +", "pyautogui.click()", "os.remove('x')", "pyautogui.dragTo(x=0.1, y=0.2)", "x = 1"]
)
def test_foreign_code_is_refused_and_never_run(code):
    with pytest.raises(UserError, match="no action of this environment"):
        action_from_code(code)


@pytest.mark.parametrize(("reward", "done", "success"), [(1.0, True, True), (0.9, True, False), (1.0, False, False)])
def test_only_a_full_reward_of_a_finished_episode_counts(reward, done, success):
    assert Outcome(done, reward).success is success


def test_a_point_of_the_frame_lies_where_the_window_is():
    assert Placement(128, 72, 2.0, 1280, 720).point(64, 36) == (0.2, 0.2)


def test_the_expert_moves_alike_in_the_same_state():
    seen = screen(*FORM, advice=Advice("click", 2, "", 0, FORM[2].points))
    assert expert_move(seen) == expert_move(seen)
    assert expert_move(screen(*FORM, advice=Advice("click", 2, "", 0, ()))) is None


def test_proposals_reach_every_control_and_type_every_text_into_the_focused_field():
    moves = other_moves(screen(*FORM, advice=ADVICE), ("bob", "cid"), Random(0))
    assert {move.control.name for move in moves if move.action.verb == "click"} == {"Username", "Password", "Login"}
    assert {move.action.text for move in moves if move.action.verb == "type"} == {"bob", "cid"}


def test_a_near_miss_means_its_target_and_hits_nothing():
    seen = screen(*FORM)
    aimed = Move(GuiAction("click", 0.3, 0.7), FORM[2])
    for draw in range(30):
        missed = near_miss(aimed, seen, Random(draw))
        assert missed is not None
        assert missed.control is FORM[2]
        for item in FORM:
            xs, ys = zip(*item.points, strict=True)
            assert not (min(xs) <= missed.action.x <= max(xs) and min(ys) <= missed.action.y <= max(ys))


def test_the_ledger_asks_for_wrong_actions_of_the_kind_that_was_right_most():
    ledger = Ledger()
    moves = other_moves(screen(*FORM), (), Random(0))
    login = next(move for move in moves if move.control.name == "Login")
    for _ in range(6):
        ledger.add("login-user", login.signature, True)
    for move in moves:
        if move is not login:
            ledger.add("login-user", move.signature, False)
    drawn = Counter(ledger.choose("login-user", moves, Random(draw)).control.name for draw in range(200))
    assert drawn["Login"] > 180
    assert ledger.choose("login-user", [], Random(0)) is None


def test_a_turn_holds_the_right_move_and_no_move_twice():
    seen = screen(*FORM, advice=ADVICE)
    for agent in AGENTS:
        for draw in range(40):
            turn = take_turn(agent, "login-user", seen, ("bob", "cid"), Ledger(), Random(draw))
            codes = [turn.executed.action.code, *(move.action.code for move in turn.others)]
            assert "pyautogui.write(message='ann')" in codes
            assert len(set(codes)) == len(codes) >= 2
    always = [take_turn(AGENTS[0], "login-user", seen, ("bob",), Ledger(), Random(draw)) for draw in range(20)]
    assert {turn.executed.action.text for turn in always} == {"ann"}


def test_the_plan_visits_tasks_and_looks_evenly_and_repeats_no_episode():
    tasks = ["a", "b", "c"]
    plan = episodes(tasks, seed=3)
    drawn = [next(plan) for _ in range(180)]
    assert len({episode.key for episode in drawn}) == 180
    assert Counter(episode.task for episode in drawn) == dict.fromkeys(tasks, 60)
    assert Counter(episode.look for episode in drawn) == {"ubuntu": 60, "windows": 60, "mac": 60}
    again = episodes(tasks, seed=3)
    assert [next(again) for _ in range(180)] == drawn
