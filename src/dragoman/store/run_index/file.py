"""The file of an index: one row for each planned conversation, and what it was made of."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from dragoman.core.errors import StoreError
from dragoman.store.run import LastRows
from dragoman.store.shared_file import FileForm, open_shared_file, shared_file_error

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

FORM = FileForm(
    what="index of a run",
    schema=_SCHEMA,
    missing="look at the run again",
    damaged="delete it: it is made again",
    format=2,
)

_PLANNED = "INSERT INTO conversations (place, key, facets, task, trial) VALUES (?, ?, ?, ?, ?)"
_PLAYED = """
UPDATE conversations SET facets = ?, attempt = ?, ended = ?, seconds = ?, steps = ?, errors = ?,
cost = ?, reward = ?, undecided = ? WHERE place = ?
"""
_PUT_BEHIND = "INSERT OR IGNORE INTO behind SELECT ?, place FROM conversations WHERE key = ?"
_EMPTIED = "DELETE FROM {table}"
_PUT_STATE = "INSERT OR REPLACE INTO state VALUES (?, ?)"


class PlannedRow(msgspec.Struct, frozen=True):
    """A planned conversation: its place in the plan, from 1, its key, and where it stands.

    `facets` are what lists are filtered by, as bytes that mean nothing here.
    """

    place: int
    key: str
    facets: bytes
    task: str
    trial: int


class PlayedRow(msgspec.Struct, frozen=True):
    """What came of a conversation.

    Attributes:
        place: Its place in the plan, from 1.
        facets: What lists are filtered by now.
        attempt: The last attempt.
        ended: When, in seconds since 1970; None where that is not known.
        seconds: How long it took.
        steps: Steps of both sides.
        errors: Tool errors.
        cost: In US dollars, all attempts and their judges; None where it is not known.
        reward: The reward; None where there is none.
        undecided: Whether a part of the reward was left open.
    """

    place: int
    facets: bytes
    attempt: int
    ended: float | None
    seconds: float
    steps: int
    errors: int
    cost: float | None
    reward: float | None
    undecided: bool


class RunIndex:
    """An open index; several may be open at once, in other threads and processes too."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self.connection = connection
        self._facets: dict[bytes, int] = {}

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
        """Hold the file to change it: everything or nothing of what is done within stays."""
        with self.errors("written"):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._facets.clear()
                self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold what is read within to one moment, whatever others write meanwhile."""
        with self.errors("read"):
            self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("COMMIT")

    @contextmanager
    def errors(self, action: str) -> Iterator[None]:
        """Tell what SQLite cannot do in one line."""
        try:
            yield
        except sqlite3.Error as error:
            raise shared_file_error(self._path, FORM, action, error) from error

    def begin(self, made_of: bytes, rows: Iterable[PlannedRow], read: LastRows) -> None:
        """Empty the index and fill in a plan, within a change.

        Args:
            made_of: What the index is made of: with anything else it is to be begun again.
            rows: The plan.
            read: How far the run is read.
        """
        self._facets.clear()
        for table in ("state", "facets", "conversations", "behind"):
            self.connection.execute(_EMPTIED.format(table=table))
        self.connection.executemany(
            _PLANNED,
            (
                (row.place, bytes.fromhex(row.key), self._facet(row.facets), row.task, row.trial)
                for row in rows
            ),
        )
        self.put_state("made_of", made_of)
        self.put_read(read)

    def put(self, rows: Iterable[PlayedRow]) -> None:
        """Write down what came of conversations, within a change."""
        self.connection.executemany(_PLAYED, map(self._columns, rows))

    def put_read(self, read: LastRows) -> None:
        """Note how far the run is read, within a change."""
        self.put_state("read", msgspec.json.encode(read))

    def put_state(self, name: str, value: bytes) -> None:
        """Keep something beside the rows, within a change."""
        self.connection.execute(_PUT_STATE, (name, value))

    def put_behind(self, named: Mapping[str, Iterable[str]]) -> None:
        """Keep which conversations, by key, are behind figures by name, in the place of all before."""
        self.connection.execute(_EMPTIED.format(table="behind"))
        self.connection.executemany(
            _PUT_BEHIND,
            ((name, bytes.fromhex(key)) for name, keys in named.items() for key in keys),
        )

    def state(self, name: str) -> bytes | None:
        """Return what is kept beside the rows; None where nothing is."""
        with self.errors("read"):
            row = self.connection.execute(
                "SELECT value FROM state WHERE name = ?", (name,)
            ).fetchone()
            return None if row is None else row[0]

    def read(self) -> LastRows | None:
        """Return how far the run is read; None where nothing was yet."""
        found = self.state("read")
        return None if found is None else msgspec.json.decode(found, type=LastRows)

    def _columns(self, row: PlayedRow) -> tuple[object, ...]:
        return (
            self._facet(row.facets),
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

    def _facet(self, content: bytes) -> int:
        """Return the number of facets; equal ones have one."""
        found = self._facets.get(content)
        if found is None:
            self.connection.execute("INSERT OR IGNORE INTO facets (content) VALUES (?)", (content,))
            row = self.connection.execute("SELECT id FROM facets WHERE content = ?", (content,))
            found = self._facets[content] = row.fetchone()[0]
        return found


def open_index(path: Path) -> RunIndex:
    """Open the index in a file, which is made where there is none, and anew where it is no index.

    Raises:
        StoreError: Where it cannot be made.
    """
    try:
        connection = open_shared_file(path, FORM)
    except StoreError:
        for ending in ("", "-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        connection = open_shared_file(path, FORM)
    # It can be made again: what a machine that stops takes with it is no loss.
    connection.execute("PRAGMA synchronous = OFF")
    return RunIndex(path, connection)
