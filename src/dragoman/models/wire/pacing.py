"""How many calls of one endpoint are under way: as many as it serves, found while running.

Additive increase: every round of answers allows some more, as long as somebody waits. Back-off: where
the server refuses, the limit falls a little. That is a trial: a full server answers as many calls as
before, and the limit stays low; where answers become fewer, the server refuses whatever is sent, the
limit is restored, and refusals are overlooked for a while. A refused call holds its slot a little
longer, as whoever comes next would be refused in its place; a call that hangs gives its slot to others.
There is no fixed cap. Where agent, user and judge ask the same endpoint, a slot goes to whoever holds
the fewest: a judge with many questions at once holds nobody up.
"""

import asyncio
import contextlib
import math
from collections import Counter, deque
from collections.abc import Callable

import msgspec

Clock = Callable[[], float]

FIRST_LIMIT = 16.0
GROWTH = 0.1
"""The share by which a round of answers raises the limit, at least by one."""

BACK_OFF = 0.85
SHORTEST_WINDOW = 0.25
FEWEST = 20
"""What a window has at least, in seconds and in answers and refusals, to tell anything."""

FEWEST_OVERLOOKED, MOST_OVERLOOKED = 4, 64
"""Windows whose refusals are overlooked once backing off has turned out to cost answers."""

HANGING, SHORTEST_HANG = 5.0, 1.0
"""A call hangs after so many times the usual seconds of an answer, and after so many at least."""

REFUSED_SHARE, LONGEST_HELD = 0.25, 5.0
"""A refused call holds its slot for this share of the usual seconds of an answer, and so many at most."""

TOLERATED_LOSS = 0.1
"""The share of answers that a lower limit may cost: windows of a few answers differ by chance."""

SMOOTHING = 0.05


class _Seen(msgspec.Struct, frozen=True):
    """What was seen in a window: the limit, the seconds and the answers."""

    limit: float
    seconds: float
    answers: int

    def has_lost_answers_since(self, before: "_Seen") -> bool:
        """Whether fewer answers come under this limit."""
        kept = (self.answers / self.seconds) * before.seconds
        return kept < (1 - TOLERATED_LOSS) * before.answers


