"""A run's results as one JSON object."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.analysis.cells import CellSummary, Outcome
from dragoman.analysis.ledger import LedgerLine, ledger_cost, merged
from dragoman.analysis.measure_figures import MeasureRow
from dragoman.analysis.pass_hat import PassHat
from dragoman.core.conditions import axis_names, axis_values
from dragoman.core.costs import Cost
from dragoman.core.scores import METRIC_VERSION


class Retried(msgspec.Struct, frozen=True):
    """How many conversations were played again as their user had failed, and are valid now."""

    conversations: int
    valid: int


def results_object(
    run: str,
    cells: Sequence[CellSummary],
    not_applicable: Mapping[str, str],
    retried: Retried | None = None,
    prices: str | None = None,
) -> dict[str, object]:
    """Return what `run --json` ends with; figures are keyed by k, unknown is null.

    `not_applicable` gives conditions that the suite cannot be played under, with the reason.
    `retried` is None where no conversation was to be played again. `prices` says of when they are.
    """
    lines = merged(line for cell in cells for line in cell.ledger)
    names = axis_names(cell.condition for cell in cells)
    return {
        "run": run,
        "not_applicable": dict(not_applicable),
        "cells": [_cell_object(cell, names) for cell in cells],
        "retried": msgspec.to_builtins(retried),
        "infrastructure_errors": sum(cell.infrastructure_errors for cell in cells),
        "code_errors": sum(cell.code_errors for cell in cells),
        "usage": [_line_object(line) for line in lines],
        "cost": _cost_object(ledger_cost(lines)),
        "prices": prices,
    }


def measures_object(rows: Sequence[MeasureRow], unmeasured: Mapping[str, str]) -> dict[str, object]:
    """Return the figures of all measures, and why others could not be taken."""
    return {"measures": [_measure_object(row) for row in rows], "unmeasured": dict(unmeasured)}


def _measure_object(row: MeasureRow) -> dict[str, object]:
    return {
        **msgspec.structs.asdict(row),
        "condition": row.condition.label,
        "axes": axis_values(row.condition),
    }


def _line_object(line: LedgerLine) -> dict[str, object]:
    return {**msgspec.structs.asdict(line.usage), "cost": _cost_object(line.cost)}


def _cost_object(cost: Cost | None) -> dict[str, float] | None:
    return None if cost is None else {"usd": float(cost.nominal), "paid_usd": float(cost.paid)}


def _cell_object(cell: CellSummary, names: Sequence[str]) -> dict[str, object]:
    return {
        "suite": cell.suite,
        "condition": cell.condition.label,
        "axes": axis_values(cell.condition, names),
        "agent": cell.agent,
        "rules": cell.rules,
        "judge": cell.judge,
        "metric": METRIC_VERSION,
        **_figures_object(cell.result),
        "reference": None if cell.reference is None else msgspec.to_builtins(cell.reference),
        "assumed": cell.assumed,
        "missing": cell.missing,
        "infrastructure_errors": cell.infrastructure_errors,
        "code_errors": cell.code_errors,
        "tool_errors": cell.tool_errors,
        "malformed_calls": cell.malformed_calls,
        "unreadable": cell.unreadable,
        "calls_in_text": cell.calls_in_text,
        "near_tokens": cell.near_tokens,
        "unscored": cell.unscored,
        "endings": cell.endings,
        "ending_details": cell.ending_details,
        "cost": _cost_object(cell.cost),
        "invalid": cell.invalid,
        "invalid_kinds": cell.invalid_kinds,
        "without_invalid": None
        if cell.without_invalid is None
        else _figures_object(cell.without_invalid),
        "personas": msgspec.to_builtins(cell.stated),
    }


def _figures_object(result: PassHat) -> dict[str, object]:
    figures = result.figures
    return {
        "tasks": result.tasks,
        "left_out": result.left_out,
        "trials": result.trials,
        "tasks_by_k": {str(figure.k): figure.tasks for figure in figures},
        "pass_hat": {str(figure.k): figure.value for figure in figures},
        "interval": {str(figure.k): msgspec.to_builtins(figure.interval) for figure in figures},
        "bounds": {str(figure.k): msgspec.to_builtins(figure.bounds) for figure in figures},
    }


def outcome_object(row: Outcome) -> dict[str, object]:
    """Return one conversation as JSON shows it: its condition as text, and by axis."""
    fields = msgspec.structs.asdict(row)
    return {**fields, "condition": row.condition.label, "axes": axis_values(row.condition)}
