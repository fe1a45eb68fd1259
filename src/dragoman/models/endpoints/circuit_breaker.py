"""Circuit breaker: stops calling an endpoint that no longer answers, and probes it at intervals.

While an endpoint is down, every call waits, and one of them probes it after every pause. An outage
therefore costs time but no conversations.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable

from dragoman.core.errors import RunHalted

log = logging.getLogger(__name__)

Clock = Callable[[], float]

FAILURES_IN_A_ROW = 8
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0
NEVER_ANSWERED = 120.0
"""Seconds after which an endpoint that never answered counts as a wrong address."""


class CircuitBreaker:
    """State of one endpoint: it answers, or it is down since a certain time.

    Args:
        name: The endpoint's name in messages.
        retry_for: Seconds after which an outage ends the run.
        clock: Clock in seconds that never goes back.

    Attributes:
        next_try: Time at which an endpoint that is down may be probed next.
    """

    def __init__(self, name: str, retry_for: float, clock: Clock) -> None:
        self._name = name
        self._retry_for = retry_for
        self._clock = clock
        self._failures = 0
        self._down_since: float | None = None
        self._pause = FIRST_PAUSE
        self.next_try = 0.0
        self._is_up = asyncio.Event()
        self._has_answered = False

    @property
    def is_down(self) -> bool:
        """Whether the endpoint has stopped answering."""
        return self._down_since is not None

    def takes_turn(self) -> bool:
        """Return whether the endpoint is down and due for a probe.

        The caller then makes the probe.
        """
        if self._down_since is None or self._clock() < self.next_try:
            return False
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self.next_try = self._clock() + self._pause
        return True

    def answered(self) -> None:
        """Record that the endpoint answered, whatever the answer was."""
        self._failures = 0
        self._has_answered = True
        if self._down_since is None:
            return
        log.warning("%s answers again after %.0f s", self._name, self._clock() - self._down_since)
        self._down_since = None
        self._is_up.set()

    def served(self) -> None:
        """Record that the endpoint gave a good answer."""
        self._pause = FIRST_PAUSE
        self.answered()

    def failed(self, detail: str) -> None:
        """Record that an attempt got no answer."""
        self._failures += 1
        if self._down_since is None and self._failures >= FAILURES_IN_A_ROW:
            self.lose(detail)

    def lose(self, detail: str) -> None:
        """Mark the endpoint as down.

        The pause before the next probe grows each time until the endpoint serves.
        """
        log.warning("%s does not answer: %s. Waiting for it.", self._name, detail)
        self._down_since = self._clock()
        self.next_try = self._down_since + self._pause
        self._is_up = asyncio.Event()

    async def ready(self) -> None:
        """Wait until the endpoint may be called.

        Raises:
            RunHalted: If the endpoint has been down for too long.
        """
        while self._down_since is not None:
            now = self._clock()
            self._require_retry_for(now - self._down_since)
            if self.takes_turn():
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.next_try - now):
                    await self._is_up.wait()

    def _require_retry_for(self, down: float) -> None:
        if not self._has_answered and down > min(self._retry_for, NEVER_ANSWERED):
            raise RunHalted(
                f"{self._name} has never answered: check the address (dragoman doctor --model); "
                "resume once it answers, or start a new run for another address"
            )
        if down > self._retry_for:
            raise RunHalted(
                f"{self._name} has not answered for {_format_seconds(down)}: what is finished is "
                "stored, "
                "resume the run when it is back"
            )


def _format_seconds(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes > 1 else f"{seconds:.0f} seconds"
