"""The code parser: published spellings of calls, and any text at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuascore.trajectories.code import parse_code


@pytest.mark.parametrize(
    ("code", "kind", "points", "keys"),
    [
        ("pyautogui.click(x=0.1, y=0.2)", "click", [(0.1, 0.2)], []),
        ("pyautogui.click(0.1, 0.2)", "click", [(0.1, 0.2)], []),
        ("pyautogui.click(0.1, y=0.2)", "click", [(0.1, 0.2)], []),
        ("pyautogui.rightClick(x=1, y=0)", "rightClick", [(1.0, 0.0)], []),
        ("computer.tripleClick(x=0.3, y=0.4)", "tripleClick", [(0.3, 0.4)], []),
        (
            "pyautogui.moveTo(x=0.1, y=0.2)\npyautogui.dragTo(x=0.3, y=0.4, button='left')",
            "moveTo",
            [(0.1, 0.2), (0.3, 0.4)],
            [],
        ),
        ("pyautogui.scroll(-3)", "scroll", [], []),
        ("pyautogui.scroll(-3, x=0.5, y=0.6)", "scroll", [(0.5, 0.6)], []),
        ("pyautogui.scroll(-3, 0.5, 0.6)", "scroll", [(0.5, 0.6)], []),
        ("pyautogui.hotkey(keys=['ctrl', 'c'])", "hotkey", [], ["ctrl", "c"]),
        ("pyautogui.hotkey(['ctrl', 's'])", "hotkey", [], ["ctrl", "s"]),
        ("pyautogui.hotkey('ctrl', 'v')", "hotkey", [], ["ctrl", "v"]),
        ("pyautogui.press(keys=['enter'])", "press", [], ["enter"]),
        ("pyautogui.press('tab', presses=2)", "press", [], ["tab"]),
        ("pyautogui.write(message='x=0.5, y=0.5')", "write", [], []),
        ("computer.terminate(status='success')", "terminate", [], []),
        ("computer.wait()", "wait", [], []),
        ("pyautogui.click()", "click", [], []),
        ("pyautogui.click(x=width / 2, y=0.5)", "click", [], []),
        ("pyautogui.click(x=-0.1, y=1.7)", "click", [(-0.1, 1.7)], []),
    ],
)
def test_calls_as_they_are_published(code, kind, points, keys):
    found = parse_code(code)
    assert (found.kind, list(found.points), list(found.keys), found.error) == (kind, points, keys, "")


@pytest.mark.parametrize(
    "code", ["pyautogui.click(x=0.1", "import os", "x = 1", "click(1, 2); y", "'text'", "# nothing"]
)
def test_what_is_no_list_of_calls_is_an_error_in_words(code):
    found = parse_code(code)
    assert found.error
    assert found.kind == ""
    assert found.points == ()


@given(st.text())
def test_any_text_is_parsed_or_refused_and_never_raises(text):
    found = parse_code(text)
    assert bool(found.error) == (found.kind == "")


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_coordinates_come_back_as_they_were_written(x, y):
    assert parse_code(f"pyautogui.click(x={x!r}, y={y!r})").points == ((x, y),)


def test_huge_numbers_and_deep_nesting_are_no_crash():
    assert parse_code(f"click({'9' * 4000}, 1)").points == ()
    assert parse_code("(" * 500 + ")" * 500).error
