"""Comparison pages: two conversations, or the tasks on which two cells differ."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from shlex import quote

import msgspec
from aiohttp import web

from dragoman.analysis.comparison import TaskPair
from dragoman.analysis.pass_hat import played_rewards
from dragoman.core.scores import OutcomeStatus, Scored, Unscored, Verdict, is_success
from dragoman.store.run_index import RewardRow, rewards, rows_of_task
from dragoman.viewer.conversation_page import (
    STATUS_NAMES,
    comparison_address,
    conversation_address,
    sound_addresses,
    view_of_stored,
)
from dragoman.viewer.conversation_view import ConversationView
from dragoman.viewer.open_runs import OpenedRun
from dragoman.viewer.rendering import MAX_TEXT, PageRequest, Route
from dragoman.viewer.run_index import FilterFields, Listing
from dragoman.viewer.side_by_side import LEGEND, side_by_side
from dragoman.viewer.word_diff import MAX_SHOWN, mark_legend

MOST_TRIALS = 100
"""Trials of a task that are looked through for one to show."""


class CellChoice(msgspec.Struct, frozen=True):
    """One cell of a run's grid by its number in the plan.

    `filter_fields` maps its facets' numbers to outcomes.
    """

    number: int
    suite: str
    agent: str
    condition: str
    filter_fields: dict[int, OutcomeStatus]

    @property
    def place(self) -> tuple[str, str, str]:
        """What tells it from the other cells of its run."""
        return self.suite, self.agent, self.condition


class Flips(msgspec.Struct, frozen=True):
    """The tasks of two cells.

    Attributes:
        won: Those that succeed more often in B.
        lost: Those that succeed less often in B.
        even: How many succeed as often in both.
        left_out: How many cannot be compared, by reason.
    """

    won: tuple[TaskPair, ...]
    lost: tuple[TaskPair, ...]
    even: int
    left_out: dict[str, int]


def cell_choices(filter_fields: Mapping[int, FilterFields]) -> tuple[CellChoice, ...]:
    """Return the cells of a run by its facets, in the order of its plan."""
    found: dict[tuple[str, str, str], dict[int, OutcomeStatus]] = {}
    for number, entry in sorted(filter_fields.items()):
        place = (entry.suite, entry.agent, entry.condition)
        found.setdefault(place, {})[number] = entry.outcome
    return tuple(
        CellChoice(number, *place, outcomes)
        for number, (place, outcomes) in enumerate(found.items())
    )


def find_flips(
    a: Mapping[str, Sequence[Verdict | None]],
    b: Mapping[str, Sequence[Verdict | None]],
    changed: frozenset[str] = frozenset(),
) -> Flips:
    """Set the tasks of two cells against each other.

    Args:
        a: The rewards in A, by task.
        b: The rewards in B.
        changed: Tasks of which the two runs have different versions.
    """
    pairs: list[TaskPair] = []
    left_out: dict[str, int] = {}
    for task in dict.fromkeys((*a, *b)):
        played = played_rewards(a.get(task, ())), played_rewards(b.get(task, ()))
        reason = _obstacle(task in a, task in b, played, is_changed=task in changed)
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
        else:
            pairs.append(TaskPair(task, *played))
    won = tuple(pair for pair in pairs if pair.gain > 0)
    lost = tuple(pair for pair in pairs if pair.gain < 0)
    return Flips(won, lost, len(pairs) - len(won) - len(lost), left_out)


def _obstacle(
    in_a: bool,
    in_b: bool,
    played: tuple[Sequence[float], Sequence[float]],
    *,
    is_changed: bool,
) -> str:
    if not (in_a and in_b):
        return "only in A" if in_a else "only in B"
    if is_changed:
        return "another version of the task"
    return "" if all(played) else "not played, or not decided, in one of them"


def rewards_by_task(listing: Listing, cell: CellChoice) -> dict[str, list[Verdict | None]]:
    """Return the rewards of a cell by task."""
    found: dict[str, list[Verdict | None]] = {}
    for row in rewards(listing.index, cell.filter_fields):
        found.setdefault(row.task, []).append(_verdict(row))
    return found


def _verdict(row: RewardRow) -> Verdict | None:
    if row.attempt is None:
        return None
    if row.reward is None:
        return Unscored("no reward")
    return Scored(row.reward, ("a part",) if row.undecided else ())


def shown_trial(listing: Listing, cell: CellChoice, task: str, *, is_won: bool) -> str:
    """Return the key of a trial of a task that succeeded, or that did not; else of the first."""
    rows = rows_of_task(listing.index, task, cell.filter_fields, MOST_TRIALS)
    fitting = (
        row.key for row in rows if (cell.filter_fields[row.filter_fields] == "pass") == is_won
    )
    return next(fitting, rows[0].key if rows else "")


def successes(values: Sequence[float]) -> str:
    """Return how many trials of a task succeeded, of how many."""
    return f"{sum(map(is_success, values))} of {len(values)}"


def default_pair(
    a: Sequence[CellChoice], b: Sequence[CellChoice], *, is_one_run: bool
) -> tuple[CellChoice, CellChoice]:
    """Return the initial pair of cells.

    It is the same cell of two runs, or else the first two cells of a suite.
    """
    first = a[0]
    fitting = (each for each in b if _fits(first, each, is_one_run=is_one_run))
    return first, next(fitting, b[0])


def _fits(one: CellChoice, other: CellChoice, *, is_one_run: bool) -> bool:
    if is_one_run:
        return one.suite == other.suite and one.place != other.place
    return one.place == other.place


def chosen_cell(cells: Sequence[CellChoice], number: str) -> CellChoice | None:
    """Return the cell of a number as it stands in an address; None where there is none."""
    return next((cell for cell in cells if str(cell.number) == number), None)


MOST_SHOWN = 200
"""Flipped tasks of each kind that are listed."""


class _Side(msgspec.Struct, frozen=True):
    """One of the two: its run, the run's cells, and the one that is chosen."""

    run: OpenedRun
    listing: Listing
    cells: tuple[CellChoice, ...]
    cell: CellChoice


