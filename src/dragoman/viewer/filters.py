"""Which conversations an address asks for; all of it stands in the address."""

from collections.abc import Iterator, Mapping
from urllib.parse import quote, urlencode

import msgspec

from dragoman.store.run_index.lists import EVERYTHING, ORDERS, ListCut, Order, Sought

PER_PAGE = 50

MAX_VALUE = 500
"""Characters of a value in an address that are read."""

MOST_VALUES = 50
"""How many values of one facet an address may name."""

_OWN = frozenset({"q", "behind", "order", "falling", "after", "before"})


class ListFilter(msgspec.Struct, frozen=True):
    """Which conversations are wanted, and in which order.

    Attributes:
        chosen: Values that are wanted by facet: any of them, and of each facet.
        sought: What is looked for beside: words of a task's id, a figure that they are behind.
        order: By what they are ordered.
        falling: Whether the largest comes first.
    """

    chosen: dict[str, tuple[str, ...]] = {}
    sought: Sought = EVERYTHING
    order: Order = "plan"
    falling: bool = False

    def toggled(self, facet: str, value: str) -> "ListFilter":
        """Return this with a value wanted that is not, or the other way round."""
        values = self.chosen.get(facet, ())
        kept = tuple(each for each in values if each != value)
        changed = kept if value in values else (*values, value)
        others = {name: each for name, each in self.chosen.items() if name != facet}
        chosen = {**others, facet: changed} if changed else others
        return msgspec.structs.replace(self, chosen=chosen)

    def ordered(self, order: Order) -> "ListFilter":
        """Return this in an order; asked again, the other way round."""
        falling = order == self.order and not self.falling and order != "task"
        return msgspec.structs.replace(self, order=order, falling=falling)

    def without_search(self) -> "ListFilter":
        """Return this for all tasks."""
        return msgspec.structs.replace(self, sought=Sought(behind=self.sought.behind))

    def without_figure(self) -> "ListFilter":
        """Return this whatever figure conversations are behind."""
        return msgspec.structs.replace(self, sought=Sought(text=self.sought.text))

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return what stands after the question mark, as names and values."""
        return tuple(self._pairs())

    def query(self, **more: object) -> str:
        """Return what stands after the question mark, with more names and values."""
        return urlencode([*self._pairs(), *((name, str(value)) for name, value in more.items())])

    def _pairs(self) -> Iterator[tuple[str, str]]:
        for name, values in self.chosen.items():
            yield from ((name, value) for value in values)
        if self.sought.text:
            yield "q", self.sought.text
        if self.sought.behind:
            yield "behind", self.sought.behind
        if self.order != "plan" or self.falling:
            yield "order", self.order
        if self.falling:
            yield "falling", "1"


def filter_of(query: Mapping[str, tuple[str, ...]]) -> ListFilter:
    """Read a filter; an order that there is not is that of the plan."""
    order = _first(query, "order")
    chosen = {
        name: tuple(dict.fromkeys(value[:MAX_VALUE] for value in values))[:MOST_VALUES]
        for name, values in query.items()
        if name not in _OWN
    }
    return ListFilter(
        chosen=chosen,
        sought=Sought(_first(query, "q").strip(), _first(query, "behind")),
        order=next((each for each in ORDERS if each == order), "plan"),
        falling=_first(query, "falling") == "1",
    )


def cut_of(query: Mapping[str, tuple[str, ...]], wanted: ListFilter) -> ListCut:
    """Read which part of a list is asked for; one row more is looked for, to know whether it ends."""
    return ListCut(
        order=wanted.order,
        falling=wanted.falling,
        after=_number(_first(query, "after")),
        before=_number(_first(query, "before")),
        most=PER_PAGE + 1,
    )


def conversations_link(run: str, behind: str = "", **chosen: str) -> str:
    """Return the address of a run's conversations behind a figure, with these values on facets."""
    values: dict[str, tuple[str, ...]] = {name: (value,) for name, value in chosen.items() if value}
    wanted = ListFilter(values, Sought(behind=behind))
    query = wanted.query()
    return f"/run/{quote(run, safe='')}/conversations{'?' if query else ''}{query}"


def _first(query: Mapping[str, tuple[str, ...]], name: str) -> str:
    return next(iter(query.get(name, ())), "")[:MAX_VALUE]


def _number(text: str) -> int:
    """Return a place in the plan; 0 where none is named."""
    most_digits = 9
    return int(text) if text.isascii() and text.isdigit() and len(text) <= most_digits else 0
