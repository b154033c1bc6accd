"""Wording: every kind of move has its sentences; they say what it is for and nothing of whether it is right."""

from random import Random

import pytest

from cuascore.miniwob.actions import VERBS, GuiAction
from cuascore.miniwob.moves import Move
from cuascore.miniwob.observations import WORDS, observation_text, reflection_text
from cuascore.miniwob.phrases import ACTIONS, INTENTS, action_text, intent_text, target_words
from tests.miniwob.screens import control, screen

ROLES = ["button", "icon", "field", "checkbox", "radio button", "option", "link", "tab", "folder", "file", "menu item"]
ROLES += ["section header", "email", "day", "arrow", "page link", "text area", "drop-down list", "scroll list"]
VERDICTS = {
    "correct",
    "incorrect",
    "wrong",
    "mistake",
    "progress",
    "wasted",
    "fatal",
    "set-back",
    "error",
    "should not",
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_can_be_said_of_every_role(verb):
    for role in ROLES:
        for name in ("Submit", ""):
            move = Move(GuiAction(verb, 0.5, 0.5, text="ann", amount=-2), control(role, name))
            for draw in range(6):
                for text in (action_text(move, Random(draw)), intent_text(move, Random(draw))):
                    assert text
                    assert "{" not in text
                    assert text[0].isupper() or text[0] == "'"


def test_no_sentence_speaks_of_being_right():
    for sentences in (*ACTIONS.values(), *INTENTS.values()):
        for sentence in sentences:
            assert not [word for word in VERDICTS if word in sentence.lower()], sentence


def test_wording_depends_on_the_move_and_the_draw_alone():
    move = Move(GuiAction("click", 0.5, 0.5), control("button", "Submit"))
    assert {action_text(move, Random(7)) for _ in range(5)} == {action_text(move, Random(7))}
    assert len({action_text(move, Random(draw)) for draw in range(40)}) == len(ACTIONS["click"])


def test_a_typed_text_is_in_both_texts():
    move = Move(GuiAction("type", text="ann"), control("field", "Username"))
    assert all("'ann'" in action_text(move, Random(draw)) for draw in range(5))
    assert all("ann" in intent_text(move, Random(draw)) for draw in range(5))


def test_a_ticked_box_is_cleared_and_an_unticked_one_ticked():
    ticked, empty = control("checkbox", "Ab1", state="checked"), control("checkbox", "Ab1")
    click = GuiAction("click", 0.5, 0.5)
    for draw in range(6):
        assert intent_text(Move(click, ticked), Random(draw)) != intent_text(Move(click, empty), Random(draw))


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (control("button", "Submit"), "'Submit' button"),
        (control("radio button", "1st"), "1st radio button"),
        (control("icon", "Reply", context="on the post by @ann"), "Reply icon on the post by @ann"),
        (control("email", "from Ann"), "email from Ann"),
        (control("field"), "field"),
        (None, "page"),
    ],
)
def test_target_words(made, words):
    assert target_words(made) == words


def test_an_observation_tells_what_is_in_reach_in_reading_order():
    seen = screen(
        control("field", "Username", value="ann", focused=True),
        control("field", "Password", value="••"),
        control("button", "Login", points=()),
        outline=("Username", 0, "Password:", 1, 2, "Forgot?"),
    )
    assert observation_text(seen) == (
        "Login User window. 'Username' field: ann (cursor here); 'Password' field: ••; Forgot?"
    )


def test_an_observation_holds_no_advice_and_is_short():
    many = screen(*(control("checkbox", f"box{number}") for number in range(200)))
    text = observation_text(many)
    assert len(text.split()) == WORDS + 1
    assert text.endswith("…")


def test_days_are_told_as_a_range():
    assert observation_text(screen(*(control("day", str(day)) for day in range(1, 31)))).endswith("days 1 to 30")


def test_a_reflection_tells_the_change_and_all_ends_read_the_same():
    empty, filled = screen(control("field", "Name")), screen(control("field", "Name", value="ann"))
    assert reflection_text(empty, filled) == "Now there is: 'Name' field: ann. No longer there: 'Name' field: empty."
    assert reflection_text(empty, empty) == "Nothing changed on the screen."
    assert reflection_text(empty, None) == reflection_text(filled, None)
