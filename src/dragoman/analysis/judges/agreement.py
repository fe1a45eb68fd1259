"""How far several raters agree on nominal labels, beyond what chance gives.

Ratings are one row per item, one column per rater, None where a rater gave none. A coefficient is None
where it is not defined: nobody rated twice, or nothing but one label was ever given, so that chance
alone would agree too.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import msgspec

from dragoman.analysis.intervals import LEVEL, RESAMPLES, Interval

Ratings = Sequence[Sequence[Hashable | None]]
"""By item, what each rater said; None for nothing."""

Coefficient = Callable[[Ratings], float | None]

_PAIR = 2
_LEAST_DEFINED = 0.5
Row = TypeVar("Row")


class RaterAgreement(msgspec.Struct, frozen=True):
    """One coefficient of agreement.

    Attributes:
        value: None where it is not defined.
        interval: 95 %, by percentile bootstrap over items; None where most draws leave it undefined,
            or all items are rated alike.
        items: Items that at least two raters rated.
    """

    value: float | None
    interval: Interval | None
    items: int


def percent_agreement(ratings: Ratings) -> float | None:
    """Return the share of pairs of ratings of one item that are equal, each item counting once."""
    shares = [_equal_pairs(row) for row in _rated_twice(ratings)]
    return sum(shares) / len(shares) if shares else None


def cohen_kappa(ratings: Ratings) -> float | None:
    """Return Cohen's kappa of two raters (1960), over the items that both rated.

    Raises:
        ValueError: Where there are more or fewer than two raters.
    """
    if any(len(row) != _PAIR for row in ratings):
        raise ValueError("Cohen's kappa is of two raters")
    rows = _rated_twice(ratings)
    if not rows:
        return None
    first, second = (Counter(column) for column in zip(*rows, strict=True))
    seen = sum(one == other for one, other in rows) / len(rows)
    chance = sum(first[label] * second[label] for label in first) / len(rows) ** 2
    return _beyond(seen, chance)


def fleiss_kappa(ratings: Ratings) -> float | None:
    """Return Fleiss' kappa (1971), over the items that every rater rated."""
    rows = [row for row in ratings if len(row) >= _PAIR and None not in row]
    if not rows:
        return None
    seen = sum(map(_equal_pairs, rows)) / len(rows)
    counts = Counter(label for row in rows for label in row)
    total = sum(counts.values())
    chance = sum((count / total) ** 2 for count in counts.values())
    return _beyond(seen, chance)


def fleiss_agreement(ratings: Ratings, seed: int) -> RaterAgreement:
    """Return Fleiss' kappa with its interval, for very many items: those alike are drawn together.

    Args:
        ratings: By item; items that not all raters rated are left out.
        seed: Of the draws of items.
    """
    rows = [row for row in ratings if len(row) >= _PAIR and None not in row]
    value = fleiss_kappa(rows)
    if value is None:
        return RaterAgreement(None, None, len(rows))
    import numpy as np

    patterns = Counter(tuple(sorted(row, key=repr)) for row in rows)
    if len(patterns) == 1:
        return RaterAgreement(value, None, len(rows))
    labels = sorted({label for pattern in patterns for label in pattern}, key=repr)
    listed = sorted(patterns, key=repr)
    counts = np.array([[pattern.count(label) for label in labels] for pattern in listed])
    equal = np.array([_equal_pairs(pattern) for pattern in listed])
    shares = np.array([patterns[pattern] for pattern in listed]) / len(rows)
    draws = np.random.default_rng(seed).multinomial(len(rows), shares, RESAMPLES)
    seen = draws @ equal / len(rows)
    of_labels = draws @ counts
    chance = ((of_labels / of_labels.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    defined = chance < 1
    values = (seen[defined] - chance[defined]) / (1 - chance[defined])
    return RaterAgreement(value, percentile_interval(values.tolist()), len(rows))


def krippendorff_alpha(ratings: Ratings) -> float | None:
    """Return Krippendorff's alpha for nominal labels; raters may leave items out."""
    rows = _rated_twice(ratings)
    counts = Counter(label for row in rows for label in row)
    total = sum(counts.values())
    if total < _PAIR:
        return None
    seen = sum((1 - _equal_pairs(row)) * len(row) for row in rows) / total
    alike = sum(count * (count - 1) for count in counts.values())
    expected = 1 - alike / (total * (total - 1))
    return None if expected == 0 else 1 - seen / expected


def agreement(coefficient: Coefficient, ratings: Ratings, seed: int) -> RaterAgreement:
    """Return a coefficient with its interval.

    Args:
        coefficient: One of the functions above.
        ratings: By item.
        seed: Of the draws of items.
    """
    items = len(_rated_twice(ratings))
    value = coefficient(ratings)
    if value is None:
        return RaterAgreement(None, None, items)
    return RaterAgreement(value, _interval(coefficient, ratings, seed), items)


def split_items(ratings: Ratings) -> tuple[int, ...]:
    """Return the places of items on which raters differ."""
    return tuple(
        place
        for place, row in enumerate(ratings)
        if len({label for label in row if label is not None}) > 1
    )


def drawn_values(
    rows: Sequence[Row], figure: Callable[[Sequence[Row]], float | None], seed: int
) -> list[float]:
    """Return a figure of rows drawn again and again with replacement, where it is defined."""
    import numpy as np

    places = np.random.default_rng(seed).integers(0, len(rows), (RESAMPLES, len(rows)))
    drawn = (figure([rows[place] for place in draw]) for draw in places.tolist())
    return [value for value in drawn if value is not None]


def percentile_interval(values: Sequence[float]) -> Interval | None:
    """Return the middle 95 % of a figure's draws; None where less than half of them had one."""
    import numpy as np

    if len(values) < RESAMPLES * _LEAST_DEFINED:
        return None
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high))


def _interval(coefficient: Coefficient, ratings: Ratings, seed: int) -> Interval | None:
    if len({tuple(row) for row in ratings}) == 1:
        return None
    return percentile_interval(drawn_values(ratings, coefficient, seed))


def _rated_twice(ratings: Ratings) -> list[list[Hashable]]:
    rows = ([label for label in row if label is not None] for row in ratings)
    return [row for row in rows if len(row) >= _PAIR]


def _equal_pairs(row: Sequence[Hashable | None]) -> float:
    """Return the share of pairs in a row that are equal."""
    counts = Counter(row)
    pairs = len(row) * (len(row) - 1)
    return sum(count * (count - 1) for count in counts.values()) / pairs


def _beyond(seen: float, chance: float) -> float | None:
    return None if chance == 1 else (seen - chance) / (1 - chance)
