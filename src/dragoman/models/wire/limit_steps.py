"""The search for an endpoint's limit where refusals themselves cost answers: servers that count them.

The limit is kept where hardly more is refused than is refused anyway, and goes beyond in steps, each
kept for a while. A step under which more is refused is taken back, and the next one comes later. Where
more is refused at the limit that was kept, it falls; where that surely costs answers, or hardly less is
refused far below, the refusals come whatever is sent, and such a share of them is tolerated.
"""

import math

from dragoman.models.wire.window import GROWTH, NextLimit, Window

STEP = 0.15
"""The first step beyond what is kept, as a share; each one in a row is twice as long."""

ENOUGH = 3
"""After so many steps in a row the limit is far from where refusals cost answers."""

BACK_OFF, FAR_BACK_OFF = 0.85, 0.7
FEWEST_KEPT, MOST_KEPT = 4, 8
"""Windows for which the limit is kept before the next step."""

TO_RECOVER = 3
"""Windows that a server gets to forget what was asked beyond its limit."""

MORE_REFUSED, BEYOND_CHANCE = 0.05, 2.0
"""How much more may be refused than is tolerated: a share, and deviations of chance beside it."""

HALF = 0.5
FORGETTING = 0.2


class LimitSteps:
    """Keeps a limit under which little is refused, and tries a higher one now and then.

    Attributes:
        is_done: Whether the limit is far from where refusals cost answers.
    """

    def __init__(self) -> None:
        self.is_done = True
        # The limit that was kept for long enough, and the one to go back to where more is not refused.
        self._proven = self._supposed = 0.0
        # What would be supposed if refusals turned out to cost nothing.
        self._fallen_from = 0.0
        self._tolerated = 0.0
        self._steps = 0
        # For how many windows the limit is kept, and for how many after a step that was taken back.
        self._to_keep = self._kept = 0
        self._is_falling = False
        # What was seen before the limit was lowered.
        self._before: Window | None = None

    def begin(self, fallen_from: float, limit: float) -> NextLimit:
        """Return what follows where answers have collapsed: back to a limit under which they came."""
        self.is_done = False
        self._fallen_from = fallen_from
        self._proven = self._supposed = limit
        self._tolerated = 0.0
        self._steps = 0
        self._to_keep = max(FEWEST_KEPT, self._kept)
        self._before, self._is_falling = None, True
        return NextLimit(limit, 0.0, 1)

    def after(self, seen: Window) -> NextLimit:
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

    def _most_refused(self, seen: Window) -> float:
        calls = seen.answers + seen.refusals
        chance = math.sqrt(max(self._tolerated, MORE_REFUSED) / calls)
        return self._tolerated + MORE_REFUSED + BEYOND_CHANCE * chance

    def _kept_on(self, seen: Window) -> NextLimit:
        if seen.refused_share <= self._tolerated + MORE_REFUSED:
            # Beyond chance, too: what was seen before tells nothing any more.
            self._before, self._is_falling = None, False
        self._tolerated -= FORGETTING * max(0.0, self._tolerated - seen.refused_share)
        self._to_keep -= 1
        if not seen.is_wanted:
            return NextLimit(seen.limit)
        if seen.limit < self._supposed:
            self._proven = seen.limit
            return NextLimit(min(2 * seen.limit, self._supposed))
        return NextLimit(seen.limit) if self._to_keep > 0 else self._next_step(seen)

    def _next_step(self, seen: Window) -> NextLimit:
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

    def _restored(self, seen: Window, before: Window) -> NextLimit:
        self._tolerated = seen.refused_share
        self._proven = before.limit
        self._supposed = max(before.limit, self._fallen_from)
        self._fallen_from = 0.0
        self._before = None
        self._to_keep = 1
        return NextLimit(before.limit, 0.0, 1)

    def _lowered(self, seen: Window) -> NextLimit:
        if self._is_falling and (self._before is None or seen.has_more_than(self._before)):
            # Not at the first fall: answers to calls from before the change were still coming in.
            self._before = seen
        if not self._is_falling:
            self._supposed = min(self._supposed, BACK_OFF * seen.limit)
        self._is_falling = True
        back_off = FAR_BACK_OFF if seen.refused_share > HALF else BACK_OFF
        self._proven = max(1.0, back_off * seen.limit)
        self._to_keep = FEWEST_KEPT
        return NextLimit(self._proven, 0.0, 1)
