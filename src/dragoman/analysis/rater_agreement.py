"""Inter-rater agreement on nominal labels: Cohen's and Fleiss' kappa, Krippendorff's alpha.

Ratings have one row per item and one column per rater; a missing rating is None. A coefficient is
None if it is not defined: no item has two ratings, or only one label was ever given, so that chance
alone would also agree.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from dragoman.analysis.intervals import RESAMPLES, Interval, drawn_counts, middle_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


RatedItem = Sequence[Hashable | None]
"""The ratings of one item, one per rater; None for a missing rating."""

Ratings = Sequence[RatedItem]
"""The ratings of all items."""

_PAIR = 2
_LEAST_DEFINED = 0.5


class RaterAgreement(msgspec.Struct, frozen=True):
    """One coefficient of agreement.

    Attributes:
        value: None if it is not defined.
        interval: 95 %, by percentile bootstrap over items; None if most draws leave it
            undefined, or all items are rated alike.
        items: Items that at least two raters rated.
    """

    value: float | None
    interval: Interval | None
    items: int


class Coefficient(msgspec.Struct, frozen=True):
    """A coefficient of agreement.

    Attributes:
        over: Returns it for each row of numbers that say how often each kind of item occurs; not a
            number where it is not defined.
    """

    over: "Callable[[Ratings, NDArray[np.float64]], NDArray[np.float64]]"

    def __call__(self, ratings: Ratings) -> float | None:
        """Return the coefficient of items; None if it is not defined."""
        import numpy as np

        if not ratings:
            return None
        kinds, times = _kinds(ratings)
        value = float(self.over(kinds, np.asarray([times], dtype=float))[0])
        return value if np.isfinite(value) else None


def _percent(kinds: Ratings, counts: "NDArray[np.float64]") -> "NDArray[np.float64]":
    rated, places = _rated_twice(kinds)
    times = counts[:, places]
    return _ratio(_dot(times, [_equal_pairs(row) for row in rated]), times.sum(axis=1))


def _cohen(kinds: Ratings, counts: "NDArray[np.float64]") -> "NDArray[np.float64]":
    if any(len(row) != _PAIR for row in kinds):
        raise ValueError("Cohen's kappa is of two raters")
    rated, places = _rated_twice(kinds)
    times = counts[:, places]
    items = times.sum(axis=1)
    seen = _ratio(_dot(times, [float(one == other) for one, other in rated]), items)
    chance = sum(
        (
            _dot(times, [float(one == label) for one, _ in rated])
            * _dot(times, [float(other == label) for _, other in rated])
            for label in _labels(rated)
        ),
        start=0 * items,
    )
    return _beyond(seen, _ratio(chance, items**2))


def _fleiss(kinds: Ratings, counts: "NDArray[np.float64]") -> "NDArray[np.float64]":
    places = [
        place for place, row in enumerate(kinds) if len(row) >= _PAIR and None not in tuple(row)
    ]
    rated, times = [kinds[place] for place in places], counts[:, places]
    seen = _ratio(_dot(times, [_equal_pairs(row) for row in rated]), times.sum(axis=1))
    said = _dot(times, [float(len(row)) for row in rated])
    chance = sum(
        (_ratio(each, said) ** 2 for each in _iterate_label_counts(rated, times)), start=0 * said
    )
    return _beyond(seen, chance)


def _alpha(kinds: Ratings, counts: "NDArray[np.float64]") -> "NDArray[np.float64]":
    rated, places = _rated_twice(kinds)
    times = counts[:, places]
    said = _dot(times, [float(len(row)) for row in rated])
    apart = _dot(times, [(1 - _equal_pairs(row)) * len(row) for row in rated])
    alike = sum((each * (each - 1) for each in _iterate_label_counts(rated, times)), start=0 * said)
    return 1 - _ratio(_ratio(apart, said), 1 - _ratio(alike, said * (said - 1)))


percent_agreement = Coefficient(_percent)
"""The share of pairs of ratings of one item that are equal, each item counting once."""

cohen_kappa = Coefficient(_cohen)
"""Cohen's kappa of two raters (1960), over the items that both rated."""

fleiss_kappa = Coefficient(_fleiss)
"""Fleiss' kappa (1971), over the items that every rater rated."""

krippendorff_alpha = Coefficient(_alpha)
"""Krippendorff's alpha for nominal labels; raters may leave items out."""


def agreement(coefficient: Coefficient, ratings: Ratings) -> RaterAgreement:
    """Return a coefficient with its interval; items that are rated alike are drawn together.

    Args:
        coefficient: One of the coefficients above.
        ratings: Ratings by item.
    """
    items = len(_rated_twice(ratings)[0])
    value = coefficient(ratings)
    if value is None:
        return RaterAgreement(None, None, items)
    kinds, times = _kinds(ratings)
    if len(kinds) == 1:
        return RaterAgreement(value, None, items)
    return RaterAgreement(
        value, percentile_interval(coefficient.over(kinds, drawn_counts(times))), items
    )


def split_items(ratings: Ratings) -> tuple[int, ...]:
    """Return the places of items on which raters differ."""
    return tuple(
        place
        for place, row in enumerate(ratings)
        if len({label for label in row if label is not None}) > 1
    )


def percentile_interval(values: "Sequence[float] | NDArray[np.float64]") -> Interval | None:
    """Return the middle 95 % of a figure's draws; None if less than half of them had one."""
    import numpy as np

    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    return None if len(known) < RESAMPLES * _LEAST_DEFINED else middle_interval(known)


def _kinds(ratings: Ratings) -> tuple[Ratings, tuple[int, ...]]:
    """Return the kinds of items and the number of items of each kind.

    The order of the kinds does not depend on the order of the items.
    """
    seen = Counter(tuple(row) for row in ratings)
    kinds = sorted(seen, key=repr)
    return kinds, tuple(seen[kind] for kind in kinds)


def _rated_twice(ratings: Ratings) -> tuple[list[list[Hashable]], list[int]]:
    """Return the labels of items that two raters rated at least, and the places of these."""
    rows = [[label for label in row if label is not None] for row in ratings]
    places = [place for place, row in enumerate(rows) if len(row) >= _PAIR]
    return [rows[place] for place in places], places


def _labels(rated: Ratings) -> dict[Hashable | None, None]:
    return dict.fromkeys(label for row in rated for label in row)


def _iterate_label_counts(
    rated: Ratings, times: "NDArray[np.float64]"
) -> Iterator["NDArray[np.float64]"]:
    """Yield how often each label was given."""
    for label in _labels(rated):
        yield _dot(times, [float(tuple(row).count(label)) for row in rated])


def _dot(times: "NDArray[np.float64]", values: Sequence[float]) -> "NDArray[np.float64]":
    import numpy as np

    found: NDArray[np.float64] = times @ np.asarray(values, dtype=float)
    return found


def _ratio(above: "NDArray[np.float64]", below: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return quotients; not a number where nothing is below."""
    import numpy as np

    return np.divide(above, below, out=np.full_like(above, np.nan), where=below != 0)


def _equal_pairs(row: RatedItem) -> float:
    """Return the share of pairs in a row that are equal."""
    counts = Counter(row)
    pairs = len(row) * (len(row) - 1)
    return sum(count * (count - 1) for count in counts.values()) / pairs


def _beyond(seen: "NDArray[np.float64]", chance: "NDArray[np.float64]") -> "NDArray[np.float64]":
    return _ratio(seen - chance, 1 - chance)