class Pacer:
    """Lets calls through, one slot each, and learns from how they end.

    Args:
        clock: Seconds, never going back.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # Who waits, by purpose, in the order of coming.
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        # When each call that holds a slot began, oldest first.
        self._holding: dict[object, float] = {}
        # How many slots each purpose holds, those included that its calls have not taken up yet.
        self._shares: Counter[str] = Counter()
        self._purposes: dict[object, str] = {}
        # Slots given to calls that have not resumed yet.
        self._promised = 0
        self._usual = 0.0
        self._window_began = 0.0
        self._answers = self._refusals = 0
        # What was seen before the limit was lowered.
        self._before: _Seen | None = None
        # For how many windows refusals say nothing, this time and in all.
        self._to_overlook = self._overlooks = 0
        self._idle_since = -math.inf
        self._is_probing = True
        self._is_settling = False
        self.limit = FIRST_LIMIT

    @property
    def holding(self) -> int:
        """How many calls hold a slot."""
        return len(self._holding) + self._promised

    @property
    def waiting(self) -> int:
        """How many calls wait for a slot."""
        return sum(map(len, self._queues.values()))

    async def enter(self, purpose: str = "") -> object:
        """Wait for a slot and return it; hand it to `leave`.

        Args:
            purpose: Whose call it is; slots are shared fairly between purposes.
        """
        if self._queues or self.holding >= int(self.limit):
            await self._turn(purpose)
        else:
            self._shares[purpose] += 1
        now = self._clock()
        if not self._holding and now - self._idle_since >= self._window:
            self._begin_window()
        slot = object()
        self._holding[slot] = now
        self._purposes[slot] = purpose
        return slot

    def leave(self, slot: object, *, is_refused: bool = False) -> None:
        """Give a slot back; that of a refused call is free after a while."""
        held = min(REFUSED_SHARE * self._usual, LONGEST_HELD) if is_refused else 0.0
        if held:
            asyncio.get_running_loop().call_later(held, self._free, slot)
        else:
            self._free(slot)

    def _free(self, slot: object) -> None:
        self._holding.pop(slot, None)
        self._release(self._purposes.pop(slot))
        if not self._holding:
            self._idle_since = self._clock()
        if self._queues:
            self._let_in()

    @property
    def usual(self) -> float:
        """Seconds that an answer usually takes; 0 where none came yet."""
        return self._usual

    def is_late(self, began: float) -> bool:
        """Whether a call that began then should have been answered, as far as answers tell."""
        return not self._usual or began < self._clock() - self._patience

    def answered(self, seconds: float) -> None:
        """Learn that a call was answered, and how long that took."""
        self._answers += 1
        self._usual += (seconds - self._usual) * (SMOOTHING if self._usual else 1.0)
        if self._queues and self._before is None:
            self.limit += 1.0 if self._is_probing else max(1.0, GROWTH * self.limit) / self.limit
        self._look_back()

    def refused(self) -> None:
        """Learn that the server had no room for a call."""
        self._refusals += 1
        self._look_back()

    def _look_back(self) -> None:
        """Draw conclusions from a window, once enough has happened in it."""
        elapsed = self._clock() - self._window_began
        if elapsed < self._window or self._answers + self._refusals < FEWEST:
            return
        seen, refusals = _Seen(self.limit, elapsed, self._answers), self._refusals
        self._begin_window()
        if self._is_settling:
            # Calls that began under another limit have ended only now.
            self._is_settling = False
        elif not refusals:
            self._before = None
        elif self._before is not None and seen.has_lost_answers_since(self._before):
            self._restore()
        elif self._to_overlook:
            self._to_overlook -= 1
        elif self._is_probing:
            self._is_probing = False
            self._is_settling = True
        else:
            self._back_off(seen)

    def _back_off(self, seen: "_Seen") -> None:
        self._is_settling = True
        if self._before is None or not self._before.answers:
            # Where nothing was answered yet, whatever comes later looks like no loss.
            self._before = seen
        self.limit = max(1.0, BACK_OFF * self.limit)

    def _restore(self) -> None:
        """Take a step back up, and overlook refusals for a while, longer each time in a row."""
        self._before = None
        self._is_settling = True
        self.limit /= BACK_OFF
        self._overlooks = min(max(FEWEST_OVERLOOKED, 2 * self._overlooks), MOST_OVERLOOKED)
        self._to_overlook = self._overlooks

    @property
    def _window(self) -> float:
        """Seconds after which what was served tells something."""
        return max(SHORTEST_WINDOW, 2 * self._usual)

    @property
    def _patience(self) -> float:
        """Seconds after which a call is taken for a hanging one."""
        return max(SHORTEST_HANG, HANGING * self._usual)

    def _begin_window(self) -> None:
        self._window_began = self._clock()
        self._answers = self._refusals = 0

    async def _turn(self, purpose: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._queues.setdefault(purpose, deque()).append(turn)
        self._let_in()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(purpose, turn)
            else:
                self._promised -= 1
                self._release(purpose)
                self._let_in()
            raise
        self._promised -= 1

    def _forget(self, purpose: str, turn: asyncio.Future[None]) -> None:
        queue = self._queues.get(purpose, deque())
        with contextlib.suppress(ValueError):
            queue.remove(turn)
        if not queue:
            self._queues.pop(purpose, None)
        if not self._queues and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _release(self, purpose: str) -> None:
        self._shares[purpose] -= 1
        if not self._shares[purpose]:
            del self._shares[purpose]

    def _let_in(self) -> None:
        """Let in as many as there are slots; look again later if some may come free by hanging."""
        self._drop_hanging()
        while self._queues and self.holding < int(self.limit):
            purpose = min(self._queues, key=self._shares.__getitem__)
            turn = self._queues[purpose].popleft()
            if not self._queues[purpose]:
                del self._queues[purpose]
            if not turn.done():
                turn.set_result(None)
                self._promised += 1
                self._shares[purpose] += 1
        if self._queues and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SHORTEST_HANG, self._look_again)

    def _drop_hanging(self) -> None:
        if not self._usual:
            # Nothing was answered yet: a slow model is not to be taken for a hanging one.
            return
        oldest = self._clock() - self._patience
        while self._holding and next(iter(self._holding.values())) < oldest:
            del self._holding[next(iter(self._holding))]

    def _look_again(self) -> None:
        self._timer = None
        self._let_in()
