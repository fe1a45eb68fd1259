"""Agents of users: any Python function that takes OpenAI-shaped messages and tools.

`def agent(messages, tools)` returns a string, or an object with `content` and `tool_calls`, each with
`name` and `arguments` (an object, or JSON text) and optionally `id`. It may be `async`; a plain
function runs in a thread, so that it never stops other conversations. A callable that fails is an
infrastructure fault; one that answers badly has answered badly.
"""

import asyncio
import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import msgspec

from dragoman.core.decoding import UNREADABLE
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.speech import Called, Reply, Unparsed, say
from dragoman.core.tools import ToolCall
from dragoman.core.usage import Usage

Messages = list[dict[str, object]]
AgentFunction = Callable[[Messages, list[dict[str, object]]], object | Awaitable[object]]

MAX_SHOWN_CHARS = 100_000


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

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Call the function and read its answer."""
        messages = [dict(message) for message in request.messages]
        tools: list[dict[str, object]] = msgspec.json.decode(request.tools.encoded)
        answer = await self._answer(messages, tools)
        reply = read_answer(answer, len(request.messages))
        return Completion(reply, _raw(answer), Usage(purpose, self.name))

    async def _answer(self, messages: Messages, tools: list[dict[str, object]]) -> object:
        try:
            if self._is_async:
                return await cast("Awaitable[object]", self._function(messages, tools))
            answer = await in_thread(lambda: self._function(messages, tools))
            return await answer if inspect.isawaitable(answer) else answer
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise ParticipantError(f"{self.name} cancelled itself") from error
        except (Exception, SystemExit) as error:
            raise ParticipantError(f"{self.name} raised {type(error).__name__}: {error}") from error


async def in_thread(work: Callable[[], object]) -> object:
    """Run a plain function in a thread of its own that does not outlive the program.

    A pool would make a stopped run wait for functions that hang.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[object] = loop.create_future()

    def settle(value: object, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(value)
        else:
            done.set_exception(error)

    def target() -> None:
        value: object = None
        failure: BaseException | None = None
        try:
            value = work()
        except StopIteration as error:
            failure = RuntimeError(f"StopIteration: {error}")
        except BaseException as error:  # noqa: BLE001 - handed to the one who waits
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, failure)

    threading.Thread(target=target, name="participant", daemon=True).start()
    return await done


def read_answer(answer: object, position: int) -> Reply:
    """Return the reply in a function's answer; `position` makes ids of calls that have none.

    What JSON cannot carry could be neither sent, nor stored, nor compared: in words it makes the
    reply unusable, in arguments the call malformed.
    """
    try:
        decoded = _Reply(answer) if isinstance(answer, str) else _converted(answer)
        _plain_json(decoded.content)
    except _NOT_JSON as error:
        return Unparsed(_shown(answer), _shown(error))
    if decoded.tool_calls:
        return Called(tuple(_calls(decoded.tool_calls, position)), decoded.content)
    return say(decoded.content or "")


_NOT_JSON = (*UNREADABLE, TypeError, ValueError)


def _converted(answer: object) -> _Reply:
    return msgspec.convert(answer, _Reply, from_attributes=True)


def _plain_json(value: object) -> object:
    """Return a value as JSON carries it, or raise: no NaN, no lone surrogates, no objects."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    return msgspec.json.decode(text.encode())


def _calls(calls: Sequence[_Call], position: int) -> list[ToolCall]:
    return [_call(call, f"call_{position}_{index}") for index, call in enumerate(calls)]


def _call(call: _Call, fallback: str) -> ToolCall:
    call_id, name = _shown(call.id) or fallback, _shown(call.name)
    try:
        if isinstance(call.arguments, str):
            arguments = msgspec.json.decode(call.arguments, type=dict[str, object])
        else:
            arguments = cast("dict[str, object]", _plain_json(call.arguments))
    except _NOT_JSON as error:
        return ToolCall(call_id, name, {}, raw=_shown(call.arguments), malformed=_shown(error))
    return ToolCall(call_id, name, arguments)


def _shown(value: object) -> str:
    """Return a bounded text of anything, fit to be stored."""
    text = (
        value
        if isinstance(value, str)
        else str(value)
        if isinstance(value, Exception)
        else repr(value)
    )
    return text[:MAX_SHOWN_CHARS].encode("utf-8", "backslashreplace").decode()


def _raw(answer: object) -> msgspec.Raw:
    try:
        return msgspec.Raw(json.dumps(answer, allow_nan=False, ensure_ascii=False).encode())
    except _NOT_JSON:
        return msgspec.Raw(msgspec.json.encode(_shown(answer)))
