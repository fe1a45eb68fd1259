"""The list of runs: results, progress, and the command that resumes a stopped run."""

from collections.abc import Iterable, Mapping
from shlex import quote
from typing import get_args
from urllib.parse import urlencode

import msgspec
from aiohttp import web

from dragoman.config.agent_specs import specs_of
from dragoman.core.errors import DragomanError
from dragoman.core.scores import OutcomeStatus
from dragoman.report.first_screen import first_screen
from dragoman.report.labels import agent_labels
from dragoman.report.overview import MatrixRow, RunOverview, points_of
from dragoman.runs.manifest import read_manifest
from dragoman.viewer.open_runs import OpenedRun
from dragoman.viewer.rendering import PageRequest, Route
from dragoman.viewer.run_index import Listing
from dragoman.viewer.run_pages import RunProgress, run_progress
from dragoman.viewer.stored_answers import stored_overview
from dragoman.viewer.stored_figures import stored_figures

MOST_RUNS = 50
"""Maximum number of runs on one page; the index of each run is updated."""

PATIENCE_SECONDS = 0.03
"""Longest wait for the indices of all runs of the page, in seconds."""


class ShownEstimate(msgspec.Struct, frozen=True):
    """A figure with its interval, as points, and its agent and condition."""

    amount: str
    interval: str
    label: str
    chips: tuple[str, ...] = ()


class RunState(msgspec.Struct, frozen=True):
    """The progress of a run.

    Attributes:
        name: The run's name in addresses.
        progress: Its progress.
        unread: Stored conversations that the index has not read.
        resume: The command that resumes it; "" for an imported run.
        is_computed: Whether its figures were computed at least once.
    """

    name: str
    progress: RunProgress
    unread: int
    resume: str
    is_computed: bool


class ListedRun(msgspec.Struct, frozen=True):
    """A run in the list.

    Attributes:
        name: Its name in addresses.
        title: The name of its folder.
        suite: The suite.
        agents: The short names of its agents.
        created: The start time, in seconds since 1970.
        problem: The error for an unreadable run; "" for a readable one.
        outcomes: The number of conversations with each outcome.
        state: Its progress; None where it cannot be read.
        first: pass^1 at the baseline of the first agent; None before it is known.
        drop: The largest drop that is distinguishable from the baseline.
        no_drop: The reason for a missing drop.
    """

    name: str
    title: str
    suite: str = ""
    agents: tuple[str, ...] = ()
    created: float = 0.0
    problem: str = ""
    outcomes: Mapping[OutcomeStatus, int] = {}
    state: RunState | None = None
    first: ShownEstimate | None = None
    drop: ShownEstimate | None = None
    no_drop: str = ""


def show_runs(asked: PageRequest) -> web.Response:
    """List the runs, the newest first."""
    wanted = asked.first("q").strip()
    every = [_known(run) for run in asked.library.runs()]
    found = [entry for entry in every if _matches(entry[1], wanted)]
    found.sort(key=lambda entry: entry[1].created, reverse=True)
    start = _start(asked.first("from"), len(found))
    shown = found[start : start + MOST_RUNS]
    patience = PATIENCE_SECONDS / max(1, len(shown))
    return asked.page(
        "runs.html.j2",
        runs=[_with_figures(run, row, asked.now, patience) for run, row in shown],
        total=len(every),
        found=len(found),
        wanted=wanted,
        places=asked.library.places,
        newer=_page_query(wanted, start - MOST_RUNS) if start else None,
        older=_page_query(wanted, start + MOST_RUNS) if start + MOST_RUNS < len(found) else None,
    )


def show_state(asked: PageRequest) -> web.Response:
    """Show the progress of a run: the part of its row that changes."""
    run = asked.run()
    with run.listing(PATIENCE_SECONDS) as listing:
        state, _ = _state(run, listing, asked.now)
    return asked.page("run_state.html.j2", state=state)


