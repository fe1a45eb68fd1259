"""Agents of users: any Python function that takes OpenAI-shaped messages and tools.

`def agent(messages, tools)` returns a string, or an object with `content` and `tool_calls`, each with
`name` and `arguments` (an object, or JSON text) and optionally `id`. It may be `async`; a plain
function runs in a thread, so that it never stops other conversations. A callable that fails is an
infrastructure fault; one that answers badly has answered badly.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import msgspec

from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.speech import Called, Reply, Unparsed, say
from dragoman.core.tools import ToolCall, Toolset
from dragoman.core.usage import Usage

Messages = list[dict[str, object]]
AgentFunction = Callable[[Messages, list[dict[str, object]]], object | Awaitable[object]]


class _Call(msgspec.Struct):
    name: str
    arguments: dict[str, object] | str = msgspec.field(default_factory=dict)
    id: str = ""


class _Reply(msgspec.Struct):
    content: str | None = None
    tool_calls: list[_Call] | None = None


class CallableModel:
    """A user's function in the place of a chat model; it keeps its own prompt if it wants one."""

    def __init__(self, name: str, function: AgentFunction) -> None:
        self.name = name
        self._function = function
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - its kind is asked, not whether it is callable
        )
        self._schemas: dict[int, tuple[Toolset, list[dict[str, object]]]] = {}

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Call the function and read its answer."""
        messages = [dict(message) for message in request.messages]
        tools = self._tools(request.tools)
        try:
            if self._is_async:
                answer = await cast("Awaitable[object]", self._function(messages, tools))
            else:
                answer = await asyncio.to_thread(self._function, messages, tools)
        except Exception as error:
            raise ParticipantError(f"{self.name} raised {type(error).__name__}: {error}") from error
        reply = read_answer(answer, len(messages))
        return Completion(reply, _raw(answer), Usage(purpose, self.name))

    def _tools(self, tools: Toolset) -> list[dict[str, object]]:
        entry = self._schemas.get(id(tools))
        if entry is None:
            entry = (tools, msgspec.json.decode(tools.encoded))
            self._schemas[id(tools)] = entry
        return entry[1]


def read_answer(answer: object, position: int) -> Reply:
    """Return the reply in a function's answer; `position` makes ids of calls that have none."""
    if isinstance(answer, str):
        return say(answer)
    try:
        decoded = msgspec.convert(answer, _Reply, from_attributes=True)
    except msgspec.ValidationError as error:
        return Unparsed(repr(answer)[:2_000], str(error))
    if decoded.tool_calls:
        return Called(tuple(_calls(decoded.tool_calls, position)), decoded.content)
    return say(decoded.content or "")


def _calls(calls: Sequence[_Call], position: int) -> list[ToolCall]:
    return [_call(call, f"call_{position}_{index}") for index, call in enumerate(calls)]


def _call(call: _Call, fallback: str) -> ToolCall:
    call_id = call.id or fallback
    if isinstance(call.arguments, dict):
        return ToolCall(call_id, call.name, call.arguments)
    try:
        arguments = msgspec.json.decode(call.arguments, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError) as error:
        return ToolCall(call_id, call.name, {}, raw=call.arguments, malformed=str(error))
    return ToolCall(call_id, call.name, arguments)


def _raw(answer: object) -> msgspec.Raw:
    try:
        return msgspec.Raw(msgspec.json.encode(answer))
    except (TypeError, ValueError, RecursionError):
        return msgspec.Raw(msgspec.json.encode(repr(answer)[:2_000]))
