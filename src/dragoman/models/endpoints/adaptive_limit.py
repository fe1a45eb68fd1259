"""Adaptive concurrency limit: slow start with additive increase, driven by goodput.

The algorithm resembles additive increase and multiplicative decrease (AIMD) after a slow start. Its
signal is answers per second instead of refusals, because some servers return 429 at random and some
count refused calls against the quota. A window collects the outcomes of calls during some seconds.
If more calls bring more answers, the limit was not too high, whatever the number of refusals.

`SlowStart` is used while a refusal has no cost beyond the refused call. The limit doubles while
more calls bring more answers. After that it grows by a tenth per round and falls a little on
refusals. Each fall is a trial. If the server answers as many calls as before, it is full, and the
limit stays low. If answers become fewer, the server refuses at random: the limit is restored, and
refusals are ignored for a while.

`CautiousProbe` is used once answers have collapsed under refusals, as on servers that count refused
calls. The limit stays at a value with hardly more refusals than the tolerated share. It exceeds
this value in steps, and keeps each step for a while. If a step brings more refusals, it is taken
back and the next step comes later. If refusals increase at the old limit, the limit falls. If that
costs answers, or the share of refusals stays the same at a far lower limit, the refusals are
independent of the load, and this share of them is tolerated.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

GROWN = 1.25
"""Ratio of answers per second from which an endpoint counts as serving more than before."""

TOLERATED_LOSS = 0.1
"""The share of answers that a lower limit may cost: windows with a few answers differ by chance."""

LOST_BEYOND_CHANCE = 1.5
COLLAPSED, COLLAPSED_BEYOND_CHANCE = 0.35, 2.5
"""Thresholds for a collapse of answers.

Answers have collapsed if the missing share exceeds the first number, and the missing answers exceed
the second number of standard deviations of chance.
"""

FAR_LOWER, UNCHANGED, MOST_RANDOM = 0.62, 0.75, 0.75
"""Thresholds that distinguish random refusals from overload.

Refusals count as independent of the load if the limit has fallen to the first share or less, and
more than the second share of the earlier refusals remains. If the third share of calls or more is
refused, random refusals cannot be told from overload.
"""


class RateWindow(NamedTuple):
    """Calls and their outcomes during some seconds.

    Attributes:
        first_limit: Limit of calls in flight at the beginning of the window.
        limit: Limit of calls in flight at the end of the window.
        seconds: Length of the window.
        answers: Number of answered calls.
        refusals: Number of calls that the endpoint refused because it had no capacity.
        is_wanted: Whether more calls wait for a slot.
    """

    first_limit: float
    limit: float
    seconds: float
    answers: int
    refusals: int
    is_wanted: bool

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.answers / self.seconds

    @property
    def refused_share(self) -> float:
        """Share of refused calls."""
        return self.refusals / (self.answers + self.refusals)

    def has_more_than(self, before: "RateWindow") -> bool:
        """Return whether the endpoint serves more than in another window."""
        return self.rate > GROWN * before.rate

    def has_lost_since(self, before: "RateWindow") -> bool:
        """Return whether the rate of answers has fallen since another window."""
        return self.rate < (1 - TOLERATED_LOSS) * before.rate

    def has_surely_lost_since(self, before: "RateWindow") -> bool:
        """Return whether the rate of answers has fallen by more than chance explains."""
        missing, chance = self._missing(before.rate)
        return self.has_lost_since(before) and missing > LOST_BEYOND_CHANCE * chance

    def with_next(self, seen: "RateWindow") -> "RateWindow":
        """Return this window and the next one as a single window."""
        return seen._replace(
            first_limit=self.first_limit,
            seconds=self.seconds + seen.seconds,
            answers=self.answers + seen.answers,
            refusals=self.refusals + seen.refusals,
        )

    def is_refused_all_the_same(self, before: "RateWindow") -> bool:
        """Return whether the share of refusals is hardly lower although the limit is far lower."""
        share = self.refused_share
        is_far_lower = self.limit <= max(1.0, FAR_LOWER * before.limit)
        return is_far_lower and UNCHANGED * before.refused_share < share < MOST_RANDOM

    def has_collapsed_from(self, rate: float) -> bool:
        """Return whether answers have collapsed, compared with a rate of answers per second."""
        missing, chance = self._missing(rate)
        return missing > max(COLLAPSED * rate * self.seconds, COLLAPSED_BEYOND_CHANCE * chance)

    def _missing(self, rate: float) -> tuple[float, float]:
        """Return how many answers are missing compared with a rate, and the deviation by chance."""
        expected = rate * self.seconds
        return expected - self.answers, math.sqrt(expected)


DOUBLING, GROWTH = 1.0, 0.1
"""Growth of the limit per round of answers, during the search and after it, as a share."""


class NextLimit(NamedTuple):
    """The limit after a window.

    Attributes:
        limit: Largest number of calls in flight from now on.
        growth: Share by which a round of answers raises the limit, at least by one; 0 for no
            growth.
        to_settle: Number of windows to ignore: calls that began earlier end only now.
    """

    limit: float
    growth: float = 0.0
    to_settle: int = 0


STEP = 0.15
"""The first step beyond the kept limit, as a share; each consecutive step is twice as large."""

ENOUGH = 3
"""Number of consecutive steps after which refusals at the limit no longer cost answers."""

PROBE_BACK_OFF, FAR_BACK_OFF = 0.85, 0.7
FEWEST_KEPT, MOST_KEPT = 4, 8
"""Least and largest number of windows for which the limit is kept before the next step."""

TO_RECOVER = 3
"""Number of windows that a server needs to recover from calls beyond its limit."""

MORE_REFUSED, BEYOND_CHANCE = 0.05, 2.0
"""Margin above the tolerated share of refusals.

