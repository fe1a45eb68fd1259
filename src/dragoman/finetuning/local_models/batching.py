"""Dynamic batching of requests, in one thread next to the event loop."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

import msgspec

WINDOW_S = 0.02
"""Time to wait for more requests before the first of them is answered, in seconds."""

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


class Timed(msgspec.Struct, Generic[Answered], frozen=True):
    """An answer, and the seconds that its batch took."""

    answer: Answered
    seconds: float


class Batches(Generic[Asked, Answered]):
    """Batches of requests: the oldest, with those that are nearest to it in length.

    Args:
        answer: Function that answers several requests at once, in their order; it runs in the
            thread.
        length: Function that returns the length of a request.
        most: Largest number of requests that are answered at once.
        thread: The thread in which requests are answered.
    """

    def __init__(
        self,
        answer: Callable[[Sequence[Asked]], Sequence[Answered]],
        length: Callable[[Asked], int],
        most: int,
        thread: ThreadPoolExecutor,
    ) -> None:
        self._answer = answer
        self._length = length
        self._most = most
        self._thread = thread
        self._waiting: list[tuple[Asked, asyncio.Future[Timed[Answered]]]] = []
        self._work: asyncio.Task[None] | None = None

    async def ask(self, asked: Asked) -> Timed[Answered]:
        """Return the answer to one request; raise what answering its batch raised."""
        future: asyncio.Future[Timed[Answered]] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, future))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._answered())
        return await future

    async def _answered(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            # A caller that just got an answer sends its next request within this time.
            await asyncio.sleep(WINDOW_S)
            batch = self._next()
            if not batch:
                return
            begun = loop.time()
            try:
                answers = await loop.run_in_executor(
                    self._thread, self._answer, [asked for asked, _ in batch]
                )
            except Exception as error:  # noqa: BLE001 - it is raised where it was asked
                _fail([future for _, future in batch], error)
                continue
            seconds = loop.time() - begun
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():
                    future.set_result(Timed(answer, seconds))

    def _next(self) -> list[tuple[Asked, asyncio.Future[Timed[Answered]]]]:
        self._waiting = [each for each in self._waiting if not each[1].done()]
        if not self._waiting:
            return []
        oldest = self._length(self._waiting[0][0])
        by_length = sorted(self._waiting, key=lambda each: abs(self._length(each[0]) - oldest))
        taken = by_length[: self._most]
        futures = {id(future) for _, future in taken}
        self._waiting = [each for each in self._waiting if id(each[1]) not in futures]
        return taken


def _fail(futures: Sequence[asyncio.Future[Timed[Answered]]], error: Exception) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(error)
