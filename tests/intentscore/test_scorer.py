"""The dual encoder: size, unit embeddings, padding of the past, and streams that nobody else's presence moves."""

import pytest
import torch

from cuascore.errors import UserError
from cuascore.intentscore.config import ModelConfig
from cuascore.intentscore.inputs import ActionInputs, StateInputs
from cuascore.intentscore.layers import KeyedDropout
from cuascore.intentscore.scorer import IntentScorer

TEXT, VISION = 6, 5
SMALL = ModelConfig(embedding_width=8, modality_width=8, hidden_width=16, dropout=0.0)


def inputs(count: int = 4, past: int = 3, seed: int = 0) -> tuple[StateInputs, ActionInputs]:
    draw = torch.Generator().manual_seed(seed)

    def rows(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=draw)

    state = StateInputs(
        vision=rows(count, VISION),
        instruction=rows(count, TEXT),
        observation=rows(count, TEXT),
        reflection=rows(count, TEXT),
        intent=rows(count, TEXT),
        history_vision=rows(count, past, VISION),
        history_action=rows(count, past, TEXT),
        history_mask=torch.ones(count, past, dtype=torch.bool),
    )
    return state, ActionInputs(rows(count, TEXT), rows(count, TEXT), rows(count, TEXT), rows(count, 6))


def test_the_papers_widths_give_about_13_million_parameters():
    scorer = IntentScorer(ModelConfig(), text_width=768, vision_width=768, seed=0)
    assert sum(parameter.numel() for parameter in scorer.parameters()) == pytest.approx(13e6, rel=0.02)


def test_scores_are_cosines_of_unit_embeddings():
    scores, out = IntentScorer(SMALL, TEXT, VISION, seed=0)(*inputs())
    assert scores.shape == (4,)
    for name in ("state", "action"):
        assert torch.allclose(out[name].norm(dim=-1), torch.ones(4), atol=1e-5)
    cosine = torch.nn.functional.cosine_similarity(out["state"], out["action"])
    assert torch.allclose(scores, cosine, atol=1e-6)
    assert scores.abs().max() <= 1 + 1e-6


@pytest.mark.parametrize("intent", ["action", "state", "both", "none"])
def test_intent_is_read_where_the_toggle_says(intent):
    scorer = IntentScorer(SMALL.override({"intent": intent}), TEXT, VISION, seed=0)
    state, action = inputs()
    before, _ = scorer(state, action)
    other_state, _ = scorer(state._replace(intent=state.intent + 1), action)
    other_action, _ = scorer(state, action._replace(intent=action.intent + 1))
    assert torch.equal(before, other_state) == (intent in ("action", "none"))
    assert torch.equal(before, other_action) == (intent in ("state", "none"))


@pytest.mark.parametrize(
    "name", ["vision", "instruction", "observation", "reflection", "description", "code", "coordinates"]
)
def test_a_modality_left_out_is_not_read(name):
    scorer = IntentScorer(SMALL.override({"without": [name]}), TEXT, VISION, seed=0)
    full = IntentScorer(SMALL, TEXT, VISION, seed=0)
    state, action = inputs()
    changed = [
        part._replace(**{name: getattr(part, name) + 1}) if name in part._fields else part for part in (state, action)
    ]
    assert torch.equal(scorer(state, action)[0], scorer(*changed)[0])
    assert not torch.equal(full(state, action)[0], full(*changed)[0])


def test_vision_left_out_is_left_out_of_the_past_too():
    scorer = IntentScorer(SMALL.override({"without": ["vision"]}), TEXT, VISION, seed=0)
    state, action = inputs()
    changed = state._replace(history_vision=state.history_vision + 1)
    assert torch.equal(scorer(state, action)[0], scorer(changed, action)[0])


@pytest.mark.parametrize("change", [{"without": ["history"]}, {"history.length": 0}])
def test_without_history_the_past_is_not_read(change):
    scorer = IntentScorer(SMALL.override(change), TEXT, VISION, seed=0)
    state, action = inputs()
    changed = state._replace(history_action=state.history_action + 1)
    assert torch.equal(scorer(state, action)[0], scorer(changed, action)[0])


def test_history_length_cuts_the_past_from_its_old_end():
    scorer = IntentScorer(SMALL.override({"history.length": 2}), TEXT, VISION, seed=0)
    state, action = inputs()
    oldest, newest = state.history_action.clone(), state.history_action.clone()
    oldest[:, 0] += 1
    newest[:, -1] += 1
    before = scorer(state, action)[0]
    assert torch.equal(before, scorer(state._replace(history_action=oldest), action)[0])
    assert not torch.equal(before, scorer(state._replace(history_action=newest), action)[0])


def test_masked_steps_are_not_read_and_no_past_is_a_zero_vector():
    scorer = IntentScorer(SMALL, TEXT, VISION, seed=0)
    state, action = inputs()
    masked = state._replace(history_mask=torch.zeros_like(state.history_mask))
    changed = masked._replace(history_action=state.history_action + 1, history_vision=state.history_vision - 1)
    assert torch.equal(scorer(masked, action)[0], scorer(changed, action)[0])
    assert torch.equal(scorer.state_encoder.history(masked), torch.zeros(4, 8))


def test_removing_a_module_moves_no_other_modules_initial_values():
    full = IntentScorer(SMALL, TEXT, VISION, seed=3).state_dict()
    part = IntentScorer(SMALL.override({"without": ["vision", "history"]}), TEXT, VISION, seed=3).state_dict()
    towers = ("state_encoder.tower.inner",)
    shared = [name for name in part if not name.startswith(towers)]
    assert len(shared) > 10
    assert all(torch.equal(full[name], part[name]) for name in shared)
    other = IntentScorer(SMALL, TEXT, VISION, seed=4).state_dict()
    assert not torch.equal(full["action_encoder.tower.outer.weight"], other["action_encoder.tower.outer.weight"])


def test_building_a_network_leaves_the_global_generator_alone():
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    IntentScorer(SMALL, TEXT, VISION, seed=0)
    assert torch.equal(torch.rand(1), expected)


def test_keyed_dropout_keeps_the_mean_and_its_own_stream():
    ones = torch.ones(200, 500)
    dropout = KeyedDropout(0.3, seed=0, name="a")
    first = dropout(ones)
    assert first.mean().item() == pytest.approx(1.0, abs=0.01)
    assert (first == 0).float().mean().item() == pytest.approx(0.3, abs=0.01)
    torch.rand(100)
    again = KeyedDropout(0.3, seed=0, name="a")
    assert torch.equal(again(ones), first)
    assert not torch.equal(KeyedDropout(0.3, seed=0, name="b")(ones), first)
    assert torch.equal(dropout.eval()(ones), ones)


@pytest.mark.parametrize(
    "change", [{"head": "transformer"}, {"head": "binary_classifier"}, {"history.architecture": "skip"}]
)
def test_toggles_that_are_not_built_yet_name_themselves(change):
    with pytest.raises(UserError, match=r"model\.(head|history\.architecture)='\w+' is not built yet"):
        IntentScorer(SMALL.override(change), TEXT, VISION, seed=0)
