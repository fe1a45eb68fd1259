"""Estimate of the remaining time of a run, from the mean time of conversations of each kind.

The terminal and the viewer share it. A kind has one agent, channel and recognizer: text ends long
before speech, and diagnostic agents before models.
"""

from collections import Counter
from collections.abc import Collection, Iterable

import msgspec

from dragoman.core.episodes import Episode
from dragoman.runs.plan import Cell


class KindTimes(msgspec.Struct):
    """The conversations of one kind.

    Attributes:
        waiting: Conversations that are not finished.
        done: Finished conversations.
        seconds: The seconds of the finished conversations together.
    """

    waiting: int = 0
    done: int = 0
    seconds: float = 0.0


def seconds_left(kinds: Collection[KindTimes], at_once: int, elapsed: float) -> float | None:
    """Return the remaining seconds of a run; None if they are not known.

    That is the mean times of the waiting conversations, as many at a time as planned. It is longer
    if the finished conversations took longer than that, because of judges for example. Without a
    finished conversation of each kind that waits, nothing is known.

    Args:
        kinds: The conversations of each kind.
        at_once: The number of conversations at a time.
        elapsed: The seconds in which the finished conversations were played.
    """
    if not all(each.done for each in kinds if each.waiting):
        return None
    remaining = sum(each.waiting * each.seconds / each.done for each in kinds if each.waiting)
    count = sum(each.waiting for each in kinds)
    if not remaining:
        return None if count else 0.0
    in_progress = remaining / count * at_once
    played = sum(each.seconds for each in kinds) + in_progress
    return max(remaining / min(at_once, count), elapsed * remaining / played)


class RemainingTime:
    """The remaining time of a run that is played now.

    Args:
        waiting: The conversations that are played.
        at_once: The number of conversations at a time.
    """

    def __init__(self, waiting: Iterable[Cell], at_once: int) -> None:
        counts = Counter(map(_kind, waiting))
        self._kinds = {kind: KindTimes(count) for kind, count in counts.items()}
        self._at_once = max(1, min(at_once, counts.total()))

    def add(self, cell: Cell, episode: Episode) -> None:
        """Add one finished conversation."""
        times = self._kinds[_kind(cell)]
        times.waiting -= 1
        times.done += 1
        times.seconds += episode.seconds

    def left(self, seconds: float) -> float | None:
        """Return the remaining seconds after a number of seconds; None if they are not known."""
        return seconds_left(self._kinds.values(), self._at_once, seconds)


_Kind = tuple[str, str, str]


def _kind(cell: Cell) -> _Kind:
    return cell.agent.name, cell.condition.shown("voice"), cell.condition.shown("recognizer")
