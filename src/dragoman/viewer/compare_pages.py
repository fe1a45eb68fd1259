"""Comparison pages: two conversations, or the tasks on which two cells differ."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from shlex import quote

import msgspec
from aiohttp import web

from dragoman.analysis.comparison import Gap, TaskPair, first_gap
from dragoman.analysis.pass_hat import Figure, played_rewards
from dragoman.core.conditions import condition_from
from dragoman.core.scores import OutcomeStatus, Scored, Unscored, Verdict, is_success
from dragoman.report.first_screen import signed_points
from dragoman.report.labels import agent_labels, condition_label, is_diagnostic
from dragoman.store.run_index import RewardRow, RunIndex, rewards, rows_of_tasks
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
from dragoman.viewer.run_index import FilterFields, Listing, decoded_filter_fields
from dragoman.viewer.side_by_side import LEGEND, side_by_side
from dragoman.viewer.stored_figures import CellFigures, StoredFigures, stored_figures
from dragoman.viewer.word_diff import MAX_SHOWN, mark_legend


class CellChoice(msgspec.Struct, frozen=True):
    """One cell of a run's grid by its number in the plan.

    `filter_fields` maps the numbers of its filter values to outcomes; `label` is the agent's short
    name, `chip` the condition in words, and `figure` pass^1, None before it is known.
    """

    number: int
    suite: str
    agent: str
    condition: str
    filter_fields: dict[int, OutcomeStatus]
    label: str = ""
    chip: str = ""
    figure: Figure | None = None

    @property
    def first(self) -> float | None:
        """pass^1; None before it is known."""
        return None if self.figure is None else self.figure.value

    @property
    def place(self) -> tuple[str, str, str]:
        """Suite, condition and agent, which identify a cell within its run."""
        return self.suite, self.agent, self.condition


class Flips(msgspec.Struct, frozen=True):
    """The tasks of two cells.

    Attributes:
        won: Those that succeed more often in B, the largest difference first.
        lost: Those that succeed less often in B.
        even: The number of tasks that succeed equally often in both.
        left_out: The number of tasks that cannot be compared, by reason.
        gap: The difference of pass^1; None if no task can be compared.
    """

    won: tuple[TaskPair, ...]
    lost: tuple[TaskPair, ...]
    even: int
    left_out: dict[str, int]
    gap: Gap | None = None


def cell_choices(
    filter_fields: Mapping[int, FilterFields], figures: StoredFigures | None = None
) -> tuple[CellChoice, ...]:
    """Return the cells of a run by their filter values, in the order of its plan."""
    known = {} if figures is None else figures.by_place
    names = agent_labels(entry.agent for entry in filter_fields.values())
    found: dict[tuple[str, str, str], dict[int, OutcomeStatus]] = {}
    conditions: dict[str, str] = {}
    for number, entry in sorted(filter_fields.items()):
        place = (entry.suite, entry.agent, entry.condition)
        found.setdefault(place, {})[number] = entry.outcome
        conditions[entry.condition] = entry.stored_condition
    chips = {name: condition_label(condition_from(each)) for name, each in conditions.items()}
    return tuple(
        CellChoice(
            number,
            suite,
            agent,
            condition,
            outcomes,
            names[agent],
            chips[condition],
            _figure(known.get((suite, condition, agent))),
        )
        for number, ((suite, agent, condition), outcomes) in enumerate(found.items())
    )


def _stored_choices(index: RunIndex) -> tuple[CellChoice, ...]:
    return cell_choices(decoded_filter_fields(index), stored_figures(index))


def _figure(found: CellFigures | None) -> Figure | None:
    return None if found is None else found.first


def find_flips(
    a: Mapping[str, Sequence[Verdict | None]],
    b: Mapping[str, Sequence[Verdict | None]],
    changed: frozenset[str] = frozenset(),
) -> Flips:
    """Compare the tasks of two cells.

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
    pairs.sort(key=lambda pair: -abs(pair.gain))
    won = tuple(pair for pair in pairs if pair.gain > 0)
    lost = tuple(pair for pair in pairs if pair.gain < 0)
    return Flips(won, lost, len(pairs) - len(won) - len(lost), left_out, first_gap(pairs))


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


def shown_trials(
    listing: Listing, cell: CellChoice, tasks: Collection[str], *, is_won: bool
) -> dict[str, str]:
    """Return by task the key of one trial of a cell.

    With `is_won` it is a trial that succeeded, otherwise one that failed. A task without such a
    trial has its first one.
    """
    first: dict[str, str] = {}
    fitting: dict[str, str] = {}
    for row in rows_of_tasks(listing.index, tasks, cell.filter_fields):
        first.setdefault(row.task, row.key)
        if (cell.filter_fields[row.filter_fields] == "pass") == is_won:
            fitting.setdefault(row.task, row.key)
    return {**first, **fitting}


