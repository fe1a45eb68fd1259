"""Pearson correlation of columns, always with the number of points that it rests on."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import fsum, sqrt

import msgspec

FEWEST = 3
"""Two points always lie on a line: fewer than three say nothing."""

Columns = Mapping[str, Sequence[float | None]]


class Correlation(msgspec.Struct, frozen=True):
    """Pearson's r over `n` pairs of which both values are known.

    `r` is None if it is not defined: fewer than three pairs, or a side that does not vary.
    """

    n: int
    r: float | None

    @property
    def r_squared(self) -> float | None:
        """Share of the variance that a linear fit explains."""
        return None if self.r is None else self.r**2


class Averages(msgspec.Struct, frozen=True):
    """A grid of means.

    `columns` holds a value per row of `rows`, None for a row without an entry. `counts` holds the
    number of entries behind each of these means.
    """

    rows: tuple[str, ...]
    columns: dict[str, tuple[float | None, ...]]
    counts: dict[str, tuple[int, ...]]


def correlation(first: Sequence[float | None], second: Sequence[float | None]) -> Correlation:
    """Correlate two columns over the rows in which both values are known.

    Raises:
        ValueError: If the columns differ in their number of rows.
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if len(pairs) < FEWEST or any(min(side) == max(side) for side in zip(*pairs, strict=True)):
        return Correlation(len(pairs), None)
    from_a, from_b = (_center_values(side) for side in zip(*pairs, strict=True))
    together = fsum(a * b for a, b in zip(from_a, from_b, strict=True))
    spread = sqrt(fsum(a * a for a in from_a)) * sqrt(fsum(b * b for b in from_b))
    return Correlation(len(pairs), min(1.0, max(-1.0, together / spread)))


def correlation_matrix(columns: Columns) -> dict[tuple[str, str], Correlation]:
    """Correlate every two columns, in their order, each couple over its own complete pairs."""
    return {(a, b): correlation(columns[a], columns[b]) for a, b in combinations(columns, 2)}


def averages(entries: Iterable[tuple[str, str, float]]) -> Averages:
    """Lay entries (row, column, value) out as a grid of unweighted means.

    Means of a different make-up (other scenarios, other models) are means all the same: compare
    `counts` before comparing them.
    """
    cells: dict[str, dict[str, list[float]]] = {}
    for row, column, value in entries:
        cells.setdefault(column, {}).setdefault(row, []).append(value)
    rows = tuple(dict.fromkeys(row for of_column in cells.values() for row in of_column))
    values = {
        column: tuple(_mean(of_column.get(row, [])) for row in rows)
        for column, of_column in cells.items()
    }
    counts = {
        column: tuple(len(of_column.get(row, [])) for row in rows)
        for column, of_column in cells.items()
    }
    return Averages(rows, values, counts)


def _center_values(values: Sequence[float]) -> list[float]:
    mean = fsum(values) / len(values)
    return [value - mean for value in values]


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None
