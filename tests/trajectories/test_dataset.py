"""Data sets by name, their fingerprints, screenshots that are traps, and ``ablate data check``."""

from pathlib import Path

import pytest
from PIL import Image

from ablations.command_line import main
from cuascore.errors import UserError
from cuascore.trajectories import fingerprint, open_image, resolve_source
from cuascore.trajectories.dataset import DataConfig, load_dataset
from cuascore.trajectories.sources import recognise
from tests.tiny import write_folder
from tests.trajectories.build import folder, record, task

REAL = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_real_data = pytest.mark.skipif(not REAL.is_dir(), reason="the recorded trajectories are not beside the checkout")


def test_unknown_names_and_missing_folders_are_one_line(tmp_path):
    with pytest.raises(UserError, match=r"unknown data set 'agentnt': did you mean 'agentnet'"):
        resolve_source("agentnt", None)
    with pytest.raises(UserError, match="--data-root"):
        resolve_source("agentnet", None)
    with pytest.raises(UserError, match="no such folder"):
        resolve_source("folder", tmp_path / "none")
    with pytest.raises(UserError, match=r"none of \*\.jsonl is there"):
        resolve_source("folder", tmp_path)


def test_an_unknown_target_names_those_that_are_there(tiny_data):
    with pytest.raises(UserError, match=r"data\.target='beos': .*valid: all, mac, ubuntu, windows"):
        load_dataset(DataConfig(dataset="folder", target="beos"), tiny_data)


def test_data_without_a_usable_trajectory_is_one_line(tmp_path):
    folder(tmp_path, {"task_id": "t"})
    with pytest.raises(UserError, match="no usable trajectory; `ablate data check` says why"):
        load_dataset(DataConfig(dataset="folder"), tmp_path)


def test_the_fingerprint_is_what_is_read(tmp_path):
    source = folder(tmp_path, task("a"), task("b"))
    first = fingerprint(source)
    assert fingerprint(source) == first
    (tmp_path / "notes.txt").write_text("x")
    assert fingerprint(source) == first
    Image.new("RGB", (300, 200), "red").save(tmp_path / "images" / "a.png")
    second = fingerprint(source)
    assert second != first
    other = fingerprint(folder(tmp_path, task("a"), task("b", instruction="Other")))
    assert other not in (first, second)
    (tmp_path / "meta.jsonl").write_text('{"task_id": "a", "system": "Darwin"}\n')
    assert fingerprint(resolve_source("folder", tmp_path)) != other


def test_parts_and_pairs_of_a_data_set(tiny_data):
    dataset = load_dataset(DataConfig(dataset="folder"), tiny_data)
    assert dataset.platforms == ("mac", "ubuntu", "windows")
    sizes = {part: len(dataset.members(part, dataset.target)) for part in ("train", "validation", "test")}
    assert sum(sizes.values()) == 18
    assert min(sizes.values()) >= 3
    ubuntu = load_dataset(DataConfig(dataset="folder", target="ubuntu"), tiny_data)
    assert ubuntu.split == dataset.split, "the target cuts no new split"
    assert {t.platform for t in ubuntu.members("test", ubuntu.target)} == {"ubuntu"}
    capped = load_dataset(DataConfig(dataset="folder", pair_cap=3), tiny_data)
    assert len(capped.pairs("test", capped.target)) == 6
    assert capped.pairs("train", capped.target) == dataset.pairs("train", dataset.target)


def test_broken_missing_and_bomb_images_are_refused(tmp_path):
    with pytest.raises(UserError, match="no such screenshot"):
        open_image(tmp_path / "none.png")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnonsense")
    with pytest.raises(UserError, match="not a readable image"):
        open_image(tmp_path / "broken.png")
    Image.new("1", (9000, 9000)).save(tmp_path / "bomb.png")
    with pytest.raises(UserError, match="9000 x 9000 pixels, more than 64000000: refused"):
        open_image(tmp_path / "bomb.png")
    Image.new("L", (4, 3)).save(tmp_path / "good.png")
    assert open_image(tmp_path / "good.png").mode == "RGB"
    truncated = tmp_path / "half.png"
    Image.effect_noise((64, 64), 50).save(truncated)
    truncated.write_bytes(truncated.read_bytes()[:900])
    with pytest.raises(UserError, match="not a readable image"):
        open_image(truncated)


def test_check_counts_and_names_every_problem(tmp_path, capsys):
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "broken.png").write_bytes(b"x")
    folder(tmp_path, task("t1"), "{", task("t2", record(0, image="broken.png"), record(3, last_step_correct=None)))
    assert main(["data", "check", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "data.jsonl:2: " in printed
    for kind in ("malformed line: 1", "unreadable image: 1", "index gap: 1", "missing label: 1"):
        assert kind in printed
    assert main(["data", "check", str(tmp_path), "--strict"]) == 1


def test_check_of_clean_data_says_so_and_of_unusable_data_fails(tmp_path, capsys):
    folder(tmp_path / "clean", task("t1"))
    assert main(["data", "check", str(tmp_path / "clean"), "--strict"]) == 0
    printed = capsys.readouterr().out
    assert "no problems" in printed
    assert "no real incorrect pairs" in printed
    folder(tmp_path / "bad", "{")
    assert main(["data", "check", str(tmp_path / "bad")]) == 2


def test_known_layouts_are_recognised(tmp_path):
    write_folder(tmp_path / "tiny", trajectories=1)
    assert recognise(tmp_path / "tiny") == "folder"
    assert recognise(None) == "miniwob"
    (tmp_path / "screenagent_linux.jsonl").touch()
    assert recognise(tmp_path) == "screenagent"


@needs_real_data
def test_screenagent_is_read_whole():
    dataset = load_dataset(DataConfig(dataset="screenagent"), REAL / "screenagent")
    steps = [step for trajectory in dataset.trajectories for step in trajectory.steps]
    assert (len(dataset.trajectories), len(steps)) == (162, 710)
    assert sum(len(step.candidates) for step in steps) == 479
    assert dict(dataset.problems) == {"one step": 4}
    groups = dataset.split.group_of
    assert groups["5fe99045cd214b898c99fce84ff4906b"] == groups["session2"]


@needs_real_data
def test_the_fair_view_of_screenagent_gives_no_language_away():
    def chinese(text: str) -> bool:
        """Mostly so: an English thought may quote a word."""
        return sum("\u4e00" <= letter <= "\u9fff" for letter in text) > 0.2 * len(text)

    source = resolve_source("screenagent", REAL / "screenagent")
    from cuascore.trajectories import read_trajectories

    for trajectory in read_trajectories(source):
        for step in trajectory.steps:
            for candidate in step.candidates:
                if step.action.intent and candidate.action.intent:
                    assert chinese(step.action.intent) == chinese(candidate.action.intent)
                else:
                    assert (step.action.intent, candidate.action.intent) == ("", "") or not step.action.intent


@needs_real_data
def test_agentnetbench_is_read_whole_with_its_alternatives():
    from cuascore.trajectories import Label, read_trajectories

    found = list(read_trajectories(resolve_source("agentnetbench", REAL / "agentnetbench")))
    steps = [step for trajectory in found for step in trajectory.steps]
    assert (len(found), len(steps)) == (3, 28)
    assert [c.label for step in steps for c in step.candidates] == [Label.CORRECT] * 3
    assert all(open_image(step.image).width > 1000 for step in steps if step.image)
