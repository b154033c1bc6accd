"""The split: whole trajectories, near-identical ones together, whatever the order of lines or the training seed."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuascore.errors import UserError
from cuascore.trajectories import Split, split_trajectories
from cuascore.trajectories.split import near_identical
from tests.trajectories.build import step, trajectory


def many(count: int, platforms: tuple[str, ...] = ("ubuntu",)):
    return [
        trajectory(
            f"t{n}", *(step(i, code=f"press('{n}-{i}')") for i in range(4)), platform=platforms[n % len(platforms)]
        )
        for n in range(count)
    ]


def test_k12_a_copy_goes_with_its_original_and_neither_seed_nor_order_matters():
    """Six trajectories and a seventh that copies the first under another id; lines in any order."""
    six = many(6)
    seven = [*six, replace(six[0], key="copy", group="copy")]
    for seed in (1, 2, 3):
        split = split_trajectories(seven, seed=seed, fractions=(0.6, 0.2, 0.2))
        assert split.part_of["copy"] == split.part_of["t0"]
        assert set(split.part_of.values()) == {"train", "validation", "test"}
        shuffled = random.Random(seed).sample(seven, len(seven))
        assert split_trajectories(shuffled, seed=seed, fractions=(0.6, 0.2, 0.2)) == split
    assert len({str(split_trajectories(many(30), seed=seed).part_of) for seed in (1, 2, 3)}) == 3


def test_shares_are_kept_within_each_platform():
    split = split_trajectories(many(120, ("ubuntu", "windows", "mac")), seed=0)
    for start in range(3):
        counts = Counter(split.part_of[f"t{n}"] for n in range(start, 120, 3))
        assert counts == {"train": 24, "validation": 6, "test": 10}


def test_a_small_platform_has_every_part():
    split = split_trajectories(many(18, ("ubuntu", "windows", "mac")), seed=0)
    for start in range(3):
        assert {split.part_of[f"t{n}"] for n in range(start, 18, 3)} == {"train", "validation", "test"}


def test_an_empty_part_is_an_error_that_says_so():
    with pytest.raises(UserError, match="no trajectory for validation"):
        split_trajectories(many(2), seed=0)
    with pytest.raises(UserError, match="sum to 1"):
        split_trajectories(many(20), seed=0, fractions=(0.5, 0.2, 0.2))


def test_what_counts_as_near_identical():
    base = many(8)
    steps = base[0].steps
    same_group = replace(base[1], group="t0")
    same_codes = replace(base[0], key="codes", group="codes", instruction=" DO  t0 ")
    most_steps = trajectory("most", *steps[:3], step(9), step(10, code="press('z')"))
    half = trajectory("half", *base[2].steps[:2], step(11, code="press('q')"), step(12, code="press('r')"))
    image = tuple(replace(s, image=p) for s, p in zip(base[3].steps, [None, None, None, __file__], strict=True))
    shares_image = [replace(base[3], steps=image), replace(base[4], steps=(replace(base[4].steps[0], image=__file__),))]
    groups = near_identical([*base[:1], same_group, same_codes, most_steps, half, base[2], *shares_image, *base[5:]])
    assert groups["t1"] == groups["codes"] == groups["t0"]
    assert groups["most"] != groups["t0"], "three of four shared steps is less than 80 %"
    whole = trajectory("whole", *steps, step(9))
    assert near_identical([base[0], whole])["whole"] == near_identical([base[0], whole])["t0"]
    assert groups["half"] != groups["t2"]
    assert groups["t3"] == groups["t4"]
    assert groups["t5"] == "t5"


@given(st.lists(st.integers(0, 12), min_size=40, max_size=80), st.integers(0, 5))
def test_groups_are_never_cut(groups, seed):
    found = [replace(one, group=f"g{group}") for one, group in zip(many(len(groups)), groups, strict=True)]
    try:
        split = split_trajectories(found, seed=seed)
    except UserError:
        assert len(set(groups)) < 4
        return
    parts = {}
    for one in found:
        assert parts.setdefault(one.group, split.part_of[one.key]) == split.part_of[one.key]


def test_a_split_is_saved_and_read_back(tmp_path):
    split = split_trajectories(many(20), seed=0)
    split.save(tmp_path / "split.json")
    assert Split.load(tmp_path / "split.json") == split
    assert [path.name for path in tmp_path.iterdir()] == ["split.json"]
