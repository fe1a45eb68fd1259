"""What a run found, in one glance; while it goes on, how far it is."""

from collections.abc import Mapping
from typing import get_args

import msgspec
from aiohttp import web

from dragoman.analysis.blame import CULPRITS
from dragoman.core.scores import Standing
from dragoman.viewer.filters import conversations_link
from dragoman.viewer.index.facets import Facets
from dragoman.viewer.index.figures import CellFigures, stored_figures
from dragoman.viewer.index.listing import Listing
from dragoman.viewer.index.losses import stored_shown_losses
from dragoman.viewer.live import progress_of
from dragoman.viewer.opened import OpenedRun
from dragoman.viewer.requests import PageRequest, Route

MOST_CAUSES = 12
"""How many causes are shown; all are in the list of conversations."""

PATIENCE_SECONDS = 0.03
"""How long the page waits for the index: what is not read by then is filled in as it is."""

FAILED: tuple[Standing, ...] = ("fail", "unscored", "code", "infrastructure")


class _Cell(msgspec.Struct, frozen=True):
    """A cell of the grid: its place, its figures as far as they are made, and where it stands."""

    suite: str
    condition: str
    agent: str
    standings: dict[Standing, int]
    figures: CellFigures | None


def show(asked: PageRequest) -> web.Response:
    """Show a run."""
    run = asked.run()
    with run.listing(PATIENCE_SECONDS) as listing:
        return _page(asked, run, listing)


def _page(asked: PageRequest, run: OpenedRun, listing: Listing) -> web.Response:
    counts = _counts(listing)
    figures = stored_figures(listing.index)
    are_older = figures is None or figures.read != listing.read()
    if are_older:
        run.ask_for_figures()
    cells = _cells(counts, {} if figures is None else _by_place(figures.cells))
    return asked.page(
        "overview.html.j2",
        **_live(run, listing, counts, asked.now),
        lost=stored_shown_losses(listing.index),
        cells=cells,
        names=_names(cells),
        are_older=are_older,
        facts=run.facts,
        is_assumed=any(cell.figures is not None and cell.figures.assumed for cell in cells),
    )


def show_live(asked: PageRequest) -> web.Response:
    """Show how far a run is: the part of its page that changes."""
    run = asked.run()
    with run.listing() as listing:
        return asked.page("live.html.j2", **_live(run, listing, _counts(listing), asked.now))


def _counts(listing: Listing) -> tuple[tuple[Facets, int], ...]:
    facets = listing.facets()
    return tuple((facets[number], many) for number, many in listing.numbers().items())


def _live(
    run: OpenedRun, listing: Listing, counts: tuple[tuple[Facets, int], ...], now: float
) -> dict[str, object]:
    """Return what the part that changes is made of."""
    standings: dict[Standing, int] = dict.fromkeys(get_args(Standing), 0)
    causes: dict[tuple[Standing, str], int] = {}
    blames: dict[str, int] = {}
    invalid = 0
    for entry, many in counts:
        standings[entry.outcome] += many
        invalid += many if entry.user == "invalid" else 0
        if entry.blame:
            blames[entry.blame] = blames.get(entry.blame, 0) + many
        for cause in entry.causes if entry.outcome in FAILED else ():
            place = entry.outcome, cause
            causes[place] = causes.get(place, 0) + many
    ordered = sorted(causes.items(), key=lambda found: (-found[1], found[0]))
    return {
        "run": run,
        "link": conversations_link,
        "progress": progress_of(listing, standings, now, run.cost_ahead),
        "standings": standings,
        "causes": ordered[:MOST_CAUSES],
        "further_causes": len(ordered) - MOST_CAUSES,
        "blames": sorted(blames.items(), key=lambda found: (-found[1], found[0])),
        "culprits": CULPRITS,
        "invalid": invalid,
        "unread": run.unread(listing.read()),
    }


def _cells(
    counts: tuple[tuple[Facets, int], ...], figures: Mapping[tuple[str, str, str], CellFigures]
) -> tuple[_Cell, ...]:
    found: dict[tuple[str, str, str], dict[Standing, int]] = {}
    for entry, many in sorted(counts, key=lambda each: each[0].outcome):
        place = entry.suite, entry.condition, entry.agent
        standings = found.setdefault(place, dict.fromkeys(get_args(Standing), 0))
        standings[entry.outcome] += many
    order = {place: number for number, place in enumerate(figures)}
    return tuple(
        _Cell(*place, standings, figures.get(place))
        for place, standings in sorted(
            found.items(), key=lambda entry: (order.get(entry[0], len(order)), entry[0])
        )
    )


def _by_place(cells: tuple[CellFigures, ...]) -> dict[tuple[str, str, str], CellFigures]:
    return {(cell.suite, cell.condition, cell.agent): cell for cell in cells}


def _names(cells: tuple[_Cell, ...]) -> list[str]:
    """Return what tells cells apart: the agent, and what else differs."""
    differing = [
        name for name in ("condition", "suite") if len({getattr(each, name) for each in cells}) > 1
    ]
    return ["agent", *differing]


ROUTE = Route("/run/{run}", show)
LIVE = Route("/run/{run}/live", show_live)
