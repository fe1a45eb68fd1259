"""Functions that need an answer from outside: a call is put off, and made again with the answer.

Interfaces stay plain functions, and a conversation that waits for a search engine or for embeddings
keeps no other from going on. A function must ask before it changes anything.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, Protocol, TypeVar

from dragoman.benchmarks.bfcl.apis.world import Apis, ApiWorld
from dragoman.core.tools import ToolCall, ToolResult, Toolset
from dragoman.core.usage import Usage

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class PutOff(Exception):  # noqa: N818 - says what happens to a call
    """A call needs an answer that is not there yet; `fetch` gets it."""

    def __init__(self, fetch: Callable[[], Awaitable[None]]) -> None:
        super().__init__("the call waits for an answer from outside")
        self.fetch = fetch


class Awaited(Generic[Question, Answer]):
    """Asks somebody outside; an answer is kept for the length of one call.

    Args:
        ask: Returns an answer and what it consumed; raises ParticipantError where it cannot.
    """

    def __init__(self, ask: Callable[[Question], Awaitable[tuple[Answer, Usage | None]]]) -> None:
        self._ask = ask
        self._answers: dict[Question, Answer] = {}
        self._usage: list[Usage] = []

    def of(self, question: Question) -> Answer:
        """Return the answer, or raise PutOff where it has to be fetched first."""
        if question not in self._answers:
            raise PutOff(lambda: self._fetch(question))
        return self._answers[question]

    def forget(self) -> None:
        """Forget all answers: the next call asks anew."""
        self._answers.clear()

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what answers consumed since this was last asked."""
        used, self._usage = tuple(self._usage), []
        return used

    async def _fetch(self, question: Question) -> None:
        self._answers[question], usage = await self._ask(question)
        if usage is not None:
            self._usage.append(usage)


class AwaitedSource(Protocol):
    """Where answers come from, whatever is asked."""

    def forget(self) -> None:
        """Forget all answers."""
        ...

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what answers consumed since this was last asked."""
        ...


class AwaitingWorld(ApiWorld):
    """A world with an interface that asks sources outside."""

    __slots__ = ("_sources",)

    def __init__(
        self, begin: Callable[[], Apis], tools: Toolset, sources: Sequence[AwaitedSource]
    ) -> None:
        super().__init__(begin, tools)
        self._sources = sources

    async def call_waiting(self, call: ToolCall) -> ToolResult:
        """Execute a call; whatever it waits for, other conversations go on.

        Raises:
            ParticipantError: Where what is outside broke.
        """
        try:
            return self.call(call)
        except PutOff as put_off:
            return await self._answered(call, put_off)
        finally:
            for source in self._sources:
                source.forget()

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what was consumed outside since this was last asked."""
        return tuple(usage for source in self._sources for usage in source.take_usage())

    async def _answered(self, call: ToolCall, put_off: PutOff) -> ToolResult:
        while True:
            await put_off.fetch()
            try:
                # What is made of a long page takes its time.
                return await asyncio.to_thread(self.call, call)
            except PutOff as again:
                put_off = again
