"""Comparisons as polars data frames, and as the object that JSON gives."""

from collections.abc import Sequence

import msgspec
import polars as pl

from dragoman.analysis.comparison import CellName, Comparison, TaskPair
from dragoman.core.conditions import axis_values

_CELLS: dict[str, pl.DataType] = {
    "run_a": pl.String(),
    "run_b": pl.String(),
    "suite": pl.String(),
    "condition_a": pl.String(),
    "condition_b": pl.String(),
    "agent_a": pl.String(),
    "agent_b": pl.String(),
    "differs": pl.String(),
}

_MEANS = {
    "steps": "steps",
    "tool errors": "tool_errors",
    "agent's calls": "agent_calls",
    "agent's tokens in": "agent_tokens_in",
    "agent's tokens out": "agent_tokens_out",
    "seconds": "seconds",
    "cost, USD": "cost_usd",
}
"""What a conversation took on average, by the names of columns."""

GAP_COLUMNS: dict[str, pl.DataType] = {
    **_CELLS,
    "k": pl.Int64(),
    "tasks": pl.Int64(),
    "left_out": pl.Int64(),
    "pass_hat_a": pl.Float64(),
    "pass_hat_b": pl.Float64(),
    "difference": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "p": pl.Float64(),
    "adjusted_p": pl.Float64(),
    "won": pl.Int64(),
    "lost": pl.Int64(),
    "assumed": pl.Boolean(),
    **{f"{name}_{side}": pl.Float64() for name in _MEANS.values() for side in ("a", "b")},
}

PAIR_COLUMNS: dict[str, pl.DataType] = {
    **_CELLS,
    "task": pl.String(),
    "rewards_a": pl.List(pl.Float64()),
    "rewards_b": pl.List(pl.Float64()),
    "successes_a": pl.Int64(),
    "successes_b": pl.Int64(),
    "flipped": pl.String(),
}


def comparisons_frame(comparisons: Sequence[Comparison]) -> pl.DataFrame:
    """Return one row per comparison and k; p is that of pass^1 and null for other k.

    A comparison without a common task has one row for k = 1 whose figures are null.
    """
    rows = [row for entry in comparisons for row in _gap_rows(entry)]
    return pl.DataFrame(rows, schema=GAP_COLUMNS, orient="row")


def pairs_frame(comparisons: Sequence[Comparison]) -> pl.DataFrame:
    """Return one row per comparison and task, with the rewards of all trials."""
    rows = [
        {
            **_cells(entry),
            "task": pair.task,
            "rewards_a": list(pair.a),
            "rewards_b": list(pair.b),
            "successes_a": pair.successes[0],
            "successes_b": pair.successes[1],
            "flipped": None if not pair.gain else "won" if pair.gain > 0 else "lost",
        }
        for entry in comparisons
        for pair in entry.pairs
    ]
    return pl.DataFrame(rows, schema=PAIR_COLUMNS, orient="row")


def comparison_object(entry: Comparison) -> dict[str, object]:
    """Return a comparison as JSON has it: figures by k, unknown is null."""
    gaps = {str(gap.k): gap for gap in entry.gaps}
    return {
        "a": _name_object(entry.a),
        "b": _name_object(entry.b),
        "differs": entry.differs,
        "tasks": len(entry.pairs),
        "tasks_by_k": {k: gap.tasks for k, gap in gaps.items()},
        "left_out": entry.left_out,
        "pass_hat_a": {k: gap.a for k, gap in gaps.items()},
        "pass_hat_b": {k: gap.b for k, gap in gaps.items()},
        "difference": {k: gap.difference for k, gap in gaps.items()},
        "interval": {k: msgspec.to_builtins(gap.interval) for k, gap in gaps.items()},
        "p": entry.p,
        "adjusted_p": entry.adjusted_p,
        "won": list(map(_pair_object, entry.won)),
        "lost": list(map(_pair_object, entry.lost)),
        "means": msgspec.to_builtins(entry.means),
        "assumed": entry.assumed,
    }


def _name_object(name: CellName) -> dict[str, object]:
    return {
        **msgspec.structs.asdict(name),
        "condition": name.condition.label,
        "axes": axis_values(name.condition),
    }


def _pair_object(pair: TaskPair) -> dict[str, object]:
    return {"task": pair.task, "a": pair.a, "b": pair.b}


def _cells(entry: Comparison) -> dict[str, object]:
    return {
        "run_a": entry.a.run,
        "run_b": entry.b.run,
        "suite": entry.a.suite,
        "condition_a": entry.a.condition.label,
        "condition_b": entry.b.condition.label,
        "agent_a": entry.a.agent,
        "agent_b": entry.b.agent,
        "differs": "+".join(entry.differs),
    }


def _gap_rows(entry: Comparison) -> list[dict[str, object]]:
    counts: dict[str, object] = {
        **_cells(entry),
        "tasks": len(entry.pairs),
        "left_out": sum(entry.left_out.values()),
        "won": len(entry.won),
        "lost": len(entry.lost),
        "assumed": entry.assumed,
        **_means(entry),
    }
    if not entry.gaps:
        return [{**counts, "k": 1}]
    return [
        {
            **counts,
            "tasks": gap.tasks,
            "k": gap.k,
            "pass_hat_a": gap.a,
            "pass_hat_b": gap.b,
            "difference": gap.difference,
            "low": gap.interval.low,
            "high": gap.interval.high,
            "p": entry.p if gap.k == 1 else None,
            "adjusted_p": entry.adjusted_p if gap.k == 1 else None,
        }
        for gap in entry.gaps
    ]


def _means(entry: Comparison) -> dict[str, float | None]:
    """Return what a conversation took in A and in B, by column."""
    return {
        f"{column}_{side}": getattr(entry.means[name], side)
        for name, column in _MEANS.items()
        if name in entry.means
        for side in ("a", "b")
    }
