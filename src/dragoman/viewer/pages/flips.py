"""The tasks that flip between two cells, of one run or of two, each with a link to both conversations."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shlex import quote

import msgspec
from aiohttp import web

from dragoman.analysis.comparison import TaskPair
from dragoman.viewer.flips import (
    CellChoice,
    cell_choices,
    chosen_cell,
    default_couple,
    flips,
    rewards_of,
    shown_trial,
    successes,
)
from dragoman.viewer.index.listing import Listing
from dragoman.viewer.nearby import comparing_address
from dragoman.viewer.opened import OpenedRun
from dragoman.viewer.requests import PageRequest

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
        found = flips(
            rewards_of(a.listing, a.cell), rewards_of(b.listing, b.cell), _changed(one, other)
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
    cells = [cell_choices(listing.facets()) for _, listing in (one, other)]
    if not all(cells):
        raise web.HTTPNotFound(text="This run is being read: look again in a moment.")
    couple = default_couple(*cells, is_one_run=one[0] is other[0])
    return (
        _Side(*one, cells[0], chosen_cell(cells[0], asked.first("cell_a")) or couple[0]),
        _Side(*other, cells[1], chosen_cell(cells[1], asked.first("cell_b")) or couple[1]),
    )


def _changed(one: OpenedRun, other: OpenedRun) -> frozenset[str]:
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
    address = comparing_address(in_a, in_b)
    return FlippedRow(pair.task, successes(pair.a), successes(pair.b), address)


def _command(one: OpenedRun, other: OpenedRun) -> str:
    """Return the command that prints the difference with its interval."""
    folders = dict.fromkeys(quote(str(run.folder)) for run in (one, other))
    return f"dragoman compare {' '.join(folders)}"
