"""Study files: the shipped ones are whole, and a mistake in one is a line that names file and key."""

import pytest
import yaml

from ablations.study import STUDIES, flatten, load_study, study_names
from cuascore.errors import UserError
from lightning_modules.registry import load_system

GOOD = {
    "study": "mine",
    "title": "Mine",
    "system": "intentscore",
    "columns": ["hard_accuracy"],
    "rows": {
        "named": [{"name": "base"}, {"name": "more", "set": {"loss.margin": 0.3}, "paper": {"hard_accuracy": 0.9}}]
    },
}


def written(tmp_path, **changes) -> str:
    path = tmp_path / "mine.yaml"
    tree = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    path.write_text(yaml.safe_dump(tree))
    return str(path)


def test_a_good_file_is_read(tmp_path):
    study = load_study(written(tmp_path, base={"loss": {"margin": 0.1}}))
    assert study.base == {"loss.margin": 0.1}
    assert [row.name for row in study.row_specs] == ["base", "more"]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"colums": ["x"]}, "unknown key 'colums': did you mean 'columns'?"),
        ({"columns": ["hard_acuracy"]}, "'hard_acuracy': unknown; did you mean 'hard_accuracy'?"),
        ({"headline": "nonsense"}, "metric 'nonsense': unknown"),
        ({"title": None}, "title: field required"),
        ({"rows": {"grid": []}}, "rows"),
        ({"rows": {"named": []}}, "needs at least one row"),
        ({"rows": {"named": [{"name": "a"}, {"name": "a"}]}}, "two rows are called 'a'"),
        ({"rows": {"named": [{"name": "a", "sett": {}}]}}, "unknown key"),
        ({"rows": {"named": [{"name": "a", "paper": {"hard_gap_mean": 1.0}}]}}, "no column of this study"),
        ({"seeds": 0}, "greater than or equal to 1"),
        ({"data": {"datset": "x"}}, "did you mean 'dataset'?"),
        ({"study": "../out"}, "study"),
    ],
)
def test_a_mistake_names_file_and_key(tmp_path, changes, complaint):
    with pytest.raises(UserError) as caught:
        load_study(written(tmp_path, **changes))
    assert complaint in str(caught.value)
    assert "mine.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_broken_yaml_names_its_line(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("study: mine\nrows: [\n")
    with pytest.raises(UserError, match=r"mine\.yaml:3: not valid YAML"):
        load_study(str(path))
    path.write_text("just text")
    with pytest.raises(UserError, match="a study is a mapping"):
        load_study(str(path))


def test_an_unknown_study_names_the_nearest():
    with pytest.raises(UserError, match=r"unknown study 'quickstat': did you mean 'quickstart'"):
        load_study("quickstat")
    with pytest.raises(UserError, match="no such study file"):
        load_study("/nowhere/mine.yaml")


@pytest.mark.parametrize("name", study_names())
def test_shipped_studies_resolve_row_by_row(name):
    study = load_study(name)
    assert study.study == name
    system = load_system(study.system)
    for preset in system.presets:
        base = system.config_type().override({**study.base, **system.presets[preset]})
        for row in study.row_specs:
            base.override(row.set)
            assert set(row.paper) <= set(study.columns)


def test_the_published_numbers_are_the_papers():
    """Table 1 and Table 3 of arXiv 2604.05157, typed in once more from the paper's facts."""
    table1 = [
        (0.866, 0.917, 0.202, 0.695),
        (0.879, 0.931, 0.213, 0.719),
        (0.886, 0.935, 0.251, 0.768),
        (0.902, 0.928, 0.309, 0.795),
        (0.949, 0.962, 0.362, 0.878),
        (0.975, 0.997, 0.373, 0.932),
    ]
    rows = load_study("intentscore/table1").row_specs
    columns = ("hard_accuracy", "real_incorrect_accuracy", "hard_gap_mean", "hard_gap_above_threshold")
    assert [tuple(row.paper[column] for column in columns) for row in rows] == table1
    table3 = [
        {"hard_accuracy": 0.866, "correct_incorrect_gap": 0.005},
        {"adjacent_gap": 0.449, "real_incorrect_accuracy": 0.845},
        {"hard_accuracy": 0.886, "real_incorrect_accuracy": 0.935, "correct_incorrect_gap": 0.046},
    ]
    assert [row.paper for row in load_study("intentscore/table3").row_specs] == table3
    assert [row.paper for row in load_study("quickstart").row_specs] == table3


def test_every_shipped_file_is_a_named_study():
    assert {"quickstart", "intentscore/table1", "intentscore/table3"} <= set(study_names())
    assert len(study_names()) == len(list(STUDIES.rglob("*.yaml")))


def test_flatten_keeps_finetuning_overrides_whole():
    tree = {"loss": {"margin": 0.1}, "model.intent": "none", "pretraining": {"finetuning": {"loss.margin": 0.3}}}
    assert flatten(tree) == {
        "loss.margin": 0.1,
        "model.intent": "none",
        "pretraining.finetuning": {"loss.margin": 0.3},
    }