class FlippedRow(msgspec.Struct, frozen=True):
    """One flipped task: how often it succeeds in each, and the address of a trial of both."""

    task: str
    a: str
    b: str
    address: str


def show_flips(asked: PageRequest) -> web.Response:
    """Show which tasks two cells win and lose.

    Raises:
        HTTPNotFound: Where there is no such run.
    """
    one = asked.run_named(asked.first("a"))
    other = asked.run_named(asked.first("b") or one.name)
    with _listings(one, other) as (of_one, of_other):
        a, b = _sides(asked, (one, of_one), (other, of_other))
        found = find_flips(
            rewards_by_task(a.listing, a.cell),
            rewards_by_task(b.listing, b.cell),
            _changed_tasks(one, other),
        )
        return asked.page(
            "flips.html.j2",
            a=a,
            b=b,
            found=found,
            lost=_rows(found.lost, a, b, is_won=False),
            won=_rows(found.won, a, b, is_won=True),
            command=_command(one, other),
        )


@contextmanager
def _listings(one: OpenedRun, other: OpenedRun) -> Iterator[tuple[Listing, Listing]]:
    with one.listing() as listing:
        if one is other:
            yield listing, listing
        else:
            with other.listing() as second:
                yield listing, second


def _sides(
    asked: PageRequest, one: tuple[OpenedRun, Listing], other: tuple[OpenedRun, Listing]
) -> tuple[_Side, _Side]:
    """Return both sides, with the cells that the address names, or those to begin with.

    Raises:
        HTTPNotFound: Where a run is not read yet, and so has no cells.
    """
    cells = [cell_choices(listing.filter_fields()) for _, listing in (one, other)]
    if not all(cells):
        raise web.HTTPNotFound(text="This run is being read: look again in a moment.")
    pair = default_pair(*cells, is_one_run=one[0] is other[0])
    return (
        _Side(*one, cells[0], chosen_cell(cells[0], asked.first("cell_a")) or pair[0]),
        _Side(*other, cells[1], chosen_cell(cells[1], asked.first("cell_b")) or pair[1]),
    )


def _changed_tasks(one: OpenedRun, other: OpenedRun) -> frozenset[str]:
    """Return the tasks of which two runs have different versions."""
    if one is other:
        return frozenset()
    digests = {task.id: task.digest for task in one.tasks.values()}
    return frozenset(
        task.id for task in other.tasks.values() if digests.get(task.id, task.digest) != task.digest
    )


def _rows(
    pairs: Sequence[TaskPair], a: _Side, b: _Side, *, is_won: bool
) -> tuple[tuple[FlippedRow, ...], int]:
    """Return the first rows of flipped tasks, and how many there are."""
    rows = (_row(pair, a, b, is_won=is_won) for pair in pairs[:MOST_SHOWN])
    return tuple(rows), len(pairs)


def _row(pair: TaskPair, a: _Side, b: _Side, *, is_won: bool) -> FlippedRow:
    in_a = a.run.name, shown_trial(a.listing, a.cell, pair.task, is_won=not is_won)
    in_b = b.run.name, shown_trial(b.listing, b.cell, pair.task, is_won=is_won)
    address = comparison_address(in_a, in_b)
    return FlippedRow(pair.task, successes(pair.a), successes(pair.b), address)


def _command(one: OpenedRun, other: OpenedRun) -> str:
    """Return the command that prints the difference with its interval."""
    folders = dict.fromkeys(quote(str(run.folder)) for run in (one, other))
    return f"dragoman compare {' '.join(folders)}"


class ShownSide(msgspec.Struct, frozen=True):
    """One of the two conversations: its run, its address, and where its sounds are."""

    run: OpenedRun
    address: str
    view: ConversationView
    sounds: dict[str, str]


def show_comparison(asked: PageRequest) -> web.Response:
    """Show two conversations, each named as `RUN/KEY`, or the tasks that flip between two runs."""
    return show_conversations(asked) if "/" in asked.first("a") else show_flips(asked)


def show_conversations(asked: PageRequest) -> web.Response:
    """Show two conversations side by side.

    Raises:
        HTTPNotFound: Where there is no such run or conversation.
        HTTPBadRequest: Where the two are of different tasks.
    """
    most = MAX_TEXT if asked.first("whole") else MAX_SHOWN
    a, b = (_shown_side(asked, asked.first(name), most) for name in ("a", "b"))
    places = [(side.view.cell.suite, side.view.cell.task) for side in (a, b)]
    if places[0] != places[1]:
        raise web.HTTPBadRequest(text="These are conversations of two tasks: choose two of one.")
    tasks = [None if side.view.task is None else side.view.task.digest for side in (a, b)]
    return asked.page(
        "compare.html.j2",
        a=a,
        b=b,
        both=side_by_side(a.view, b.view),
        is_other_task=tasks[0] != tasks[1],
        differences=LEGEND,
        legend=mark_legend(mark for side in (a, b) for mark, _ in side.view.legend),
        status_names=STATUS_NAMES,
        most=most,
    )


def _shown_side(asked: PageRequest, name: str, most: int) -> ShownSide:
    run_name, _, key = name.partition("/")
    run = asked.run_named(run_name)
    view = view_of_stored(run, key, most)
    return ShownSide(
        run, conversation_address(run_name, key), view, sound_addresses(run, view.turns)
    )


COMPARE_ROUTE = Route("/compare", show_comparison)
