"""The list of a run's conversations, with filters that stand in the address."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote, urlencode

import msgspec
from aiohttp import web

from dragoman.store.run_index import (
    MATCH_ALL,
    ORDERS,
    IndexQuery,
    ListedRow,
    ListPage,
    Order,
)
from dragoman.viewer.open_runs import OpenedRun
from dragoman.viewer.rendering import PageRequest, Route
from dragoman.viewer.run_index import KindCounts, Listing, condition_labels

PER_PAGE = 50

MAX_VALUE = 500
"""Longest value in an address that is read, in characters."""

MOST_VALUES = 50
"""Maximum number of values of one filter in an address."""

_OWN = frozenset({"q", "behind", "order", "falling", "after", "before"})


class ListFilter(msgspec.Struct, frozen=True):
    """The filter of a list of conversations, and its order.

    Attributes:
        chosen: Wanted values by filter: a conversation has any of the values of each filter.
        sought: Further search: a part of the task's id, or the figure that the conversations are
            behind.
        order: The sort order.
        falling: Whether the order is descending.
    """

    chosen: dict[str, tuple[str, ...]] = {}
    sought: IndexQuery = MATCH_ALL
    order: Order = "plan"
    falling: bool = False

    def toggled(self, filter_field: str, value: str) -> "ListFilter":
        """Return this filter with a value added, or removed if it was selected."""
        values = self.chosen.get(filter_field, ())
        kept = tuple(each for each in values if each != value)
        changed = kept if value in values else (*values, value)
        others = {name: each for name, each in self.chosen.items() if name != filter_field}
        chosen = {**others, filter_field: changed} if changed else others
        return msgspec.structs.replace(self, chosen=chosen)

    def ordered(self, order: Order) -> "ListFilter":
        """Return this filter in a sort order; the same order again is reversed."""
        falling = order == self.order and not self.falling and order != "task"
        return msgspec.structs.replace(self, order=order, falling=falling)

    def without_search(self) -> "ListFilter":
        """Return this filter without the search for a task."""
        return msgspec.structs.replace(self, sought=IndexQuery(behind=self.sought.behind))

    def without_figure(self) -> "ListFilter":
        """Return this filter without a figure."""
        return msgspec.structs.replace(self, sought=IndexQuery(text=self.sought.text))

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return the query of the address, as names and values."""
        return tuple(self._pairs())

    def query(self, **more: object) -> str:
        """Return the query of the address, with more names and values."""
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
    """Parse a filter; an unknown order is replaced by that of the plan."""
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
    """Parse the requested part of a list.

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
    """Return the address of a run's conversations behind a figure, with these filter values."""
    values: dict[str, tuple[str, ...]] = {name: (value,) for name, value in chosen.items() if value}
    wanted = ListFilter(values, IndexQuery(behind=behind))
    query = wanted.query()
    return f"/run/{quote(run, safe='')}/conversations{'?' if query else ''}{query}"


def _first(query: Mapping[str, tuple[str, ...]], name: str) -> str:
    return next(iter(query.get(name, ())), "")[:MAX_VALUE]


def _number(text: str) -> int:
    """Return a place in the plan; 0 if none is named."""
    most_digits = 9
    return int(text) if text.isascii() and text.isdigit() and len(text) <= most_digits else 0


MOST_SHOWN = 8
"""Values of a filter that are shown at once; the others are folded."""

LABELS = {
    "recognizer": "recognizer",
    "user": "simulated user",
    "blame": "failure source",
}
"""Display names of filters whose names in addresses differ."""

COLUMNS: tuple[tuple[Order, str], ...] = (
    ("task", "task"),
    ("ended", "ended"),
    ("seconds", "duration"),
    ("steps", "steps"),
    ("errors", "tool errors"),
    ("cost", "cost, USD"),
)
"""The sort orders with their display names."""


class _ListPage(msgspec.Struct, frozen=True):
    """A part of a list, with the addresses' places of the parts before and after it."""

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
    varying = listing.varying()
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
        conditions=listing.once(condition_labels),
        columns=COLUMNS,
        most_shown=MOST_SHOWN,
        unread=run.unread(listing.read()),
    )


def _filters_to_choose(
    counted: KindCounts, wanted: ListFilter, varying: Sequence[str]
) -> list[str]:
    """Return the filters to offer: those with several values, and those in use."""
    names = dict.fromkeys((*varying, *wanted.chosen))
    offered = [name for name in names if counted.values.get(name)]
    # The axes of the condition are filters of their own.
    return [name for name in offered if name != "condition" or name in wanted.chosen]


def _list_page(rows: tuple[ListedRow, ...], *, is_back: bool) -> _ListPage:
    """Return a page of rows from a result with one more row."""
    is_more = len(rows) > PER_PAGE
    if is_back:
        rows = rows[-PER_PAGE:]
        return _ListPage(rows, rows[0].place if is_more else 0, rows[-1].place if rows else 0)
    rows = rows[:PER_PAGE]
    return _ListPage(rows, rows[0].place if rows else 0, rows[-1].place if is_more else 0)


CONVERSATIONS_ROUTE = Route("/run/{run}/conversations", show_conversation_list)
