"""Word dropout: how many words go, which texts stay whole, and that no seed of a cell is involved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightning_modules.intentscore.config import WordDropoutConfig
from lightning_modules.intentscore.word_dropout import shortened

CONFIG = WordDropoutConfig()


@given(st.lists(st.text("abcdefg", min_size=1), min_size=2, max_size=60))
def test_a_share_of_the_words_goes_and_the_order_stays(words):
    for text in shortened(" ".join(words), CONFIG):
        kept = text.split()
        lost = len(words) - len(kept)
        assert len(kept) >= 1
        assert round(0.3 * len(words)) <= lost <= round(0.5 * len(words)) or len(kept) == 1
        remaining = iter(words)
        assert all(word in remaining for word in kept)


def test_variants_differ_from_each_other_and_are_the_same_every_time():
    text = "Click the Submit button at the lower right of the form"
    found = shortened(text, CONFIG)
    assert len(found) == 4
    assert len(set(found)) > 1
    assert found == shortened(text, CONFIG)


@pytest.mark.parametrize("text", ["", "Enter", "pyautogui.click(x=0.1,y=0.2)"])
def test_a_text_of_one_word_stays_whole(text):
    assert shortened(text, CONFIG) == (text,) * 4


def test_the_rates_are_the_toggles():
    text = " ".join(map(str, range(100)))
    none = WordDropoutConfig(rate_min=0.0, rate_max=0.0)
    half = WordDropoutConfig(rate_min=0.5, rate_max=0.5)
    assert {len(t.split()) for t in shortened(text, none)} == {100}
    assert {len(t.split()) for t in shortened(text, half)} == {50}