It is a share, plus a number of standard deviations of chance.
"""

HALF = 0.5
PROBE_FORGETTING = 0.2


class CautiousProbe:
    """Limit search that keeps a limit with few refusals and sometimes tries a higher one.

    Attributes:
        is_done: Whether refusals at the limit no longer cost answers.
    """

    def __init__(self) -> None:
        self.is_done = True
        # The limit that was kept for long enough, and the limit to return to if refusals do not
        # increase.
        self._proven = self._supposed = 0.0
        # The limit to return to if refusals turn out to cost nothing.
        self._fallen_from = 0.0
        self._tolerated = 0.0
        self._steps = 0
        # Number of windows for which the limit is kept: the remaining ones, and the ones after a
        # failed step.
        self._to_keep = self._kept = 0
        self._is_falling = False
        # The window before the limit was lowered.
        self._before: RateWindow | None = None

    def begin(self, fallen_from: float, limit: float) -> NextLimit:
        """Return the limit after a collapse of answers.

        Answers came under this limit before.
        """
        self.is_done = False
        self._fallen_from = fallen_from
        self._proven = self._supposed = limit
        self._tolerated = 0.0
        self._steps = 0
        self._to_keep = max(FEWEST_KEPT, self._kept)
        self._before, self._is_falling = None, True
        return NextLimit(limit, 0.0, 1)

    def after(self, seen: RateWindow) -> NextLimit:
        """Return the next limit after a window."""
        if seen.refused_share <= self._most_refused(seen):
            return self._kept_on(seen)
        if seen.limit > self._proven:
            return self._taken_back()
        before = self._before
        if before is None:
            return self._lowered(seen)
        if seen.has_surely_lost_since(before) or seen.is_refused_all_the_same(before):
            return self._restored(seen, before)
        if seen.limit <= 1:
            # No lower limit is left to try.
            self._tolerated = seen.refused_share
            return self._kept_on(seen)
        return self._lowered(seen)

    def _most_refused(self, seen: RateWindow) -> float:
        calls = seen.answers + seen.refusals
        chance = math.sqrt(max(self._tolerated, MORE_REFUSED) / calls)
        return self._tolerated + MORE_REFUSED + BEYOND_CHANCE * chance

    def _kept_on(self, seen: RateWindow) -> NextLimit:
        if seen.refused_share <= self._tolerated + MORE_REFUSED:
            # The share is low even without the margin for chance: the earlier window is obsolete.
            self._before, self._is_falling = None, False
        self._tolerated -= PROBE_FORGETTING * max(0.0, self._tolerated - seen.refused_share)
        self._to_keep -= 1
        if not seen.is_wanted:
            return NextLimit(seen.limit)
        if seen.limit < self._supposed:
            self._proven = seen.limit
            return NextLimit(min(2 * seen.limit, self._supposed))
        return NextLimit(seen.limit) if self._to_keep > 0 else self._next_step(seen)

    def _next_step(self, seen: RateWindow) -> NextLimit:
        if seen.limit > self._proven:
            self._kept = 0
            self._steps += 1
            self.is_done = self._steps >= ENOUGH
        self._proven = self._supposed = seen.limit
        self._to_keep = FEWEST_KEPT
        limit = seen.limit + max(1.0, STEP * 2**self._steps * seen.limit)
        return NextLimit(limit, GROWTH if self.is_done else 0.0, 1)

    def _taken_back(self) -> NextLimit:
        self._supposed = self._proven
        self._steps = 0
        self._kept = min(max(FEWEST_KEPT, 2 * self._kept), MOST_KEPT)
        self._to_keep = self._kept
        return NextLimit(self._proven, 0.0, TO_RECOVER)

    def _restored(self, seen: RateWindow, before: RateWindow) -> NextLimit:
        self._tolerated = seen.refused_share
        self._proven = before.limit
        self._supposed = max(before.limit, self._fallen_from)
        self._fallen_from = 0.0
        self._before = None
        self._to_keep = 1
        return NextLimit(before.limit, 0.0, 1)

    def _lowered(self, seen: RateWindow) -> NextLimit:
        if self._is_falling and (self._before is None or seen.has_more_than(self._before)):
            # The first fall does not count: answers to calls from before the change were still
            # coming in.
            self._before = seen
        if not self._is_falling:
            self._supposed = min(self._supposed, PROBE_BACK_OFF * seen.limit)
        self._is_falling = True
        back_off = FAR_BACK_OFF if seen.refused_share > HALF else PROBE_BACK_OFF
        self._proven = max(1.0, back_off * seen.limit)
        self._to_keep = FEWEST_KEPT
        return NextLimit(self._proven, 0.0, 1)


BACK_OFF = 0.85
FEWEST_OVERLOOKED, MOST_OVERLOOKED = 16, 64
"""Least and largest number of windows whose refusals are ignored once lower limits cost answers."""

SURELY_RANDOM = 2
"""Number of windows after which refusals do not count as a lack of capacity.

