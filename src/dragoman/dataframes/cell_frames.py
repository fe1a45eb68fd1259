"""Data frames of the cells of a run's grid: metrics, groups of cells, and usage."""

from collections.abc import Sequence

import msgspec
import polars as pl

from dragoman.analysis.cell_summary import CellSummary
from dragoman.analysis.grouping import Group
from dragoman.analysis.measure_metrics import MeasureRow
from dragoman.core.conditions import axis_names, axis_values
from dragoman.dataframes.frame_columns import USAGE_COLUMNS, frame_of_rows, usage_row, with_axes


def cells_frame(cells: Sequence[CellSummary]) -> pl.DataFrame:
    """Return one row per cell of the grid and k; rho^k is null for k = 1."""
    names = axis_names(cell.condition for cell in cells)
    return pl.DataFrame(
        [
            {
                "suite": cell.suite,
                "condition": cell.condition.label,
                **axis_values(cell.condition, names),
                "agent": cell.agent,
                "rules": cell.rules,
                "judge": cell.judge,
                "k": figure.k,
                "pass_hat": figure.value,
                "low": None if figure.interval is None else figure.interval.low,
                "high": None if figure.interval is None else figure.interval.high,
                **_rho_columns(cell, figure.k),
                "missing_fail": figure.bounds.low,
                "missing_pass": figure.bounds.high,
                "tasks": figure.tasks,
                "left_out": cell.planned_tasks - figure.tasks,
                "trials": cell.result.trials,
                "assumed": cell.assumed,
                "infrastructure_errors": cell.infrastructure_errors,
                "code_errors": cell.code_errors,
                "invalid": cell.invalid,
                "missing": cell.missing,
                "tool_errors": cell.tool_errors,
                "malformed_calls": cell.malformed_calls,
                "unreadable": cell.unreadable,
                **_without_invalid(cell, figure.k),
                "tau2_pass_hat": None
                if cell.reference is None
                else cell.reference.pass_hat.get(figure.k),
                "cost_usd": None if cell.cost is None else float(cell.cost.nominal),
                "paid_usd": None if cell.cost is None else float(cell.cost.paid),
            }
            for cell in cells
            for figure in cell.result.figures
        ],
        schema_overrides={
            "pass_hat": pl.Float64,
            "low": pl.Float64,
            "high": pl.Float64,
            "rho": pl.Float64,
            "rho_low": pl.Float64,
            "rho_high": pl.Float64,
            "invalid": pl.Int64,
            "valid_pass_hat": pl.Float64,
            "valid_low": pl.Float64,
            "valid_high": pl.Float64,
            "tau2_pass_hat": pl.Float64,
            "cost_usd": pl.Float64,
            "paid_usd": pl.Float64,
        },
    )


def _without_invalid(cell: CellSummary, k: int) -> dict[str, float | None]:
    """Return pass^k without the conversations whose simulated user failed.

    The values are null if no simulated user failed.
    """
    figures = () if cell.without_invalid is None else cell.without_invalid.figures
    found = next((figure for figure in figures if figure.k == k), None)
    interval = None if found is None else found.interval
    return {
        "valid_pass_hat": None if found is None else found.value,
        "valid_low": None if interval is None else interval.low,
        "valid_high": None if interval is None else interval.high,
    }


def groups_frame(groups: Sequence[Group], axes: Sequence[str]) -> pl.DataFrame:
    """Return one row per group of cells: pass^1 by axis."""
    rows = [
        {
            "suite": group.suite,
            **group.values,
            "cells": group.cells,
            "tasks": group.tasks,
            "left_out": group.left_out,
            "pass_hat": group.value,
            "low": None if group.interval is None else group.interval.low,
            "high": None if group.interval is None else group.interval.high,
            "assumed": group.assumed,
        }
        for group in groups
    ]
    return pl.DataFrame(
        rows,
        schema={
            "suite": pl.String(),
            **dict.fromkeys(axes, pl.String()),
            "cells": pl.Int64(),
            "tasks": pl.Int64(),
            "left_out": pl.Int64(),
            "pass_hat": pl.Float64(),
            "low": pl.Float64(),
            "high": pl.Float64(),
            "assumed": pl.Boolean(),
        },
    )


def _rho_columns(cell: CellSummary, q: int) -> dict[str, float | None]:
    entry = next((entry for entry in cell.rho if entry.q == q), None)
    interval = None if entry is None else entry.interval
    return {
        "rho": None if entry is None else entry.value,
        "rho_low": None if interval is None else interval.low,
        "rho_high": None if interval is None else interval.high,
    }


def usage_frame(cells: Sequence[CellSummary]) -> pl.DataFrame:
    """Return one row per cell of the grid, purpose and model; unknown is null."""
    names = axis_names(cell.condition for cell in cells)
    rows = [
        (
            *(cell.suite, cell.condition.label, *axis_values(cell.condition, names).values()),
            *(cell.agent, *usage_row(line).values()),
        )
        for cell in cells
        for line in cell.ledger
    ]
    place = dict.fromkeys(("suite", "condition", "agent"), pl.String())
    return frame_of_rows(rows, with_axes({**place, **USAGE_COLUMNS}, names))


MEASURE_COLUMNS: dict[str, pl.DataType] = {
    "suite": pl.String(),
    "condition": pl.String(),
    "agent": pl.String(),
    "measure": pl.String(),
    "version": pl.String(),
    "rules": pl.String(),
    "judge": pl.String(),
    "part": pl.String(),
    "figure": pl.String(),
    "form": pl.String(),
    "averaging": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Float64(),
    "conversations": pl.Int64(),
    "unscored": pl.Int64(),
    "reasons": pl.String(),
    "most": pl.Float64(),
}


def measures_frame(rows: Sequence[MeasureRow]) -> pl.DataFrame:
    """Return one row per cell of the grid, measure and figure, pass^k among them."""
    names = axis_names(row.condition for row in rows)
    schema = with_axes(MEASURE_COLUMNS, names)
    records = [
        {
            **msgspec.structs.asdict(row),
            "condition": row.condition.label,
            **axis_values(row.condition, names),
            "low": None if row.interval is None else row.interval.low,
            "high": None if row.interval is None else row.interval.high,
            "reasons": msgspec.json.encode(row.reasons).decode() if row.reasons else None,
        }
        for row in rows
    ]
    columns = {name: [record[name] for record in records] for name in schema}
    return pl.DataFrame(columns, schema=schema, strict=False)
