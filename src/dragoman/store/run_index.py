"""Index of a run for lists: one row per planned conversation, filter counts and sorted pages."""

import re
import secrets
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import msgspec

from dragoman.core.errors import StoreError
from dragoman.store.run_store import LastRows
from dragoman.store.sqlite_files import SqliteFileFormat, open_shared_file, shared_file_error

_SCHEMA = """
CREATE TABLE state (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE facets (id INTEGER PRIMARY KEY, content BLOB NOT NULL UNIQUE);
CREATE TABLE conversations (
    place INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, facets INTEGER NOT NULL,
    task TEXT NOT NULL, trial INTEGER NOT NULL, attempt INTEGER, ended REAL, seconds REAL,
    steps INTEGER, errors INTEGER, cost REAL, reward REAL, undecided INTEGER
);
CREATE INDEX conversations_by_facets ON conversations (facets, task);
CREATE TABLE behind (name TEXT, place INTEGER, PRIMARY KEY (name, place)) WITHOUT ROWID;
CREATE INDEX conversations_by_end ON conversations (ended);
"""

FORM = SqliteFileFormat(
    what="index of a run",
    schema=_SCHEMA,
    missing="look at the run again",
    damaged="delete it: it is made again",
    format=3,
)

_PLANNED = "INSERT INTO conversations (place, key, facets, task, trial) VALUES (?, ?, ?, ?, ?)"
_PLAYED = """
UPDATE conversations SET facets = ?, attempt = ?, ended = ?, seconds = ?, steps = ?, errors = ?,
cost = ?, reward = ?, undecided = ? WHERE place = ?
"""
_PUT_BEHIND = "INSERT OR IGNORE INTO behind SELECT ?, place FROM conversations WHERE key = ?"
_VERSION, _VERSION_BYTES = "version", 8
_EMPTIED = "DELETE FROM {table}"
_PUT_STATE = "INSERT OR REPLACE INTO state VALUES (?, ?)"


class PlannedRow(msgspec.Struct, frozen=True):
    """A planned conversation: its place in the plan, from 1, its key, and its task and trial.

    `filter_fields` are the fields that lists are filtered by, as opaque bytes.
    """

    place: int
    key: str
    filter_fields: bytes
    task: str
    trial: int


class PlayedRow(msgspec.Struct, frozen=True):
    """The outcome of a conversation.

    Attributes:
        place: The conversation's place in the plan, from 1.
        filter_fields: The fields that lists are filtered by, after the conversation.
        attempt: The number of the last attempt.
        ended: Time of the end, in seconds since 1970; None if it is unknown.
        seconds: Duration of the conversation.
        steps: Number of steps of both sides.
        errors: Number of tool errors.
        cost: Cost of all attempts and their judges, in US dollars; None if it is unknown.
        reward: The reward; None without a reward.
        undecided: Whether a component of the reward is undecided.
    """

    place: int
    filter_fields: bytes
    attempt: int
    ended: float | None
    seconds: float
    steps: int
    errors: int
    cost: float | None
    reward: float | None
    undecided: bool


