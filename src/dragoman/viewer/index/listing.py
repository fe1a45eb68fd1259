"""What pages ask of a run's conversations: how many of which kind, and which."""

from collections.abc import Mapping

import msgspec

from dragoman.store.run import LastRows
from dragoman.store.run_index.file import RunIndex
from dragoman.store.run_index.lists import (
    EVERYTHING,
    ListCut,
    ListedRow,
    Sought,
    counts,
    facets,
    row_of,
    rows,
)
from dragoman.viewer.index.facets import Facets, names_of

Chosen = Mapping[str, tuple[str, ...]]
"""Values that are wanted by the name of their facet: any of them, and of each facet."""


class FacetValue(msgspec.Struct, frozen=True):
    """A value of a facet, and how many conversations have it, all other facets being as chosen."""

    name: str
    count: int
    is_chosen: bool


class KindCounts(msgspec.Struct, frozen=True):
    """How many conversations there are of each kind.

    Attributes:
        total: How many are chosen.
        values: By facet, the values and how many have them.
        wanted: The numbers of the facets that are chosen.
    """

    total: int
    values: dict[str, tuple[FacetValue, ...]]
    wanted: frozenset[int]


class Listing:
    """Asks one index; belongs to the thread that answers requests."""

    def __init__(self, index: RunIndex) -> None:
        self._index = index
        self._facets: dict[int, Facets] = {}

    @property
    def index(self) -> RunIndex:
        """The index."""
        return self._index

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def read(self) -> LastRows:
        """Return how far the run is read."""
        return self._index.read() or LastRows()

    def facets(self) -> dict[int, Facets]:
        """Return all facets by number."""
        return {
            number: msgspec.json.decode(content, type=Facets)
            for number, content in facets(self._index).items()
        }

    def numbers(self) -> dict[int, int]:
        """Return by number of facets how many conversations have them."""
        return counts(self._index)

    def count(self, chosen: Chosen, sought: Sought = EVERYTHING) -> KindCounts:
        """Count the conversations that are chosen, and those that another choice would give."""
        named = self.facets()
        kinds = [
            (number, named[number], many) for number, many in counts(self._index, sought).items()
        ]
        total, wanted = 0, set()
        by_value: dict[str, dict[str, int]] = {name: {} for name in names_of(named.values())}
        for number, entry, many in kinds:
            missed = [name for name, values in chosen.items() if not _has(entry, name, values)]
            if not missed:
                total += many
                wanted.add(number)
            for name in missed if len(missed) == 1 else () if missed else by_value:
                if name in by_value:
                    for value in entry.values(name):
                        by_value[name][value] = by_value[name].get(value, 0) + many
        return KindCounts(
            total,
            {name: _values(found, chosen.get(name, ())) for name, found in by_value.items()},
            frozenset(wanted),
        )

    def rows(
        self, counted: KindCounts, cut: ListCut, sought: Sought = EVERYTHING
    ) -> tuple[ListedRow, ...]:
        """Return rows among those that were counted as chosen."""
        return rows(self._index, counted.wanted, cut, sought)

    def row(self, key: str) -> ListedRow | None:
        """Return the row of a cell by its key."""
        return row_of(self._index, key)


def _has(entry: Facets, name: str, values: tuple[str, ...]) -> bool:
    return not set(values).isdisjoint(entry.values(name))


def _values(found: Mapping[str, int], chosen: tuple[str, ...]) -> tuple[FacetValue, ...]:
    """Return values, the most frequent first; chosen ones are there even with no conversation."""
    every = {**dict.fromkeys(chosen, 0), **found}
    return tuple(
        FacetValue(name, count, name in chosen)
        for name, count in sorted(every.items(), key=lambda entry: (-entry[1], entry[0]))
    )
