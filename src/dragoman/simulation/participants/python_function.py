"""Python function as an agent: a callable that takes OpenAI-shaped messages and tools.

`def agent(messages, tools)` returns a string, or an object as `core.agent_replies` describes it.
It may be `async`; a plain function runs in a thread, so that it does not block other
conversations. A callable that raises ends the conversation without a score; a bad answer counts as
a bad answer.
"""

import asyncio
import inspect
import json
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import cast

import msgspec

from dragoman.core.agent_replies import format_bounded, parse_agent_reply
from dragoman.core.audio import hears_audio
from dragoman.core.chat_messages import has_audio, plain_message
from dragoman.core.errors import CodeError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import Latency
from dragoman.core.usage import Usage
from dragoman.simulation.participant_errors import participant_error, stops_run

log = logging.getLogger(__name__)

Messages = list[dict[str, object]]
Tools = list[dict[str, object]]
AgentFunction = Callable[[Messages, Tools], object | Awaitable[object]]


class FunctionModel:
    """A user's function in the place of a chat model; it keeps its own prompt if it wants one."""

    def __init__(self, name: str, function: AgentFunction) -> None:
        self.name = name
        self._function = function
        self._has_warned = False
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            # Its kind is asked, not whether it is callable.
            getattr(function, "__call__", None)  # noqa: B004
        )

    @property
    def hears_audio(self) -> bool:
        """Whether the function says that it can be given audio itself."""
        return hears_audio(self._function)

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Call the function and read its answer."""
        messages = [plain_message(message) for message in request.messages]
        tools: Tools = msgspec.json.decode(request.tools.encoded)
        now = asyncio.get_running_loop().time
        began = now()
        answer = await self.call(messages, tools)
        latency = Latency(now() - began)
        read = parse_agent_reply(answer, len(request.messages))
        if read.odd_usage and not self._has_warned:
            self._has_warned = True
            log.warning("%s: the tokens it tells make no sense: %s", self.name, read.odd_usage)
        usage = Usage(
            purpose,
            self.name,
            1,
            read.input_tokens,
            read.output_tokens,
            input_audio_tokens=None if has_audio(request.messages) else 0,
        )
        return Completion(read.reply, _raw(answer), usage, latency)

    async def call(self, messages: Messages, tools: Tools) -> object:
        """Call the function and return its answer.

        Raises:
            ParticipantError: If it raises, cancels itself or tries to end the program.
        """
        try:
            if self._is_async:
                return await _in_task(cast("Awaitable[object]", self._function(messages, tools)))
            answer = await run_in_thread(lambda: self._function(messages, tools))
            return await _in_task(answer) if inspect.isawaitable(answer) else answer
        except BaseException as error:
            if stops_run(error):
                raise
            if isinstance(error, asyncio.CancelledError):
                raise CodeError(f"{self.name} cancelled itself") from error
            raise participant_error(self.name, error) from error


async def _in_task(work: Awaitable[object]) -> object:
    """Await a person's coroutine in a task of its own: one that cancels its task ends only that."""
    failures: list[BaseException] = []

    async def awaited() -> object:
        try:
            return await work
        except (Exception, asyncio.CancelledError):
            raise
        except BaseException as error:  # noqa: BLE001
            failures.append(error)
            return None

    answer = await asyncio.create_task(awaited())
    if failures:
        raise failures[0]
    return answer


async def run_in_thread(work: Callable[[], object]) -> object:
    """Run a plain function in a thread of its own that does not outlive the program.

    A pool would make a stopped run wait for functions that hang.
    """
    loop = asyncio.get_running_loop()
    # An exception of the function is a result of the future: GeneratorExit would let go of the
    # waiting coroutine.
    done: asyncio.Future[tuple[object, BaseException | None]] = loop.create_future()

    def settle(value: object, error: BaseException | None) -> None:
        if not done.done():
            done.set_result((value, error))

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
    answer, raised = await done
    if raised is not None:
        raise raised
    return answer


def _raw(answer: object) -> msgspec.Raw:
    try:
        return msgspec.Raw(json.dumps(answer, allow_nan=False, ensure_ascii=False).encode())
    except (TypeError, ValueError, RecursionError):
        return msgspec.Raw(msgspec.json.encode(format_bounded(answer)))