In these windows more calls brought more answers although some were refused.
"""

FAR = 1.5
"""Ratio of limits that must bring more answers.

If the limit has grown by this factor without more answers, the growth was useless.
"""

FORGETTING = 0.97
"""Factor for the best rate of answers after each window."""


class SlowStart:
    """A limit search that raises the limit while this brings more answers.

    It lowers the limit while this costs no answers.
    """

    def __init__(self) -> None:
        self._is_doubling = True
        # Number of consecutive windows in which answers increased although calls were refused.
        self._grown = 0
        self._last_rate = 0.0
        self._best_rate = self._best_limit = 0.0
        # The last window if answers had collapsed in it: a single one may be chance.
        self._suspected: RateWindow | None = None
        # The window before the limit was lowered.
        self._before: RateWindow | None = None
        # Number of windows whose refusals are ignored: the remaining ones, and those of the last
        # restoration.
        self._to_overlook = self._overlooks = 0
        # The window before the limit grew in those windows, and whether it has grown far without
        # effect.
        self._base: RateWindow | None = None
        self._is_far = False

    def after(self, seen: RateWindow) -> NextLimit | None:
        """Return the next limit after a window.

        The result is None if answers have collapsed because refusals cost answers.
        """
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

    def _has_collapsed(self, seen: RateWindow) -> bool:
        seen = seen if self._suspected is None else self._suspected.with_next(seen)
        return seen.has_collapsed_from(self._best_rate)

    def retreat(self, seen: RateWindow) -> float:
        """Return the limit with the most answers, or a little less, and restart from it."""
        limit = max(1.0, BACK_OFF * min(seen.limit, self._best_limit))
        self._is_doubling = False
        self._before = None
        self._best_rate = 0.0
        self._suspected = None
        return limit

    def _suspicious(self, seen: RateWindow) -> NextLimit | None:
        """Wait for one more window; None if this is the second one."""
        if self._suspected is not None:
            return None
        self._suspected = seen
        return NextLimit(min(seen.first_limit, seen.limit))

    def _still_doubling(self, seen: RateWindow, last_rate: float) -> NextLimit:
        if not seen.answers and not last_rate:
            # Calls were refused before any was answered: the limit is too high, and the capacity is
            # unknown.
            return NextLimit(max(1.0, BACK_OFF * seen.limit), DOUBLING)
        self._is_doubling = seen.rate > GROWN * last_rate
        if self._is_doubling:
            self._grown += 1
            return NextLimit(seen.limit, DOUBLING)
        if self._grown >= SURELY_RANDOM:
            self._to_overlook = max(self._to_overlook, FEWEST_OVERLOOKED)
        self._grown = 0
        # The calls that were added during this window brought no answers.
        self._base = None
        return NextLimit(seen.first_limit, GROWTH, 1)

    def _tried(self, seen: RateWindow) -> NextLimit:
        if self._to_overlook:
            self._to_overlook -= 1
            return self._overlooking(seen)
        self._base = None
        return self._lowered(seen)

    def _overlooking(self, seen: RateWindow) -> NextLimit:
        """Let the limit grow despite refusals.

        Growth that brings no more answers is taken back.
        """
        if self._base is None or seen.has_more_than(self._base):
            self._base = seen
        if seen.limit > FAR * self._base.limit:
            self._is_far = True
            return NextLimit(self._base.limit, 0.0, 1)
        return NextLimit(seen.limit, 0.0 if self._is_far else GROWTH)

    def _lowered(self, seen: RateWindow) -> NextLimit:
        if self._before is None or seen.has_more_than(self._before):
            # Compared with a window in which the server served less, no later window would show a
            # loss.
            self._before = seen
        return NextLimit(max(1.0, BACK_OFF * seen.limit), 0.0, 1)

    def _restored(self, seen: RateWindow) -> NextLimit:
        """Restore the limit, and ignore refusals for a while, longer after each restoration."""
        self._before = None
        self._is_doubling = True
        self._overlooks = min(max(FEWEST_OVERLOOKED, 2 * self._overlooks), MOST_OVERLOOKED)
        self._to_overlook = self._overlooks
        self._base, self._is_far = None, False
        return NextLimit(seen.limit / BACK_OFF, DOUBLING, 1)

    def _remember(self, seen: RateWindow) -> None:
        self._best_rate *= FORGETTING
        if seen.rate >= self._best_rate:
            self._best_rate, self._best_limit = seen.rate, seen.first_limit


Clock = Callable[[], float]

FIRST_LIMIT = 16.0
SHORTEST_WINDOW = 0.25
FEWEST = 20
"""Least content of a window that allows conclusions: seconds, and answers plus refusals."""

SMOOTHING = 0.05


class AdaptiveLimit:
    """Learns from the outcomes of calls how many calls an endpoint takes at a time.

    Args:
        clock: Clock in seconds that never goes back.

    Attributes:
        limit: Largest number of calls in flight.
        usual: Average seconds of an answer; 0 before the first answer.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.limit = FIRST_LIMIT
        self.usual = 0.0
        self._growth = DOUBLING
        self._to_settle = 0
        self._trials, self._steps = SlowStart(), CautiousProbe()
        # The clock may be that of an event loop which does not run yet.
        self._began, self._first_limit = 0.0, FIRST_LIMIT
        self._answers = self._refusals = 0

    @property
    def window(self) -> float:
        """Seconds after which a window allows conclusions."""
        return max(SHORTEST_WINDOW, 2 * self.usual)

    def begin_window(self) -> None:
        """Discard the outcomes since the last conclusions."""
        self._began, self._first_limit = self._clock(), self.limit
        self._answers = self._refusals = 0

    def answered(self, seconds: float, *, is_wanted: bool) -> None:
        """Record that a call was answered.

        Args:
            seconds: Duration of the call.
            is_wanted: Whether more calls wait for a slot.
        """
        self._answers += 1
        self.usual += (seconds - self.usual) * (SMOOTHING if self.usual else 1.0)
        if is_wanted and self._growth:
            self.limit += max(1.0, self._growth * self.limit) / self.limit
        if self._answers + self._refusals >= FEWEST:
            self._look_back(is_wanted)

    def refused(self, *, is_wanted: bool) -> None:
        """Record that the server refused a call because it had no capacity."""
        self._refusals += 1
        if self._answers + self._refusals >= FEWEST:
            self._look_back(is_wanted)

    def _look_back(self, is_wanted: bool) -> None:
        """Draw conclusions from a window, once it is long enough."""
        seconds = self._clock() - self._began
        if seconds < self.window:
            return
        seen = RateWindow(
            self._first_limit, self.limit, seconds, self._answers, self._refusals, is_wanted
        )
        if self._to_settle:
            self._to_settle -= 1
        else:
            self.limit, self._growth, self._to_settle = self._after(seen)
        self.begin_window()

    def _after(self, seen: RateWindow) -> NextLimit:
        if not self._steps.is_done:
            return self._steps.after(seen)
        trial = self._trials.after(seen)
        if trial is not None:
            return trial
        return self._steps.begin(seen.limit, self._trials.retreat(seen))
