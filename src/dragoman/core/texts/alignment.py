"""Sequence alignment and edit distance, for word errors, spellings and names."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from dragoman.core.errors import DataError

MAX_UNITS = 2_000
"""Longest sequence that is aligned: the work grows with the product of both lengths."""

Cost = Callable[[str, str], float]
"""A function that returns the cost of a substitution: 0 for equal units, at most 1."""


class Pair(msgspec.Struct, frozen=True):
    """A unit of the first sequence and its counterpart; None on a side without one."""

    said: str | None
    heard: str | None


def unit_cost(said: str, heard: str) -> float:
    """Return 0 for equal units and 1 for others."""
    return float(said != heard)


def align(said: Sequence[str], heard: Sequence[str], cost: Cost = unit_cost) -> tuple[Pair, ...]:
    """Return the cheapest alignment; a deletion or insertion costs 1 per unit.

    Among equally cheap ones a substitution is preferred, so that the result is always the same.

    Raises:
        DataError: If a sequence is longer than `MAX_UNITS`.
    """
    longest = max(len(said), len(heard))
    if longest > MAX_UNITS:
        raise DataError(f"{longest} units are too many to align: at most {MAX_UNITS}")
    if cost is unit_cost:
        return _align_units(said, heard)
    table = _costs(said, heard, cost)
    pairs = []
    row, column = len(said), len(heard)
    while row or column:
        pair = _last_pair(said[:row], heard[:column], table, cost)
        row, column = row - (pair.said is not None), column - (pair.heard is not None)
        pairs.append(pair)
    return tuple(reversed(pairs))


def _align_units(said: Sequence[str], heard: Sequence[str]) -> tuple[Pair, ...]:
    """Return the alignment for `unit_cost`, computed by columns of bits (Hyyrö 2003)."""
    columns = _bit_columns(said, heard)
    pairs = []
    row, column = len(said), len(heard)
    while row and column:
        one, other = said[row - 1], heard[column - 1]
        is_free, is_dearer = (bits >> (row - 1) & 1 for bits in columns[column - 1])
        if one == other or not is_free:
            pairs.append(Pair(one, other))
            row, column = row - 1, column - 1
        elif is_dearer:
            pairs.append(Pair(one, None))
            row -= 1
        else:
            pairs.append(Pair(None, other))
            column -= 1
    pairs += (Pair(one, None) for one in reversed(said[:row]))
    pairs += (Pair(None, other) for other in reversed(heard[:column]))
    return tuple(reversed(pairs))


class EditCounts(NamedTuple):
    """The numbers of equal, substituted, deleted and inserted units."""

    hits: int
    substitutions: int
    deletions: int
    insertions: int


def edit_counts(said: Sequence[str], heard: Sequence[str]) -> EditCounts:
    """Return the counts of the alignment by `unit_cost`, without its pairs.

    Raises:
        DataError: If a sequence is longer than `MAX_UNITS`.
    """
    longest = max(len(said), len(heard))
    if longest > MAX_UNITS:
        raise DataError(f"{longest} units are too many to align: at most {MAX_UNITS}")
    # A common ending is aligned first, with any beginnings.
    row, column = len(said), len(heard)
    while row and column and said[row - 1] == heard[column - 1]:
        row, column = row - 1, column - 1
    hits = len(said) - row
    if not (row and column):
        return EditCounts(hits, 0, row, column)
    columns = _bit_columns(said[:row], heard[:column])
    substitutions = deletions = insertions = 0
    while row and column:
        free, dearer = columns[column - 1]
        bit = 1 << (row - 1)
        if said[row - 1] == heard[column - 1]:
            hits, row, column = hits + 1, row - 1, column - 1
        elif not free & bit:
            substitutions, row, column = substitutions + 1, row - 1, column - 1
        elif dearer & bit:
            deletions, row = deletions + 1, row - 1
        else:
            insertions, column = insertions + 1, column - 1
    return EditCounts(hits, substitutions, deletions + row, insertions + column)


def _bit_columns(said: Sequence[str], heard: Sequence[str]) -> list[tuple[int, int]]:
    """Return, for each heard unit, two numbers with one bit for each said unit.

    A bit of the first number is set if both prefixes cost as much as without their last units. A
    bit of the second number is set if they cost 1 more than without the last said unit.
    """
    places: dict[str, int] = {}
    for place, unit in enumerate(said):
        places[unit] = places.get(unit, 0) | 1 << place
    every = (1 << len(said)) - 1
    dearer, cheaper = every, 0
    columns = []
    for unit in heard:
        same = places.get(unit, 0)
        free = ((((same & dearer) + dearer) ^ dearer) | same | cheaper) & every
        dearer_across = ((cheaper | ~(free | dearer)) << 1 | 1) & every
        cheaper_across = (free & dearer) << 1 & every
        dearer = (cheaper_across | ~(free | dearer_across)) & every
        cheaper = dearer_across & free
        columns.append((free, dearer))
    return columns


def distance(said: Sequence[str], heard: Sequence[str], cost: Cost = unit_cost) -> float:
    """Return the cost of the cheapest alignment.

    Raises:
        DataError: If a sequence is longer than `MAX_UNITS`.
    """
    return sum(
        1.0 if pair.said is None or pair.heard is None else cost(pair.said, pair.heard)
        for pair in align(said, heard, cost)
    )


def _costs(said: Sequence[str], heard: Sequence[str], cost: Cost) -> list[list[float]]:
    """Return the cost of the alignment of every pair of prefixes."""
    table = [[float(column) for column in range(len(heard) + 1)]]
    for row, unit in enumerate(said, start=1):
        above, own = table[-1], [float(row)]
        for column, other in enumerate(heard, start=1):
            own.append(
                min(
                    above[column - 1] + cost(unit, other),
                    above[column] + 1.0,
                    own[column - 1] + 1.0,
                )
            )
        table.append(own)
    return table


def _last_pair(
    said: Sequence[str], heard: Sequence[str], table: Sequence[Sequence[float]], cost: Cost
) -> Pair:
    """Return the last step of the cheapest alignment of two prefixes."""
    row, column = len(said), len(heard)
    if not row:
        return Pair(None, heard[-1])
    if not column:
        return Pair(said[-1], None)
    here = table[row][column]
    if here == table[row - 1][column - 1] + cost(said[-1], heard[-1]):
        return Pair(said[-1], heard[-1])
    return Pair(said[-1], None) if here == table[row - 1][column] + 1.0 else Pair(None, heard[-1])
