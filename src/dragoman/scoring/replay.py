"""Replays a stored conversation's writes on a fresh world, to know the state it ended in.

Only calls that change the world are executed. Their results must repeat what was recorded, as JSON
where both are JSON (25 equals 25.0, key order is free), else as text.
"""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.core.decoding import UNREADABLE
from dragoman.core.episodes import Event, Move
from dragoman.core.errors import ReplayError
from dragoman.core.protocols import World
from dragoman.core.speech import Called
from dragoman.core.tools import ToolCall, ToolResult


def executed_calls(events: Sequence[Event]) -> Iterator[tuple[ToolCall, ToolResult | None]]:
    """Yield every call as the world executed it, with its result; None where it got none.

    Raises:
        ReplayError: Where results do not follow their calls in order and by id.
    """
    position = 0
    while position < len(events):
        event = events[position]
        position += 1
        if isinstance(event, ToolResult):
            raise ReplayError(f"the result of {event.name} ({event.call_id}) follows no call")
        calls = event.reply.calls if isinstance(event.reply, Called) else ()
        for call in calls:
            if position == len(events):
                yield call, None
                continue
            result = events[position]
            position += 1
            if isinstance(result, Move) or result.call_id != call.id:
                raise ReplayError(
                    f"the call of {call.name} ({call.id}) is not followed by its result"
                )
            if result.executed is not None:
                call = msgspec.structs.replace(call, arguments=result.executed)  # noqa: PLW2901 - the call as executed
            yield call, result


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
