"""Plans become cells: identities, shared stages, gaps, and rows that are no experiment refused."""

import pytest

from ablations.plan import make_plan
from ablations.study import Study
from cuascore.config import parse
from cuascore.errors import UserError
from cuascore.trajectories.dataset import load_dataset
from lightning_modules.intentscore.system import SYSTEM
from sweeps.queue import queue_plan
from sweeps.store import Store
from tests.sweeps.conftest import plan_tiny
from tests.tiny import write_folder


def study(plan, kind: str = "named", **rows) -> Study:
    base = dict(plan.study.base)
    specs = [{"name": name.replace("_", " "), "set": changes} for name, changes in rows.items()]
    return parse(
        Study,
        {
            "study": "other",
            "title": "Other",
            "system": "intentscore",
            "columns": ["hard_accuracy"],
            "data": {"dataset": "folder"},
            "base": base,
            "rows": {kind: specs},
        },
    )


def test_cells_are_seed_major_with_the_base_first(queued):
    plan = queued.store.read_plan("tiny")
    order = {cell["key"]: (cell["seed"], row["name"]) for row in plan["rows"] for cell in row["cells"]}
    names = ["Alignment only", "Margin only", "Both losses"]
    assert [order[key] for key in queued.keys] == [(seed, name) for seed in (0, 1) for name in names]


def test_the_plan_holds_what_a_reader_of_the_table_must_know(queued):
    plan = queued.store.read_plan("tiny")
    assert plan["base"] == "Alignment only"
    assert plan["rows"][0]["paper"] == {"hard_accuracy": 0.866}
    assert plan["rows"][1]["difference"]["loss.alignment_weight"] == [1.0, 0.0]
    assert plan["data"]["fingerprint"] == queued.plan.dataset.fingerprint
    assert sum(plan["data"]["trajectories"].values()) == 18
    assert (queued.store.study("tiny") / "data" / "split.json").exists()
    assert (queued.store.study("tiny") / "data" / "pairs.json").exists()


def test_queueing_again_gives_the_same_cells(queued, tiny_data):
    assert queue_plan(queued.store, queued.plan, tiny_data, "disabled") == queued.keys


def digests(plan, config, features="f", seed=0) -> dict[str, str]:
    stages = SYSTEM.stages(config, plan.dataset, seed, {"features": features})
    return {stage.kind: stage.digest for stage in stages}


def test_a_stages_identity_is_what_it_reads(tiny_plan):
    base = tiny_plan.base.config.override({"pretraining.kind": "cross_os"})
    plain = digests(tiny_plan, base)
    assert list(plain) == ["pretraining", "training", "evaluation"]
    assert digests(tiny_plan, base, seed=1)["pretraining"] != plain["pretraining"]
    assert digests(tiny_plan, base, features="g")["pretraining"] != plain["pretraining"]
    second = digests(tiny_plan, base.override({"pretraining.finetuning": {"loss.margin": 0.7}}))
    assert second["pretraining"] == plain["pretraining"]
    assert second["training"] != plain["training"]
    first = digests(tiny_plan, base.override({"pretraining.epochs": 3}))
    assert first["pretraining"] != plain["pretraining"]
    assert first["training"] != plain["training"], "a stage reads its parents"


def test_pretraining_is_shared_between_targets(tiny_study, tiny_data, tiny_plan):
    config = tiny_plan.base.config.override({"pretraining.kind": "cross_os"})
    plans = [
        make_plan(
            tiny_plan.study,
            SYSTEM,
            load_dataset(tiny_plan.study.data.override({"target": target}), tiny_data),
        )
        for target in ("ubuntu", "mac")
    ]
    one, two = (digests(plan, config) for plan in plans)
    assert one["pretraining"] == two["pretraining"]
    assert one["training"] != two["training"]


def test_a_row_that_equals_another_stops_the_plan(tiny_plan):
    twice = study(tiny_plan, base={}, one={"loss.margin_weight": 2.0}, two={"loss.margin_weight": 2.0})
    with pytest.raises(UserError, match="rows 'one' and 'two' resolve to the same config"):
        make_plan(twice, SYSTEM, tiny_plan.dataset)


def test_k10_a_toggle_without_effect_stops_the_plan(tiny_plan):
    idle = study(tiny_plan, base={}, idle={"loss.margin": 0.9})
    with pytest.raises(UserError, match=r"'base' and 'idle' differ in loss\.margin, which has no effect"):
        make_plan(idle, SYSTEM, tiny_plan.dataset)


