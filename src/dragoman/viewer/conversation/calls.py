"""Calls as the caller wrote them and as the world ran them, and what they changed."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from dragoman.core.tools import Change, Role, ToolCall, ToolResult


class ShownCall(msgspec.Struct, frozen=True):
    """One call and its result; values of the data are JSON, written over several lines.

    Attributes:
        name: The tool's name as it was called.
        arguments: What was understood of its arguments, in the caller's language.
        executed: What the world ran it with; empty where that is the same.
        executed_name: The name of the tool that answered; empty where that is the same.
        sent: The caller's own arguments, where a counterfactual put others in their place.
        written: The arguments as text, where they were not understood as they stand.
        malformed: Why they could not be understood.
        result: What the world answered, in its own values; None where there was no answer.
        shown: What the caller was shown of it; empty where that is the same.
        is_error: Whether the answer is an error.
        changes: What the call changed in the world.
        is_other: Whether a conversation that stands beside has no such call there.
    """

    name: str
    by: Role = "agent"
    arguments: str = ""
    positionals: str = ""
    executed: str = ""
    executed_name: str = ""
    sent: str = ""
    written: str = ""
    malformed: str = ""
    result: str | None = None
    shown: str = ""
    is_error: bool = False
    changes: tuple["ShownChange", ...] = ()
    is_other: bool = False

    @property
    def is_localized(self) -> bool:
        """Whether caller and world worded it otherwise."""
        return bool(self.executed or self.executed_name or self.shown)


class ShownChange(msgspec.Struct, frozen=True):
    """One value of the world that a call changed; `value` is JSON, empty where it was deleted."""

    path: str
    op: str
    value: str
    side: Role


def texts_of(call: ShownCall) -> tuple[str, ...]:
    """Return all that stands in a call and its result."""
    return (
        *(call.arguments, call.positionals, call.executed, call.sent, call.written),
        *(call.result or "", call.shown),
    )


def calls_of(calls: Iterable[ToolCall], results: Sequence[ToolResult]) -> tuple[ShownCall, ...]:
    """Return calls with their results, matched by id; results that nobody called for come last."""
    waiting: dict[str, list[ToolResult]] = {}
    for result in results:
        waiting.setdefault(result.call_id, []).append(result)
    shown = tuple(_call(call, _next(waiting, call.id)) for call in calls)
    return (*shown, *(stray_call(result) for left in waiting.values() for result in left))


def stray_call(result: ToolResult) -> ShownCall:
    """Return a result without the call that it answers."""
    return _answered(ShownCall(result.name, result.by), result)


def _next(waiting: dict[str, list[ToolResult]], call_id: str) -> ToolResult | None:
    left = waiting.get(call_id)
    return left.pop(0) if left else None


def _call(call: ToolCall, result: ToolResult | None) -> ShownCall:
    shown = ShownCall(
        call.name,
        call.by,
        written_out(call.arguments),
        positionals=written_out(call.positionals) if call.positionals else "",
        sent="" if call.sent is None else written_out(call.sent),
        written=call.raw,
        malformed=call.malformed,
    )
    return shown if result is None else _answered(shown, result)


def _answered(shown: ShownCall, result: ToolResult) -> ShownCall:
    executed = "" if result.executed is None else written_out(result.executed)
    return msgspec.structs.replace(
        shown,
        executed="" if executed == shown.arguments else executed,
        executed_name="" if result.name == shown.name else result.name,
        result=result.content,
        shown="" if result.shown in {None, result.content} else result.shown,
        is_error=result.error,
        changes=tuple(_changes(result.changes)),
    )


def _changes(changes: Iterable[Change]) -> Iterator[ShownChange]:
    for change in changes:
        value = "" if change.op == "del" else written_out(change.value)
        yield ShownChange(" / ".join(map(str, change.path)), change.op, value, change.side)


def written_out(value: object) -> str:
    """Return a value of the data as JSON over several lines; small ones stand on one."""
    encoded = msgspec.json.encode(value)
    if len(encoded) <= MAX_LINE:
        return msgspec.json.format(encoded, indent=0).decode()
    return msgspec.json.format(encoded, indent=2).decode()


MAX_LINE = 60
"""Bytes of JSON that stay on one line."""
