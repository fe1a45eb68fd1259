"""How far a run is, how fast it goes, what it cost so far, and when it will be done."""

import msgspec

from dragoman.core.scores import Standing
from dragoman.store.run_index.lists import Totals, totals
from dragoman.viewer.index.listing import Listing

WINDOW_SECONDS = 300.0
"""Over how long the rate is taken, at most."""

QUIET_SECONDS = 120.0
"""After so long without an end a run is taken to have stopped, or after a few conversations' time."""

QUIET_CONVERSATIONS = 5
"""In conversations as long as the mean: voices and large models take minutes for each."""

_MINUTE = 60.0


class RunProgress(msgspec.Struct, frozen=True):
    """How far a run is.

    Attributes:
        planned: Conversations of the plan.
        played: Those that were played.
        goes_on: Whether some are missing and one ended a short while ago.
        since_last: Seconds since the last one ended; None where none did.
        per_minute: Conversations per minute lately; None where that is not known.
        left_seconds: How long it takes on at that rate; None where that is not known.
        cost: What those of known cost cost, with the preflight, in US dollars; None where nothing has one.
        unknown_costs: How many have no known cost.
    """

    planned: int
    played: int
    goes_on: bool
    since_last: float | None
    per_minute: float | None
    left_seconds: float | None
    cost: float | None
    unknown_costs: int


def progress_of(
    listing: Listing, counts: dict[Standing, int], now: float, cost_ahead: float = 0.0
) -> RunProgress:
    """Return how far a run is.

    Args:
        listing: Its conversations.
        counts: How many stand where.
        now: Seconds since 1970.
        cost_ahead: What was paid before the first conversation, in US dollars.
    """
    found = totals(listing.index, now - WINDOW_SECONDS)
    planned = sum(counts.values())
    missing = planned - found.played
    since = None if found.last is None else max(0.0, now - found.last)
    goes_on = missing > 0 and since is not None and since < _quiet(found)
    rate = _per_minute(found, now) if goes_on else None
    is_known = found.played > found.unknown or cost_ahead > 0
    return RunProgress(
        planned=planned,
        played=found.played,
        goes_on=goes_on,
        since_last=since,
        per_minute=rate,
        left_seconds=_MINUTE * missing / rate if rate else None,
        cost=found.cost + cost_ahead if is_known else None,
        unknown_costs=found.unknown,
    )


def _quiet(found: Totals) -> float:
    mean = found.seconds / found.played if found.played else 0.0
    return max(QUIET_SECONDS, QUIET_CONVERSATIONS * mean)


def _per_minute(found: Totals, now: float) -> float | None:
    """Return the rate lately; of a run that began within the window, since its beginning."""
    if found.first is None or not found.recent:
        return None
    lasted = min(WINDOW_SECONDS, max(1.0, now - found.first))
    return _MINUTE * found.recent / lasted
