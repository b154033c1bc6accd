from pathlib import Path

import pytest

from reports import ReportFiles, write_report
from reports.statistics.bootstrap import Resampling
from tests.reports.store import golden_store


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> ReportFiles:
    """The golden store's report, with all its resamples. Read it only."""
    store: Path = golden_store(tmp_path_factory.mktemp("golden"))
    return write_report(store, "synthetic", Resampling())
