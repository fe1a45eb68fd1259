"""Attempts at a cell in several runs, made into those of one run: nothing is counted twice or lost."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from dragoman.core.episodes import Episode, Event, Move
from dragoman.core.measures import Measured
from dragoman.core.scores import METRIC_VERSION, Score
from dragoman.store.episodes import EpisodeCodec

Prefer = Literal["first", "last"]
"""Whose conversation stays where runs have different ones: that of the run named first, or last."""

Scoring = tuple[str, str, str]
"""Rules, judge and metric of a stored score or measure; rules are empty for measures."""

_WHOLE, _INVALID, _FAULT = 2, 1, 0

_CODEC = EpisodeCodec()


class Attempt(msgspec.Struct, frozen=True):
    """One attempt at a cell as it is stored: its episode, and its scores and measures in their order."""

    fault: int
    data: bytes
    scores: dict[Scoring, bytes]


class ConflictError(Exception):
    """Runs have different conversations, or scores, where there can be one."""


def joined(runs: Sequence[Sequence[Attempt]], prefer: Prefer | None) -> list[Attempt]:
    """Return the attempts at one cell of all runs, the one that counts last.

    A whole conversation counts before one whose simulated user failed, and that before one that broke.
    What one of two equal ones lacks, a score or a verdict that a judge left open, it gets from the other;
    what does not count is kept before, for what it consumed.

    Args:
        runs: The attempts of each run that has any, in their order.
        prefer: Which run decides where several differ; None to refuse.

    Raises:
        ConflictError: Where several differ and none is preferred.
    """
    if len(runs) == 1:
        return list(runs[0])
    ordered = list(runs) if prefer != "last" else list(reversed(runs))
    chosen = max(ordered, key=lambda attempts: _rank(attempts[-1]))
    strict = prefer is None
    if strict:
        _require_one(chosen[-1], ordered)
    kept = list(chosen)
    before: list[Attempt] = []
    for attempts in ordered:
        for attempt in () if attempts is chosen else attempts:
            if not _taken_up(attempt, kept, strict=strict) and not _taken_up(
                attempt, before, strict=strict
            ):
                before.append(attempt)
    return before + kept


def _require_one(last: Attempt, runs: Sequence[Sequence[Attempt]]) -> None:
    """Refuse where another run has a conversation of the same rank that is another one."""
    rank = _rank(last)
    if rank == _FAULT:
        return
    for attempts in runs:
        if _rank(attempts[-1]) == rank and not is_same(last, attempts[-1]):
            raise ConflictError("the conversations differ")


def _taken_up(attempt: Attempt, kept: list[Attempt], *, strict: bool) -> bool:
    """Whether an attempt is among those that are kept; what that one lacks is added to it."""
    for place, own in enumerate(kept):
        if is_same(own, attempt):
            kept[place] = _completed(own, attempt, strict=strict)
            return True
    return False


def _completed(own: Attempt, other: Attempt, *, strict: bool) -> Attempt:
    scores = dict(own.scores)
    for scoring, data in other.scores.items():
        mine = scores.get(scoring)
        if mine is None or (mine != data and _is_open(mine, scoring)):
            scores[scoring] = data
        elif mine != data and strict and not _is_same_verdict(mine, data, scoring):
            rules, judge, metric = scoring
            by = " ".join(name for name in (rules, judge, metric) if name)
            raise ConflictError(f"the scores by {by} differ")
    return msgspec.structs.replace(own, scores=scores)


def _rank(attempt: Attempt) -> int:
    if attempt.fault:
        return _FAULT
    newest = [data for scoring, data in attempt.scores.items() if _is_reward(scoring)][-1:]
    is_invalid = any(_CODEC.decode_score(data).invalid for data in newest)
    return _INVALID if is_invalid else _WHOLE


def _is_reward(scoring: Scoring) -> bool:
    return bool(scoring[0]) and scoring[2] == METRIC_VERSION


def is_same(one: Attempt, other: Attempt) -> bool:
    """Whether two attempts are one conversation; of what broke each attempt is one of its own."""
    if one.data == other.data:
        return True
    if one.fault or other.fault:
        return False
    return _lasting(_CODEC.decode_episode(one.data)) == _lasting(_CODEC.decode_episode(other.data))


def _lasting(episode: Episode) -> Episode:
    """Return what was said and done: without what clocks, providers' ids and caches say."""
    return msgspec.structs.replace(
        episode, events=tuple(_said(episode)), usage=(), started=0.0, seconds=0.0
    )


def _said(episode: Episode) -> Iterator[Event]:
    for event in episode.events:
        if isinstance(event, Move):
            yield msgspec.structs.replace(event, raw=msgspec.UNSET, latency=None)
        else:
            yield event


def _is_open(data: bytes, scoring: Scoring) -> bool:
    return _read(data, scoring).is_open


def _is_same_verdict(one: bytes, other: bytes, scoring: Scoring) -> bool:
    """Whether two scores say the same, whatever it took to find it."""
    if scoring[0]:
        first, second = _CODEC.decode_score(one), _CODEC.decode_score(other)
        return _verdict(first) == _verdict(second)
    counted, again = _CODEC.decode_measured(one), _CODEC.decode_measured(other)
    replace = msgspec.structs.replace
    return replace(counted, usage=None) == replace(again, usage=None)


def _verdict(score: Score) -> Score:
    return msgspec.structs.replace(score, usage=None, simulator_usage=None)


def _read(data: bytes, scoring: Scoring) -> Score | Measured:
    return _CODEC.decode_score(data) if scoring[0] else _CODEC.decode_measured(data)
