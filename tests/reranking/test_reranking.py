"""Merging and deciding: the stated rules, on hand-made candidates and on any."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuascore.reranking import Verdict, decide, merge
from cuascore.trajectories.code import parse_code
from cuascore.trajectories.step import Action

SCREEN = (1000, 500)


def click(x: float, y: float, kind: str = "click") -> Action:
    code = f"pyautogui.{kind}(x={x}, y={y})"
    parsed = parse_code(code)
    return Action("Click", code, kind=parsed.kind, points=parsed.points)


def test_identical_code_is_one_action_whatever_its_spacing():
    codes = [
        "pyautogui.write(message='a')",
        'pyautogui.write( message="a" )',
        "pyautogui.write(message='b')",
        "((",
        "((",
    ]
    assert merge([Action("", code) for code in codes], SCREEN) == [[0, 1], [2], [3, 4]]


def test_clicks_within_20_pixels_are_one_and_groups_do_not_chain():
    assert merge([click(0.5, 0.5), click(0.519, 0.5), click(0.521, 0.5)], SCREEN) == [[0, 1], [2]]
    assert merge([click(0.5, 0.5), click(0.515, 0.5), click(0.53, 0.5)], SCREEN) == [[0, 1], [2]]
    assert merge([click(0.5, 0.5), click(0.5, 0.539)], SCREEN) == [[0, 1]], "10 of 500 pixels high is 0.02"
    assert merge([click(0.5, 0.5), click(0.5, 0.5, "rightClick")], SCREEN) == [[0], [1]]


def test_a_click_that_goes_on_is_not_merged_with_one_that_does_not():
    code = "pyautogui.click(x=0.5, y=0.5)\npyautogui.write(message='a')"
    parsed = parse_code(code)
    both = Action("", code, kind=parsed.kind, points=parsed.points)
    assert merge([click(0.5, 0.5), both], SCREEN) == [[0], [1]]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=8))
def test_every_candidate_is_in_one_group_and_first_members_are_apart(points):
    actions = [click(x, y) for x, y in points]
    groups = merge(actions, SCREEN)
    assert sorted(position for group in groups for position in group) == list(range(len(actions)))
    heads = [actions[group[0]] for group in groups]
    assert merge(heads, SCREEN) == [[n] for n in range(len(heads))]


@pytest.mark.parametrize(
    ("scores", "default", "chosen", "verdict"),
    [
        ([0.2, 0.5, 0.3], 0, 1, Verdict.OVERRIDE),
        ([0.2, 0.5, 0.3], 1, 1, Verdict.AGREE),
        ([0.05, 0.10, 0.0], 2, 2, Verdict.DEFER),
        ([0.9], 0, 0, Verdict.SINGLE),
        ([0.5, 0.5], 1, 1, Verdict.AGREE),
        ([float("nan"), 0.5], 0, 0, Verdict.FAILED),
    ],
)
def test_decisions(scores, default, chosen, verdict):
    found = decide(scores, default)
    assert (found.chosen, found.verdict) == (chosen, verdict)


def test_lead_is_the_gap_of_the_two_best():
    assert decide([0.2, 0.5, 0.3]).lead == pytest.approx(0.2)


@pytest.mark.parametrize(("scores", "default"), [([], 0), ([0.1, 0.2], 2), ([0.1], -1)])
def test_a_default_that_is_no_candidate_is_an_error(scores, default):
    with pytest.raises(ValueError, match="is none of"):
        decide(scores, default)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6), st.floats(-1, 1), st.data())
def test_the_default_runs_unless_a_better_one_passes(scores, sigma, data):
    default = data.draw(st.integers(0, len(scores) - 1))
    found = decide(scores, default, sigma)
    if found.chosen != default:
        assert scores[found.chosen] > max(sigma, scores[default])
        assert scores[found.chosen] == max(scores)
