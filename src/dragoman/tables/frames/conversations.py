"""Conversations as frames: how each ended, its score by component, its counts, what it used."""

from collections.abc import Callable, Mapping

import msgspec
import polars as pl

from dragoman.analysis.cells import Outcome
from dragoman.analysis.ledger import ledger
from dragoman.core.costs import PriceOf
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Scored
from dragoman.report.view_model import conversation_status
from dragoman.runs.plan import conversation_seed
from dragoman.store.run_store import StoredCell
from dragoman.tables.frames.columns import Columns, PlanFrame
from dragoman.tables.frames.consumed import CONSUMED_COLUMNS, consumed

_SCORING: Columns = {"rules": pl.String(), "judge": pl.String()}

EPISODE_COLUMNS: Columns = {
    "standing": pl.String(),
    "reward": pl.Float64(),
    "unscored": pl.String(),
    "undecided": pl.List(pl.String()),
    "ending": pl.String(),
    "ending_detail": pl.String(),
    "steps": pl.Int64(),
    "tool_errors": pl.Int64(),
    "malformed_calls": pl.Int64(),
    "started": pl.Float64(),
    "seconds": pl.Float64(),
    "seed": pl.Int64(),
    "invalid": pl.List(pl.String()),
    **_SCORING,
}


def episodes_frame(
    plan: PlanFrame,
    rows: list[Outcome],
    scoring: tuple[str, str],
    spec_key: Callable[[StoredCell], str],
) -> pl.DataFrame:
    """Return one row per planned conversation with its ending and reward.

    Args:
        plan: The planned conversations.
        rows: What became of them, in the plan's order.
        scoring: By which rules and judge.
        spec_key: Returns what a conversation's seed follows from.
    """
    return plan.framed(
        [
            (
                place,
                *_episode(row),
                conversation_seed(spec_key(cell)),
                _invalid(row.score),
                *scoring,
            )
            for place, (cell, row) in enumerate(zip(plan.cells, rows, strict=True))
        ],
        EPISODE_COLUMNS,
    )


def _episode(row: Outcome) -> tuple[object, ...]:
    reward = None if row.score is None else row.score.reward
    episode = row.episode
    return (
        conversation_status(row),
        reward.value if isinstance(reward, Scored) else None,
        None if reward is None or isinstance(reward, Scored) else reward.reason,
        list(reward.undecided) if isinstance(reward, Scored) else [],
        *(
            (None,) * 7
            if episode is None
            else (
                episode.ending.reason,
                episode.ending.detail or None,
                episode.steps,
                episode.errors,
                episode.malformed_calls,
                episode.started,
                episode.seconds,
            )
        ),
    )


def _invalid(score: Score | None) -> list[str] | None:
    return None if score is None or not score.simulator else list(score.invalid)


SCORE_COLUMNS: Columns = {
    **_SCORING,
    "component": pl.String(),
    "in_basis": pl.Boolean(),
    "value": pl.Float64(),
    "unscored": pl.String(),
    "met": pl.Int64(),
    "not_met": pl.Int64(),
    "undecided": pl.Int64(),
    "assumed": pl.Boolean(),
    "evidence": pl.String(),
}


def scores_frame(
    plan: PlanFrame, scores: Mapping[str, Score], scoring: tuple[str, str]
) -> pl.DataFrame:
    """Return one row per conversation and component, in the basis or not."""
    encode = msgspec.json.Encoder().encode
    rows = [
        (
            *(place, *scoring, part.component, part.in_basis),
            part.verdict.value if isinstance(part.verdict, Scored) else None,
            None
            if part.verdict is None or isinstance(part.verdict, Scored)
            else part.verdict.reason,
            sum(entry.met is True for entry in part.evidence),
            sum(entry.met is False for entry in part.evidence),
            sum(entry.met is None for entry in part.evidence),
            part.assumed,
            encode(part.evidence).decode(),
        )
        for place, cell in enumerate(plan.cells)
        if (score := scores.get(cell.key)) is not None
        for part in score.components
    ]
    return plan.framed(rows, SCORE_COLUMNS)


COUNT_COLUMNS: Columns = {
    "measure": pl.String(),
    "version": pl.String(),
    "judge": pl.String(),
    "count": pl.String(),
    "value": pl.Float64(),
    "unscored": pl.String(),
}


def counts_frame(
    plan: PlanFrame, measured: Mapping[str, tuple[MeasureResult, ...]]
) -> pl.DataFrame:
    """Return one row per conversation, version of a measure and count, rewards aside; `unscored_result` says why none is."""
    rows = [
        (
            *(place, entry.measure, entry.version, entry.judge, name),
            *(None if value is None else float(value), entry.unscored or None),
        )
        for place, cell in enumerate(plan.cells)
        for entry in measured.get(cell.key, ())
        for name, value in (entry.counts.items() or ((None, None),))
    ]
    return plan.framed(rows, COUNT_COLUMNS)


def consumed_frame(plan: PlanFrame, rows: list[Outcome], price_of: PriceOf) -> pl.DataFrame:
    """Return one row per conversation, purpose and model, over all attempts; rows are in the plan's order."""
    return plan.framed(
        [
            (place, *consumed(line).values())
            for place, row in enumerate(rows)
            for line in ledger(row.usage, price_of)
        ],
        CONSUMED_COLUMNS,
    )


ERROR_COLUMNS: Columns = {
    "version": pl.String(),
    "judge": pl.String(),
    "by": pl.String(),
    "event": pl.Int64(),
    "severity": pl.String(),
    "tag": pl.String(),
    "why": pl.String(),
    "quote": pl.String(),
}


def errors_frame(
    plan: PlanFrame, measured: Mapping[str, tuple[MeasureResult, ...]]
) -> pl.DataFrame:
    """Return one row per error that a judge reported and tag, as the judge wrote it."""
    rows = [
        (
            *(place, entry.version, entry.judge, error.by, error.position),
            *(error.severity, tag, error.why, error.quote),
        )
        for place, cell in enumerate(plan.cells)
        for entry in measured.get(cell.key, ())
        for error in entry.errors
        for tag in error.tags
    ]
    return plan.framed(rows, ERROR_COLUMNS)
