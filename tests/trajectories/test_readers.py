"""Reading: every deviation of a record is named with its line, and what is unknown stays unknown."""

import json
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cuascore.errors import UserError
from cuascore.trajectories import Label, resolve_source
from cuascore.trajectories.readers import platform_of, read_trajectories
from tests.trajectories.build import folder, kinds, read, record, task, value


def test_a_good_file_is_read_without_a_word(tmp_path):
    found, problems = read(folder(tmp_path, task()))
    assert kinds(problems) == []
    one = found[0]
    assert (one.key, one.instruction, one.platform, one.completed, one.line) == ("t1", "Save it", "ubuntu", True, 1)
    first = one.steps[0]
    assert first.action.points == ((0.5, 0.5),)
    assert (first.label, first.action.kind, first.action.intent) == (Label.CORRECT, "click", "I press Save")
    assert first.image is not None
    assert first.image.name == "a.png"
    assert [step.follows for step in one.steps] == [False, True]


def test_k11_gaps_labels_and_unjudged_records(tmp_path):
    """Indices 0,1,2,4,5; record 2 wrong; record 4 without redundant; record 5 a terminate with the default label."""
    partial = value()
    del partial["last_step_redundant"]
    source = folder(
        tmp_path,
        task(
            "t1",
            record(0),
            record(1, code="pyautogui.press(keys=['a'])"),
            record(2, code="pyautogui.press(keys=['b'])", last_step_correct=False, last_step_redundant=True),
            {"index": 4, "image": "a.png", "value": partial},
            record(5, code="computer.terminate(status='success')", reflection=""),
        ),
    )
    found, problems = read(source)
    steps = found[0].steps
    assert [step.label for step in steps] == ["correct", "correct", "incorrect", "correct", "unknown"]
    assert steps[2].action.code == "pyautogui.press(keys=['b'])"
    assert [step.follows for step in steps] == [False, True, True, False, True]
    assert steps[3].redundant is None
    assert not steps[4].judged
    assert kinds(problems) == ["index gap"]
    from cuascore.trajectories import make_pairs

    pairs = make_pairs(found, seed=0)
    assert not any({2, 3} <= {pair.step, pair.incorrect.step} for pair in pairs if pair.kind == "hard")
    assert all(pair.correct.step not in (2, 4) for pair in pairs)


@pytest.mark.parametrize("dataset", ["folder", "agentnet"])
def test_a_last_record_with_the_generators_defaults_is_unjudged(tmp_path, dataset):
    name = "agentnet_ubuntu_5k.jsonl" if dataset == "agentnet" else "data.jsonl"
    source = folder(tmp_path, task("t1", record(0), record(1, reflection="")), name=name, dataset=dataset)
    found, problems = read(source)
    assert [step.judged for step in found[0].steps] == [True, False]
    assert found[0].steps[1].label is Label.UNKNOWN
    assert kinds(problems) == ["unjudged last step"]


def test_in_agentnet_the_last_record_is_never_judged(tmp_path):
    source = folder(tmp_path, task("t1", record(0), record(1)), name="agentnet_ubuntu_5k.jsonl", dataset="agentnet")
    assert [step.judged for step in read(source)[0][0].steps] == [True, False]


@pytest.mark.parametrize("found", [None, "true", 1, "missing"])
def test_a_missing_or_odd_label_stays_unknown(tmp_path, found):
    changed = value(last_step_correct=found)
    if found == "missing":
        del changed["last_step_correct"]
    source = folder(tmp_path, task("t1", {"index": 0, "image": "a.png", "value": changed}, record(1)))
    trajectories, problems = read(source)
    assert trajectories[0].steps[0].label is Label.UNKNOWN
    assert kinds(problems) == ["missing label"]


def test_a_malformed_line_stops_a_study_and_is_counted_by_a_check(tmp_path):
    source = folder(tmp_path, task("t1"), '{"task_id": ', task("t2"))
    with pytest.raises(UserError, match=r"data\.jsonl:2: not valid JSON .*ablate data check"):
        read(source)
    found, problems = read(source, keep_going=True)
    assert [trajectory.key for trajectory in found] == ["t1", "t2"]
    assert [(problem.kind, problem.line) for problem in problems] == [("malformed line", 2)]


