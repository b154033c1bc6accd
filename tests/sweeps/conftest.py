"""A tiny study, queued in a store whose features are computed once a session."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from ablations.plan import Plan, make_plan
from ablations.study import load_study
from cuascore.trajectories.dataset import load_dataset
from lightning_modules.registry import load_system
from sweeps.queue import queue_plan
from sweeps.store import Store


@dataclass(frozen=True)
class Queued:
    """A store with a queued study."""

    store: Store
    keys: list[str]
    study: str
    plan: Plan


def plan_tiny(study: Path, data: Path, **changes) -> Plan:
    """Resolve the tiny study."""
    spec = load_study(str(study))
    return make_plan(spec, load_system(spec.system), load_dataset(spec.data, data), **changes)


@pytest.fixture(scope="session")
def tiny_plan(tiny_study, tiny_data) -> Plan:
    return plan_tiny(tiny_study, tiny_data)


@pytest.fixture(scope="session")
def queued_once(tmp_path_factory, tiny_plan, tiny_data) -> Queued:
    store = Store(tmp_path_factory.mktemp("store"))
    return Queued(store, queue_plan(store, tiny_plan, tiny_data, "disabled"), "tiny", tiny_plan)


@pytest.fixture
def queued(tmp_path, queued_once) -> Queued:
    """A store of the test's own, its cells queued and its features there."""
    shutil.copytree(queued_once.store.root, tmp_path / "store")
    return Queued(Store(tmp_path / "store"), queued_once.keys, queued_once.study, queued_once.plan)
