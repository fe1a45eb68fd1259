"""Pages of one run: its overview and its progress."""

from collections.abc import Iterable, Mapping
from typing import get_args
from urllib.parse import quote

import msgspec
from aiohttp import web

from dragoman.analysis.cell_summary import PlaceInRun
from dragoman.core.scores import OutcomeStatus
from dragoman.report.first_screen import FirstScreen, first_screen
from dragoman.report.overview import Failures, MatrixCell, MatrixRow
from dragoman.runs.remaining_time import KindTimes, seconds_left
from dragoman.store.run_index import IndexTotals, RunIndex, recent, time_counts, totals
from dragoman.viewer.conversation_list import conversations_link
from dragoman.viewer.open_runs import OpenedRun
from dragoman.viewer.rendering import PageRequest, Route
from dragoman.viewer.run_index import FilterFields, Listing, condition_labels
from dragoman.viewer.stored_answers import stored_drops, stored_overview
from dragoman.viewer.stored_figures import CellFigures, stored_figures

WINDOW_SECONDS = 300.0
"""The longest time window of the rate, in seconds."""

QUIET_SECONDS = 120.0
"""Seconds without an end after which a run counts as stopped.

The limit is this or the time of a few conversations.
"""

QUIET_CONVERSATIONS = 5
"""The same limit in mean durations of a conversation, which may take minutes."""

_MINUTE = 60.0


class RunProgress(msgspec.Struct, frozen=True):
    """The progress of a run.

    Attributes:
        planned: Conversations of the plan.
        played: Those that were played.
        goes_on: Whether some are missing and one ended recently.
        since_last: Seconds since the last one ended; None if none ended.
        per_minute: Conversations per minute lately; None where that is not known.
        left_seconds: The remaining time, as the terminal estimates it; None where that is not
            known.
        cost: The cost of conversations with a known cost, and of the preflight, in US dollars; None
            where nothing has one.
        unknown_costs: The number of conversations without a known cost.
    """

    planned: int
    played: int
    goes_on: bool
    since_last: float | None
    per_minute: float | None
    left_seconds: float | None
    cost: float | None
    unknown_costs: int


def run_progress(
    listing: Listing, run: OpenedRun, counts: dict[OutcomeStatus, int], now: float
) -> RunProgress:
    """Return the progress of a run.

    Args:
        listing: Its conversations.
        run: The run.
        counts: The number of conversations of each status.
        now: Seconds since 1970.
    """
    cost_ahead = run.cost_ahead
    found = listing.once(totals)
    planned = sum(counts.values())
    missing = planned - found.played
    since = None if found.last is None else max(0.0, now - found.last)
    goes_on = missing > 0 and since is not None and since < _quiet(found)
    rate = _per_minute(listing, found, now) if goes_on else None
    is_known = found.played > found.unknown or cost_ahead > 0
    return RunProgress(
        planned=planned,
        played=found.played,
        goes_on=goes_on,
        since_last=since,
        per_minute=rate,
        left_seconds=_left(listing, run, _MINUTE * found.played / rate) if rate else None,
        cost=found.cost + cost_ahead if is_known else None,
        unknown_costs=found.unknown,
    )


def _left(listing: Listing, run: OpenedRun, elapsed: float) -> float | None:
    """Return the remaining seconds; `elapsed` is the time of the finished ones at today's rate."""
    kinds: dict[tuple[str, str, str], KindTimes] = {}
    named = listing.filter_fields()
    for each in listing.once(time_counts):
        times = kinds.setdefault(_kind(named[each.filter_fields]), KindTimes())
        times.waiting += each.waiting
        times.done += each.played
        times.seconds += each.seconds
    return seconds_left(kinds.values(), run.at_once, elapsed)


def _kind(entry: FilterFields) -> tuple[str, str, str]:
    return entry.agent, entry.axes.get("voice", ""), entry.axes.get("recognizer", "")


def _quiet(found: IndexTotals) -> float:
    mean = found.seconds / found.played if found.played else 0.0
    return max(QUIET_SECONDS, QUIET_CONVERSATIONS * mean)


def _per_minute(listing: Listing, found: IndexTotals, now: float) -> float | None:
    """Return the recent rate; for a run younger than the window, since its start."""
    ended = recent(listing.index, now - WINDOW_SECONDS)
    if found.first is None or not ended:
        return None
    lasted = min(WINDOW_SECONDS, max(1.0, now - found.first))
    return _MINUTE * ended / lasted


MOST_CAUSES = 12
"""Maximum number of causes on the page; the list of conversations has all."""

MAX_WAIT_SECONDS = 0.03
"""Longest wait of the page for the index, in seconds; unread conversations are added later."""

FAILED: tuple[OutcomeStatus, ...] = ("fail", "unscored", "code", "infrastructure")


class _Cell(msgspec.Struct, frozen=True):
    """A cell of the grid: its place, its available figures, and its status counts."""

    suite: str
    condition: str
    agent: str
    counts_by_status: dict[OutcomeStatus, int]
    figures: CellFigures | None


