"""The search for an endpoint's limit where a refusal costs no more than itself.

While more calls bring more answers the limit doubles, whatever is refused. Where they no longer do, it
grows by a tenth, and falls a little where calls are refused. That is a trial: a full server answers as
many calls as before, and the limit stays low; where answers become fewer, the server refuses whatever is
sent: the limit is restored and may double again, and refusals are overlooked for a while.
"""

from dragoman.models.wire.window import DOUBLING, GROWN, GROWTH, NextLimit, Window

BACK_OFF = 0.85
FEWEST_OVERLOOKED, MOST_OVERLOOKED = 16, 64
"""Windows whose refusals are overlooked once backing off has turned out to cost answers."""

SURELY_RANDOM = 2
"""In so many windows more calls brought more answers though some were refused: not for want of room."""

FAR = 1.5
"""So many times the limit must bring more answers, or else it has grown for nothing."""

FORGETTING = 0.97
"""What is left of the best rate of answers after each window."""


class LimitTrials:
    """Raises a limit as long as that brings more answers, and lowers it as long as that costs none."""

    def __init__(self) -> None:
        self._is_doubling = True
        # In how many windows in a row answers grew though calls were refused.
        self._grown = 0
        self._last_rate = 0.0
        self._best_rate = self._best_limit = 0.0
        # The last window if answers had collapsed in it: one alone may be chance.
        self._suspected: Window | None = None
        # What was seen before the limit was lowered.
        self._before: Window | None = None
        # For how many windows refusals say nothing, this time and in all.
        self._to_overlook = self._overlooks = 0
        # What was seen before the limit grew in those windows, and whether it has grown far for nothing.
        self._base: Window | None = None
        self._is_far = False

    def after(self, seen: Window) -> NextLimit | None:
        """Return what follows from a window; None where answers have collapsed: refusals cost some."""
        last, self._last_rate = self._last_rate, seen.rate
        if not seen.refusals:
            self._before = self._suspected = None
            self._remember(seen)
            return NextLimit(seen.limit, DOUBLING if self._is_doubling else GROWTH)
        if self._before is not None and seen.has_lost_since(self._before):
            return self._restored(seen)
        if seen.is_wanted and self._has_collapsed(seen):
            return self._suspicious(seen)
        self._suspected = None
        self._remember(seen)
        return self._still_doubling(seen, last) if self._is_doubling else self._tried(seen)

    def _has_collapsed(self, seen: Window) -> bool:
        seen = seen if self._suspected is None else self._suspected.with_next(seen)
        return seen.has_collapsed_from(self._best_rate)

    def retreat(self, seen: Window) -> float:
        """Return the limit under which most was answered, or a little less, and begin anew from there."""
        limit = max(1.0, BACK_OFF * min(seen.limit, self._best_limit))
        self._is_doubling = False
        self._before = None
        self._best_rate = 0.0
        self._suspected = None
        return limit

    def _suspicious(self, seen: Window) -> NextLimit | None:
        """Wait for one more window; None where there was one already."""
        if self._suspected is not None:
            return None
        self._suspected = seen
        return NextLimit(min(seen.first_limit, seen.limit))

    def _still_doubling(self, seen: Window, last_rate: float) -> NextLimit:
        if not seen.answers and not last_rate:
            # Refused before anything was answered: too many at once, and no word on how many it takes.
            return NextLimit(max(1.0, BACK_OFF * seen.limit), DOUBLING)
        self._is_doubling = seen.rate > GROWN * last_rate
        if self._is_doubling:
            self._grown += 1
            return NextLimit(seen.limit, DOUBLING)
        if self._grown >= SURELY_RANDOM:
            self._to_overlook = max(self._to_overlook, FEWEST_OVERLOOKED)
        self._grown = 0
        # What came on top during this window brought nothing.
        self._base = None
        return NextLimit(seen.first_limit, GROWTH, 1)

    def _tried(self, seen: Window) -> NextLimit:
        if self._to_overlook:
            self._to_overlook -= 1
            return self._overlooking(seen)
        self._base = None
        return self._lowered(seen)

    def _overlooking(self, seen: Window) -> NextLimit:
        """Grow whatever is refused, and take back what brings no more answers."""
        if self._base is None or seen.has_more_than(self._base):
            self._base = seen
        if seen.limit > FAR * self._base.limit:
            self._is_far = True
            return NextLimit(self._base.limit, 0.0, 1)
        return NextLimit(seen.limit, 0.0 if self._is_far else GROWTH)

    def _lowered(self, seen: Window) -> NextLimit:
        if self._before is None or seen.has_more_than(self._before):
            # Beside what came when it served less, whatever comes later looks like no loss.
            self._before = seen
        return NextLimit(max(1.0, BACK_OFF * seen.limit), 0.0, 1)

    def _restored(self, seen: Window) -> NextLimit:
        """Take a step back up, and overlook refusals for a while, longer each time in a row."""
        self._before = None
        self._is_doubling = True
        self._overlooks = min(max(FEWEST_OVERLOOKED, 2 * self._overlooks), MOST_OVERLOOKED)
        self._to_overlook = self._overlooks
        self._base, self._is_far = None, False
        return NextLimit(seen.limit / BACK_OFF, DOUBLING, 1)

    def _remember(self, seen: Window) -> None:
        self._best_rate *= FORGETTING
        if seen.rate >= self._best_rate:
            self._best_rate, self._best_limit = seen.rate, seen.first_limit
