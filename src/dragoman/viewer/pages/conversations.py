"""The conversations of a run, filtered, in pages; everything that is chosen stands in the address."""

from collections.abc import Mapping, Sequence

import msgspec
from aiohttp import web

from dragoman.store.run_index.lists import ListedRow, Order
from dragoman.viewer.filters import PER_PAGE, ListFilter, cut_of, filter_of
from dragoman.viewer.index.facets import Facets, names_of
from dragoman.viewer.index.listing import KindCounts, Listing
from dragoman.viewer.opened import OpenedRun
from dragoman.viewer.requests import PageRequest, Route

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


class _Shown(msgspec.Struct, frozen=True):
    """A part of a list, and the places that stand before and after it in addresses."""

    rows: tuple[ListedRow, ...]
    before: int
    after: int


def show(asked: PageRequest) -> web.Response:
    """List conversations."""
    run = asked.run()
    with run.listing() as listing:
        return _page(asked, run, listing)


def _page(asked: PageRequest, run: OpenedRun, listing: Listing) -> web.Response:
    wanted = filter_of(asked.query)
    counted = listing.count(wanted.chosen, wanted.sought)
    facets = listing.facets()
    varying = _varying(facets)
    cut = cut_of(asked.query, wanted)
    shown = _shown(listing.rows(counted, cut, wanted.sought), is_back=bool(cut.before))
    if not cut.after and not cut.before:
        shown = msgspec.structs.replace(shown, before=0)
    return asked.page(
        "conversations.html.j2",
        run=run,
        wanted=wanted,
        total=counted.total,
        shown=shown,
        facets=facets,
        counted=counted.values,
        offered=_offered(counted, wanted, varying),
        grid=[name for name in ("agent", "condition", "suite") if name in varying],
        labels=LABELS,
        columns=COLUMNS,
        most_shown=MOST_SHOWN,
        unread=run.unread(listing.read()),
    )


def _varying(facets: Mapping[int, Facets]) -> list[str]:
    """Return the names of facets on which the run's conversations differ."""
    values: dict[str, set[tuple[str, ...]]] = {}
    names = names_of(facets.values())
    for entry in facets.values():
        for name in names:
            values.setdefault(name, set()).add(entry.values(name))
    return [name for name, found in values.items() if len(found) > 1]


def _offered(counted: KindCounts, wanted: ListFilter, varying: Sequence[str]) -> list[str]:
    """Return the facets that can be chosen by: those that differ, and those that are chosen."""
    names = dict.fromkeys((*varying, *wanted.chosen))
    offered = [name for name in names if counted.values.get(name)]
    # Its axes say the same, one by one.
    return [name for name in offered if name != "condition" or name in wanted.chosen]


def _shown(rows: tuple[ListedRow, ...], *, is_back: bool) -> _Shown:
    """Return a page of rows, of which one more was looked for than it has."""
    is_more = len(rows) > PER_PAGE
    if is_back:
        rows = rows[-PER_PAGE:]
        return _Shown(rows, rows[0].place if is_more else 0, rows[-1].place if rows else 0)
    rows = rows[:PER_PAGE]
    return _Shown(rows, rows[0].place if rows else 0, rows[-1].place if is_more else 0)


ROUTE = Route("/run/{run}/conversations", show)
