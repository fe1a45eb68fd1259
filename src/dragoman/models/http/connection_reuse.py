"""Connection reuse: detects servers that send surplus or repeated responses on one connection.

Replies remember their connection, so that a cached reply can be dropped if that connection later
turns out to have delivered responses of other requests.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Droppable(Protocol):
    """Protocol of a reply store that can drop a reply."""

    def drop(self, key: bytes) -> None:
        """Drop the reply with this key."""
        ...


class ConnectionReplies:
    """The replies of one connection that a cache holds.

    Attributes:
        is_doubtful: Whether a reply of the connection may have been the answer to another request.
    """

    __slots__ = ("_kept", "is_doubtful")

    def __init__(self) -> None:
        self.is_doubtful = False
        self._kept: list[tuple[Droppable, bytes]] = []

    def kept(self, cache: Droppable, key: bytes) -> None:
        """Register a reply that a cache holds; if the connection is doubtful, drop it at once."""
        if self.is_doubtful:
            cache.drop(key)
        else:
            self._kept.append((cache, key))

    def doubt(self) -> int:
        """Drop all cached replies, now and later; return how many were dropped now."""
        self.is_doubtful = True
        kept, self._kept = self._kept, []
        for cache, key in kept:
            cache.drop(key)
        return len(kept)


_SOURCES: ContextVar[list[ConnectionReplies] | None] = ContextVar("SOURCES", default=None)


@contextmanager
def track_connections() -> Iterator[list[ConnectionReplies]]:
    """Collect the connections of the answers in this block, and in tasks that were begun in it."""
    found: list[ConnectionReplies] = []
    token = _SOURCES.set(found)
    try:
        yield found
    finally:
        _SOURCES.reset(token)


def report_source(source: ConnectionReplies) -> None:
    """Add the source of an answer to the list of the enclosing `track_connections`, if any."""
    found = _SOURCES.get()
    if found is not None:
        found.append(source)


SURPLUS = "surplus"
"""Fault kind of unrequested bytes: an answer that came twice, or late."""

ASKED_AGAIN = "asked_again"
"""Fault kind of a request that was sent again because its answer was not trustworthy.

Both requests may have to be paid.
"""

FEW_EQUAL = 8
"""Number of equal answers that are asked again in any case."""

ONE_EQUAL_IN = 32
"""Number of answers that allow for one more equal answer to be asked again.

If more answers are equal, a new connection costs less than another request.
"""

log = logging.getLogger(__name__)


class PeerTrust:
    """Reliability of one peer, during the client's life.

    Args:
        name: The peer's name in messages.

    Attributes:
        answers: Number of good answers from the peer.
    """

    __slots__ = ("_equal", "_surplus", "_unreported", "answers", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.answers = 0
        self._surplus = 0
        self._equal = 0
        self._unreported = 0

    @property
    def is_doubtful(self) -> bool:
        """Whether the peer ever sent unrequested bytes."""
        return self._surplus > 0

    @property
    def reuses(self) -> bool:
        """Whether connections to the peer are reused."""
        return not self._surplus and self._equal <= FEW_EQUAL + self.answers // ONE_EQUAL_IN

    def found_surplus(self, dropped: int) -> None:
        """Record that the peer sent unrequested bytes; the user is warned once.

        Args:
            dropped: Number of cached replies that are dropped with the connection.
        """
        self._surplus += 1
        self._unreported += 1
        if self._surplus > 1:
            return
        log.warning(
            "%s: sent bytes that no request asked for, such as an answer twice or late: from now "
            "on "
            "each connection to it carries one request; %d remembered replies that came over this "
            "connection are dropped (docs/reference/providers.md, Surplus answers)",
            self.name,
            dropped,
        )

    def gave_equal(self) -> None:
        """Record that the peer deliberately gives equal answers to different requests."""
        did_reuse = self.reuses
        self._equal += 1
        if did_reuse and not self.reuses:
            log.info("%s: gives equal answers often: connections to it are not reused", self.name)

    def unreported(self) -> int:
        """Return how often the peer sent unrequested bytes since the last call of this method."""
        count, self._unreported = self._unreported, 0
        return count
