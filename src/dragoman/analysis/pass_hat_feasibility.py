"""Feasibility of published pass^k figures: whether any whole numbers of successes give them.

A task with n trials is solved c times, c in 0..n. With a_c the number of tasks solved c times,
pass^k = sum of a_c C(c, k) / (N C(n, k)) over N tasks: a printed figure allows only a few whole
numbers for that sum. The search for a_n, ..., a_1 is exact (whole numbers and fractions
throughout) and stops at the first that fit. A figure counts as met where it lies within the
tolerance, ends included.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, islice
from math import ceil, comb, floor

import msgspec

MOST_UNGRADED = 3
"""Largest number of tasks with missing grades that the search tries as an explanation."""

_STEPS = 50_000
_TRIES = 1_000
_FINEST = Fraction(1, 1_000_000)


class ClaimedRates(msgspec.Struct, frozen=True):
    """Claims of a printed row: pass^k by k, and the numbers of tasks and trials."""

    figures: dict[int, float]
    tasks: int
    trials: int
    tolerance: float


class Counts(msgspec.Struct, frozen=True):
    """Result of a search.

    `solved` holds the numbers of tasks that were solved 0..n times. It is None if no numbers fit,
    or, with `is_decided` false, if the search was stopped early.
    """

    solved: tuple[int, ...] | None
    is_decided: bool = True


class Ungraded(msgspec.Struct, frozen=True):
    """A task with fewer graded trials than the others; it counts only for k up to those."""

    graded: int
    successes: int

    def share(self, k: int) -> Fraction:
        """Return what it adds to the sum over tasks that pass^k is the mean of."""
        if k > self.graded:
            return Fraction(0)
        return Fraction(comb(self.successes, k), comb(self.graded, k))


def exact(value: float) -> Fraction:
    """Return the decimal number that a float was read from, not its binary neighbour."""
    return Fraction(repr(value))


def possible_counts(claim: ClaimedRates, ungraded: tuple[Ungraded, ...] = ()) -> Counts:
    """Search for numbers of tasks that give the claimed figures.

    Args:
        claim: The figures.
        ungraded: Tasks among them that have fewer graded trials.

    Raises:
        ValueError: If k is below 1 or above the number of trials, or the claim has no tasks.
    """
    _require_sense(claim)
    tolerances = dict.fromkeys(claim.figures, exact(claim.tolerance))
    return _search(claim, _windows(claim, tolerances, ungraded), claim.tasks - len(ungraded))


def fewest_ungraded(claim: ClaimedRates) -> int | None:
    """Return the fewest tasks with missing grades for which the figures would be possible.

    None if no number is found. The result suggests an explanation of impossible figures and
    proves nothing: among several numbers of tasks, one may fit by chance. At most
    `MOST_UNGRADED` are tried.
    """
    kinds = [
        Ungraded(graded, successes)
        for graded in range(claim.trials)
        for successes in range(graded + 1)
    ]
    tries = chain.from_iterable(
        combinations_with_replacement(kinds, count)
        for count in range(min(MOST_UNGRADED, claim.tasks - 1) + 1)
    )
    for tasks in islice(tries, _TRIES):
        if possible_counts(claim, tasks).solved is not None:
            return len(tasks)
    return None


def nearest_figures(claim: ClaimedRates) -> dict[int, float] | None:
    """Return the nearest possible figures of an impossible claim; None if none were found.

    Nearest: the fewest figures leave the tolerance, and these by as little as can be.
    """
    _require_sense(claim)
    for count in range(1, len(claim.figures) + 1):
        found = [
            reading
            for loose in combinations(sorted(claim.figures), count)
            if (reading := _nearest(claim, loose)) is not None
        ]
        if found:
            _, solved = min(found)
            return {k: float(_figure(claim, solved, k)) for k in sorted(claim.figures)}
    return None


def fitting_ratio(claim: ClaimedRates, ratio: float, k: int) -> bool:
    """Return whether figures within the tolerance can have the ratio pass^k / pass^1."""
    tolerance = exact(claim.tolerance)
    windows = _windows(claim, dict.fromkeys(claim.figures, tolerance), ())
    for of_1 in windows[1]:
        scale = Fraction(of_1 * comb(claim.trials, k), claim.trials)
        low = ceil(scale * (exact(ratio) - tolerance))
        high = floor(scale * (exact(ratio) + tolerance))
        if of_1 and range(max(low, windows[k].start), min(high + 1, windows[k].stop)):
            return True
    return False


def _require_sense(claim: ClaimedRates) -> None:
    if claim.tasks < 1 or not all(1 <= k <= claim.trials for k in claim.figures):
        raise ValueError(f"{claim.tasks} tasks, {claim.trials} trials, k of {list(claim.figures)}")


def _windows(
    claim: ClaimedRates, tolerances: Mapping[int, Fraction], ungraded: Iterable[Ungraded]
) -> dict[int, range]:
    """Return by k which whole numbers the sum of a_c C(c, k) over complete tasks may be."""
    lacking = tuple(ungraded)
    windows = {}
    for k, value in claim.figures.items():
        counted = claim.tasks - sum(task.graded < k for task in lacking)
        added = sum((task.share(k) for task in lacking), Fraction(0))
        ways = comb(claim.trials, k)
        low = ways * ((exact(value) - tolerances[k]) * counted - added)
        high = ways * ((exact(value) + tolerances[k]) * counted - added)
        windows[k] = range(max(0, ceil(low)), floor(high) + 1)
    return windows


def _search(claim: ClaimedRates, windows: Mapping[int, range], tasks: int) -> Counts:
    if not all(windows.values()):
        return Counts(None)
    needed = {k: (window[0], window[-1]) for k, window in windows.items()}
    steps = 0
    for found in islice(_fill(claim.trials, tasks, needed), _STEPS):
        steps += 1
        if found is not None:
            return Counts((tasks - sum(found), *reversed(found)))
    return Counts(None, is_decided=steps < _STEPS)


def _fill(
    times: int, room: int, needed: Mapping[int, tuple[int, int]]
) -> Iterator[tuple[int, ...] | None]:
    """Yield the numbers of tasks solved `times`, ..., 1 times that fit, and None for every try."""
    if times == 0:
        fits = all(low <= 0 <= high for low, high in needed.values())
        yield () if fits else None
        return
    for count in _candidates(times, room, needed):
        yield None
        left = {
            k: (low - count * comb(times, k), high - count * comb(times, k))
            for k, (low, high) in needed.items()
        }
        for rest in _fill(times - 1, room - count, left):
            yield None if rest is None else (count, *rest)


def _candidates(times: int, room: int, needed: Mapping[int, tuple[int, int]]) -> range:
    """Return the range of the number of tasks that may be solved exactly `times` times.

    The lower bound follows from the smaller contribution of tasks solved fewer times; the upper
    bound keeps the sum within the limits.
    """
    least, most = 0, room
    for k, (low, high) in needed.items():
        if k > times:
            continue
        # Tasks solved fewer times add at most C(times - 1, k) each.
        gain = comb(times - 1, k - 1)
        least = max(least, -((room * comb(times - 1, k) - low) // gain))
        most = min(most, high // comb(times, k))
    return range(least, most + 1)


def _nearest(
    claim: ClaimedRates, loose: tuple[int, ...]
) -> tuple[Fraction, tuple[int, ...]] | None:
    """Return how far the loose figures must leave what is printed, and with which numbers."""
    found = _within(claim, loose, Fraction(1))
    if found is None:
        return None
    low = exact(claim.tolerance)
    high = _distance(claim, loose, found)
    while high - low > _FINEST:
        middle = (low + high) / 2
        closer = _within(claim, loose, middle)
        if closer is None:
            low = middle
        else:
            found, high = closer, _distance(claim, loose, closer)
    return high, found


def _within(
    claim: ClaimedRates, loose: tuple[int, ...], distance: Fraction
) -> tuple[int, ...] | None:
    tolerances = {k: distance if k in loose else exact(claim.tolerance) for k in claim.figures}
    return _search(claim, _windows(claim, tolerances, ()), claim.tasks).solved


def _distance(claim: ClaimedRates, loose: tuple[int, ...], solved: tuple[int, ...]) -> Fraction:
    return max(abs(_figure(claim, solved, k) - exact(claim.figures[k])) for k in loose)


def _figure(claim: ClaimedRates, solved: tuple[int, ...], k: int) -> Fraction:
    ways = sum(count * comb(times, k) for times, count in enumerate(solved))
    return Fraction(ways, claim.tasks * comb(claim.trials, k))