def test_an_empty_file_is_a_problem_and_blank_lines_are_not(tmp_path):
    assert kinds(read(folder(tmp_path / "a"))[1]) == ["empty file"]
    found, problems = read(folder(tmp_path / "b", "", task("t1"), ""))
    assert len(found) == 1
    assert found[0].line == 2
    assert problems == []


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        ([1, 2], "bad task"),
        ({"task_id": "t"}, "bad task"),
        (task(""), "bad task"),
        (task("t", instruction=5), "bad task"),
        (task("t", traj="x"), "bad task"),
        (task("t", {"index": 0}), "bad step"),
        (task("t", record("zero"), record(1)), "bad step"),
        (task("t", record(0, observation=5), record(1)), "bad step"),
        (task("t", record(0, action="", code=""), record(1)), "bad step"),
        (task("t", record(0, rejected={"a": 1}), record(1)), "bad step"),
        (task("t", record(0, code=""), record(1)), "empty code"),
        (task("t", record(0, code="click("), record(1)), "code does not parse"),
        (task("t", record(0)), "one step"),
        (task("t", os="beos"), "unknown platform"),
        (task("t", record(0), record(0)), "repeated index"),
        (task("t", record(0, code="computer.terminate(status='fail')"), record(1)), "terminate in mid-trajectory"),
    ],
)
def test_deviations_are_named_and_do_not_end_the_reading(tmp_path, bad, kind):
    found, problems = read(folder(tmp_path, bad, task("good")))
    assert kind in kinds(problems)
    assert all(problem.line == 1 for problem in problems)
    assert found[-1].key == "good"


@pytest.mark.parametrize(
    ("x", "y", "kept"), [(0.0, 1.0, True), (1.0, 1.0, True), (1.01, 0.5, False), (512, 300, False)]
)
def test_coordinates_are_in_a_closed_square(tmp_path, x, y, kept):
    source = folder(tmp_path, task("t1", record(0, code=f"pyautogui.click(x={x}, y={y})"), record(1)))
    found, problems = read(source)
    assert (found[0].steps[0].label is Label.CORRECT) == kept
    assert kinds(problems) == ([] if kept else ["coordinates outside the screen"])


@pytest.mark.parametrize("name", ["../secret.png", "/etc/passwd", "images/../../x.png", "link.png", "..", "."])
def test_image_names_that_leave_the_folder_are_refused(tmp_path, name):
    source = folder(tmp_path / "data", task("t1", record(0, image=name), record(1)))
    (tmp_path / "secret.png").write_bytes(b"x")
    (tmp_path / "data" / "images" / "link.png").symlink_to(tmp_path / "secret.png")
    found, problems = read(source)
    assert found[0].steps[0].image is None
    assert set(kinds(problems)) <= {"image name leaves its folder", "missing image"}
    assert len(problems) == 1


@pytest.mark.parametrize("name", ["none.png", "", None, 5])
def test_missing_images_are_counted_and_the_step_is_kept(tmp_path, name):
    found, problems = read(folder(tmp_path, task("t1", record(0, image=name), record(1))))
    assert found[0].steps[0].image is None
    assert kinds(problems) == ["missing image"]


def test_repeated_task_ids_get_keys_of_their_own(tmp_path):
    found, problems = read(folder(tmp_path, task("t1"), task("t1"), task("t1", instruction="Other")))
    assert [trajectory.key for trajectory in found] == ["t1", "t1#2", "t1#3"]
    assert kinds(problems) == ["repeated task id"] * 2


@pytest.mark.parametrize(
    ("spelt", "platform"),
    [
        ("Ubuntu", "ubuntu"),
        ("linux", "ubuntu"),
        ("Windows", "windows"),
        ("win32", "windows"),
        ("Windows 11", "windows"),
        ("Darwin", "mac"),
        ("macOS", "mac"),
        ("osx", "mac"),
        ("Mac-OS", "mac"),
        ("beos", "unknown"),
        (None, "unknown"),
    ],
)
def test_platform_spellings(spelt, platform):
    assert platform_of(spelt) == platform


