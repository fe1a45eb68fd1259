"""Several things done at a time, and told of in their order."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def in_order(
    items: Iterable[T],
    work: Callable[[T], Awaitable[R]],
    at_once: int,
    on_result: Callable[[T, R], None],
) -> None:
    """Do work on all items, and tell of results in the order of the items.

    Nothing is begun after a failure; what is under way then is waited for, since it may be paid for.

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
