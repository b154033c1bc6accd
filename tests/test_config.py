"""Toggle trees: strict types, frozen, unknown keys named with the nearest valid one."""

import pytest

from cuascore.config import difference, parse
from cuascore.errors import UserError, nearest
from cuascore.identity import digest
from cuascore.streams import stream
from lightning_modules.intentscore.config import IntentScoreConfig


def test_k10_unknown_toggle_names_the_nearest():
    with pytest.raises(UserError, match=r"unknown toggle 'loss\.margn': did you mean 'loss\.margin'\?"):
        IntentScoreConfig().override({"loss.margn": 0.1})
    with pytest.raises(UserError, match=r"x: unknown key 'loss\.margn': did you mean 'margin'\?"):
        parse(IntentScoreConfig, {"loss": {"margn": 0.1}}, where="x")


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("loss.margin", 3.0, "less than or equal to 2"),
        ("loss.margin", "0.1", "valid number"),
        ("loss.learn_temperature", 1, "valid boolean"),
        ("model.intent", "actoin", "'action', 'state', 'both' or 'none'"),
        ("model.history.length", 11, "less than or equal to 10"),
        ("loss.margin.deeper", 1, "unknown toggle"),
        ("word_dropout.rate_min", 0.9, "rate_min is above rate_max"),
        ("pretraining.finetuning.loss.margn", 1.0, "unknown toggle 'loss.margn'"),
        ("pretraining.finetuning.model.dropout", 0.5, "the same in both stages"),
    ],
)
def test_bad_values_are_one_line(key, value, complaint):
    with pytest.raises(UserError) as caught:
        IntentScoreConfig().override({key: value})
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_run_without_any_loss_is_refused():
    with pytest.raises(UserError, match="both 0"):
        IntentScoreConfig().override({"loss.margin_weight": 0.0, "loss.alignment_weight": 0.0})


def test_override_leaves_the_original_and_reaches_its_leaf_only():
    base = IntentScoreConfig()
    changed = base.override({"loss.margin": 0.3, "model.without": ["vision"]})
    assert base.loss.margin == 0.20
    assert difference(changed, base) == {"loss.margin": (0.2, 0.3), "model.without": ([], ["vision"])}
    with pytest.raises(ValueError, match="frozen"):
        base.loss.margin = 0.5


def test_finetuning_applies_its_overrides_and_pretrains_no_more():
    config = IntentScoreConfig().override({"pretraining.finetuning.loss.margin": 0.4})
    second = config.finetuning()
    assert (second.loss.margin, second.loss.margin_weight, second.pretraining.kind) == (0.4, 3.0, "none")
    assert config.loss.margin_weight == 2.0


def test_k01_identity_is_a_value_with_its_type():
    kinds = [0, 0.0, False, "0", None, [], {}]
    assert len({digest(value) for value in kinds}) == len(kinds)
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    with pytest.raises(ValueError, match="JSON compliant"):
        digest(float("nan"))


def test_streams_differ_by_seed_purpose_and_name():
    keys = [
        (0, "init", "a"),
        (1, "init", "a"),
        (0, "order", "a"),
        (0, "init", "b"),
        (0, "init", "a", 0),
        (0, "init", "a0"),
    ]
    found = [stream(*key) for key in keys]
    assert len(set(found)) == len(keys)
    assert all(0 <= value < 2**63 for value in found)
    assert stream(0, "init", "a") == found[0]


def test_nearest_hints_or_lists():
    assert nearest("margn", ["margin", "lambda"]) == "did you mean 'margin'?"
    assert nearest("zzz", ["b", "a"]) == "valid: a, b"
    assert nearest("zzz", map(str, range(20))).endswith("… (20 in all)")
