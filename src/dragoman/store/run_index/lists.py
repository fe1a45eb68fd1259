"""What lists ask of an index: counts by facets, and pages of rows in an order."""

from collections.abc import Collection
from typing import Literal

import msgspec

from dragoman.store.run_index.file import RunIndex

Order = Literal["plan", "task", "ended", "seconds", "steps", "errors", "cost"]

# What is not known comes last, whichever way.
_EXPRESSIONS: dict[Order, tuple[str, str]] = {
    "plan": ("place", "-place"),
    "task": ("task || char(31) || printf('%06d', trial)",) * 2,
    "ended": ("ifnull(ended, 9e99)", "ifnull(-ended, 9e99)"),
    "seconds": ("ifnull(seconds, 9e99)", "ifnull(-seconds, 9e99)"),
    "steps": ("ifnull(steps, 9e99)", "ifnull(-steps, 9e99)"),
    "errors": ("ifnull(errors, 9e99)", "ifnull(-errors, 9e99)"),
    "cost": ("ifnull(cost, 9e99)", "ifnull(-cost, 9e99)"),
}
ORDERS = tuple(_EXPRESSIONS)

_SEARCHED = "instr(lower(task), ?) > 0"
_BEHIND = "place IN (SELECT place FROM behind WHERE name = ?)"
_COUNTS = "SELECT facets, count(*) FROM conversations {where} GROUP BY facets"
_ROWS = """
SELECT lower(hex(key)), facets, task, trial, place, attempt, ended, seconds, steps, errors, cost
FROM conversations {how} WHERE {where}
"""
_IN_ORDER = "{rows} ORDER BY {by} {turn}, place {turn} LIMIT ?"
_BEYOND = "({by}, place) {way} (SELECT {by}, place FROM conversations WHERE place = ?)"


class ListedRow(msgspec.Struct, frozen=True):
    """One conversation in a list; what is not known, or was not played, is None."""

    key: str
    facets: int
    task: str
    trial: int
    place: int
    attempt: int | None
    ended: float | None
    seconds: float | None
    steps: int | None
    errors: int | None
    cost: float | None


class ListCut(msgspec.Struct, frozen=True):
    """Which rows of a list are wanted.

    Attributes:
        order: By what they are ordered; equal ones as in the plan.
        falling: Whether the largest comes first; a list by task has no other way.
        after: The place of the row that they follow; 0 for the beginning.
        before: The place of the row that they come before; 0 for none.
        most: How many.
    """

    order: Order = "plan"
    falling: bool = False
    after: int = 0
    before: int = 0
    most: int = 50


class Totals(msgspec.Struct, frozen=True):
    """What all conversations together took.

    Attributes:
        first: When the first began, in seconds since 1970; None where nothing was played.
        last: When the last ended.
        recent: How many ended since the moment that was asked for.
        cost: What those of known cost cost, in US dollars.
        unknown: How many of those that were played have no known cost.
        played: How many were played.
        seconds: How long these took, added up.
    """

    first: float | None
    last: float | None
    recent: int
    cost: float
    unknown: int
    played: int
    seconds: float


def facets(index: RunIndex) -> dict[int, bytes]:
    """Return all facets by number."""
    with index.errors("read"):
        return dict(index.connection.execute("SELECT id, content FROM facets"))


class Sought(msgspec.Struct, frozen=True):
    """What is looked for beside facets.

    Attributes:
        text: What a task's id has in it; "" for anything.
        behind: The name of the figure that conversations are behind; "" for all.
    """

    text: str = ""
    behind: str = ""

    def conditions(self) -> list[str]:
        """Return what holds of the rows."""
        return [*([_SEARCHED] if self.text else []), *([_BEHIND] if self.behind else [])]

    def values(self) -> list[object]:
        """Return the values that conditions leave open, in their order."""
        return [
            *([self.text.lower()] if self.text else []),
            *([self.behind] if self.behind else []),
        ]


EVERYTHING = Sought()


