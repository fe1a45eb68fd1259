"""Many things asked in batches, a few at a time, and the answers put together."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar

import msgspec

from dragoman.core.errors import RunHalted
from dragoman.core.usage import Usage

T = TypeVar("T")
A = TypeVar("A")

AT_ONCE = 8


class BatchedAnswers(msgspec.Struct, Generic[A], frozen=True):
    """BatchedAnswers by the name of what was asked; those that are absent have a reason among the problems.

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


async def in_batches(
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
