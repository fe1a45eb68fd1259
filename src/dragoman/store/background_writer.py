"""Writer thread with a bounded queue, so that storing never blocks the event loop."""

import asyncio
import threading
from collections import deque
from typing import Self

from dragoman.core.errors import StoreError
from dragoman.store.conversation_writes import RunEntry
from dragoman.store.run_store import RunStore

CAPACITY = 64
GATHER_SECONDS = 0.01


class BackgroundWriter:
    """Stores entries in the given order; entries that wait together are committed together.

    Use it as an async context manager: the exit stores all remaining entries. A failed write is
    raised by the next `put`, at the latest by the exit.
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._waiting: deque[RunEntry] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._failure: StoreError | None = None
        self._slots = asyncio.Semaphore(CAPACITY)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._work, name="run-writer", daemon=True)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify()
        await asyncio.to_thread(self._thread.join)
        if kind is None:
            self._raise_failure()

    async def put(self, entry: RunEntry) -> None:
        """Queue one entry; wait while the queue is full.

        Raises:
            StoreError: If an earlier write failed.
        """
        self._raise_failure()
        await self._slots.acquire()
        self._raise_failure()
        with self._changed:
            self._waiting.append(entry)
            if len(self._waiting) in {1, CAPACITY // 2}:
                self._changed.notify()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        while batch := self._take():
            if self._failure is None:
                try:
                    self._store.put(batch)
                except StoreError as error:
                    self._failure = error
                except Exception as error:  # noqa: BLE001 - a dead writer loses all entries
                    self._failure = StoreError(f"cannot store a conversation ({error})")
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._release, len(batch))

    def _take(self) -> list[RunEntry]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            # A short wait collects several entries for one commit and one switch of threads.
            self._changed.wait_for(self._is_urgent, GATHER_SECONDS)
            batch = list(self._waiting)
            self._waiting.clear()
            return batch

    def _is_urgent(self) -> bool:
        return self._closing or len(self._waiting) >= CAPACITY // 2

    def _release(self, count: int) -> None:
        for _ in range(count):
            self._slots.release()
