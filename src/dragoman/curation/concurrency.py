"""Bounded concurrency for calls of models: ordered results, and batches with a problem list."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Generic, TypeVar

import msgspec

from dragoman.core.errors import RunHalted
from dragoman.core.usage import Usage

T = TypeVar("T")
R = TypeVar("R")


async def map_in_order(
    items: Iterable[T],
    work: Callable[[T], Awaitable[R]],
    at_once: int,
    on_result: Callable[[T, R], None],
) -> None:
    """Do work on all items, and tell of results in the order of the items.

    Nothing is begun after a failure; what is under way then is waited for, since it may be paid
    for.

    Args:
        items: What work is done on.
        work: Does it for one.
        at_once: How many are under way at a time, those included that wait for an earlier one.
        on_result: Is told of an item and its result.

    Raises:
        Exception: The first that work raises, after everything before it was told of.
    """
    open_tasks: deque[tuple[T, asyncio.Task[R]]] = deque()

    async def tell_first() -> None:
        item, task = open_tasks[0]
        result = await task
        open_tasks.popleft()
        on_result(item, result)

    try:
        for item in items:
            if len(open_tasks) == at_once:
                await tell_first()
            open_tasks.append((item, asyncio.ensure_future(work(item))))
        while open_tasks:
            await tell_first()
    except asyncio.CancelledError:
        for _, task in open_tasks:
            task.cancel()
        raise
    finally:
        await asyncio.gather(*(task for _, task in open_tasks), return_exceptions=True)


A = TypeVar("A")

AT_ONCE = 8


class BatchedAnswers(msgspec.Struct, Generic[A], frozen=True):
    """The answers to a batch of questions, by the name of the question.

    Each absent answer has a reason among the problems.

    Attributes:
        found: The answers.
        problems: Why others have none, in words.
        usage: What asking consumed.
        halt: What ended the asking early; what was under way then was waited for and is here.
    """

    found: Mapping[str, A]
    problems: tuple[str, ...] = ()
    usage: tuple[Usage, ...] = ()
    halt: RunHalted | None = None


async def map_in_batches(
    items: Mapping[str, T],
    size: int,
    ask: Callable[[Mapping[str, T]], Awaitable[BatchedAnswers[A]]],
    on_done: Callable[[int], None] = lambda _: None,
) -> BatchedAnswers[A]:
    """Return the answers to all items; after a halt nothing more is begun.

    Args:
        items: What is asked, by name.
        size: How many are asked together.
        ask: Asks for one batch; may raise RunHalted.
        on_done: Is told how many were asked for.
    """
    slots = asyncio.Semaphore(AT_ONCE)
    halts: list[RunHalted] = []

    async def asked(batch: Mapping[str, T]) -> BatchedAnswers[A]:
        async with slots:
            if halts:
                return BatchedAnswers({})
            try:
                answer = await ask(batch)
            except RunHalted as halt:
                halts.append(halt)
                return BatchedAnswers({})
        on_done(len(batch))
        return answer

    listed = list(items.items())
    batches = [dict(listed[at : at + size]) for at in range(0, len(listed), size)]
    answers = await asyncio.gather(*map(asked, batches))
    return BatchedAnswers(
        {name: each for answer in answers for name, each in answer.found.items()},
        tuple(problem for answer in answers for problem in answer.problems),
        tuple(used for answer in answers for used in answer.usage),
        halts[0] if halts else None,
    )
