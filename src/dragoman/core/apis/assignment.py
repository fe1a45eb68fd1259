"""Pairs of a cost table that cost least together (the Hungarian method, on whole numbers)."""

from collections.abc import Sequence

_UNKNOWN = 1 << 256
"""More than any way can cost."""


def cheapest_assignment(costs: Sequence[Sequence[int]]) -> int:
    """Return the least sum of costs in which each row of the shorter side has a place of its own.

    Whole numbers of any size keep several figures apart in one cost. Time grows with the shorter side
    squared times the longer one.

    Args:
        costs: By row and column, at least one of each.
    """
    if len(costs) == 1:
        return min(costs[0])
    if len(costs) > len(costs[0]):
        return cheapest_assignment(list(zip(*costs, strict=True)))
    table = _Table(costs)
    for row in range(len(costs)):
        table.place(row)
    return table.cost()


class _Table:
    """Rows that have a column so far, and the potentials by which the next one is placed cheapest."""

    def __init__(self, costs: Sequence[Sequence[int]]) -> None:
        self._costs = costs
        self._free = len(costs[0])
        """The column from which a new row sets out: one behind the last."""
        self._of_row = [0] * len(costs)
        self._of_column = [0] * (self._free + 1)
        self._row_at: list[int | None] = [None] * (self._free + 1)

    def cost(self) -> int:
        """Return what the pairs cost together."""
        pairs = enumerate(self._row_at[: self._free])
        return sum(self._costs[row][column] for column, row in pairs if row is not None)

    def place(self, row: int) -> None:
        """Give a row a column; others move on along the cheapest way to a free one."""
        self._row_at[self._free] = row
        least = [_UNKNOWN] * self._free
        before = [self._free] * self._free
        seen = [self._free]
        column = self._free
        while (at := self._row_at[column]) is not None:
            open_ones = [each for each in range(self._free) if each not in seen]
            for other in open_ones:
                reduced = self._costs[at][other] - self._of_row[at] - self._of_column[other]
                if reduced < least[other]:
                    least[other], before[other] = reduced, column
            column = min(open_ones, key=least.__getitem__)
            step = least[column]
            self._shift(seen, step)
            for other in open_ones:
                least[other] -= step
            seen.append(column)
        while column != self._free:
            self._row_at[column] = self._row_at[before[column]]
            column = before[column]

    def _shift(self, seen: Sequence[int], step: int) -> None:
        for each in seen:
            row = self._row_at[each]
            if row is not None:
                self._of_row[row] += step
            self._of_column[each] -= step
