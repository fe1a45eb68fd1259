"""Bounded concurrency for model calls: ordered results, batches with problem lists."""

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
    """Process all items concurrently and report the results in the order of the items.

    No item is started after a failure. Items that are under way then are waited for, since they may
    already be paid for.

    Args:
        items: The items to process.
        work: Processes one item.
        at_once: Most items under way at a time. An item that waits for an earlier one counts.
        on_result: Receives an item and its result.

    Raises:
        Exception: The first exception of `work`, after all earlier results were reported.
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
        problems: Reasons for missing answers, in words.
        usage: Usage of the requests.
        halt: The error that ended the requests early. The requests under way then were waited for,
            and their answers are included.
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
    """Ask about all items in concurrent batches and return the answers.

    No batch is started after a halt.

    Args:
        items: The items to ask about, by name.
        size: Number of items in a batch.
        ask: Asks about one batch; may raise RunHalted.
        on_done: Receives the number of items of each finished batch.
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
