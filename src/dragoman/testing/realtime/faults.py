"""What goes wrong in realtime sessions: drawn from what was said so far, and from how often it came."""

from typing import Literal

import msgspec

from dragoman.testing.chat_requests import Checks
from dragoman.testing.faults import ServerFault, chance, chosen


class Dropped(ServerFault, frozen=True, tag="dropped"):
    """The connection is cut after so many events of the response."""

    after: int = 2


class SilentResponse(ServerFault, frozen=True, tag="unanswered"):
    """Nothing comes."""


class Erroneous(ServerFault, frozen=True, tag="error"):
    """An event of an error in place of the response."""

    type: str = "server_error"
    code: str | None = None
    message: str = "the server had an error"


class FailedResponse(ServerFault, frozen=True, tag="failed"):
    """The response fails before anything comes of it."""

    type: str = "server_error"
    code: str | None = None
    message: str = "the server had an error"


class CancelledResponse(ServerFault, frozen=True, tag="cancelled"):
    """The server itself cancels the response, in the middle."""


class SlowDeltas(ServerFault, frozen=True, tag="slow"):
    """So many seconds pass before every piece of what is said."""

    seconds: float = 0.05


class TornEvent(ServerFault, frozen=True, tag="malformed_json"):
    """One event is half a JSON object."""


class HugeFrame(ServerFault, frozen=True, tag="huge_frame"):
    """One event has so many bytes."""

    size: int = 9 * 1024 * 1024


class RefusedOpening(ServerFault, frozen=True, tag="refused"):
    """The session is not opened: an answer with this status."""

    status: int = 503


OPENING = "opening"
"""Stands for the content of what has none yet."""

ResponseFault = (
    Dropped
    | SilentResponse
    | Erroneous
    | FailedResponse
    | CancelledResponse
    | SlowDeltas
    | TornEvent
    | HugeFrame
)


class RealtimeBehaviour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about a realtime server but its answers; without arguments, one that behaves.

    Args:
        responses: What goes wrong with responses, of which at most one strikes at a time.
        openings: What goes wrong with opening sessions.
        first: How many responses of a session nothing strikes.
        most_in_a_row: After so many faults in a row the same response or opening is spared once.
        checks: What is insisted on: `models` and `api_key`.
        dialect: Whether events have the names of the general availability or of the beta.
        seed: Another one draws other faults.
    """

    responses: tuple[ResponseFault, ...] = ()
    openings: tuple[RefusedOpening, ...] = ()
    first: int = 0
    most_in_a_row: int = 3
    checks: Checks = Checks()
    dialect: Literal["ga", "beta"] = "ga"
    seed: int = 0


class RealtimeDraws:
    """Draws faults from seed, content, and how often the content came before."""

    def __init__(self, behaviour: RealtimeBehaviour) -> None:
        self._behaviour = behaviour
        self._times: dict[str, tuple[int, int]] = {}

    def of_response(self, content: str, number: int) -> ResponseFault | None:
        """Return what strikes a response, the given one of its session, if anything."""
        if number < self._behaviour.first or (drawn := self._drawn(content)) is None:
            return None
        fault = chosen(self._behaviour.responses, drawn)
        self._count(content, fault)
        return fault

    def of_opening(self) -> RefusedOpening | None:
        """Return what strikes the opening of a session, if anything."""
        if (drawn := self._drawn(OPENING)) is None:
            return None
        fault = chosen(self._behaviour.openings, drawn)
        self._count(OPENING, fault)
        return fault

    def _drawn(self, content: str) -> float | None:
        """Return a number from 0 up to 1; None where the content is spared."""
        times, in_a_row = self._times.get(content, (0, 0))
        if in_a_row >= self._behaviour.most_in_a_row:
            self._times[content] = (times + 1, 0)
            return None
        return chance(self._behaviour.seed, content, f"try {times}")

    def _count(self, content: str, fault: ServerFault | None) -> None:
        times, in_a_row = self._times.get(content, (0, 0))
        self._times[content] = (times + 1, 0 if fault is None else in_a_row + 1)
