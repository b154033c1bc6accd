"""Gathering features by position, and what their fingerprint covers."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cuascore.encoders import FeatureStore
from cuascore.encoders import table as table_module
from tests.encoders.conftest import TEXTS


def test_large_tables_are_gathered_from_the_mapped_files(encoders, tmp_path, monkeypatch):
    small = FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False)
    monkeypatch.setattr(table_module, "IN_MEMORY_BYTES", 0)
    large = FeatureStore(tmp_path).ensure_texts(encoders[0], TEXTS, progress=False)
    assert large._memory is None
    indices = np.array([[4, 2, 0], [1, 1, 3]])
    assert np.array_equal(small.gather(indices), large.gather(indices))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(max_size=3), min_size=1, max_size=12), data=st.data(), mapped=st.booleans())
def test_gather_is_a_loop_over_positions(texts, data, mapped, features, hash_encoder, monkeypatch):
    monkeypatch.setattr(table_module, "IN_MEMORY_BYTES", 0 if mapped else 1 << 30)
    table = features.ensure_texts("hash", texts, progress=False)
    wanted = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=20))
    found = table.gather(np.array(wanted, np.int64))
    assert found.dtype == np.float32
    assert found.shape == (len(wanted), 4)
    for row, position in enumerate(wanted):
        expected = hash_encoder.vector(texts[position]) if texts[position] else np.zeros(4)
        np.testing.assert_array_equal(found[row], expected)
    assert len(set(hash_encoder.asked)) == len(hash_encoder.asked)


def test_an_empty_text_has_a_place_in_the_fingerprint(features, hash_encoder):
    prints = {
        features.ensure_texts("hash", texts).fingerprint for texts in (["", "a"], ["a", ""], ["a"], ["a", "", ""])
    }
    assert len(prints) == 4


def test_the_fingerprint_covers_contents_and_their_order(encoders, tmp_path):
    store = FeatureStore(tmp_path)
    one = store.ensure_texts(encoders[0], ["a", "b"], progress=False).fingerprint
    assert one != store.ensure_texts(encoders[0], ["b", "a"], progress=False).fingerprint
    assert one == store.ensure_texts(encoders[0], ["a", "b"], progress=False).fingerprint
