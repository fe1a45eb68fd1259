"""Serves in a thread with an event loop of its own, for tests that are not asynchronous."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager


class ServingThread:
    """Holds an asynchronous context open in a thread."""

    def __init__(self, context: AbstractAsyncContextManager[object]) -> None:
        self._context = context
        self._loop = asyncio.new_event_loop()
        self._leaving = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._entered: Future[None] = Future()

    def enter(self) -> None:
        """Start the thread; return when the context is entered, or raise what hinders it."""
        self._thread.start()
        self._entered.result()

    def leave(self) -> None:
        """Leave the context and wait for the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._leaving.set)
        self._thread.join()

    def call(self, act: Callable[[], None]) -> None:
        """Do something in the thread's loop and wait for it."""

        async def acting() -> None:
            act()

        asyncio.run_coroutine_threadsafe(acting(), self._loop).result()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._hold())

    async def _hold(self) -> None:
        try:
            await self._context.__aenter__()
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            self._entered.set_exception(error)
            return
        self._entered.set_result(None)
        await self._leaving.wait()
        await self._context.__aexit__(None, None, None)
