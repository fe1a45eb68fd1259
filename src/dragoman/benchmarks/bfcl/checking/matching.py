"""Whether every expected call can be paired with a call of its own."""

from collections.abc import Callable

Passes = Callable[[int, int], bool]
"""Whether the call of the second index will do for the expected one of the first."""


def pairs_greedily(count: int, passes: Passes, ordered: int = 0) -> bool:
    """Whether each of `count` expected calls, in turn, finds one that is left; it takes the first.

    Of the first `ordered` each is known to find the call of its own place.
    """
    left = list(range(ordered, count))
    for expected in range(ordered, count):
        for place, call in enumerate(left):
            if passes(expected, call):
                del left[place]
                break
        else:
            return False
    return True


def pairs_perfectly(count: int, passes: Passes, ordered: int = 0) -> bool:
    """Whether `count` expected calls can all have one of as many calls: a bipartite matching.

    For each of the first `ordered` the call of its own place is known to do.
    """
    known: dict[tuple[int, int], bool] = {}

    def will_do(expected: int, call: int) -> bool:
        pair = expected, call
        if pair not in known:
            known[pair] = passes(expected, call)
        return known[pair]

    call_of = {place: place for place in range(ordered)}
    expected_of = dict(call_of)
    for start in range(ordered, count):
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
