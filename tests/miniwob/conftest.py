"""The browser's tests share one environment; without a browser or pages they are skipped, with the reason."""

from collections.abc import Iterator

import pytest

from cuascore.errors import UserError
from cuascore.miniwob.environment import Environment


@pytest.fixture(scope="session")
def environment() -> Iterator[Environment]:
    """A started environment, or a skip that says what is missing."""
    try:
        started = Environment()
    except UserError as missing:
        pytest.skip(str(missing))
    with started:
        yield started
