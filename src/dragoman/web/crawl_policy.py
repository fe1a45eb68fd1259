"""Per-host crawl policy: minimum delay, maximum concurrency and robots.txt (RFC 9309)."""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import quote, unquote_to_bytes, urlsplit

import msgspec
from msgspec.structs import replace

from dragoman.web.exchange import HttpExchange
from dragoman.web.fetcher import AGENT, Fetcher, FetchRequest

MOST_BYTES = 500 * 1024
"""Longest part of a robots.txt that is read, in bytes."""

_MOST_RULES = 5_000


class RobotRules(msgspec.Struct, frozen=True):
    """The rules of one host for this client: path patterns, and whether each allows."""

    rules: tuple[tuple[str, bool], ...] = ()

    def allows(self, path: str) -> bool:
        """Return whether a path with its query may be requested.

        The longest pattern decides. In doubt, the path is allowed.
        """
        asked = _normal(path or "/")
        longest = max(
            (
                (len(pattern), allowed)
                for pattern, allowed in self.rules
                if _matches(pattern, asked)
            ),
            default=(0, True),
        )
        return longest[1]


ALLOW_ALL = RobotRules()


def parse_robots(text: str, agent: str) -> RobotRules:
    """Parse a robots.txt.

    Args:
        text: The text of the file.
        agent: The name of this client, without a version.
    """
    ours: list[tuple[str, bool]] = []
    anyones: list[tuple[str, bool]] = []
    named: set[str] = set()
    in_rules = has_ours = False
    for line in text.splitlines():
        field, _, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if field == "user-agent":
            named = {value.lower()} if in_rules else named | {value.lower()}
            in_rules = False
            has_ours = has_ours or agent.lower() in named
        elif field in {"allow", "disallow"}:
            in_rules = True
            rule = (_normal(value), field == "allow")
            if value and agent.lower() in named:
                ours.append(rule)
            elif value and "*" in named:
                anyones.append(rule)
    return RobotRules(tuple((ours if has_ours else anyones)[:_MOST_RULES]))


def _normal(path: str) -> str:
    """Return a path with uniform percent-encoding."""
    return quote(unquote_to_bytes(path), safe="/?&=*$:@!,;+'()~-._%")


def _matches(pattern: str, path: str) -> bool:
    """Return whether a pattern with * and a final $ matches the beginning of a path.

    The pattern is matched in one pass without backtracking.
    """
    ends = pattern.endswith("$")
    first, *pieces = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for piece in pieces[:-1] if ends else pieces:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if not ends:
        return True
    last = pieces[-1] if pieces else ""
    return (len(path) - len(last) >= at and path.endswith(last)) if pieces else at == len(path)


_NAME = AGENT.partition("/")[0]
_OK, _SERVER = 200, 500


class CrawlPolicy(msgspec.Struct, frozen=True):
    """Per-host limits: minimum delay and maximum concurrency.

    Attributes:
        pause: Seconds between the beginnings of two requests to one host.
        at_once: Largest number of concurrent requests to one host.
    """

    pause: float = 0.5
    at_once: int = 2


class _Host:
    """State of one host: the time of the next request, and the rules of its robots.txt."""

    def __init__(self, at_once: int) -> None:
        self.room = asyncio.Semaphore(at_once)
        self.next = 0.0
        self.asking = asyncio.Lock()
        self.rules: RobotRules | HttpExchange | None = None


class PoliteFetcher:
    """Fetcher that keeps to a crawl policy and to robots.txt.

    Args:
        fetcher: The HTTP fetcher; the caller opens and closes it.
        manners: The crawl policy of all hosts.
        now: A clock in seconds; the clock of the event loop by default.
        sleep: A function that waits for a number of seconds.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        manners: CrawlPolicy | None = None,
        now: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._user_behaviors = manners or CrawlPolicy()
        self._now = now
        self._sleep = sleep
        self._hosts: dict[str, _Host] = {}

    async def fetch(self, request: FetchRequest, at: str = "") -> HttpExchange:
        """Return the exchange of a request, as `Fetcher.fetch` does.

        Requests that the host's robots.txt disallows are refused too.
        """
        try:
            parts = urlsplit(request.url)
        except ValueError:
            return await self._fetcher.fetch(request, at)
        host = self._hosts.setdefault(
            f"{parts.scheme}://{parts.netloc.lower()}", _Host(self._user_behaviors.at_once)
        )
        async with host.room:
            rules = await self._rules(host, f"{parts.scheme}://{parts.netloc}")
            if isinstance(rules, HttpExchange):
                return _failed_exchange(request, rules.failure, at)
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            if not rules.allows(path):
                return _failed_exchange(request, "refused: the host's robots.txt disallows it", at)
            await self._turn(host)
            return await self._fetcher.fetch(request, at)

    async def _rules(self, host: _Host, origin: str) -> RobotRules | HttpExchange:
        """Return the rules of a host's robots.txt, or the failed exchange."""
        async with host.asking:
            if host.rules is None:
                await self._turn(host)
                host.rules = _read_robots(
                    await self._fetcher.fetch(FetchRequest(origin + "/robots.txt"))
                )
            rules = host.rules
            if isinstance(rules, HttpExchange):
                # The next request asks again for a robots.txt that could not be fetched.
                host.rules = None
            return rules

    async def _turn(self, host: _Host) -> None:
        """Wait until the next request to a host is allowed."""
        now = self._now or asyncio.get_running_loop().time
        wait = host.next - now()
        host.next = max(host.next, now()) + self._user_behaviors.pause
        if wait > 0:
            await self._sleep(wait)


def _read_robots(came: HttpExchange) -> RobotRules | HttpExchange:
    """Return the rules of a robots.txt, or the failed exchange if they are unknown."""
    kind = came.failure.partition(":")[0]
    if (not kind and came.status == _OK) or kind == "too large":
        return parse_robots(came.body[:MOST_BYTES].decode("utf-8", "replace"), _NAME)
    if not kind and came.status >= _SERVER:
        return replace(came, failure=f"unasked: the host's robots.txt answers {came.status}")
    if kind == "broken":
        return replace(came, failure="unasked: the host's robots.txt cannot be read")
    if not kind or (kind == "refused" and came.status):
        return ALLOW_ALL
    return came


def _failed_exchange(request: FetchRequest, failure: str, at: str) -> HttpExchange:
    """Return an exchange that did not take place."""
    asked = HttpExchange(request.method, request.url, dict(request.headers), request.body, at=at)
    return replace(asked, failure=failure)
