"""The data set that the package ships: whole, labelled, in bounds, and small enough for a repository."""

import json
from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from PIL import Image

from cuascore.trajectories.code import parse_code
from cuascore.trajectories.sources import EMBEDDED

JUDGEMENTS = {"progress", "wasted", "set-back", "fatal"}
LIMIT = 9_500_000


@pytest.fixture(scope="module")
def trajectories():
    with (EMBEDDED / "miniwob.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def steps(trajectories):
    return [step for trajectory in trajectories for step in trajectory["traj"]]


def test_it_is_large_enough_and_small_enough(trajectories, steps):
    assert len(steps) >= 2500
    assert 3 <= len(steps) / len(trajectories) <= 6
    assert sum(path.stat().st_size for path in EMBEDDED.rglob("*") if path.is_file()) <= LIMIT


def test_kinds_looks_and_groups_allow_a_split(trajectories):
    groups = defaultdict(set)
    for trajectory in trajectories:
        groups[trajectory["task_kind"]].add(trajectory["group"])
    assert sum(len(found) >= 9 for found in groups.values()) >= 30
    assert min(len(found) for found in groups.values()) >= 5
    looks = Counter(trajectory["os"] for trajectory in trajectories)
    assert set(looks) == {"ubuntu", "windows", "mac"}
    assert min(looks.values()) >= 0.3 * len(trajectories)
    assert len({trajectory["task_id"] for trajectory in trajectories}) == len(trajectories)


def test_every_action_is_judged_and_says_what_it_means(steps):
    for step in steps:
        for item in (step["value"], *step["value"]["rejected"]):
            assert item["judgement"] in JUDGEMENTS
            assert item["last_step_correct"] is (item["judgement"] == "progress")
            assert item["thought"]
            assert item["action"]
            parsed = parse_code(item["code"])
            assert not parsed.error
            assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in parsed.points)
        codes = [step["value"]["code"], *(item["code"] for item in step["value"]["rejected"])]
        assert len(set(codes)) == len(codes)


def test_right_and_wrong_stand_side_by_side(steps):
    wrong = sum(not step["value"]["last_step_correct"] for step in steps) / len(steps)
    assert 0.25 <= wrong <= 0.36
    sides = Counter(
        (step["value"]["last_step_correct"], item["last_step_correct"])
        for step in steps
        for item in step["value"]["rejected"]
    )
    assert sides[(True, False)] >= 1000
    assert sides[(False, True)] >= 500


def test_screenshots_open_and_none_is_left_over(steps):
    named = {step["image"] for step in steps}
    assert named == {path.name for path in (EMBEDDED / "images").iterdir()}
    for name in sorted(named):
        with Image.open(EMBEDDED / "images" / name) as image:
            image.load()
            assert image.format == "WEBP"
            assert image.size == (480, 270)


def test_trajectories_run_on_and_end_as_they_say(trajectories):
    for trajectory in trajectories:
        assert [step["index"] for step in trajectory["traj"]] == list(range(len(trajectory["traj"])))
        last = trajectory["traj"][-1]["value"]
        if trajectory["task_completed"]:
            assert last["judgement"] == "progress"
        fatal = [step["value"]["judgement"] == "fatal" for step in trajectory["traj"]]
        assert not any(fatal[:-1])


def test_observations_do_not_tell_the_answer(trajectories):
    """The same screen under two instructions must read the same: what is to be done stands in the instruction alone."""
    for trajectory in trajectories:
        for step in trajectory["traj"]:
            assert trajectory["instruction"] not in step["value"]["observation"]
            assert len(step["value"]["observation"].split()) <= 61


def test_a_state_that_changed_reads_differently(trajectories):
    changed = [
        (before["value"]["observation"], after["value"]["observation"])
        for trajectory in trajectories
        for before, after in pairwise(trajectory["traj"])
        if before["value"]["last_step_correct"]
    ]
    assert sum(before != after for before, after in changed) / len(changed) > 0.85


def test_the_licence_of_the_pages_is_there():
    text = (EMBEDDED / "README.md").read_text()
    assert "MIT" in text
    assert "Farama" in text
    assert "python -m cuascore.miniwob.record" in text
