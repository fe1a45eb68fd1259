"""Adaptive concurrency limit: slow start with additive increase, driven by goodput.

Like slow start with additive increase and multiplicative decrease (AIMD), but the signal is
answers per second instead of refusals, because some servers return 429 at random and some count
refused calls against the quota. A window collects what became of calls in some seconds. More calls
that bring more answers were not too many, whatever was refused.

`SlowStart` is used while a refusal costs nothing but itself. The limit doubles while more calls
bring more answers. Where they no longer do, it grows by a tenth and falls a little on refusals.
That is a trial: a full server answers as many calls as before, and the limit stays low; where
answers become fewer, the server refuses at random: the limit is restored and refusals are ignored
for a while.

`CautiousProbe` is used once answers have collapsed under refusals, as on servers that count
refused calls. The limit stays where hardly more is refused than is refused anyway, and exceeds it
in steps, each kept for a while. A step under which more is refused is taken back and the next one
comes later. Where more is refused at the old limit, the limit falls; where that costs answers, or
refusals stay the same far below, the refusals are independent of the load and such a share of them
is tolerated.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

GROWN = 1.25
"""So many times the answers of another window say that the endpoint serves more."""

TOLERATED_LOSS = 0.1
"""The share of answers that a lower limit may cost: windows of a few answers differ by chance."""

LOST_BEYOND_CHANCE = 1.5
COLLAPSED, COLLAPSED_BEYOND_CHANCE = 0.35, 2.5
"""Thresholds for a collapse of answers.

Answers have collapsed if more than this share is missing, and so many standard deviations of
chance.
"""

FAR_LOWER, UNCHANGED, MOST_RANDOM = 0.62, 0.75, 0.75
"""Shares that tell random refusals from overload.

If refusals are independent of the load, then at the first share of a limit they are as
frequent, or at least the second share as frequent. If more than the third share of calls is
refused, overload looks the same.
"""


class RateWindow(NamedTuple):
    """What was seen in some seconds.

    Attributes:
        first_limit: How many calls could be under way at its beginning.
        limit: How many can be at its end.
        seconds: How long it was.
        answers: Calls that were answered.
        refusals: Calls for which the endpoint had no room, as it said.
        is_wanted: Whether more calls wait to be let through.
    """

    first_limit: float
    limit: float
    seconds: float
    answers: int
    refusals: int
    is_wanted: bool

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds

    @property
    def refused_share(self) -> float:
        """The share of calls that were refused."""
        return self.refusals / (self.answers + self.refusals)

    def has_more_than(self, before: "RateWindow") -> bool:
        """Whether the endpoint serves more than before."""
        return self.rate > GROWN * before.rate

    def has_lost_since(self, before: "RateWindow") -> bool:
        """Whether fewer answers come than before."""
        return self.rate < (1 - TOLERATED_LOSS) * before.rate

    def has_surely_lost_since(self, before: "RateWindow") -> bool:
        """Whether fewer answers come than before, by more than chance would have it."""
        missing, chance = self._missing(before.rate)
        return self.has_lost_since(before) and missing > LOST_BEYOND_CHANCE * chance

    def with_next(self, seen: "RateWindow") -> "RateWindow":
        """Return this window and the next as one."""
        return seen._replace(
            first_limit=self.first_limit,
            seconds=self.seconds + seen.seconds,
            answers=self.answers + seen.answers,
            refusals=self.refusals + seen.refusals,
        )

    def is_refused_all_the_same(self, before: "RateWindow") -> bool:
        """Whether hardly fewer are refused though far fewer are let through."""
        share = self.refused_share
        is_far_lower = self.limit <= max(1.0, FAR_LOWER * before.limit)
        return is_far_lower and UNCHANGED * before.refused_share < share < MOST_RANDOM

    def has_collapsed_from(self, rate: float) -> bool:
        """Whether hardly any answers come beside so many a second."""
        missing, chance = self._missing(rate)
        return missing > max(COLLAPSED * rate * self.seconds, COLLAPSED_BEYOND_CHANCE * chance)

    def _missing(self, rate: float) -> tuple[float, float]:
        """Return how many answers are missing at a rate, and by how many they differ by chance."""
        expected = rate * self.seconds
        return expected - self.answers, math.sqrt(expected)


DOUBLING, GROWTH = 1.0, 0.1
"""The share by which a round of answers raises a limit while it is searched for, and after that."""


class NextLimit(NamedTuple):
    """What follows from a window.

    Attributes:
        limit: How many calls may be under way from now on.
        growth: The share by which a round of answers raises that, at least by one; 0 for not at
            all.
        to_settle: Windows to let pass: calls that began before end only now.
    """

    limit: float
    growth: float = 0.0
    to_settle: int = 0


STEP = 0.15
"""The first step beyond what is kept, as a share; each one in a row is twice as long."""

ENOUGH = 3
"""After so many steps in a row the limit is far from where refusals cost answers."""

PROBE_BACK_OFF, FAR_BACK_OFF = 0.85, 0.7
FEWEST_KEPT, MOST_KEPT = 4, 8
"""Windows for which the limit is kept before the next step."""

TO_RECOVER = 3
"""Windows that a server gets to forget what was asked beyond its limit."""

MORE_REFUSED, BEYOND_CHANCE = 0.05, 2.0
"""How much more may be refused than is tolerated: a share, and deviations of chance beside it."""

HALF = 0.5
PROBE_FORGETTING = 0.2


class CautiousProbe:
    """Keeps a limit under which little is refused, and tries a higher one now and then.

    Attributes:
        is_done: Whether the limit is far from where refusals cost answers.
    """

    def __init__(self) -> None:
        self.is_done = True
        # The limit that was kept for long enough, and the one to go back to where more is not
        # refused.
        self._proven = self._supposed = 0.0
        # What would be supposed if refusals turned out to cost nothing.
        self._fallen_from = 0.0
        self._tolerated = 0.0
        self._steps = 0
        # For how many windows the limit is kept, and for how many after a step that was taken back.
        self._to_keep = self._kept = 0
        self._is_falling = False
        # What was seen before the limit was lowered.
        self._before: RateWindow | None = None

    def begin(self, fallen_from: float, limit: float) -> NextLimit:
        """Return the limit after a collapse of answers.

        It is a limit under which answers came before.
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
        """Return what follows from a window."""
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
            # Nothing lower is left to try.
            self._tolerated = seen.refused_share
            return self._kept_on(seen)
        return self._lowered(seen)

    def _most_refused(self, seen: RateWindow) -> float:
        calls = seen.answers + seen.refusals
        chance = math.sqrt(max(self._tolerated, MORE_REFUSED) / calls)
        return self._tolerated + MORE_REFUSED + BEYOND_CHANCE * chance

    def _kept_on(self, seen: RateWindow) -> NextLimit:
        if seen.refused_share <= self._tolerated + MORE_REFUSED:
            # Beyond chance, too: what was seen before tells nothing any more.
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
            # Not at the first fall: answers to calls from before the change were still coming in.
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
"""Windows whose refusals are overlooked once backing off has turned out to cost answers."""

