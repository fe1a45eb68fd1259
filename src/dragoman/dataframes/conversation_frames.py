"""Data frames of conversations: endings, scores, counts, usage, turns, utterances and calls."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec
import polars as pl
from msgspec import UNSET

from dragoman.analysis.cell_summary import ConversationResult, ledger
from dragoman.core.costs import PriceOf
from dragoman.core.episodes import Episode, Message, calls_with_results
from dragoman.core.measures import MeasureResult
from dragoman.core.replies import (
    AudioRef,
    Latency,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
)
from dragoman.core.scores import Score, Scored
from dragoman.dataframes.frame_columns import (
    USAGE_COLUMNS,
    Columns,
    GrowingFrame,
    PlanFrame,
    usage_row,
)
from dragoman.report.view_model import conversation_status
from dragoman.runs.plan import conversation_seed
from dragoman.store.audio_files import audio_path
from dragoman.store.run_plan import StoredCell

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
    rows: list[ConversationResult],
    scoring: tuple[str, str],
    spec_key: Callable[[StoredCell], str],
) -> pl.DataFrame:
    """Return one row per planned conversation with its ending and reward.

    Args:
        plan: The planned conversations.
        rows: The results of the conversations, in the plan's order.
        scoring: Rules and judge of the scores.
        spec_key: Returns the key that a conversation's seed is derived from.
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


def _episode(row: ConversationResult) -> tuple[object, ...]:
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
    """Return one row per conversation, version of a measure, and count.

    Rewards are excluded. `unscored` gives the reason for a missing count.
    """
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


def consumed_frame(
    plan: PlanFrame, rows: list[ConversationResult], price_of: PriceOf
) -> pl.DataFrame:
    """Return one row per conversation, purpose and model, over all attempts.

    The rows are in the plan's order.
    """
    return plan.framed(
        [
            (place, *usage_row(line).values())
            for place, row in enumerate(rows)
            for line in ledger(row.usage, price_of)
        ],
        USAGE_COLUMNS,
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


_Row = tuple[object, ...]

TURN_COLUMNS: Columns = {
    "event": pl.Int64(),
    "turn": pl.Int64(),
    "by": pl.String(),
    "kind": pl.String(),
    "text": pl.String(),
    "problem": pl.String(),
    "calls": pl.Int64(),
    "scripted": pl.Boolean(),
    "clarifies": pl.Boolean(),
    "call_form": pl.String(),
    "seconds": pl.Float64(),
    "first_word_seconds": pl.Float64(),
    "is_stated": pl.Boolean(),
    "overlap_seconds": pl.Float64(),
    "interrupted": pl.Boolean(),
    "raw": pl.String(),
    "reasoning": pl.String(),
}

UTTERANCE_COLUMNS: Columns = {
    "event": pl.Int64(),
    "by": pl.String(),
    "intended": pl.String(),
    "spoken": pl.String(),
    "heard": pl.String(),
    "received": pl.String(),
    "audio": pl.String(),
    "audio_seconds": pl.Float64(),
    "audio_rate_hz": pl.Int64(),
    "clean_audio": pl.String(),
    "clean_audio_seconds": pl.Float64(),
    "clean_audio_rate_hz": pl.Int64(),
    "stages": pl.String(),
}

CALL_COLUMNS: Columns = {
    "event": pl.Int64(),
    "result_event": pl.Int64(),
    "position": pl.Int64(),
    "id": pl.String(),
    "by": pl.String(),
    "tool": pl.String(),
    "arguments": pl.String(),
    "written_arguments": pl.String(),
    "positionals": pl.String(),
    "raw_arguments": pl.String(),
    "sent_arguments": pl.String(),
    "malformed": pl.String(),
    "error": pl.Boolean(),
    "result": pl.String(),
    "shown_result": pl.String(),
    "changes": pl.Int64(),
    "changed": pl.String(),
}


def event_frames(
    plan: PlanFrame, episodes: Iterable[tuple[str, int, Episode]]
) -> dict[str, pl.DataFrame]:
    """Return the frames `turns`, `utterances` and `calls` of the last attempts at conversations."""
    turns = GrowingFrame(plan, TURN_COLUMNS)
    utterances = GrowingFrame(plan, UTTERANCE_COLUMNS)
    calls = GrowingFrame(plan, CALL_COLUMNS)
    for key, _, episode in episodes:
        place = plan.places[key]
        moves = [
            (event, move) for event, move in enumerate(episode.events) if isinstance(move, Message)
        ]
        turns.extend((place, event, *_turn(move)) for event, move in moves)
        utterances.extend(
            (place, event, move.by, *_utterance(move.reply.utterance))
            for event, move in moves
            if isinstance(move.reply, TextReply)
        )
        calls.extend((place, *row) for row in _calls(episode))
    return {
        "turns": turns.finished(),
        "utterances": utterances.finished(),
        "calls": calls.finished(),
    }


def _turn(move: Message) -> _Row:
    return (
        *(move.turn, move.by, *_reply(move.reply)),
        *(move.scripted, isinstance(move.reply, TextReply) and move.reply.clarifies),
        *(move.call_form or None, *_latency(move.latency)),
        None if isinstance(move.raw, msgspec.UnsetType) else bytes(move.raw).decode(),
        move.reasoning or None,
    )


def _reply(
    reply: TextReply | ToolCallReply | UnparsedReply,
) -> tuple[str, str | None, str | None, int]:
    """Return a reply's kind, its text, what is wrong with it, and how many calls it makes."""
    match reply:
        case TextReply():
            return "said", reply.text, None, 0
        case ToolCallReply():
            return "called", reply.text, None, len(reply.calls)
        case UnparsedReply():
            return "unparsed", reply.raw, reply.error, 0


def _latency(latency: Latency | None) -> _Row:
    if latency is None:
        return (None,) * 5
    return (
        *(latency.seconds, latency.first_word, latency.is_stated),
        *(latency.overlap, latency.is_interrupted),
    )


def _utterance(utterance: Utterance) -> _Row:
    return (
        utterance.intended,
        None if utterance.spoken is UNSET else utterance.spoken,
        None if utterance.heard is UNSET else utterance.heard,
        utterance.received,
        *_audio(utterance.audio),
        *_audio(utterance.clean_audio),
        _json(utterance.stages) if utterance.stages else None,
    )


def _audio(audio: AudioRef | None) -> _Row:
    if audio is None:
        return (None,) * 3
    return audio_path(audio.sha256), audio.seconds, audio.rate_hz


def _calls(episode: Episode) -> Iterator[_Row]:
    for position, placed in enumerate(calls_with_results(episode.events)):
        call, result = placed.call, placed.result
        yield (
            *(placed.event, placed.result_event, position, call.id, call.by, call.name),
            _json(placed.executed.arguments),
            _json(call.arguments),
            _json(call.positionals) if call.positionals else None,
            call.raw or None,
            None if call.sent is None else _json(call.sent),
            call.malformed or None,
            *(
                (None,) * 5
                if result is None
                else (
                    *(result.error, result.content, result.shown),
                    len(result.changes),
                    _json(result.changes),
                )
            ),
        )


_encode = msgspec.json.Encoder().encode


def _json(value: object) -> str:
    return _encode(value).decode()