def test_k10_a_misspelt_toggle_in_a_row_names_row_and_key(tiny_plan):
    wrong = study(tiny_plan, base={}, wrong={"loss.margni": 0.9})
    with pytest.raises(UserError, match=r"row 'wrong': unknown toggle 'loss.margni': did you mean 'loss.margin'"):
        make_plan(wrong, SYSTEM, tiny_plan.dataset)


def test_the_base_is_always_in_its_study(tiny_plan):
    plan = make_plan(study(tiny_plan, only={"loss.margin_weight": 1.0}), SYSTEM, tiny_plan.dataset)
    assert [row.name for row in plan.rows] == ["base", "only"]
    assert plan.base.changes == {}


def test_a_ladder_adds_up_and_steps_over_what_cannot_run(tiny_plan):
    ladder = study(
        tiny_plan,
        "ladder",
        first={},
        margin={"loss.margin_weight": 1.0},
        encoder={"encoders.text": "all-mpnet-base-v2"},
        top={"model.intent": "none"},
    )
    rows = {row.name: row for row in make_plan(ladder, SYSTEM, tiny_plan.dataset).rows}
    assert rows["encoder"].gap is not None
    assert "all-mpnet-base-v2" in rows["encoder"].gap
    assert rows["top"].changes == {"loss.margin_weight": 1.0, "model.intent": "none"}
    assert rows["top"].notes == ("built without 'encoder', which cannot run here",)


def test_toggles_that_are_not_built_are_a_gap_that_names_them(tiny_plan):
    wanted = study(tiny_plan, base={}, transformer={"model.head": "transformer"})
    row = make_plan(wanted, SYSTEM, tiny_plan.dataset).rows[1]
    assert row.gap == "model.head='transformer' is not built yet; built: 'dual_encoder'"


def test_cross_os_needs_another_os(tiny_plan, tiny_data):
    cross = study(tiny_plan, base={}, cross={"pretraining.kind": "cross_os"})
    assert "needs other platforms" in str(make_plan(cross, SYSTEM, tiny_plan.dataset).rows[1].gap)
    absent = study(tiny_plan, base={}, cross={"pretraining.kind": "cross_os", "pretraining.sources": ["beos"]})
    assert "no trajectories of beos" in str(make_plan(absent, SYSTEM, tiny_plan.dataset).rows[1].gap)
    on_ubuntu = load_dataset(tiny_plan.study.data.override({"target": "ubuntu"}), tiny_data)
    assert make_plan(cross, SYSTEM, on_ubuntu).rows[1].gap is None


def test_data_without_incorrect_labels_is_a_gap_where_they_are_needed(tiny_study, tmp_path):
    data = write_folder(tmp_path / "data", wrong=False)
    plan = plan_tiny(tiny_study, data)
    assert all(row.gap is None for row in plan.rows)
    wanted = study(plan, base={}, incorrect={"loss.margin_weight": 1.0, "negatives.kind": "incorrect"})
    row = make_plan(wanted, SYSTEM, plan.dataset).rows[1]
    assert row.gap == "no incorrect actions in the training part to rank against (negatives.kind=incorrect)"


def test_overrides_reach_every_row_that_does_not_set_them(tiny_study, tiny_data):
    plan = plan_tiny(tiny_study, tiny_data, overrides={"loss.margin": 0.4, "loss.margin_weight": 0.5})
    rows = {row.name: row.config.loss for row in plan.rows}
    assert {name: loss.margin for name, loss in rows.items()} == dict.fromkeys(rows, 0.4)
    assert rows["Alignment only"].margin_weight == 0.5
    assert rows["Both losses"].margin_weight == 2.0


def test_other_features_make_other_cells(tmp_path, queued_once, tiny_plan, tiny_data, tiny_encoders):
    """The same encoder under a shorter limit has another identity, so no stage of before is adopted."""
    shorter = tiny_plan.base.config.override({"encoders.max_text_tokens": 8})
    found = SYSTEM.prepare(shorter, tiny_plan.dataset, queued_once.store.root)
    assert found != SYSTEM.prepare(tiny_plan.base.config, tiny_plan.dataset, queued_once.store.root)


def test_an_unknown_preset_is_named(tiny_study, tiny_data):
    with pytest.raises(UserError, match=r"unknown preset 'smal' of intentscore: did you mean 'small'"):
        plan_tiny(tiny_study, tiny_data, preset="smal")


def test_a_store_elsewhere_is_independent(tmp_path, queued):
    with pytest.raises(UserError, match="not in the store"):
        Store(tmp_path / "other").read_plan("tiny")