class RunIndex:
    """An open index; several threads and processes may open it at the same time."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self.connection = connection
        self._filter_fields: dict[bytes, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Lock the file for changes; all changes in the block are stored, or none."""
        with self.errors("written"):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.put_state(_VERSION, secrets.token_bytes(_VERSION_BYTES))
            except BaseException:
                self._filter_fields.clear()
                self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read a consistent snapshot in the block, whatever other processes write meanwhile."""
        with self.errors("read"):
            self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("COMMIT")

    @contextmanager
    def errors(self, action: str) -> Iterator[None]:
        """Report SQLite's failures in one line."""
        try:
            yield
        except sqlite3.Error as error:
            raise shared_file_error(self._path, FORM, action, error) from error

    def begin(self, made_of: bytes, rows: Iterable[PlannedRow], read: LastRows) -> None:
        """Empty the index and insert a plan, within a change.

        Args:
            made_of: Identity of the source: if it changes, the index has to be built again.
            rows: The rows of the plan.
            read: The last rows of the run that have been read.
        """
        self._filter_fields.clear()
        for table in ("state", "facets", "conversations", "behind"):
            self.connection.execute(_EMPTIED.format(table=table))
        self.connection.executemany(
            _PLANNED,
            (
                (
                    row.place,
                    bytes.fromhex(row.key),
                    self._filter_field(row.filter_fields),
                    row.task,
                    row.trial,
                )
                for row in rows
            ),
        )
        self.put_state("made_of", made_of)
        self.put_read(read)

    def put(self, rows: Iterable[PlayedRow]) -> None:
        """Store outcomes of conversations, within a change."""
        self.connection.executemany(_PLAYED, map(self._columns, rows))

    def put_read(self, read: LastRows) -> None:
        """Store the last rows of the run that have been read, within a change."""
        self.put_state("read", msgspec.json.encode(read))

    def put_state(self, name: str, value: bytes) -> None:
        """Store a named value, apart from the rows, within a change."""
        self.connection.execute(_PUT_STATE, (name, value))

    def put_behind(self, named: Mapping[str, Iterable[str]]) -> None:
        """Store the keys of the conversations behind figures, by name.

        They replace all earlier ones.
        """
        self.connection.execute(_EMPTIED.format(table="behind"))
        self.connection.executemany(
            _PUT_BEHIND,
            ((name, bytes.fromhex(key)) for name, keys in named.items() for key in keys),
        )

    def state(self, name: str) -> bytes | None:
        """Return a named value; None if it is not stored."""
        with self.errors("read"):
            row = self.connection.execute(
                "SELECT value FROM state WHERE name = ?", (name,)
            ).fetchone()
            return None if row is None else row[0]

    def version(self) -> bytes:
        """Return a value that differs after every change, by any process."""
        return self.state(_VERSION) or b""

    def read(self) -> LastRows | None:
        """Return the last rows of the run that have been read; None if none have been."""
        found = self.state("read")
        return None if found is None else msgspec.json.decode(found, type=LastRows)

    def _columns(self, row: PlayedRow) -> tuple[object, ...]:
        return (
            self._filter_field(row.filter_fields),
            row.attempt,
            row.ended,
            row.seconds,
            row.steps,
            row.errors,
            row.cost,
            row.reward,
            row.undecided,
            row.place,
        )

    def _filter_field(self, content: bytes) -> int:
        """Return the number of filter fields; equal fields have one number."""
        found = self._filter_fields.get(content)
        if found is None:
            self.connection.execute("INSERT OR IGNORE INTO facets (content) VALUES (?)", (content,))
            row = self.connection.execute("SELECT id FROM facets WHERE content = ?", (content,))
            found = self._filter_fields[content] = row.fetchone()[0]
        return found


