"""Every cell is also a trial of an Optuna study: Optuna records, and locks nothing."""

import warnings
from collections.abc import Mapping
from typing import Any

import optuna
from optuna.distributions import CategoricalDistribution
from optuna.trial import TrialState, create_trial

from ablations.metrics import evaluate, metric, read_outcomes
from sweeps.files import lock
from sweeps.store import Store


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
    rows = {row["name"]: row for row in plan["rows"] if row["gap"] is None}
    # Distributions must not change between calls, whatever subset of rows or seeds was run: names and numbers as text.
    with lock(store.root / "locks" / "optuna", wait=True):
        study = optuna.create_study(
            study_name=name,
            storage=url or default_url(store),
            direction="maximize" if metric(plan["headline"]).better == "higher" else "minimize",
            load_if_exists=True,
        )
        known = {trial.user_attrs.get("mirror") for trial in study.get_trials(deepcopy=False)}
        trials = [
            trial
            for row in rows.values()
            for cell in row["cells"]
            for trial in _trials(store, plan, row, cell)
            if trial.user_attrs["mirror"] not in known
        ]
        study.add_trials(trials)
    return len(trials)


def _trials(
    store: Store, plan: Mapping[str, Any], row: Mapping[str, Any], cell: Mapping[str, Any]
) -> list[optuna.trial.FrozenTrial]:
    params = {"row": row["name"], "seed": str(cell["seed"])}
    # One choice each: Optuna refuses a categorical whose choices change, and a row added later would be such a change.
    distributions: dict[str, Any] = {key: CategoricalDistribution([value]) for key, value in params.items()}
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
