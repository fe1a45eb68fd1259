"""Replay of a stored conversation's writes on a fresh environment, to find its final state.

Only calls that change the environment are executed. Their results must repeat what was recorded,
as JSON if both are JSON (25 equals 25.0, key order is free), else as text. The version of a
library in the address of its documentation is not part of a result: errors quote it, and it
depends on the time of recording.
"""

import re
from collections.abc import Sequence
from typing import TypeGuard

import msgspec

from dragoman.core.protocols import Environment
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolCall, ToolResult

_VERSION = re.compile(r"(https?://[\w.-]+)/\d+\.\d+(?=/)")
_NUMBER = re.compile(r"-?\d+\.\d+", re.ASCII)
_CENT = 0.01
_HALF = 0.5


def replay(
    executed: Sequence[tuple[ToolCall, ToolResult | None]],
    environment: Environment,
    *,
    in_cents: bool = False,
) -> tuple[str, ...]:
    """Execute the recorded writes on a world and return a line for each result that differs.

    Args:
        executed: Calls with what they returned.
        environment: A fresh world.
        in_cents: Whether numbers in results need to be the same to the cent only, as where a world
            that rounds repeats what one recorded that does not.
    """
    differing = []
    for call, recorded in executed:
        if recorded is None or environment.kind(call.name) != "write":
            continue
        result = environment.call(call)
        if not same_content(result.content, recorded.content, in_cents=in_cents):
            then, now = _where_they_part(recorded.content, result.content)
            differing.append(f"{call.name} ({call.id}) answered {then!r} then, {now!r} now")
    return tuple(differing)


def same_content(one: str, other: str, *, in_cents: bool = False) -> bool:
    """Return whether two results say the same, as JSON where both are JSON."""
    if one == other:
        return True
    try:
        values = msgspec.json.decode(one), msgspec.json.decode(other)
        return _same_in_cents(*values) if in_cents else bool(values[0] == values[1])
    except DECODING_ERRORS:
        return _VERSION.sub(r"\1", one) == _VERSION.sub(r"\1", other)


def _same_in_cents(one: object, other: object) -> bool:
    """Return whether two values are the same, numbers among them (also as text) to the cent."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _same_in_cents(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same_in_cents, one, other))
    if _is_amount(one) and _is_amount(other):
        return round(abs(float(one) - float(other)) / _CENT, 6) <= _HALF
    return bool(one == other)


def _is_amount(value: object) -> TypeGuard[float | str]:
    """Return whether a value is a number with decimals, as such or as text."""
    return isinstance(value, float) or (
        isinstance(value, str) and _NUMBER.fullmatch(value) is not None
    )


def _where_they_part(one: str, other: str) -> tuple[str, str]:
    """Return a line's worth of both texts from shortly before their first difference."""
    pairs = enumerate(zip(one, other, strict=False))
    shared = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = max(shared - 20, 0)
    return one[start : start + 80], other[start : start + 80]