def successes(values: Sequence[float]) -> str:
    """Return how many trials of a task succeeded, of how many."""
    return f"{sum(map(is_success, values))} of {len(values)}"


def default_pair(
    a: Sequence[CellChoice], b: Sequence[CellChoice], *, is_one_run: bool
) -> tuple[CellChoice, CellChoice]:
    """Return the initial pair of cells: the one with the largest difference of pass^1.

    Two runs are compared in the same cell if there is one. In one run conditions of one agent come
    before agents under one condition, and agents that ship with Dragoman come last.

    Args:
        a: The cells of the first run, in the order of its plan.
        b: The cells of the second run.
        is_one_run: Whether both are the same run; the cell with the higher pass^1 is then first.
    """
    fitting = [
        (one, other)
        for one, other in product(a, b)
        if one.suite == other.suite and (other.number > one.number if is_one_run else True)
    ]
    if not fitting:
        return a[0], b[0]
    diagnostic = {cell.agent for cell in (*a, *b) if is_diagnostic(cell.agent)}
    one, other = min(fitting, key=lambda pair: _rank(pair[0], pair[1], diagnostic))
    is_turned = is_one_run and (one.first or 0.0) < (other.first or 0.0)
    return (other, one) if is_turned else (one, other)


def _rank(
    one: CellChoice, other: CellChoice, diagnostic: Collection[str]
) -> tuple[int, int, bool, float]:
    """Return the sort key of a pair; the initial pair comes first."""
    is_known = one.first is not None and other.first is not None
    difference = abs((one.first or 0.0) - (other.first or 0.0)) if is_known else 0.0
    differing = (one.agent != other.agent) + (one.condition != other.condition)
    return (
        differing,
        (one.agent in diagnostic) + (other.agent in diagnostic),
        one.agent != other.agent,
        -difference,
    )


def chosen_cell(cells: Sequence[CellChoice], number: str) -> CellChoice | None:
    """Return the cell with a number from an address; None if there is none."""
    return next((cell for cell in cells if str(cell.number) == number), None)


MOST_SHOWN = 200
"""Flipped tasks of each kind that are listed."""


class _Side(msgspec.Struct, frozen=True):
    """One side: its run, the run's cells, and the selected cell."""

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
        HTTPNotFound: If the run does not exist.
    """
    one, other = _two_runs(asked)
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
            change=signed_points,
        )


def _two_runs(asked: PageRequest) -> tuple[OpenedRun, OpenedRun]:
    """Return the runs that the address names as `a` and `b`, or that were selected in the list.

    Raises:
        HTTPBadRequest: If none or more than two were selected.
    """
    selected = asked.query.get("run", ())
    names = (asked.first("a"), asked.first("b")) if asked.first("a") else selected
    if not 1 <= len(names) <= 2:  # noqa: PLR2004
        raise web.HTTPBadRequest(
            text=f"{len(names)} runs are selected: select one to compare its conditions, or two."
        )
    one = asked.run_named(names[0])
    return one, asked.run_named(names[-1] or one.name)


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
    """Return both sides, with the cells that the address names, or the initial pair.

    Raises:
        HTTPNotFound: If a run is not read yet, so that it has no cells.
    """
    cells = [listing.once(_stored_choices) for _, listing in (one, other)]
    if not all(cells):
        raise web.HTTPNotFound(text="This run is being read: reload the page in a moment.")
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
    shown = pairs[:MOST_SHOWN]
    tasks = [pair.task for pair in shown]
    in_a = shown_trials(a.listing, a.cell, tasks, is_won=not is_won)
    in_b = shown_trials(b.listing, b.cell, tasks, is_won=is_won)
    rows = (
        FlippedRow(
            pair.task,
            successes(pair.a),
            successes(pair.b),
            comparison_address(
                (a.run.name, in_a.get(pair.task, "")), (b.run.name, in_b.get(pair.task, ""))
            ),
        )
        for pair in shown
    )
    return tuple(rows), len(pairs)


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
        HTTPNotFound: If the run or the conversation does not exist.
        HTTPBadRequest: If the two are of different tasks.
    """
    most = MAX_TEXT if asked.first("whole") else MAX_SHOWN
    a, b = (_shown_side(asked, asked.first(name), most) for name in ("a", "b"))
    places = [(side.view.cell.suite, side.view.cell.task) for side in (a, b)]
    if places[0] != places[1]:
        raise web.HTTPBadRequest(
            text="These conversations are of two tasks: choose two of the same task."
        )
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


def _compared_runs(asked: PageRequest) -> tuple[OpenedRun, ...]:
    """Return the runs that an address names, if all of them exist."""
    named = [
        name.partition("/")[0] for each in ("a", "b", "run") for name in asked.query.get(each, ())
    ]
    found = [run for name in dict.fromkeys(named) if name for run in [asked.library.find(name)]]
    return () if None in found else tuple(run for run in found if run is not None)


COMPARE_ROUTE = Route("/compare", show_comparison, _compared_runs)