def open_index(path: Path) -> RunIndex:
    """Open the index in a file; make it if it is missing, and replace a file that is not an index.

    Raises:
        StoreError: If the index cannot be made.
    """
    try:
        connection = open_shared_file(path, FORM)
    except StoreError:
        for ending in ("", "-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        connection = open_shared_file(path, FORM)
    # The index can be built again, so it may be lost when the machine stops.
    connection.execute("PRAGMA synchronous = OFF")
    return RunIndex(path, connection)


Order = Literal["plan", "task", "ended", "seconds", "steps", "errors", "cost"]

# Unknown values come last in both directions.
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

# LIKE ignores the case of ASCII letters, in half of the time of `instr` with `lower`.
_SEARCHED = "task LIKE ? ESCAPE '\\'"
_LIKE_SIGNS, _ESCAPED = re.compile(r"[\\%_]"), r"\\\g<0>"
_BEHIND = "place IN (SELECT place FROM behind WHERE name = ?)"
_COUNTS = "SELECT facets, count(*) FROM conversations {where} GROUP BY facets"
_ROWS = """
SELECT lower(hex(key)), facets, task, trial, place, attempt, ended, seconds, steps, errors, cost
FROM conversations {how} WHERE {where}
"""
_IN_ORDER = "{rows} ORDER BY {by} {turn}, place {turn} LIMIT ?"
_BEYOND = "({by}, place) {way} (SELECT {by}, place FROM conversations WHERE place = ?)"


class ListedRow(msgspec.Struct, frozen=True):
    """One conversation in a list; a value that is unknown or not yet played is None."""

    key: str
    filter_fields: int
    task: str
    trial: int
    place: int
    attempt: int | None
    ended: float | None
    seconds: float | None
    steps: int | None
    errors: int | None
    cost: float | None


class ListPage(msgspec.Struct, frozen=True):
    """The order and range of the rows of a page.

    Attributes:
        order: Column that orders the rows; equal rows keep the plan's order.
        falling: Whether the largest value comes first; a list by task has only one direction.
        after: Place of the row before the page; 0 for the first page.
        before: Place of the row after the page; 0 for none.
        most: Largest number of rows.
    """

    order: Order = "plan"
    falling: bool = False
    after: int = 0
    before: int = 0
    most: int = 50


class IndexTotals(msgspec.Struct, frozen=True):
    """Totals over all conversations.

    Attributes:
        first: Time at which the first began, in seconds since 1970; None if none was played.
        last: Time at which the last ended.
        cost: Sum of the known costs, in US dollars.
        unknown: Number of played conversations without a known cost.
        played: Number of played conversations.
        seconds: Sum of their durations.
    """

    first: float | None
    last: float | None
    cost: float
    unknown: int
    played: int
    seconds: float


def filter_fields(index: RunIndex) -> dict[int, bytes]:
    """Return all filter fields by number."""
    with index.errors("read"):
        return dict(index.connection.execute("SELECT id, content FROM facets"))


class IndexQuery(msgspec.Struct, frozen=True):
    """Conditions of a search apart from filter fields.

    Attributes:
        text: Text that a task's id contains; "" for any.
        behind: Name of the figure whose conversations are wanted; "" for all.
    """

    text: str = ""
    behind: str = ""

    def conditions(self) -> list[str]:
        """Return the SQL conditions."""
        return [*([_SEARCHED] if self.text else []), *([_BEHIND] if self.behind else [])]

    def values(self) -> list[object]:
        """Return the values of the conditions' placeholders, in order."""
        return [
            *([f"%{_LIKE_SIGNS.sub(_ESCAPED, self.text)}%"] if self.text else []),
            *([self.behind] if self.behind else []),
        ]


MATCH_ALL = IndexQuery()


def counts(index: RunIndex, sought: IndexQuery = MATCH_ALL) -> dict[int, int]:
    """Return the number of conversations for each number of filter fields."""
    conditions = sought.conditions()
    query = _COUNTS.format(where=f"WHERE {' AND '.join(conditions)}" if conditions else "")
    with index.errors("read"):
        return dict(index.connection.execute(query, sought.values()))


def rows(
    index: RunIndex, wanted: Collection[int] | None, cut: ListPage, sought: IndexQuery = MATCH_ALL
) -> tuple[ListedRow, ...]:
    """Return rows whose filter fields have one of these numbers; None for any."""
    expression = _EXPRESSIONS[cut.order][cut.falling]
    conditions, values = sought.conditions(), sought.values()
    if wanted is not None:
        conditions.append("facets IN (SELECT value FROM json_each(?))")
        values.append(msgspec.json.encode(sorted(wanted)).decode())
    backwards = bool(cut.before)
    if cut.after or cut.before:
        conditions.append(_BEYOND.format(by=expression, way="<" if backwards else ">"))
        values.append(cut.before or cut.after)
    # With an index, SQLite would read and sort each kind separately.
    found = _ROWS.format(how="NOT INDEXED", where=" AND ".join(conditions) or "TRUE")
    query = _IN_ORDER.format(rows=found, by=expression, turn="DESC" if backwards else "ASC")
    with index.errors("read"):
        listed = index.connection.execute(query, (*values, cut.most)).fetchall()
    return tuple(ListedRow(*row) for row in (listed[::-1] if backwards else listed))


def rows_of_task(
    index: RunIndex, task: str, wanted: Collection[int], most: int
) -> tuple[ListedRow, ...]:
    """Return the first rows of a task with these filter fields, in the plan's order."""
    return rows_of_tasks(index, (task,), wanted, most)


def rows_of_tasks(
    index: RunIndex, tasks: Collection[str], wanted: Collection[int], most: int = -1
) -> tuple[ListedRow, ...]:
    """Return the first rows of tasks with these filter fields, in the plan's order.

    A negative `most` sets no limit.
    """
    numbers, names = (msgspec.json.encode(each).decode() for each in (sorted(wanted), [*tasks]))
    where = (
        "facets IN (SELECT value FROM json_each(?)) AND task IN (SELECT value FROM json_each(?)) "
        "ORDER BY place LIMIT ?"
    )
    query = _ROWS.format(how="INDEXED BY conversations_by_facets", where=where)
    with index.errors("read"):
        found = index.connection.execute(query, (numbers, names, most)).fetchall()
    return tuple(ListedRow(*row) for row in found)


def row_of(index: RunIndex, key: str) -> ListedRow | None:
    """Return the row of a cell by its key; None if it has none."""
    query = _ROWS.format(how="", where="key = ?")
    with index.errors("read"):
        found = index.connection.execute(query, (bytes.fromhex(key),)).fetchone()
    return None if found is None else ListedRow(*found)


def totals(index: RunIndex) -> IndexTotals:
    """Return totals over all conversations."""
    query = (
        "SELECT min(ended - seconds), max(ended), total(cost), "
        "count(*) - count(cost), count(*), total(seconds) FROM conversations WHERE attempt IS NOT "
        "NULL"
    )
    with index.errors("read"):
        return IndexTotals(*index.connection.execute(query).fetchone())


def recent(index: RunIndex, since: float) -> int:
    """Return the number of conversations that ended since a moment, in seconds since 1970."""
    query = "SELECT count(*) FROM conversations WHERE ended > ?"
    with index.errors("read"):
        ((found,),) = index.connection.execute(query, (since,))
    return int(found)


class TimeCount(msgspec.Struct, frozen=True):
    """The numbers of unplayed and played conversations with the same filter fields.

    `seconds` is the time of the played ones.
    """

    filter_fields: int
    waiting: int
    played: int
    seconds: float


def time_counts(index: RunIndex) -> tuple[TimeCount, ...]:
    """Return the numbers and the time of conversations for each number of filter fields."""
    query = (
        "SELECT facets, count(*) - count(attempt), count(attempt), total(seconds) "
        "FROM conversations GROUP BY facets"
    )
    with index.errors("read"):
        return tuple(TimeCount(*row) for row in index.connection.execute(query))


class RewardRow(msgspec.Struct, frozen=True):
    """The values of a conversation that figures need.

    A value is None if the conversation was not played, or has no reward.
    """

    filter_fields: int
    task: str
    attempt: int | None
    reward: float | None
    undecided: bool | None


def rewards(index: RunIndex, wanted: Collection[int] | None = None) -> tuple[RewardRow, ...]:
    """Return the rewards of conversations, in the plan's order.

    Args:
        index: The index.
        wanted: Numbers of the wanted filter fields; None for all.
    """
    query = "SELECT facets, task, attempt, reward, undecided FROM conversations"
    values: tuple[str, ...] = ()
    if wanted is not None:
        query += " WHERE facets IN (SELECT value FROM json_each(?))"
        values = (msgspec.json.encode(sorted(wanted)).decode(),)
    with index.errors("read"):
        found = index.connection.execute(f"{query} ORDER BY place", values)
        return tuple(RewardRow(*row) for row in found)