def test_the_meta_file_names_the_operating_system(tmp_path):
    bare = [{key: item for key, item in task(name).items() if key != "os"} for name in ("w", "d", "lost")]
    folder(tmp_path, *bare, name="agentnet_win_mac_18k.jsonl", dataset="agentnet")
    folder(tmp_path, {**bare[0], "task_id": "u"}, name="agentnet_ubuntu_5k.jsonl", dataset="agentnet")
    systems = [{"task_id": "w", "system": "Windows"}, {"task_id": "d", "system": "Darwin"}]
    (tmp_path / "meta_data_merged.jsonl").write_text("".join(json.dumps(line) + "\n" for line in systems))
    found, problems = read(resolve_source("agentnet", tmp_path))
    assert {t.key: t.platform for t in found} == {"u": "ubuntu", "w": "windows", "d": "mac", "lost": "unknown"}
    assert "unknown platform" in kinds(problems)


def test_rejected_actions_become_candidates_with_their_labels(tmp_path):
    other = {"thought": "I press Cancel", "action": "Click Cancel", "code": "pyautogui.click(x=0.1, y=0.1)"}
    rejected = [
        other,
        {**other, "last_step_correct": True, "judgement": "progress"},
        {**other, "last_step_correct": None},
    ]
    found, _ = read(folder(tmp_path, task("t1", record(0, rejected=rejected), record(1))))
    candidates = found[0].steps[0].candidates
    assert [(c.label, c.judgement) for c in candidates] == [
        (Label.INCORRECT, "replaced"),
        (Label.CORRECT, "progress"),
        (Label.UNKNOWN, ""),
    ]
    assert candidates[0].action.intent == "I press Cancel"


@pytest.mark.parametrize(
    ("thought", "kept", "other"),
    [("fair", "我按保存", "我按取消"), ("as_published", "I press Save", "我按取消"), ("none", "", "")],
)
def test_the_fair_view_shows_one_language_on_both_sides(tmp_path, thought, kept, other):
    rejected = [{"thought": "我按取消", "action": "Click", "code": "pyautogui.click(x=0.1, y=0.1)", "lang": "zh"}]
    line = task("t1", record(0, rejected=rejected, thought_zh="我按保存", thought_lang="en"), record(1))
    folder(tmp_path, line, name="screenagent_linux.jsonl", dataset="screenagent")
    found, _ = read(resolve_source("screenagent", tmp_path, thought=thought))
    first = found[0].steps[0]
    assert (first.action.intent, first.candidates[0].action.intent) == (kept, other)


def test_the_fair_view_is_silent_where_there_is_no_common_language(tmp_path):
    rejected = [{"thought": "我按取消", "action": "Click", "code": "pyautogui.click(x=0.1, y=0.1)", "lang": "zh"}]
    line = task("t1", record(0, rejected=rejected, thought_zh="", thought_lang="en"), record(1))
    source = folder(tmp_path, line, name="screenagent_linux.jsonl", dataset="screenagent")
    first = read(source)[0][0].steps[0]
    assert (first.action.intent, first.candidates[0].action.intent) == ("", "")


NAMES = ["task_id", "instruction", "traj", "index", "image", "value", "code", "action", "rejected", "os"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["task_id", "instruction", "traj", "index", "image", "value", "code", "action", "rejected", "os"]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(st.lists(JSON, min_size=1, max_size=3))
def test_any_json_is_read_or_reported_and_never_a_crash(tmp_path, lines):
    source = folder(tmp_path, *[json.dumps(line) for line in lines])
    found, problems = read(source, keep_going=True)
    assert all(trajectory.steps for trajectory in found)
    assert len(found) + len(problems) > 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
@given(st.dictionaries(st.sampled_from(sorted(value())), JSON, min_size=1))
def test_any_value_in_a_record_is_read_or_reported(tmp_path, changes):
    found, _ = read(folder(tmp_path, task("t1", record(0, **changes), record(1))), keep_going=True)
    assert [trajectory.key for trajectory in found] == ["t1"]


def test_memory_does_not_grow_with_the_file(tmp_path):
    peaks = []
    for count in (50, 800):
        source = folder(tmp_path / str(count), *[task(f"t{n}") for n in range(count)])
        tracemalloc.start()
        assert sum(1 for _ in read_trajectories(source)) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 200_000, "ids may be kept, records may not"
