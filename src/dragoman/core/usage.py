"""What model calls consumed; prices are looked up later and may be unknown."""

from collections.abc import Iterable

import msgspec


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Consumption of one purpose (agent, user, judge) on one model.

    Tokens are None where the provider did not tell: unknown is not zero.
    """

    purpose: str
    model: str
    calls: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None


def total_usage(entries: Iterable[Usage]) -> tuple[Usage, ...]:
    """Add usage up by purpose and model; one unknown makes the sum unknown."""
    sums: dict[tuple[str, str], Usage] = {}
    for entry in entries:
        key = (entry.purpose, entry.model)
        sums[key] = _plus(sums[key], entry) if key in sums else entry
    return tuple(sums[key] for key in sorted(sums))


def _plus(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.purpose,
        one.model,
        one.calls + other.calls,
        _sum(one.input_tokens, other.input_tokens),
        _sum(one.output_tokens, other.output_tokens),
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