class _PageLinks:
    """Provider of addresses within the viewer for the first screen of one run.

    Args:
        run: The run's name in addresses.
    """

    def __init__(self, run: str) -> None:
        self._run = run

    def failures(self, found: Failures) -> str:
        """Return the address of a list of conversations."""
        return conversations_link(self._run, behind=found.name) if found.count else ""

    def conversation(self, suite: str, place: PlaceInRun) -> str:
        """Return the address of one conversation; its key names it in every suite."""
        if not place.key:
            return conversations_link(self._run, suite=suite, agent=place.agent)
        return f"/run/{quote(self._run, safe='')}/conversation/{quote(place.key, safe='')}"

    def cell(self, row: MatrixRow, cell: MatrixCell) -> str:
        """Return the address of the conversations of one cell."""
        return conversations_link(
            self._run, suite=row.suite, agent=row.agent, condition=cell.condition
        )


def show_overview(asked: PageRequest) -> web.Response:
    """Show a run."""
    run = asked.run()
    with run.listing(MAX_WAIT_SECONDS) as listing:
        return _page(asked, run, listing)


def _page(asked: PageRequest, run: OpenedRun, listing: Listing) -> web.Response:
    counts = _counts(listing)
    figures = listing.once(stored_figures)
    are_older = figures is None or figures.read != listing.read()
    if are_older:
        run.ask_for_figures()
    cells = _cells(counts, {} if figures is None else figures.by_place)
    return asked.page(
        "overview.html.j2",
        **_progress_values(run, listing, counts, asked.now),
        lost=listing.once(stored_drops),
        screen=listing.once(_first_screen),
        links=_PageLinks(run.name),
        cells=cells,
        conditions=listing.once(condition_labels),
        names=_names(cells),
        are_older=are_older,
        facts=run.facts,
        about=_about(run.facts),
        is_assumed=any(cell.figures is not None and cell.figures.assumed for cell in cells),
    )


def show_progress(asked: PageRequest) -> web.Response:
    """Show the progress of a run: the part of its page that changes."""
    run = asked.run()
    with run.listing() as listing:
        return asked.page(
            "live.html.j2", **_progress_values(run, listing, _counts(listing), asked.now)
        )


def _first_screen(index: RunIndex) -> FirstScreen | None:
    overview = stored_overview(index)
    return None if overview is None else first_screen(overview)


def _counts(listing: Listing) -> tuple[tuple[FilterFields, int], ...]:
    filter_fields = listing.filter_fields()
    return tuple((filter_fields[number], many) for number, many in listing.numbers().items())


def _progress_values(
    run: OpenedRun, listing: Listing, counts: tuple[tuple[FilterFields, int], ...], now: float
) -> dict[str, object]:
    """Return the values of the part of the page that changes."""
    counts_by_status: dict[OutcomeStatus, int] = dict.fromkeys(get_args(OutcomeStatus), 0)
    causes: dict[tuple[OutcomeStatus, str], int] = {}
    attributed: dict[str, int] = {}
    invalid = 0
    for entry, many in counts:
        counts_by_status[entry.outcome] += many
        invalid += many if entry.user == "invalid" else 0
        if entry.failure_source:
            attributed[entry.failure_source] = attributed.get(entry.failure_source, 0) + many
        for cause in entry.causes if entry.outcome in FAILED else ():
            place = entry.outcome, cause
            causes[place] = causes.get(place, 0) + many
    ordered = sorted(causes.items(), key=lambda found: (-found[1], found[0]))
    return {
        "run": run,
        "link": conversations_link,
        "progress": run_progress(listing, run, counts_by_status, now),
        "counts_by_status": counts_by_status,
        "causes": ordered[:MOST_CAUSES],
        "further_causes": len(ordered) - MOST_CAUSES,
        "attributed": sorted(attributed.items(), key=lambda found: (-found[1], found[0])),
        "invalid": invalid,
        "unread": run.unread(listing.read()),
    }


def _cells(
    counts: tuple[tuple[FilterFields, int], ...],
    figures: Mapping[tuple[str, str, str], CellFigures],
) -> tuple[_Cell, ...]:
    found: dict[tuple[str, str, str], dict[OutcomeStatus, int]] = {}
    for entry, many in sorted(counts, key=lambda each: each[0].outcome):
        place = entry.suite, entry.condition, entry.agent
        counts_by_status = found.setdefault(place, dict.fromkeys(get_args(OutcomeStatus), 0))
        counts_by_status[entry.outcome] += many
    order = {place: number for number, place in enumerate(figures)}
    return tuple(
        _Cell(*place, counts_by_status, figures.get(place))
        for place, counts_by_status in sorted(
            found.items(), key=lambda entry: (order.get(entry[0], len(order)), entry[0])
        )
    )


def _about(facts: Iterable[tuple[str, str]]) -> str:
    """Return the suite and the rules of a run in one line; its name is in the bar above."""
    known = dict(facts)
    return " · ".join(filter(None, (known.get("suite"), known.get("scored by"))))


def _names(cells: tuple[_Cell, ...]) -> list[str]:
    """Return the columns that distinguish cells: the agent, and the values that differ."""
    differing = [
        name for name in ("condition", "suite") if len({getattr(each, name) for each in cells}) > 1
    ]
    return ["agent", *differing]


OVERVIEW_ROUTE = Route("/run/{run}", show_overview)
PROGRESS_ROUTE = Route("/run/{run}/live", show_progress)
