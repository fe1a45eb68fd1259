"""A run's results as polars data frames."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import polars as pl

from dragoman.analysis.by_axis import Group
from dragoman.analysis.cells import CellSummary
from dragoman.analysis.measure_figures import MeasureRow, newest
from dragoman.analysis.mm_tau.board import mm_tau_board
from dragoman.core.conditions import axis_names, axis_values
from dragoman.core.episodes import Episode, executed_calls
from dragoman.core.scores import METRIC_VERSION, Scored
from dragoman.models.spending.prices import PriceTable
from dragoman.store.run import RunStore, StoredCell
from dragoman.tables.error_frames import reported_frame
from dragoman.tables.mm_tau_boards import mm_tau_frame
from dragoman.tables.outcomes import outcomes, run_figures
from dragoman.tables.scored_runs import stored_digests
from dragoman.tables.voice_boards import stored_board
from dragoman.tables.voice_frames import voice_frame


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
            "cost_usd": pl.Float64,
            "paid_usd": pl.Float64,
        },
    )


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


USAGE_COLUMNS: dict[str, pl.DataType] = {
    "suite": pl.String(),
    "condition": pl.String(),
    "agent": pl.String(),
    "purpose": pl.String(),
    "model": pl.String(),
    "calls": pl.Int64(),
    "replayed": pl.Int64(),
    "input_tokens": pl.Int64(),
    "output_tokens": pl.Int64(),
    "cached_tokens": pl.Int64(),
    "reasoning_tokens": pl.Int64(),
    "audio_seconds": pl.Float64(),
    "characters": pl.Int64(),
    "faults": pl.Int64(),
    "seconds": pl.Float64(),
    "cost_usd": pl.Float64(),
    "paid_usd": pl.Float64(),
}


def usage_frame(cells: Sequence[CellSummary]) -> pl.DataFrame:
    """Return one row per cell of the grid, purpose and model; unknown is null."""
    names = axis_names(cell.condition for cell in cells)
    rows = [
        {
            "suite": cell.suite,
            "condition": cell.condition.label,
            **axis_values(cell.condition, names),
            "agent": cell.agent,
            **msgspec.structs.asdict(line.usage),
            "faults": sum(line.usage.faults.values()),
            "cost_usd": None if line.cost is None else float(line.cost.nominal),
            "paid_usd": None if line.cost is None else float(line.cost.paid),
        }
        for cell in cells
        for line in cell.ledger
    ]
    schema = _with_axes(USAGE_COLUMNS, names)
    return pl.DataFrame({name: [row[name] for row in rows] for name in schema}, schema=schema)


def episodes_frame(store: RunStore, rules: str, judge: str) -> pl.DataFrame:
    """Return one row per planned conversation with its ending and reward."""
    scores = store.scores(rules, judge, METRIC_VERSION)
    names = axis_names(cell.condition for cell in store.cells())
    heads = {key: episode for key, _, episode in store.episodes(heads_only=True)}
    rows = []
    for cell in store.cells():
        episode, score = heads.get(cell.key), scores.get(cell.key)
        reward = None if score is None else score.reward
        rows.append(
            {
                "suite": cell.suite,
                "condition": cell.condition.label,
                **axis_values(cell.condition, names),
                "agent": cell.agent,
                "task": cell.task,
                "trial": cell.trial,
                "reward": reward.value if isinstance(reward, Scored) else None,
                "unscored": None if reward is None or isinstance(reward, Scored) else reward.reason,
                "undecided": list(reward.undecided) if isinstance(reward, Scored) else [],
                "ending": None if episode is None else episode.ending.reason,
                "steps": None if episode is None else episode.steps,
                "tool_errors": None if episode is None else episode.errors,
                "seconds": None if episode is None else episode.seconds,
                "invalid": None if score is None or not score.simulator else list(score.invalid),
                "rules": rules,
                "judge": judge,
            }
        )
    return pl.DataFrame(
        rows,
        schema_overrides={
            "reward": pl.Float64,
            "unscored": pl.String,
            "undecided": pl.List(pl.String),
            "ending": pl.String,
            "steps": pl.Int64,
            "tool_errors": pl.Int64,
            "seconds": pl.Float64,
            "invalid": pl.List(pl.String),
        },
        infer_schema_length=None,
    )


COMPONENT_COLUMNS: dict[str, pl.DataType] = {
    "suite": pl.String(),
    "condition": pl.String(),
    "agent": pl.String(),
    "task": pl.String(),
    "trial": pl.Int64(),
    "rules": pl.String(),
    "judge": pl.String(),
    "component": pl.String(),
    "in_basis": pl.Boolean(),
    "value": pl.Float64(),
    "met": pl.Int64(),
    "not_met": pl.Int64(),
    "undecided": pl.Int64(),
    "assumed": pl.Boolean(),
}


def components_frame(store: RunStore, rules: str, judge: str) -> pl.DataFrame:
    """Return one row per conversation and component, in the basis or not."""
    scores = store.scores(rules, judge, METRIC_VERSION)
    names = axis_names(cell.condition for cell in store.cells())
    rows = [
        {
            "suite": cell.suite,
            "condition": cell.condition.label,
            **axis_values(cell.condition, names),
            "agent": cell.agent,
            "task": cell.task,
            "trial": cell.trial,
            "rules": rules,
            "judge": judge,
            "component": part.component,
            "in_basis": part.in_basis,
            "value": part.verdict.value if isinstance(part.verdict, Scored) else None,
            "met": sum(entry.met is True for entry in part.evidence),
            "not_met": sum(entry.met is False for entry in part.evidence),
            "undecided": sum(entry.met is None for entry in part.evidence),
            "assumed": part.assumed,
        }
        for cell in store.cells()
        if (score := scores.get(cell.key)) is not None
        for part in score.components
    ]
    return pl.DataFrame(rows, schema=_with_axes(COMPONENT_COLUMNS, names))


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
}


def measures_frame(rows: Sequence[MeasureRow]) -> pl.DataFrame:
    """Return one row per cell of the grid, measure and figure, pass^k among them."""
    names = axis_names(row.condition for row in rows)
    schema = _with_axes(MEASURE_COLUMNS, names)
    records = [
        {
            **msgspec.structs.asdict(row),
            "condition": row.condition.label,
            **axis_values(row.condition, names),
            "low": None if row.interval is None else row.interval.low,
            "high": None if row.interval is None else row.interval.high,
        }
        for row in rows
    ]
    columns = {name: [record[name] for record in records] for name in schema}
    return pl.DataFrame(columns, schema=schema, strict=False)


COUNT_COLUMNS: dict[str, pl.DataType] = {
    "suite": pl.String(),
    "condition": pl.String(),
    "agent": pl.String(),
    "task": pl.String(),
    "trial": pl.Int64(),
    "measure": pl.String(),
    "version": pl.String(),
    "judge": pl.String(),
    "count": pl.String(),
    "value": pl.Float64(),
    "unscored": pl.String(),
}


def counts_frame(store: RunStore) -> pl.DataFrame:
    """Return one row per conversation, measure and count, rewards aside; `unscored` says why none is."""
    measured = store.measured()
    names = axis_names(cell.condition for cell in store.cells())
    rows = [
        (
            *(cell.suite, cell.condition.label, *axis_values(cell.condition, names).values()),
            *(cell.agent, cell.task, cell.trial),
            *(entry.measure, entry.version, entry.judge, name, value, entry.unscored or None),
        )
        for cell in store.cells()
        for entry in newest(measured.get(cell.key, ()))
        for name, value in (entry.counts.items() or ((None, None),))
    ]
    schema = _with_axes(COUNT_COLUMNS, names)
    return pl.DataFrame(rows, schema=schema, orient="row", strict=False)


CALL_COLUMNS: dict[str, pl.DataType] = {
    "suite": pl.String(),
    "condition": pl.String(),
    "agent": pl.String(),
    "task": pl.String(),
    "trial": pl.Int64(),
    "position": pl.Int64(),
    "by": pl.String(),
    "tool": pl.String(),
    "arguments": pl.String(),
    "malformed": pl.String(),
    "error": pl.Boolean(),
    "result": pl.String(),
    "changes": pl.Int64(),
}


def calls_frame(store: RunStore) -> pl.DataFrame:
    """Return one row per tool call, in the order of the conversation.

    `arguments` is what was executed, as JSON. `error`, `result` and `changes` (how many values the
    call changed) are null where the conversation ended before it was answered.
    """
    cells = {cell.key: cell for cell in store.cells()}
    names = axis_names(cell.condition for cell in cells.values())
    rows = [
        row
        for key, _, episode in store.episodes()
        for row in _call_rows(cells[key], episode, names)
    ]
    return pl.DataFrame(rows, schema=_with_axes(CALL_COLUMNS, names), orient="row")


def _with_axes(columns: dict[str, pl.DataType], names: Sequence[str]) -> dict[str, pl.DataType]:
    """Return the columns of a table with one for each axis behind the condition."""
    place = list(columns).index("condition") + 1
    pairs = list(columns.items())
    return dict([*pairs[:place], *((name, pl.String()) for name in names), *pairs[place:]])


def _call_rows(
    cell: StoredCell, episode: Episode, names: Sequence[str]
) -> Iterator[dict[str, object]]:
    for position, (call, result) in enumerate(executed_calls(episode.events)):
        yield {
            "suite": cell.suite,
            "condition": cell.condition.label,
            **axis_values(cell.condition, names),
            "agent": cell.agent,
            "task": cell.task,
            "trial": cell.trial,
            "position": position,
            "by": call.by,
            "tool": call.name,
            "arguments": msgspec.json.encode(call.arguments).decode(),
            "malformed": call.malformed or None,
            "error": None if result is None else result.error,
            "result": None if result is None else result.content,
            "changes": None if result is None else len(result.changes),
        }


def run_tables(
    store: RunStore, rules: str, judge: str, prices: PriceTable | None = None
) -> dict[str, pl.DataFrame]:
    """Return all tables of a run by name, by one scoring.

    `voices` is there where anybody spoke, `errors` where a judge reported any, `mm_tau` where what its
    metrics are made of was counted.
    """
    cells, measures = run_figures(store, rules, judge, prices)
    reported = reported_frame(store)
    board = stored_board(store, rules, judge)
    return {
        "cells": cells_frame(cells),
        "measures": measures_frame(measures),
        "counts": counts_frame(store),
        "episodes": episodes_frame(store, rules, judge),
        "scores": components_frame(store, rules, judge),
        "calls": calls_frame(store),
        "usage": usage_frame(cells),
        **({} if board is None else {"voices": voice_frame(board)}),
        **({} if reported.is_empty() else {"errors": reported}),
        **_mm_tau(store, (rules, judge), measures),
    }


_OF_MM_TAU = frozenset({"critical", "effort", "recovery", "safety"})
"""Measures that are taken for these metrics."""


def _mm_tau(
    store: RunStore, scoring: tuple[str, str], measures: Iterable[MeasureRow]
) -> dict[str, pl.DataFrame]:
    """Return the metrics of MM-tau-p2 as a table, where any of their measures was taken."""
    if _OF_MM_TAU.isdisjoint(row.measure for row in measures):
        return {}
    rows = outcomes(store, *scoring, heads_only=True)
    return {"mm_tau": mm_tau_frame(mm_tau_board(rows, stored_digests(store), scoring))}