SURELY_RANDOM = 2
"""Number of windows after which refusals do not count as a lack of capacity.

In these windows more calls brought more answers although some were refused.
"""

FAR = 1.5
"""So many times the limit must bring more answers, or else it has grown for nothing."""

FORGETTING = 0.97
"""What is left of the best rate of answers after each window."""


class SlowStart:
    """A limit search that raises the limit while this brings more answers.

    It lowers the limit while this costs no answers.
    """

    def __init__(self) -> None:
        self._is_doubling = True
        # In how many windows in a row answers grew though calls were refused.
        self._grown = 0
        self._last_rate = 0.0
        self._best_rate = self._best_limit = 0.0
        # The last window if answers had collapsed in it: one alone may be chance.
        self._suspected: RateWindow | None = None
        # What was seen before the limit was lowered.
        self._before: RateWindow | None = None
        # For how many windows refusals say nothing, this time and in all.
        self._to_overlook = self._overlooks = 0
        # What was seen before the limit grew in those windows, and whether it has grown far for
        # nothing.
        self._base: RateWindow | None = None
        self._is_far = False

    def after(self, seen: RateWindow) -> NextLimit | None:
        """Return the next limit after a window.

        The result is None if answers have collapsed because refusals cost some.
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
        """Wait for one more window; None where there was one already."""
        if self._suspected is not None:
            return None
        self._suspected = seen
        return NextLimit(min(seen.first_limit, seen.limit))

    def _still_doubling(self, seen: RateWindow, last_rate: float) -> NextLimit:
        if not seen.answers and not last_rate:
            # Refused before anything was answered: too many at once, and no word on how many it
            # takes.
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

    def _tried(self, seen: RateWindow) -> NextLimit:
        if self._to_overlook:
            self._to_overlook -= 1
            return self._overlooking(seen)
        self._base = None
        return self._lowered(seen)

    def _overlooking(self, seen: RateWindow) -> NextLimit:
        """Grow whatever is refused, and take back what brings no more answers."""
        if self._base is None or seen.has_more_than(self._base):
            self._base = seen
        if seen.limit > FAR * self._base.limit:
            self._is_far = True
            return NextLimit(self._base.limit, 0.0, 1)
        return NextLimit(seen.limit, 0.0 if self._is_far else GROWTH)

    def _lowered(self, seen: RateWindow) -> NextLimit:
        if self._before is None or seen.has_more_than(self._before):
            # Beside what came when it served less, whatever comes later looks like no loss.
            self._before = seen
        return NextLimit(max(1.0, BACK_OFF * seen.limit), 0.0, 1)

    def _restored(self, seen: RateWindow) -> NextLimit:
        """Take a step back up, and overlook refusals for a while, longer each time in a row."""
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
"""What a window has at least, in seconds and in answers and refusals, to tell anything."""

SMOOTHING = 0.05


class AdaptiveLimit:
    """Learns how many calls an endpoint takes from how they end.

    Args:
        clock: Seconds, never going back.

    Attributes:
        limit: How many calls may be under way.
        usual: Seconds that an answer usually takes; 0 where none came yet.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.limit = FIRST_LIMIT
        self.usual = 0.0
        self._growth = DOUBLING
        self._to_settle = 0
        self._trials, self._steps = SlowStart(), CautiousProbe()
        # The clock may be an event loop's, which does not run yet.
        self._began, self._first_limit = 0.0, FIRST_LIMIT
        self._answers = self._refusals = 0

    @property
    def window(self) -> float:
        """Seconds after which what was served tells something."""
        return max(SHORTEST_WINDOW, 2 * self.usual)

    def begin_window(self) -> None:
        """Forget what was seen since the last conclusions."""
        self._began, self._first_limit = self._clock(), self.limit
        self._answers = self._refusals = 0

    def answered(self, seconds: float, *, is_wanted: bool) -> None:
        """Learn that a call was answered.

        Args:
            seconds: How long that took.
            is_wanted: Whether more calls wait to be let through.
        """
        self._answers += 1
        self.usual += (seconds - self.usual) * (SMOOTHING if self.usual else 1.0)
        if is_wanted and self._growth:
            self.limit += max(1.0, self._growth * self.limit) / self.limit
        if self._answers + self._refusals >= FEWEST:
            self._look_back(is_wanted)

    def refused(self, *, is_wanted: bool) -> None:
        """Learn that the server had no room for a call."""
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
