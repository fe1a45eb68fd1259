"""Usage of models: calls, tokens, audio seconds and characters. Unknown counts are None."""

from collections.abc import Iterable
from typing import Literal, TypeVar

import msgspec

Count = TypeVar("Count", int, float)

SEARCH = "search"
"""The purpose of requests to a search engine; its usage names no model of a plan."""

RemarkKind = Literal[
    "separated_reasoning",
    "cut_at_end_mark",
    "alternating_roles",
    "system_as_user",
    "reasoning_returned",
    "reasoning_filled",
    "reasoning_left_out",
    "empty_content_replaced",
    "null_content_replaced",
    "empty_calls_filled",
    "results_named",
    "tool_choice_left_out",
    "ids_replaced",
]
"""Remarks on answered calls: how a reply was parsed, or how a request was adapted."""

SEPARATED_REASONING: RemarkKind = "separated_reasoning"
"""Reasoning stood between the words of a reply and was separated from them."""

CUT_AT_END_MARK: RemarkKind = "cut_at_end_mark"
"""A reply continued after the mark that ends a turn, and was cut there."""

NO_ROOM = frozenset({"rate_limited", "overloaded"})
"""Kinds of faults with which an endpoint refuses a call because it is busy."""


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Consumption of one purpose (agent, user, judge) on one model.

    Tokens are None if the provider did not report them: unknown is not zero. Seconds of audio and
    characters are None for chat, which has none.

    Attributes:
        purpose: The purpose of the calls.
        model: The model's name, as in prices.
        calls: Number of answered calls.
        input_tokens: Tokens sent, including those that the provider had cached.
        output_tokens: Tokens received, including reasoning.
        cached_tokens: The part of the input that the provider had cached.
        reasoning_tokens: The part of the output that was reasoning.
        replayed: Number of calls that Dragoman's own cache answered, without the provider.
        faults: Failed attempts by kind, whether or not a later one succeeded.
        seconds: Time from sending to the ends of the answers, without waiting times in between.
        replayed_input_tokens: The part of the input that belongs to replayed calls.
        replayed_output_tokens: The part of the output that belongs to replayed calls.
        replayed_cached_tokens: The part of the cached input that belongs to replayed calls.
        audio_seconds: Seconds of synthesized or recognized audio.
        characters: Characters spoken, as the provider counts them if it reports them.
        replayed_audio_seconds: The part of the audio that belongs to replayed calls.
        replayed_characters: The part of the characters that belongs to replayed calls.
        input_audio_tokens: The part of the input that was audio.
        output_audio_tokens: The part of the output that was audio.
        remarks: Remarks on answered calls, counted by kind.
        replayed_input_audio_tokens: The part of the audio sent that belongs to replayed calls.
        replayed_output_audio_tokens: The part of the audio received that belongs to replayed calls.
    """

    purpose: str
    model: str
    calls: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    replayed: int = 0
    faults: dict[str, int] = {}
    seconds: float = 0.0
    replayed_input_tokens: int | None = 0
    replayed_output_tokens: int | None = 0
    replayed_cached_tokens: int | None = 0
    audio_seconds: float | None = None
    characters: int | None = None
    replayed_audio_seconds: float | None = 0.0
    replayed_characters: int | None = 0
    input_audio_tokens: int | None = 0
    output_audio_tokens: int | None = 0
    replayed_input_audio_tokens: int | None = 0
    replayed_output_audio_tokens: int | None = 0
    remarks: dict[str, int] = {}


def as_replayed(usage: Usage) -> Usage:
    """Return the usage of one call as that of a call that Dragoman's own cache answered."""
    return msgspec.structs.replace(
        usage,
        replayed=usage.calls,
        faults={},
        seconds=0.0,
        replayed_input_tokens=usage.input_tokens,
        replayed_output_tokens=usage.output_tokens,
        replayed_cached_tokens=usage.cached_tokens,
        # Chat has neither, and a missing total needs no part.
        replayed_audio_seconds=usage.audio_seconds or 0.0,
        replayed_characters=usage.characters or 0,
        replayed_input_audio_tokens=usage.input_audio_tokens,
        replayed_output_audio_tokens=usage.output_audio_tokens,
    )


def total_usage(entries: Iterable[Usage]) -> tuple[Usage, ...]:
    """Return sums of usage by purpose and model; a sum is unknown if one entry is unknown."""
    sums: dict[tuple[str, str], Usage] = {}
    for entry in entries:
        key = (entry.purpose, entry.model)
        sums[key] = _plus(sums[key], entry) if key in sums else entry
    return tuple(sums[key] for key in sorted(sums))


def _plus(one: Usage, other: Usage) -> Usage:
    if not other.calls:
        return msgspec.structs.replace(one, faults=_add_counts(one.faults, other.faults))
    if not one.calls:
        return msgspec.structs.replace(other, faults=_add_counts(one.faults, other.faults))
    return Usage(
        one.purpose,
        one.model,
        one.calls + other.calls,
        _sum(one.input_tokens, other.input_tokens),
        _sum(one.output_tokens, other.output_tokens),
        _sum(one.cached_tokens, other.cached_tokens),
        _sum(one.reasoning_tokens, other.reasoning_tokens),
        one.replayed + other.replayed,
        _add_counts(one.faults, other.faults),
        one.seconds + other.seconds,
        _sum(one.replayed_input_tokens, other.replayed_input_tokens),
        _sum(one.replayed_output_tokens, other.replayed_output_tokens),
        _sum(one.replayed_cached_tokens, other.replayed_cached_tokens),
        _sum(one.audio_seconds, other.audio_seconds),
        _sum(one.characters, other.characters),
        _sum(one.replayed_audio_seconds, other.replayed_audio_seconds),
        _sum(one.replayed_characters, other.replayed_characters),
        _sum(one.input_audio_tokens, other.input_audio_tokens),
        _sum(one.output_audio_tokens, other.output_audio_tokens),
        _sum(one.replayed_input_audio_tokens, other.replayed_input_audio_tokens),
        _sum(one.replayed_output_audio_tokens, other.replayed_output_audio_tokens),
        _add_counts(one.remarks, other.remarks),
    )


def _sum(one: Count | None, other: Count | None) -> Count | None:
    return None if one is None or other is None else one + other


def _add_counts(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    if not other:
        return one
    return {kind: one.get(kind, 0) + other.get(kind, 0) for kind in sorted({*one, *other})}
