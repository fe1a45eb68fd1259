"""What lies around a conversation: its neighbours in a filter, and the same task elsewhere in its run."""

from collections.abc import Iterator
from urllib.parse import quote, urlencode

import msgspec

from dragoman.core.scores import Standing
from dragoman.store.run import StoredCell
from dragoman.store.run_index.lists import ListCut, ListedRow, rows_of_task
from dragoman.viewer.filters import ListFilter
from dragoman.viewer.index.facets import Facets
from dragoman.viewer.index.listing import Listing

MOST_OF_TASK = 400
"""How many conversations of one task are looked for."""


class Neighbours(msgspec.Struct, frozen=True):
    """The conversations before and after one in a filter, by key, and how many are in it."""

    before: str
    after: str
    total: int


class Trial(msgspec.Struct, frozen=True):
    """One conversation of the task."""

    key: str
    number: int
    outcome: Standing
    is_here: bool


class SameTask(msgspec.Struct, frozen=True):
    """The same task under one agent and condition; `same` is the trial to set beside this one."""

    agent: str
    condition: str
    trials: tuple[Trial, ...]
    same: Trial


def neighbours(listing: Listing, key: str, wanted: ListFilter) -> Neighbours:
    """Return what comes before and after a conversation in a filter; nothing where it is not read yet."""
    row = listing.row(key)
    if row is None:
        return Neighbours("", "", 0)
    counted = listing.count(wanted.chosen, wanted.sought)

    def key_at(*, before: int = 0, after: int = 0) -> str:
        cut = ListCut(wanted.order, wanted.falling, after=after, before=before, most=1)
        found = listing.rows(counted, cut, wanted.sought)
        return found[0].key if found else ""

    return Neighbours(key_at(before=row.place), key_at(after=row.place), counted.total)


def twins(listing: Listing, cell: StoredCell) -> tuple[SameTask, ...]:
    """Return the conversations of a task, by agent and condition, in the plan's order."""
    facets = listing.facets()
    wanted = [number for number, entry in facets.items() if entry.suite == cell.suite]
    rows = rows_of_task(listing.index, cell.task, wanted, MOST_OF_TASK)
    found: dict[tuple[str, str], list[Trial]] = {}
    for row in rows:
        entry = facets[row.facets]
        found.setdefault((entry.agent, entry.condition), []).append(_trial(row, entry, cell))
    return tuple(_twins(found, cell.trial))


def _trial(row: ListedRow, entry: Facets, cell: StoredCell) -> Trial:
    return Trial(row.key, row.trial, entry.outcome, is_here=row.key == cell.key)


def _twins(found: dict[tuple[str, str], list[Trial]], number: int) -> Iterator[SameTask]:
    for (agent, condition), trials in found.items():
        others = [trial for trial in trials if not trial.is_here] or trials
        same = next((trial for trial in others if trial.number == number), others[0])
        yield SameTask(agent, condition, tuple(trials), same)


def conversation_address(run: str, key: str, wanted: ListFilter | None = None) -> str:
    """Return the address of a conversation, within a filter."""
    query = "" if wanted is None else wanted.query()
    return f"/run/{quote(run, safe='')}/conversation/{key}{'?' if query else ''}{query}"


def comparing_address(a: tuple[str, str], b: tuple[str, str]) -> str:
    """Return the address of two conversations side by side, each by its run and key."""
    return f"/compare?{urlencode({'a': '/'.join(a), 'b': '/'.join(b)}, safe='/')}"
