"""What happened in conversations as frames: moves, what was said, calls; all in one pass over them."""

from collections.abc import Iterable, Iterator

import msgspec
import polars as pl
from msgspec import UNSET

from dragoman.core.episodes import Episode, Message, calls_with_results
from dragoman.core.replies import (
    AudioRef,
    Latency,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
)
from dragoman.store.audio_files import audio_path
from dragoman.tables.frames.columns import Columns, PlanFrame

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
    turns: list[_Row] = []
    utterances: list[_Row] = []
    calls: list[_Row] = []
    for key, _, episode in episodes:
        place = plan.places[key]
        for event, move in enumerate(episode.events):
            if isinstance(move, Message):
                turns.append((place, event, *_turn(move)))
                if isinstance(move.reply, TextReply):
                    utterances.append((place, event, move.by, *_utterance(move.reply.utterance)))
        calls.extend((place, *row) for row in _calls(episode))
    return {
        "turns": plan.framed(turns, TURN_COLUMNS),
        "utterances": plan.framed(utterances, UTTERANCE_COLUMNS),
        "calls": plan.framed(calls, CALL_COLUMNS),
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
