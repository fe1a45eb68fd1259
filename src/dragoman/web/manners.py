"""How hosts are asked: not too often, not many things at once, and not for what they ask to be left alone."""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from dragoman.core.apis.exchanges import HttpExchange
from dragoman.web.fetching import AGENT, Fetcher, FetchRequest
from dragoman.web.robots import EVERYTHING, MOST_BYTES, RobotRules, robot_rules

_NAME = AGENT.partition("/")[0]
_OK, _SERVER = 200, 500


class Manners(msgspec.Struct, frozen=True):
    """How one host is asked.

    Attributes:
        pause: Seconds between the beginnings of two requests to one host.
        at_once: Requests that are under way at one host.
    """

    pause: float = 0.5
    at_once: int = 2


class _Host:
    """One host: when it may be asked next, and what it asks of robots."""

    def __init__(self, at_once: int) -> None:
        self.room = asyncio.Semaphore(at_once)
        self.next = 0.0
        self.asking = asyncio.Lock()
        self.rules: RobotRules | HttpExchange | None = None


class MannerlyFetcher:
    """Fetches as manners say.

    Args:
        fetcher: What fetches; who made it enters and leaves it.
        manners: How hosts are asked.
        now: A clock in seconds; that of the loop where not given.
        sleep: Waits for seconds.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        manners: Manners | None = None,
        now: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._manners = manners or Manners()
        self._now = now
        self._sleep = sleep
        self._hosts: dict[str, _Host] = {}

    async def fetch(self, request: FetchRequest, at: str = "") -> HttpExchange:
        """Return what came, as `Fetcher.fetch` does; also refused is what the host's robots.txt disallows."""
        try:
            parts = urlsplit(request.url)
        except ValueError:
            return await self._fetcher.fetch(request, at)
        host = self._hosts.setdefault(
            f"{parts.scheme}://{parts.netloc.lower()}", _Host(self._manners.at_once)
        )
        async with host.room:
            rules = await self._rules(host, f"{parts.scheme}://{parts.netloc}")
            if isinstance(rules, HttpExchange):
                return _instead(request, rules.failure, at)
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            if not rules.allows(path):
                return _instead(request, "refused: the host's robots.txt disallows it", at)
            await self._turn(host)
            return await self._fetcher.fetch(request, at)

    async def _rules(self, host: _Host, origin: str) -> RobotRules | HttpExchange:
        """Return what a host asks of robots; what came instead where it could not be asked."""
        async with host.asking:
            if host.rules is None:
                await self._turn(host)
                host.rules = _read(await self._fetcher.fetch(FetchRequest(origin + "/robots.txt")))
            rules = host.rules
            if isinstance(rules, HttpExchange):
                # What could not be asked is asked again by the next request.
                host.rules = None
            return rules

    async def _turn(self, host: _Host) -> None:
        """Wait until a host may be asked again."""
        now = self._now or asyncio.get_running_loop().time
        wait = host.next - now()
        host.next = max(host.next, now()) + self._manners.pause
        if wait > 0:
            await self._sleep(wait)


def _read(came: HttpExchange) -> RobotRules | HttpExchange:
    """Return the rules of a robots.txt; what came, where it does not tell whether we may ask."""
    kind = came.failure.partition(":")[0]
    if (not kind and came.status == _OK) or kind == "too large":
        return robot_rules(came.body[:MOST_BYTES].decode("utf-8", "replace"), _NAME)
    if not kind and came.status >= _SERVER:
        return replace(came, failure=f"unasked: the host's robots.txt answers {came.status}")
    if kind == "broken":
        return replace(came, failure="unasked: the host's robots.txt cannot be read")
    if not kind or (kind == "refused" and came.status):
        return EVERYTHING
    return came


def _instead(request: FetchRequest, failure: str, at: str) -> HttpExchange:
    """Return an exchange that did not take place."""
    asked = HttpExchange(request.method, request.url, dict(request.headers), request.body, at=at)
    return replace(asked, failure=failure)
