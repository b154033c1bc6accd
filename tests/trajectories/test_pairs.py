"""Pairs, written out by hand for small trajectories, and the rows of the table that they stand for."""

import random

import pytest

from cuascore.trajectories import ActionRef, Label, Pair, make_pairs
from cuascore.trajectories.tabulate import tabulate
from tests.trajectories.build import candidate, step, trajectory


def hard(key: str, at: int, other: int) -> Pair:
    return Pair("hard", key, at, ActionRef(at), ActionRef(other))


def wrong(key: str, at: int, correct: ActionRef, incorrect: ActionRef) -> Pair:
    return Pair("real_incorrect", key, at, correct, incorrect)


def test_hard_pairs_are_the_neighbours_of_correct_steps():
    found = make_pairs([trajectory("t", step(0), step(1, "incorrect"), step(2), step(3, "unknown"))], seed=0)
    assert [pair for pair in found if pair.kind == "hard"] == [hard("t", 0, 1), hard("t", 2, 1), hard("t", 2, 3)]


def test_no_pair_across_a_gap_and_none_of_equal_code():
    gap = trajectory("t", step(0), step(5, follows=False))
    assert make_pairs([gap], seed=0) == []
    same = trajectory("t", step(0, code="press('a')"), step(1, code="press('a')"))
    assert make_pairs([same], seed=0) == []


def test_a_states_own_incorrect_actions_come_first():
    own = trajectory(
        "t", step(0, candidates=(candidate("x", "incorrect"), candidate("y", "incorrect"))), step(1, "incorrect")
    )
    found = [pair for pair in make_pairs([own], seed=0) if pair.kind == "real_incorrect"]
    assert found == [wrong("t", 0, ActionRef(0), ActionRef(0, 0)), wrong("t", 0, ActionRef(0), ActionRef(0, 1))]


def test_a_correct_candidate_stands_for_a_state_whose_step_was_wrong():
    one = trajectory("t", step(0, "incorrect", candidates=(candidate("x", "correct"), candidate("u", "unknown"))))
    assert make_pairs([one], seed=0) == [wrong("t", 0, ActionRef(0, 0), ActionRef(0))]


def test_a_state_without_its_own_takes_one_incorrect_step_of_its_task():
    one = trajectory("t", step(0), step(1, "incorrect"), step(2), step(3, "incorrect"))
    found = [pair for pair in make_pairs([one], seed=0) if pair.kind == "real_incorrect"]
    assert [pair.step for pair in found] == [0, 2]
    assert all(pair.incorrect in (ActionRef(1), ActionRef(3)) for pair in found)


def test_unknown_labels_are_neither_right_nor_wrong():
    one = trajectory("t", step(0, "unknown", candidates=(candidate("x", "unknown"),)), step(1, "unknown"))
    assert make_pairs([one], seed=0) == []


def test_without_incorrect_labels_there_are_hard_pairs_only():
    found = make_pairs([trajectory("t", step(0), step(1), step(2))], seed=0)
    assert {pair.kind for pair in found} == {"hard"}
    assert len(found) == 4


def test_the_cap_chooses_by_hash_and_not_by_place():
    many = [trajectory(f"t{n}", *(step(i) for i in range(4))) for n in range(60)]
    all_pairs = make_pairs(many, seed=0, cap=None)
    assert len(all_pairs) == 60 * 6
    capped = make_pairs(many, seed=0, cap=50)
    assert len(capped) == 50
    assert set(capped) < set(all_pairs)
    assert make_pairs(random.Random(1).sample(many, 60), seed=0, cap=50) == capped
    assert make_pairs(many, seed=1, cap=50) != capped
    assert len({pair.trajectory for pair in capped}) > 25, "spread over the data, not its first lines"


@pytest.fixture(scope="module")
def mixed():
    return [
        trajectory(
            f"t{n}",
            step(0, code=f"press('{n}a')", candidates=(candidate(f"{n}x", "incorrect"),)),
            step(1, "incorrect", code=f"press('{n}b')", candidates=(candidate(f"{n}y", "correct"),)),
            step(2, code=f"press('{n}c')"),
            platform=("ubuntu", "mac")[n % 2],
            completed=(True, False, None)[n % 3],
        )
        for n in range(5)
    ]


def test_rows_of_the_table_are_the_actions_that_pairs_name(mixed):
    table = tabulate(mixed)
    pairs = make_pairs(mixed, seed=0)
    rows = table.locate(pairs)
    by_key = {one.key: one for one in mixed}

    def code(one, ref) -> str:
        at = by_key[one.trajectory].steps[ref.step]
        return (at.action if ref.candidate is None else at.candidates[ref.candidate].action).code

    for place, pair in enumerate(pairs):
        assert rows.kind[place] == pair.kind
        for side, ref in (("correct", pair.correct), ("incorrect", pair.incorrect)):
            row = getattr(rows, side)[place]
            assert table.texts[table.action_text["code"][row]] == code(pair, ref)
        state = rows.state[place]
        assert table.trajectories[table.state_trajectory[state]] == pair.trajectory
        observation = by_key[pair.trajectory].steps[pair.step].observation
        assert table.texts[table.state_text["observation"][state]] == observation


def test_a_state_shows_the_reflection_of_the_step_before_and_none_across_a_gap():
    one = trajectory("t", step(0, follows=False), step(1), step(4, follows=False), step(5))
    table = tabulate([one])
    shown = [table.texts[row] for row in table.state_text["reflection"]]
    assert shown == ["", "did 0", "", "did 4"]


def test_history_is_oldest_first_with_padding_in_front(mixed):
    table = tabulate(mixed)
    assert table.history[0].tolist() == [-1] * 10
    assert table.history[2].tolist() == [-1] * 8 + [0, 1]
    assert table.history[3].tolist() == [-1] * 10, "another trajectory has no past here"
    long = tabulate([trajectory("t", *(step(i) for i in range(14)))])
    assert long.history[13].tolist() == list(range(3, 13))


def test_columns_hold_labels_outcomes_and_distinct_texts(mixed):
    table = tabulate(mixed)
    assert table.texts[0] == ""
    assert len(set(table.texts)) == len(table.texts)
    assert table.images == [None]
    labels = [(Label.UNKNOWN, Label.CORRECT, Label.INCORRECT)[code] for code in table.action_label[:5]]
    assert labels == ["correct", "incorrect", "incorrect", "correct", "correct"]
    assert table.executed[:3].tolist() == [0, 2, 4]
    assert table.action_state[:5].tolist() == [0, 0, 1, 1, 2]
    assert table.state_completion[::3].tolist() == [1, 2, 0, 1, 2]


def test_coordinates_are_the_first_two_points_and_their_presence():
    from dataclasses import replace

    points = ((0.1, 0.2), (0.3, 0.4), (0.5, 0.6))
    steps = [
        replace(s, action=replace(s.action, points=points[:n]))
        for n, s in enumerate([step(0), step(1), step(2), step(3)])
    ]
    table = tabulate([trajectory("t", *steps)])
    expected = [[0] * 6, [0.1, 0.2, 1, 0, 0, 0], [0.1, 0.2, 1, 0.3, 0.4, 1], [0.1, 0.2, 1, 0.3, 0.4, 1]]
    assert table.coordinates.tolist() == [pytest.approx(row) for row in expected]


def test_a_subtask_stands_before_the_observation():
    table = tabulate([trajectory("t", step(0, subtask="Open the file"), step(1))])
    shown = [table.texts[row] for row in table.state_text["observation"]]
    assert shown == ["Subtask: Open the file screen 0", "screen 1"]
