"""What is known of a run while it goes on: how it scores, what failed, what it cost so far."""

from collections import Counter

from dragoman.core.costs import FREE, Cost, PriceOf, cost_of, total_cost
from dragoman.core.episodes import COMPLETE, Episode
from dragoman.core.scores import Score, Scored, is_success
from dragoman.report import wording
from dragoman.runs.plan import Cell


class RunningTally:
    """Adds conversations up as they come in.

    Args:
        price_of: Returns prices; the cost is told as long as all are known.

    Attributes:
        played: How many conversations were taken in.
    """

    def __init__(self, price_of: PriceOf) -> None:
        self.played = 0
        self._price_of = price_of
        self._cost: Cost | None = FREE
        self._asked = False
        self._scored = self._passed = 0
        self._endings: Counter[str] = Counter()

    def add(self, cell: Cell, episode: Episode, score: Score) -> None:  # noqa: ARG002 - obeys OnDone
        """Take in one conversation."""
        self.played += 1
        reward = score.reward
        if isinstance(reward, Scored) and not reward.undecided:
            self._scored += 1
            self._passed += is_success(reward.value)
        if episode.ending.reason not in COMPLETE:
            self._endings[episode.ending.reason] += 1
        used = (*episode.usage, *score.judges_usage)
        if used:
            self._asked = True
            self._cost = total_cost(
                (self._cost, *(cost_of(usage, self._price_of) for usage in used))
            )

    def told(self) -> str:
        """Return all of it in one line: of scored conversations, never of those that have no score."""
        return "; ".join(filter(None, (self._score(), self._failures(), self._spent())))

    def _score(self) -> str:
        return f"{self._passed:,} of {self._scored:,} scored passed" if self._scored else ""

    def _failures(self) -> str:
        return ", ".join(
            f"{count:,} {reason.replace('_', ' ')}" for reason, count in self._endings.most_common()
        )

    def _spent(self) -> str:
        is_known = self._asked and self._cost is not None
        return f"cost {wording.money(self._cost)}" if is_known else ""
