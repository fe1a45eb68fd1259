"""A call without an answer is sent once more beside the first; the answer that comes first is taken."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from dragoman.models.wire.transport import Fault

T = TypeVar("T")


async def first_answer(
    once: Callable[[], Awaitable[T]], is_due: Callable[[], float], on_second: Callable[[], None]
) -> T:
    """Return what comes first of one sending, or of two; where both break, what broke first.

    Args:
        once: Sends.
        is_due: Seconds until the first has been under way for too long.
        on_second: Is told of the second.
    """
    sent: list[asyncio.Future[T]] = [asyncio.ensure_future(once())]
    try:
        while (left := is_due()) > 0 and not sent[0].done():
            await asyncio.wait(sent, timeout=left)
        if not sent[0].done():
            on_second()
            sent.append(asyncio.ensure_future(once()))
        return await _first_good(sent)
    finally:
        for each in sent:
            each.cancel()
        await asyncio.gather(*sent, return_exceptions=True)


async def _first_good(sent: list[asyncio.Future[T]]) -> T:
    waiting, broken = set(sent), []
    while waiting:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            error = each.exception()
            if not isinstance(error, Fault):
                return each.result()
            broken.append(error)
    raise broken[0]
