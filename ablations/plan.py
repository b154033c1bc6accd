"""From a study to resolved rows: overrides applied, rows that cannot run named, equal rows refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ablations.study import RowSpec, Study
from cuascore.config import Toggles, difference
from cuascore.errors import UserError, nearest
from cuascore.trajectories.dataset import Dataset
from lightning_modules.system import System

BASE_NAME = "base"
PROBE_STEPS = 2


@dataclass(frozen=True)
class Row:
    """A resolved row.

    Attributes:
        changes: what it overrides of the base, by dotted key (in a ladder: all steps up to this one).
        gap: why it cannot run here, None where it can.
        notes: what a reader of the table must know of this row.
    """

    spec: RowSpec
    changes: Mapping[str, Any]
    config: Toggles
    gap: str | None
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.spec.name


@dataclass(frozen=True)
class Plan:
    """A study made ready for one data set and machine."""

    study: Study
    preset: str
    system: System[Any]
    dataset: Dataset
    rows: tuple[Row, ...]
    seeds: tuple[int, ...]

    @property
    def base(self) -> Row:
        """The row that the others are compared with: the first."""
        return self.rows[0]

    @property
    def runnable(self) -> tuple[Row, ...]:
        """The rows without a gap."""
        return tuple(row for row in self.rows if row.gap is None)

    def differences(self, row: Row) -> dict[str, tuple[Any, Any]]:
        """Return {toggle: (base's value, row's value)}."""
        return difference(row.config, self.base.config)


def make_plan(
    study: Study,
    system: System[Any],
    dataset: Dataset,
    *,
    preset: str | None = None,
    seeds: int | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Plan:
    """Resolve a study.

    Args:
        preset: in place of the study's own.
        seeds: how many, in place of the study's own; seeds count from 0.
        overrides: toggles changed in every row that does not set them itself.

    Raises:
        UserError: unknown toggles, values or presets; no row can run; two rows are the same experiment.
    """
    preset = study.preset if preset is None else preset
    if preset not in system.presets:
        raise UserError(f"unknown preset {preset!r} of {system.name}: {nearest(preset, system.presets)}")
    shared = {**study.base, **system.presets[preset], **(overrides or {})}
    base = system.config_type().override(shared)
    rows = _resolve(study, base, system, dataset)
    plan = Plan(study, preset, system, dataset, rows, tuple(range(study.seeds if seeds is None else seeds)))
    if not plan.runnable:
        raise UserError(f"{study.study}: no row can run here: {rows[0].name}: {rows[0].gap}")
    if plan.base.gap is not None:
        raise UserError(f"{study.study}: the base row {plan.base.name!r} cannot run: {plan.base.gap}")
    for key in overrides or {}:
        if all(key in row.changes for row in rows):
            raise UserError(f"--set {key}: every row of {study.study} sets it itself, so it would change nothing")
    refuse_equal_rows(plan)
    return plan


def _resolve(study: Study, base: Toggles, system: System[Any], dataset: Dataset) -> tuple[Row, ...]:
    rows: list[Row] = []
    for kind, specs in study.rows.items():
        changes: dict[str, Any] = {}
        left_out: list[str] = []
        for spec in specs:
            mine = {**changes, **spec.set} if kind == "ladder" else dict(spec.set)
            try:
                config = base.override(mine)
            except UserError as error:
                raise UserError(f"{study.study}: row {spec.name!r}: {error}") from None
            gap = system.gap(config, dataset)
            notes = [spec.note] if spec.note else []
            if kind == "ladder":
                notes += [f"built without {name!r}, which cannot run here" for name in left_out]
                if gap is None:
                    changes = mine
                else:
                    # The rungs above a missing one stand on the last that holds, and say so.
                    left_out.append(spec.name)
            rows.append(Row(spec, mine, config, gap, tuple(notes)))
    if rows[0].changes:
        spec = RowSpec(name=BASE_NAME)
        rows.insert(0, Row(spec, {}, base, system.gap(base, dataset), ()))
    return tuple(rows)


def refuse_equal_rows(plan: Plan) -> None:
    """Stop where two rows are one experiment: the same config, or toggles that do not move a two-step probe.

    Raises:
        UserError: naming both rows and the toggles between them.
    """
    seen: dict[str, Row] = {}
    for row in plan.runnable:
        for other in plan.runnable:
            if other is row:
                break
            if other.config == row.config:
                raise UserError(f"{plan.study.study}: rows {other.name!r} and {row.name!r} resolve to the same config")
        answer = plan.system.probe(row.config, plan.dataset, PROBE_STEPS)
        if answer in seen:
            toggles = ", ".join(difference(row.config, seen[answer].config))
            raise UserError(
                f"{plan.study.study}: rows {seen[answer].name!r} and {row.name!r} differ in {toggles},"
                " which has no effect on training: give the toggle that switches it on"
            )
        seen[answer] = row
