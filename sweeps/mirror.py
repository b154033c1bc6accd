"""Every cell is also a trial of an Optuna study: Optuna records, and locks nothing."""

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import optuna
from optuna.distributions import CategoricalDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from ablations.metrics import evaluate, metric, read_outcomes
from cuascore.files import lock
from sweeps.store import Store

MAX_SEED = 2**31


def default_url(store: Store) -> str:
    """Return the URL of the store's own Optuna storage."""
    return f"sqlite:///{store.root / 'optuna.db'}"


def mirror_study(store: Store, name: str, url: str | None = None) -> int:
    """Bring the Optuna study ``name`` up to date with the store.

    A finished cell is one COMPLETE trial whose value is the headline metric; a failed or interrupted attempt is one
    FAIL trial with its reason. Trials are recognised by the user attribute "mirror" and added once, under a lock, so
    running this twice, or from two processes, adds nothing.

    Returns:
        How many trials were added.
    """
    plan = store.read_plan(name)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    names = [row["name"] for row in plan["rows"]]
    with lock(store.root / "locks" / "optuna", wait=True):
        study = _study(name, url or default_url(store), plan, names)
        known = {trial.user_attrs.get("mirror") for trial in study.get_trials(deepcopy=False)}
        trials = [
            trial
            for row in plan["rows"]
            for cell in row["cells"]
            for trial in _trials(store, plan, row, cell)
            if trial.user_attrs["mirror"] not in known
        ]
        study.add_trials(trials)
    return len(trials)


def _study(name: str, storage: str, plan: Mapping[str, Any], rows: list[str]) -> optuna.Study:
    better = metric(plan["headline"]).better
    make = partial(
        optuna.create_study,
        study_name=name,
        storage=storage,
        direction="minimize" if better == "lower" else "maximize",
        load_if_exists=True,
    )
    study = make()
    if study.user_attrs.get("rows", rows) != rows:
        # Optuna refuses a categorical whose choices change; a mirror can be made anew.
        optuna.delete_study(study_name=name, storage=storage)
        study = make()
    study.set_user_attr("rows", rows)
    return study


def _trials(
    store: Store, plan: Mapping[str, Any], row: Mapping[str, Any], cell: Mapping[str, Any]
) -> list[optuna.trial.FrozenTrial]:
    params = {"row": row["name"], "seed": cell["seed"]}
    names = [entry["name"] for entry in plan["rows"]]
    distributions: dict[str, Any] = {"row": CategoricalDistribution(names), "seed": IntDistribution(0, MAX_SEED)}
    shared = {"cell": cell["key"], "study": plan["study"], "row": row["name"], "seed": cell["seed"], "set": row["set"]}
    trials = []
    ended = [event for event in store.attempts(cell["key"]) if event["event"] in ("failed", "interrupted")]
    for event in ended:
        attributes = {
            **shared,
            "mirror": f"{cell['key']}:{event['event']}:{event['time']}",
            "reason": event.get("error", ""),
            "ended": event["event"],
        }
        trials.append(create_trial(state=TrialState.FAIL, user_attrs=attributes))
    if store.done(cell["key"]):
        outcomes = read_outcomes(store.stage(cell["key"]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trials.append(
                create_trial(
                    value=evaluate(plan["headline"], outcomes, threshold=plan["threshold"]),
                    params=params,
                    distributions=distributions,
                    user_attrs={**shared, "mirror": cell["key"]},
                )
            )
    return trials
