"""Replays a stored conversation's writes on a fresh world, to know the state it ended in.

Only calls that change the world are executed. Their results must repeat what was recorded, as JSON
where both are JSON (25 equals 25.0, key order is free), else as text.
"""

from collections.abc import Sequence

import msgspec

from dragoman.core.decoding import UNREADABLE
from dragoman.core.protocols import World
from dragoman.core.tools import ToolCall, ToolResult


def replay(executed: Sequence[tuple[ToolCall, ToolResult | None]], world: World) -> tuple[str, ...]:
    """Execute the recorded writes on a world and return a line for each result that differs."""
    differing = []
    for call, recorded in executed:
        if recorded is None or world.kind(call.name) != "write":
            continue
        result = world.call(call)
        if not same_content(result.content, recorded.content):
            then, now = _where_they_part(recorded.content, result.content)
            differing.append(f"{call.name} ({call.id}) answered {then!r} then, {now!r} now")
    return tuple(differing)


def same_content(one: str, other: str) -> bool:
    """Whether two results say the same, as JSON where both are JSON."""
    if one == other:
        return True
    try:
        return bool(msgspec.json.decode(one) == msgspec.json.decode(other))
    except UNREADABLE:
        return False


def _where_they_part(one: str, other: str) -> tuple[str, str]:
    """Return a line's worth of both texts from shortly before their first difference."""
    pairs = enumerate(zip(one, other, strict=False))
    shared = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = max(shared - 20, 0)
    return one[start : start + 80], other[start : start + 80]
