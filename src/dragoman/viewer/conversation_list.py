"""The list of a run's conversations, with filters that stand in the address."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote, urlencode

import msgspec
from aiohttp import web

from dragoman.store.run_index import MATCH_ALL, ORDERS, IndexQuery, ListedRow, ListPage, Order
from dragoman.viewer.open_runs import OpenedRun
from dragoman.viewer.rendering import PageRequest, Route
from dragoman.viewer.run_index import FilterFields, KindCounts, Listing, filter_field_names

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
    sought: IndexQuery = MATCH_ALL
    order: Order = "plan"
    falling: bool = False

    def toggled(self, filter_field: str, value: str) -> "ListFilter":
        """Return this with a value wanted that is not, or the other way round."""
        values = self.chosen.get(filter_field, ())
        kept = tuple(each for each in values if each != value)
        changed = kept if value in values else (*values, value)
        others = {name: each for name, each in self.chosen.items() if name != filter_field}
        chosen = {**others, filter_field: changed} if changed else others
        return msgspec.structs.replace(self, chosen=chosen)

    def ordered(self, order: Order) -> "ListFilter":
        """Return this in an order; asked again, the other way round."""
        falling = order == self.order and not self.falling and order != "task"
        return msgspec.structs.replace(self, order=order, falling=falling)

    def without_search(self) -> "ListFilter":
        """Return this for all tasks."""
        return msgspec.structs.replace(self, sought=IndexQuery(behind=self.sought.behind))

    def without_figure(self) -> "ListFilter":
        """Return this whatever figure conversations are behind."""
        return msgspec.structs.replace(self, sought=IndexQuery(text=self.sought.text))

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


def list_filter(query: Mapping[str, tuple[str, ...]]) -> ListFilter:
    """Read a filter; an order that there is not is that of the plan."""
    order = _first(query, "order")
    chosen = {
        name: tuple(dict.fromkeys(value[:MAX_VALUE] for value in values))[:MOST_VALUES]
        for name, values in query.items()
        if name not in _OWN
    }
    return ListFilter(
        chosen=chosen,
        sought=IndexQuery(_first(query, "q").strip(), _first(query, "behind")),
        order=next((each for each in ORDERS if each == order), "plan"),
        falling=_first(query, "falling") == "1",
    )


def list_cut(query: Mapping[str, tuple[str, ...]], wanted: ListFilter) -> ListPage:
    """Read the requested part of a list.

    One more row is requested to detect the end of the list.
    """
    return ListPage(
        order=wanted.order,
        falling=wanted.falling,
        after=_number(_first(query, "after")),
        before=_number(_first(query, "before")),
        most=PER_PAGE + 1,
    )


def conversations_link(run: str, behind: str = "", **chosen: str) -> str:
    """Return the address of a run's conversations behind a figure, with these values on facets."""
    values: dict[str, tuple[str, ...]] = {name: (value,) for name, value in chosen.items() if value}
    wanted = ListFilter(values, IndexQuery(behind=behind))
    query = wanted.query()
    return f"/run/{quote(run, safe='')}/conversations{'?' if query else ''}{query}"


def _first(query: Mapping[str, tuple[str, ...]], name: str) -> str:
    return next(iter(query.get(name, ())), "")[:MAX_VALUE]


def _number(text: str) -> int:
    """Return a place in the plan; 0 where none is named."""
    most_digits = 9
    return int(text) if text.isascii() and text.isdigit() and len(text) <= most_digits else 0


MOST_SHOWN = 8
"""Values of a facet that are shown at once; the others are folded."""

LABELS = {
    "recognizer": "recogniser",
    "user": "simulated user",
    "blame": "lost by",
}
"""Facets that are called otherwise than in addresses."""

COLUMNS: tuple[tuple[Order, str], ...] = (
    ("task", "task"),
    ("ended", "ended"),
    ("seconds", "duration"),
    ("steps", "steps"),
    ("errors", "tool errors"),
    ("cost", "cost, USD"),
)
"""Orders that are offered, and what they are called."""


class _ListPage(msgspec.Struct, frozen=True):
    """A part of a list, and the places that stand before and after it in addresses."""

    rows: tuple[ListedRow, ...]
    before: int
    after: int


def show_conversation_list(asked: PageRequest) -> web.Response:
    """List conversations."""
    run = asked.run()
    with run.listing() as listing:
        return _page(asked, run, listing)


def _page(asked: PageRequest, run: OpenedRun, listing: Listing) -> web.Response:
    wanted = list_filter(asked.query)
    counted = listing.count(wanted.chosen, wanted.sought)
    filter_fields = listing.filter_fields()
    varying = _varying(filter_fields)
    cut = list_cut(asked.query, wanted)
    shown = _list_page(listing.rows(counted, cut, wanted.sought), is_back=bool(cut.before))
    if not cut.after and not cut.before:
        shown = msgspec.structs.replace(shown, before=0)
    return asked.page(
        "conversations.html.j2",
        run=run,
        wanted=wanted,
        total=counted.total,
        shown=shown,
        filter_fields=filter_fields,
        counted=counted.values,
        offered=_filters_to_choose(counted, wanted, varying),
        grid=[name for name in ("agent", "condition", "suite") if name in varying],
        labels=LABELS,
        columns=COLUMNS,
        most_shown=MOST_SHOWN,
        unread=run.unread(listing.read()),
    )


def _varying(filter_fields: Mapping[int, FilterFields]) -> list[str]:
    """Return the names of facets on which the run's conversations differ."""
    values: dict[str, set[tuple[str, ...]]] = {}
    names = filter_field_names(filter_fields.values())
    for entry in filter_fields.values():
        for name in names:
            values.setdefault(name, set()).add(entry.values(name))
    return [name for name, found in values.items() if len(found) > 1]


def _filters_to_choose(
    counted: KindCounts, wanted: ListFilter, varying: Sequence[str]
) -> list[str]:
    """Return the facets that can be chosen by: those that differ, and those that are chosen."""
    names = dict.fromkeys((*varying, *wanted.chosen))
    offered = [name for name in names if counted.values.get(name)]
    # Its axes say the same, one by one.
    return [name for name in offered if name != "condition" or name in wanted.chosen]


def _list_page(rows: tuple[ListedRow, ...], *, is_back: bool) -> _ListPage:
    """Return a page of rows, of which one more was looked for than it has."""
    is_more = len(rows) > PER_PAGE
    if is_back:
        rows = rows[-PER_PAGE:]
        return _ListPage(rows, rows[0].place if is_more else 0, rows[-1].place if rows else 0)
    rows = rows[:PER_PAGE]
    return _ListPage(rows, rows[0].place if rows else 0, rows[-1].place if is_more else 0)


CONVERSATIONS_ROUTE = Route("/run/{run}/conversations", show_conversation_list)
