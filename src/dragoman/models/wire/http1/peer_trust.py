"""Whether the connections of a peer may be used again, by how it answered so far."""

import logging

SURPLUS = "surplus"
"""Bytes that nobody asked for: an answer that came twice, or late."""

ASKED_AGAIN = "asked_again"
"""A request that was sent once more because its answer was not to be trusted: both may have to be paid."""

FEW_EQUAL = 8
"""So many equal answers are asked again in any case."""

ONE_EQUAL_IN = 32
"""And so many in proportion: where more are equal, a new connection costs less than asking again."""

log = logging.getLogger(__name__)


class PeerTrust:
    """What is known of one peer, for the client's life.

    Args:
        name: The peer in messages.

    Attributes:
        answers: Good answers that came from it.
    """

    __slots__ = ("_equal", "_surplus", "_untold", "answers", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.answers = 0
        self._surplus = 0
        self._equal = 0
        self._untold = 0

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
        self._untold += 1
        if self._surplus > 1:
            return
        log.warning(
            "%s: sent bytes that no request asked for, such as an answer twice or late: from now on "
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

    def untold(self) -> int:
        """Return how often it sent what nobody asked for since this was asked last."""
        count, self._untold = self._untold, 0
        return count