def _known(run: OpenedRun) -> tuple[OpenedRun, ListedRun]:
    """Return a run with the facts of its manifest."""
    try:
        manifest = read_manifest(run.store)
    except DragomanError as error:
        return run, ListedRun(run.name, run.title, problem=str(error))
    agents = agent_labels(specs_of(manifest.config.agents))
    return run, ListedRun(
        run.name,
        run.title,
        suite=manifest.config.suite,
        agents=tuple(agents.values()),
        created=manifest.created,
    )


def _matches(row: ListedRun, wanted: str) -> bool:
    """Return whether a run's name, suite or agents contain each searched word."""
    whole = " ".join((row.title, row.suite, *row.agents)).casefold()
    return all(word in whole for word in wanted.casefold().split())


def _start(asked: str, found: int) -> int:
    return min(int(asked), found) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 0  # noqa: PLR2004


def _page_query(wanted: str, start: int) -> str:
    named = {"q": wanted, "from": str(max(0, start)) if start > 0 else ""}
    return urlencode({name: value for name, value in named.items() if value})


def _with_figures(run: OpenedRun, row: ListedRun, now: float, patience: float) -> ListedRun:
    """Return a row with the figures from the run's index."""
    if row.problem:
        return row
    try:
        with run.listing(patience) as listing:
            state, outcomes = _state(run, listing, now)
            overview = listing.once(stored_overview)
    except DragomanError as error:
        return msgspec.structs.replace(row, problem=str(error))
    found = msgspec.structs.replace(row, state=state, outcomes=outcomes)
    if overview is None:
        return found
    return msgspec.structs.replace(
        found,
        first=_first(overview),
        drop=_largest_drop(overview),
        no_drop=_no_drop(overview),
    )


def _state(
    run: OpenedRun, listing: Listing, now: float
) -> tuple[RunState, Mapping[OutcomeStatus, int]]:
    outcomes: dict[OutcomeStatus, int] = dict.fromkeys(get_args(OutcomeStatus), 0)
    fields = listing.filter_fields()
    for number, many in listing.numbers().items():
        outcomes[fields[number].outcome] += many
    is_own = read_manifest(run.store).imported is msgspec.UNSET
    state = RunState(
        run.name,
        run_progress(listing, run, outcomes, now),
        run.unread(listing.read()),
        f"dragoman resume {quote(str(run.folder))}" if is_own else "",
        listing.once(stored_figures) is not None,
    )
    return state, outcomes


def _first(overview: RunOverview) -> ShownEstimate | None:
    """Return pass^1 at the baseline of the agent that the run's answer is about."""
    for row in _subject_first(overview):
        for cell in row.cells:
            if cell is not None and cell.figure.value is not None:
                interval = cell.figure.interval
                return ShownEstimate(
                    points_of(cell.figure.value),
                    f"{points_of(interval.low)}\u2013{points_of(interval.high)}"
                    if interval
                    else "",
                    row.label,
                    (cell.label,),
                )
    return None


def _subject_first(overview: RunOverview) -> Iterable[MatrixRow]:
    subject = overview.subject
    about = None if subject is None else (subject.suite, subject.agent)
    return sorted(overview.matrix, key=lambda row: (row.suite, row.agent) != about)


def _largest_drop(overview: RunOverview) -> ShownEstimate | None:
    subject = overview.subject
    if subject is None or not subject.is_distinguishable or subject.drop <= 0:
        return None
    screen = first_screen(overview)
    drawn = next(each for each in (*screen.rows, *screen.further) if each.row == subject)
    return ShownEstimate(drawn.amount, drawn.interval, subject.label, subject.chips)


def _no_drop(overview: RunOverview) -> str:
    if len(overview.conditions) < 2:  # noqa: PLR2004
        return "one condition"
    return "not distinguishable" if overview.subject is not None else "baseline fails"


RUNS_ROUTE = Route("/", show_runs, lambda asked: asked.library.runs())
STATE_ROUTE = Route("/run/{run}/state", show_state)
