"""Connection reuse: detects servers that send surplus or repeated responses on one connection.

Replies remember the connection they came over, so that a cached reply can be dropped when that
connection later turns out to have delivered responses of other requests.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Droppable(Protocol):
    """Keeps replies and can lose one again."""

    def drop(self, key: bytes) -> None:
        """Keep the reply of this key no longer."""
        ...


class ConnectionReplies:
    """The replies that one connection brought and that somebody keeps.

    Attributes:
        is_doubtful: Whether a reply over it may have been the answer to another request.
    """

    __slots__ = ("_kept", "is_doubtful")

    def __init__(self) -> None:
        self.is_doubtful = False
        self._kept: list[tuple[Droppable, bytes]] = []

    def kept(self, cache: Droppable, key: bytes) -> None:
        """Learn that a reply is kept; where the connection is doubtful, it is dropped at once."""
        if self.is_doubtful:
            cache.drop(key)
        else:
            self._kept.append((cache, key))

    def doubt(self) -> int:
        """Drop all replies that are kept, now and later; return how many there were."""
        self.is_doubtful = True
        kept, self._kept = self._kept, []
        for cache, key in kept:
            cache.drop(key)
        return len(kept)


_SOURCES: ContextVar[list[ConnectionReplies] | None] = ContextVar("SOURCES", default=None)


@contextmanager
def track_connections() -> Iterator[list[ConnectionReplies]]:
    """Collect the connections over which answers come in this block, and in tasks begun in it."""
    found: list[ConnectionReplies] = []
    token = _SOURCES.set(found)
    try:
        yield found
    finally:
        _SOURCES.reset(token)


def report_source(source: ConnectionReplies) -> None:
    """Tell who collects sources that an answer came over this one."""
    found = _SOURCES.get()
    if found is not None:
        found.append(source)


SURPLUS = "surplus"
"""Bytes that nobody asked for: an answer that came twice, or late."""

ASKED_AGAIN = "asked_again"
"""A request that was sent again because its answer was not trustworthy.

Both requests may have to be paid.
"""

FEW_EQUAL = 8
"""So many equal answers are asked again in any case."""

ONE_EQUAL_IN = 32
"""Number of answers that allow for one more equal answer to be asked again.

If more answers are equal, a new connection costs less than another request.
"""

log = logging.getLogger(__name__)


class PeerTrust:
    """What is known of one peer, for the client's life.

    Args:
        name: The peer in messages.

    Attributes:
        answers: Good answers that came from it.
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
        """Whether it ever sent what nobody asked for."""
        return self._surplus > 0

    @property
    def reuses(self) -> bool:
        """Whether its connections carry one request after the other."""
        return not self._surplus and self._equal <= FEW_EQUAL + self.answers // ONE_EQUAL_IN

    def found_surplus(self, dropped: int) -> None:
        """Learn that it sent what nobody asked for; the user is told once.

        Args:
            dropped: Remembered replies that are dropped with the connection.
        """
        self._surplus += 1
        self._unreported += 1
        if self._surplus > 1:
            return
        log.warning(
            "%s: sent bytes that no request asked for, such as an answer twice or late: from now "
            "on "
            "each connection to it carries one request; %d remembered replies that came over this "
            "connection are dropped (docs/models.md, Surplus answers)",
            self.name,
            dropped,
        )

    def gave_equal(self) -> None:
        """Learn that it gives equal answers to different requests, and means it."""
        did_reuse = self.reuses
        self._equal += 1
        if did_reuse and not self.reuses:
            log.info("%s: gives equal answers often: connections to it are not reused", self.name)

    def unreported(self) -> int:
        """Return how often it sent what nobody asked for since this was asked last."""
        count, self._unreported = self._unreported, 0
        return count
