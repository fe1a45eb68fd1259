"""What a log of Inspect says of itself: what was evaluated, how it went, and its figures."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cells import CellSummary
from dragoman.analysis.measure_figures import MeasureRow
from dragoman.core.conditions import axis_values
from dragoman.core.content_keys import content_key
from dragoman.core.costs import PriceOf
from dragoman.core.measures import REWARD as REWARD_MEASURE
from dragoman.exchange.inspect_logs.messages import Json
from dragoman.exchange.inspect_logs.samples import NO_TIME, REWARD, time_text, usage_of
from dragoman.runs.jobs import Manifest

VERSION = 2
"""Of Inspect's format."""


class CellLog(msgspec.Struct, frozen=True):
    """What one log is about: a cell of the grid, with its figures.

    `rows` are those of its measures, `ids` its tasks.
    """

    manifest: Manifest
    run: str
    cell: CellSummary
    rows: tuple[MeasureRow, ...]
    ids: tuple[str, ...]

    @property
    def key(self) -> str:
        """Names the log: another run's of the same cell has another."""
        cell = self.cell
        made = (self.manifest.created, cell.suite, cell.condition.label, cell.agent)
        return content_key(*made)


def start_of(log: CellLog) -> Json:
    """Return what stands in a log before anything was played."""
    cell, config = log.cell, log.manifest.config
    axes = axis_values(cell.condition)
    return {
        "version": VERSION,
        "eval": {
            "eval_id": log.key,
            "run_id": content_key(log.manifest.created, config.seed),
            "created": time_text(log.manifest.created) or NO_TIME,
            "task": cell.suite,
            "task_id": content_key(cell.suite, cell.condition.label),
            "task_version": 0,
            "task_display_name": f"{cell.suite} {cell.condition.label}",
            "task_args": {"condition": cell.condition.label, **axes},
            "tags": ["dragoman"],
            "dataset": {
                "name": cell.suite,
                "samples": len(log.ids),
                "sample_ids": list(log.ids),
                "shuffled": False,
            },
            "model": cell.agent,
            "config": {
                "epochs": config.trials,
                "epochs_reducer": ["mean"],
                "fail_on_error": False,
                **({} if config.timeout is None else {"time_limit": round(config.timeout)}),
            },
            "packages": {"dragoman": log.manifest.dragoman},
            "metadata": {
                "run": log.run,
                "condition": cell.condition.label,
                **axes,
                "rules": cell.rules,
                "judge": cell.judge,
                "user": config.user,
                "seed": config.seed,
                "data": log.manifest.provenance.digest,
                "planned": cell.episodes + cell.missing,
                "missing": cell.missing,
                "code_errors": cell.code_errors,
                "infrastructure_errors": cell.infrastructure_errors,
            },
            "scorers": [{"name": REWARD, "metrics": [], "metadata": {}}],
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
    }


def header_of(
    log: CellLog,
    reduced: Mapping[str, Sequence[float]],
    times: Sequence[float],
    price_of: PriceOf,
) -> Json:
    """Return what a log ends with: how it went, figures, what was used.

    Args:
        log: The log.
        reduced: By task its decided rewards.
        times: When conversations began and ended, in seconds since 1970.
        price_of: Prices of models.
    """
    cell = log.cell
    used = usage_of(cell.usage, price_of)
    return {
        **start_of(log),
        "status": "cancelled" if cell.missing else "success",
        "results": {
            "total_samples": cell.episodes + cell.missing,
            "completed_samples": cell.answered,
            "logged_samples": cell.episodes,
            "scores": [_reward(cell, reduced), *_measures(log.rows)],
        },
        "stats": {
            "started_at": time_text(min(times, default=0)) or "",
            "completed_at": time_text(max(times, default=0)) or "",
            **used,
        },
    }


def reductions_of(reduced: Mapping[str, Sequence[float]]) -> list[Json]:
    """Return the mean reward of each task over its trials."""
    samples = [
        {"sample_id": task, "value": sum(rewards) / len(rewards)}
        for task, rewards in reduced.items()
        if rewards
    ]
    return [{"scorer": REWARD, "reducer": "mean", "samples": samples}]


def _reward(cell: CellSummary, reduced: Mapping[str, Sequence[float]]) -> Json:
    metrics: dict[str, Json] = {}
    for figure in cell.result.figures:
        if figure.value is not None:
            told: Json = {"tasks": figure.tasks, "missing_fail": figure.bounds.low}
            told["missing_pass"] = figure.bounds.high
            if figure.interval is not None:
                told |= {"low": figure.interval.low, "high": figure.interval.high}
            name = f"pass^{figure.k}"
            metrics[name] = {"name": name, "value": figure.value, "metadata": told}
    scored = sum(map(len, reduced.values()))
    return {
        "name": REWARD,
        "scorer": REWARD,
        "reducer": "mean",
        "scored_samples": scored,
        "unscored_samples": cell.answered - scored,
        "metrics": metrics,
    }


def _measures(rows: Iterable[MeasureRow]) -> list[Json]:
    """Return the figures of measures, one below another; those without a value are left out."""
    found: dict[tuple[str, str], dict[str, Json]] = {}
    for row in rows:
        if row.measure != REWARD_MEASURE and row.value is not None:
            name = ", ".join(filter(None, (row.figure, row.part, row.averaging)))
            most = {} if row.most is None else {"most": row.most}
            metric: Json = {"name": name, "value": row.value, "metadata": {"n": row.n, **most}}
            found.setdefault((row.measure, row.judge), {})[name] = metric
    return [
        {"name": measure, "scorer": measure, "metrics": metrics, "metadata": {"judge": judge}}
        for (measure, judge), metrics in found.items()
    ]
