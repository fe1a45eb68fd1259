"""Whether every expected call can be paired with a call of its own."""

from collections.abc import Callable
from functools import cache

Passes = Callable[[int, int], bool]
"""Whether the call of the second index will do for the expected one of the first."""


def pairs_greedily(count: int, passes: Passes) -> bool:
    """Whether each of `count` expected calls, in turn, finds one that is left; it takes the first."""
    left = list(range(count))
    for expected in range(count):
        for place, call in enumerate(left):
            if passes(expected, call):
                del left[place]
                break
        else:
            return False
    return True


def pairs_perfectly(count: int, passes: Passes) -> bool:
    """Whether `count` expected calls can all have one of as many calls: a bipartite matching.

    Most replies have the expected order, which is tried first.
    """
    if all(map(passes, range(count), range(count))):
        return True
    will_do = cache(passes)
    call_of: dict[int, int] = {}
    expected_of: dict[int, int] = {}
    for start in range(count):
        free, reached_from = _search(start, count, will_do, expected_of)
        if free is None:
            return False
        call: int | None = free
        while call is not None:
            taker = reached_from[call]
            expected_of[call] = taker
            released, call_of[taker] = call_of.get(taker), call
            call = released
    return True


def _search(
    start: int, count: int, passes: Passes, expected_of: dict[int, int]
) -> tuple[int | None, dict[int, int]]:
    """Return a call that is free, or can be freed for `start`, and who reached each call.

    Breadth first, so that no number of calls can exhaust the stack.
    """
    reached_from: dict[int, int] = {}
    queue = [start]
    for expected in queue:
        for call in range(count):
            if call in reached_from or not passes(expected, call):
                continue
            reached_from[call] = expected
            if call not in expected_of:
                return call, reached_from
            queue.append(expected_of[call])
    return None, reached_from
