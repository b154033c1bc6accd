"""A label must not be readable from its action alone: classifiers without the state stay near chance."""

import json
from dataclasses import replace

import numpy as np
import pytest

from cuascore.miniwob.audit import audit_numbers, audit_words, judged_actions
from cuascore.trajectories.sources import EMBEDDED

CHANCE = (0.4, 0.6)


@pytest.fixture(scope="module")
def actions():
    with (EMBEDDED / "miniwob.jsonl").open() as lines:
        return judged_actions(json.loads(line) for line in lines)


@pytest.mark.parametrize("audit", [audit_words, audit_numbers])
def test_the_action_alone_does_not_give_its_label(actions, audit):
    found = audit(actions)
    assert CHANCE[0] <= found.auc <= CHANCE[1], found
    assert CHANCE[0] <= found.pairs <= CHANCE[1], found
    assert found.pair_count > 1000


@pytest.mark.parametrize("audit", [audit_words, audit_numbers])
def test_the_audit_would_see_a_shortcut(actions, audit):
    """A little politeness in half of the right actions' intents, which also makes them longer, must show."""
    draw = np.random.default_rng(0)
    told = [
        replace(action, intent=f"{action.intent} I am quite sure.")
        if action.correct and draw.random() < 0.5
        else action
        for action in actions
    ]
    assert audit(told).auc > 0.65


@pytest.mark.parametrize("role", ["Submit", "Back", "Login", "Search", "Reply", "Send"])
def test_no_control_is_always_right_or_always_wrong(actions, role):
    labels = [action.correct for action in actions if f"'{role}'" in action.action or f" {role} icon" in action.action]
    assert len(labels) >= 20
    assert 0.2 <= np.mean(labels) <= 0.8


def test_lengths_of_right_and_wrong_texts_are_alike(actions):
    for part in ("intent", "action", "code"):
        right = np.mean([len(getattr(action, part)) for action in actions if action.correct])
        wrong = np.mean([len(getattr(action, part)) for action in actions if not action.correct])
        assert abs(right - wrong) / wrong < 0.1, part