def counts(index: RunIndex, sought: Sought = EVERYTHING) -> dict[int, int]:
    """Return by number of facets how many conversations have them."""
    conditions = sought.conditions()
    query = _COUNTS.format(where=f"WHERE {' AND '.join(conditions)}" if conditions else "")
    with index.errors("read"):
        return dict(index.connection.execute(query, sought.values()))


def rows(
    index: RunIndex, wanted: Collection[int], cut: ListCut, sought: Sought = EVERYTHING
) -> tuple[ListedRow, ...]:
    """Return rows that have one of these facets."""
    expression = _EXPRESSIONS[cut.order][cut.falling]
    numbers = msgspec.json.encode(sorted(wanted)).decode()
    conditions = ["facets IN (SELECT value FROM json_each(?))", *sought.conditions()]
    values = [numbers, *sought.values()]
    backwards = bool(cut.before)
    if cut.after or cut.before:
        conditions.append(_BEYOND.format(by=expression, way="<" if backwards else ">"))
        values.append(cut.before or cut.after)
    # By an index each kind would be read and sorted for itself.
    found = _ROWS.format(how="NOT INDEXED", where=" AND ".join(conditions))
    query = _IN_ORDER.format(rows=found, by=expression, turn="DESC" if backwards else "ASC")
    with index.errors("read"):
        listed = index.connection.execute(query, (*values, cut.most)).fetchall()
    return tuple(ListedRow(*row) for row in (listed[::-1] if backwards else listed))


def rows_of_task(
    index: RunIndex, task: str, wanted: Collection[int], most: int
) -> tuple[ListedRow, ...]:
    """Return the first rows of a task that have one of these facets, in the plan's order."""
    numbers = msgspec.json.encode(sorted(wanted)).decode()
    where = "facets IN (SELECT value FROM json_each(?)) AND task = ? ORDER BY place LIMIT ?"
    query = _ROWS.format(how="INDEXED BY conversations_by_facets", where=where)
    with index.errors("read"):
        found = index.connection.execute(query, (numbers, task, most)).fetchall()
    return tuple(ListedRow(*row) for row in found)


def row_of(index: RunIndex, key: str) -> ListedRow | None:
    """Return the row of a cell by its key; None where it has none."""
    query = _ROWS.format(how="", where="key = ?")
    with index.errors("read"):
        found = index.connection.execute(query, (bytes.fromhex(key),)).fetchone()
    return None if found is None else ListedRow(*found)


def totals(index: RunIndex, since: float) -> Totals:
    """Return what all conversations took, and how many ended since a moment."""
    query = (
        "SELECT min(ended - seconds), max(ended), total(cost), "
        "count(*) - count(cost), count(*), total(seconds) FROM conversations WHERE attempt IS NOT NULL"
    )
    with index.errors("read"):
        first, last, cost, unknown, played, seconds = index.connection.execute(query).fetchone()
        ((recent,),) = index.connection.execute(
            "SELECT count(*) FROM conversations WHERE ended > ?", (since,)
        )
    return Totals(first, last, recent, cost, unknown, played, seconds)


class RewardRow(msgspec.Struct, frozen=True):
    """What figures need of a conversation: None where it was not played, or has no reward."""

    facets: int
    task: str
    attempt: int | None
    reward: float | None
    undecided: bool | None


def rewards(index: RunIndex, wanted: Collection[int] | None = None) -> tuple[RewardRow, ...]:
    """Return the rewards of conversations, in the plan's order.

    Args:
        index: The index.
        wanted: Only those with one of these facets; None for all.
    """
    query = "SELECT facets, task, attempt, reward, undecided FROM conversations"
    values: tuple[str, ...] = ()
    if wanted is not None:
        query += " WHERE facets IN (SELECT value FROM json_each(?))"
        values = (msgspec.json.encode(sorted(wanted)).decode(),)
    with index.errors("read"):
        found = index.connection.execute(f"{query} ORDER BY place", values)
        return tuple(RewardRow(*row) for row in found)
