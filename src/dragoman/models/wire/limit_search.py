"""How many calls an endpoint takes at a time: searched for by what it answers, not by what it refuses.

A refusal alone says little: servers refuse at random, or for want of room, and some count what they
refuse. So the search looks at the answers of a window: more calls that bring more answers were not too
many, whatever was refused. It goes by trials as long as refusals cost nothing, and by careful steps
once answers have collapsed under them.
"""

from collections.abc import Callable

from dragoman.models.wire.limit_steps import LimitSteps
from dragoman.models.wire.limit_trials import LimitTrials
from dragoman.models.wire.window import DOUBLING, NextLimit, Window

Clock = Callable[[], float]

FIRST_LIMIT = 16.0
SHORTEST_WINDOW = 0.25
FEWEST = 20
"""What a window has at least, in seconds and in answers and refusals, to tell anything."""

SMOOTHING = 0.05


class LimitSearch:
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
        self._trials, self._steps = LimitTrials(), LimitSteps()
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
        seen = Window(
            self._first_limit, self.limit, seconds, self._answers, self._refusals, is_wanted
        )
        if self._to_settle:
            self._to_settle -= 1
        else:
            self.limit, self._growth, self._to_settle = self._after(seen)
        self.begin_window()

    def _after(self, seen: Window) -> NextLimit:
        if not self._steps.is_done:
            return self._steps.after(seen)
        trial = self._trials.after(seen)
        if trial is not None:
            return trial
        return self._steps.begin(seen.limit, self._trials.retreat(seen))
