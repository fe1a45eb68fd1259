"""One run: a folder with one SQLite file, one writer at a time, any number of readers.

An episode and its first score are committed together, so a process killed at any instant leaves
whole episodes only. What measures counted lies in one table: the reward's rows hold a score each and
name their rules, those of the other measures hold a `Measured`. Episodes and scores are indexed by the place of their cell in the plan, near
which they are also written: appending stays cheap whatever is stored.
"""

import errno
import fcntl
import os
import shlex
import sqlite3
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
import zstandard

from dragoman.core.carried import UNWRITABLE
from dragoman.core.conditions import Condition, condition_from, condition_text
from dragoman.core.decoding import UNREADABLE
from dragoman.core.episodes import Episode
from dragoman.core.errors import DataError, StoreError
from dragoman.core.measures import Declared, Measured
from dragoman.core.scores import Score
from dragoman.core.tasks import Task
from dragoman.core.usage import Usage
from dragoman.store.episodes import EpisodeCodec
from dragoman.store.unwritable import fault_for, unmeasured_for, unscored_for

FILE = "run.sqlite"
LOCK = "run.lock"
FORMAT = "2"
READABLE = frozenset({"1", FORMAT})
"""Format 1 has conditions as labels."""
_READS = ", ".join(sorted(READABLE))

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE cells (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, suite TEXT NOT NULL, condition TEXT NOT NULL,
    agent TEXT NOT NULL, task TEXT NOT NULL, trial INTEGER NOT NULL
);
CREATE TABLE episodes (
    id INTEGER PRIMARY KEY, cell INTEGER NOT NULL REFERENCES cells, attempt INTEGER NOT NULL,
    fault INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE UNIQUE INDEX episodes_by_cell ON episodes (cell, attempt);
CREATE TABLE scores (
    id INTEGER PRIMARY KEY, cell INTEGER NOT NULL REFERENCES cells, attempt INTEGER NOT NULL,
    rules TEXT NOT NULL, judge TEXT NOT NULL, metric TEXT NOT NULL, data BLOB NOT NULL
);
CREATE UNIQUE INDEX scores_by_key ON scores (cell, attempt, rules, judge, metric);
"""

# Only the last attempt at a cell counts; infrastructure or the simulated user spoilt earlier ones.
_LAST_ATTEMPTS = """
SELECT key, last.* FROM cells
JOIN (SELECT cell, max(attempt), fault{data} FROM episodes GROUP BY cell) AS last
ON cells.id = last.cell ORDER BY cells.id
"""
_SCORES = """
SELECT key, last.* FROM cells
JOIN (
    SELECT cell, max(attempt), data FROM scores
    WHERE rules = ? AND judge = ? AND metric = ? GROUP BY cell
) AS last ON cells.id = last.cell
"""

_EARLIER = (
    "FROM cells JOIN {table} AS early ON cells.id = early.cell WHERE early.attempt < "
    "(SELECT max(attempt) FROM episodes WHERE episodes.cell = early.cell)"
)
_EARLIER_EPISODES = f"SELECT key, early.data {_EARLIER.format(table='episodes')}"
_EARLIER_SCORES = (
    f"SELECT key, early.data {_EARLIER.format(table='scores')} "
    "AND rules = ? AND judge = ? AND metric = ?"
)
# By the index: rows of the reward, which has rules, are not read for that.
_MEASURED = """
SELECT key, attempt, data FROM cells
JOIN scores ON cells.id = scores.cell
WHERE scores.id IN (SELECT id FROM scores INDEXED BY scores_by_key WHERE rules = '')
ORDER BY scores.id
"""
_PUT_MEASURED = """
INSERT OR REPLACE INTO scores (cell, attempt, rules, judge, metric, data)
VALUES (?, ?, ?, ?, ?, ?)
"""


class StoredCell(msgspec.Struct, frozen=True):
    """One planned conversation: its key and where it stands in the grid."""

    key: str
    suite: str
    condition: Condition
    agent: str
    task: str
    trial: int


class StoredEpisode(msgspec.Struct, frozen=True):
    """One conversation to be stored: its cell, which attempt it is, and its score if it has one."""

    cell: str
    attempt: int
    episode: Episode
    score: Score | None = None


class StoredMeasure(msgspec.Struct, frozen=True):
    """What a measure counted in an episode that is there."""

    cell: str
    attempt: int
    measured: Measured


class RunStore:
    """An open run. Make one with `create_run` or `open_run`; close it when done."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: "_Lock | None") -> None:
        self.folder = folder
        self._connection = connection
        self._lock = lock
        self._codec = EpisodeCodec()

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
        """Close the file and give up the lock."""
        try:
            self._connection.close()
        finally:
            if self._lock is not None:
                self._lock.release()

    def manifest(self) -> bytes:
        """Return the manifest that the run was created with."""
        with self._errors("read"):
            row = self._connection.execute(
                "SELECT value FROM meta WHERE name = 'manifest'"
            ).fetchone()
        if row is None:
            raise StoreError(f"{self.folder}: the run has no manifest: it was never started")
        return bytes(row[0])

    def tasks(self) -> dict[str, Task]:
        """Return the tasks that the run was planned with, by id."""
        with self._errors("read"):
            row = self._connection.execute("SELECT value FROM meta WHERE name = 'tasks'").fetchone()
            return {} if row is None else self._codec.decode_tasks(row[0])

    def cells(self) -> tuple[StoredCell, ...]:
        """Return the plan, in its order."""
        read_condition = cache(condition_from)
        query = "SELECT key, suite, condition, agent, task, trial FROM cells ORDER BY id"
        with self._errors("read"):
            return tuple(
                StoredCell(key.hex(), suite, read_condition(condition), *rest)
                for key, suite, condition, *rest in self._connection.execute(query)
            )

    def put(self, entries: Iterable[StoredEpisode | StoredMeasure]) -> None:
        """Store episodes, scores and other measures in one transaction."""
        with self._errors("write"), self._connection:
            for entry in entries:
                place = self._place(entry.cell)
                if isinstance(entry, StoredMeasure):
                    self._put_measured(place, entry.attempt, entry.measured)
                    continue
                refused = self._put_episode(place, entry)
                if entry.score is not None:
                    score = unscored_for(entry.score, refused) if refused else entry.score
                    self._put_score(place, entry.attempt, score)

    def declare(self, declared: Iterable[Declared]) -> None:
        """Store which figures measures declare, so that whoever reads the run needs no measure."""
        with self._errors("write"), self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                (
                    (f"measure {entry.measure}-{entry.version}", msgspec.json.encode(entry))
                    for entry in declared
                ),
            )

    def declared(self) -> dict[str, Declared]:
        """Return by metric which figures measures declare."""
        query = "SELECT value FROM meta WHERE name LIKE 'measure %'"
        with self._errors("read"):
            found = [
                msgspec.json.decode(value, type=Declared)
                for (value,) in self._connection.execute(query)
            ]
            return {f"{entry.measure}-{entry.version}": entry for entry in found}

    def attempts(self) -> dict[str, tuple[int, bool]]:
        """Return by cell the last attempt and whether it ended by an infrastructure fault."""
        with self._errors("read"):
            return {
                key.hex(): (attempt, bool(fault))
                for key, _, attempt, fault in self._connection.execute(
                    _LAST_ATTEMPTS.format(data="")
                )
            }

    def completed_attempts(self) -> dict[str, int]:
        """Return by cell how many attempts ended otherwise than by an infrastructure fault."""
        query = (
            "SELECT key, count(*) FROM cells JOIN episodes ON cells.id = episodes.cell "
            "WHERE NOT fault GROUP BY cells.id"
        )
        with self._errors("read"):
            return {key.hex(): count for key, count in self._connection.execute(query)}

    def episode(self, cell: str) -> Episode | None:
        """Return the last attempt at a cell, or None."""
        query = (
            "SELECT data FROM episodes WHERE cell = (SELECT id FROM cells WHERE key = ?) "
            "ORDER BY attempt DESC LIMIT 1"
        )
        with self._errors("read"):
            row = self._connection.execute(query, (bytes.fromhex(cell),)).fetchone()
            return None if row is None else self._codec.decode_episode(row[0])

    def has_unscored(self, rules: str, judge: str, metric: str) -> bool:
        """Whether an episode has no score under rules, judge and metric version."""
        query = (
            "SELECT EXISTS (SELECT 1 FROM episodes WHERE NOT EXISTS (SELECT 1 FROM scores "
            "WHERE scores.cell = episodes.cell AND scores.attempt = episodes.attempt "
            "AND rules = ? AND judge = ? AND metric = ?))"
        )
        with self._errors("read"):
            return bool(self._connection.execute(query, (rules, judge, metric)).fetchone()[0])

    def episodes(
        self, *, heads_only: bool = False, leaving_out: Container[str] = ()
    ) -> Iterator[tuple[str, int, Episode]]:
        """Yield cell, attempt and episode of every cell's last attempt.

        Args:
            heads_only: Without the events.
            leaving_out: Keys of cells that are not wanted.
        """
        decode = self._codec.decode_head if heads_only else self._codec.decode_episode
        query = _LAST_ATTEMPTS.format(data=", data")
        with self._errors("read"):
            for key, _, attempt, _, data in self._connection.execute(query):
                if key.hex() not in leaving_out:
                    yield key.hex(), attempt, decode(data)

    def scores(self, rules: str, judge: str, metric: str) -> dict[str, Score]:
        """Return by cell the score of its last attempt under rules, judge and metric version."""
        last = self.attempts()
        with self._errors("read"):
            return {
                key.hex(): self._codec.decode_score(data)
                for key, _, attempt, data in self._connection.execute(
                    _SCORES, (rules, judge, metric)
                )
                if last.get(key.hex(), (None, False))[0] == attempt
            }

    def newest_scores(self, metric: str) -> dict[str, Score]:
        """Return by cell the newest score of its last attempt, whatever rules and judge gave it."""
        query = (
            "SELECT key, attempt, data FROM cells JOIN scores ON cells.id = scores.cell "
            "WHERE metric = ? ORDER BY scores.id"
        )
        last = self.attempts()
        with self._errors("read"):
            newest = {
                key.hex(): data
                for key, attempt, data in self._connection.execute(query, (metric,))
                if last.get(key.hex(), (None, False))[0] == attempt
            }
            return {key: self._codec.decode_score(data) for key, data in newest.items()}

    def measured(self) -> dict[str, tuple[Measured, ...]]:
        """Return by cell what measures counted in its last attempt, the oldest first.

        Scores of the reward are not among them.
        """
        last: dict[str, tuple[int, bool]] = {}
        found: dict[str, tuple[Measured, ...]] = {}
        for key, attempt, entry in self._measurements():
            last = last or self.attempts()
            if last.get(key, (None, False))[0] == attempt:
                found[key] = (*found.get(key, ()), entry)
        return found

    def _measurements(self) -> Iterator[tuple[str, int, Measured]]:
        with self._errors("read"):
            for key, attempt, data in self._connection.execute(_MEASURED):
                yield key.hex(), attempt, self._codec.decode_measured(data)

    def earlier_usage(self, rules: str, judge: str, metric: str) -> dict[str, tuple[Usage, ...]]:
        """Return by cell what attempts before its last one consumed, and their judges.

        Args:
            rules: Which scores' judges are meant, beside those of other measures: under these rules,
            judge: by this judge,
            metric: and of this metric version.
        """
        used: dict[str, tuple[Usage, ...]] = {}
        with self._errors("read"):
            for key, data in self._connection.execute(_EARLIER_EPISODES):
                used[key.hex()] = used.get(key.hex(), ()) + self._codec.decode_head(data).usage
            for key, data in self._connection.execute(_EARLIER_SCORES, (rules, judge, metric)):
                judged = self._codec.decode_score(data).judges_usage
                used[key.hex()] = used.get(key.hex(), ()) + judged
        last = self.attempts() if used else {}
        for cell, attempt, entry in self._measurements():
            if entry.usage is not None and attempt < last.get(cell, (0, False))[0]:
                used[cell] = (*used.get(cell, ()), entry.usage)
        return used

    def scorings(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of rules and judge under which the run has scores, newest last."""
        query = (
            "SELECT rules, judge FROM scores WHERE rules != '' "
            "GROUP BY rules, judge ORDER BY max(id)"
        )
        with self._errors("read"):
            return tuple((rules, judge) for rules, judge in self._connection.execute(query))

    def _place(self, cell: str) -> int:
        query = "SELECT id FROM cells WHERE key = ?"
        row = self._connection.execute(query, (bytes.fromhex(cell),)).fetchone()
        if row is None:
            raise StoreError(f"{self.folder}: {cell} is not a cell of this run's plan")
        place: int = row[0]
        return place

    def _put_episode(self, place: int, entry: StoredEpisode) -> Exception | None:
        """Store an episode, or the fault that stands for it; return why it could not be written."""
        episode, refused = entry.episode, None
        try:
            data = self._codec.encode_episode(episode)
        except UNWRITABLE as error:
            episode, refused = fault_for(episode, error), error
            data = self._codec.encode_episode(episode)
        self._connection.execute(
            "INSERT INTO episodes (cell, attempt, fault, data) VALUES (?, ?, ?, ?)",
            (place, entry.attempt, episode.is_fault, data),
        )
        return refused

    def _put_score(self, place: int, attempt: int, score: Score) -> None:
        try:
            data = self._codec.encode_score(score)
        except UNWRITABLE as error:
            data = self._codec.encode_score(unscored_for(score, error))
        key = (place, attempt, score.rules, score.judge, score.metric)
        self._connection.execute(_PUT_MEASURED, (*key, data))

    def _put_measured(self, place: int, attempt: int, entry: Measured) -> None:
        if entry.score is not None:
            self._put_score(place, attempt, entry.score)
            return
        try:
            data = self._codec.encode_measured(entry)
        except UNWRITABLE as error:
            data = self._codec.encode_measured(unmeasured_for(entry, error))
        key = (place, attempt, entry.rules, entry.judge, entry.metric)
        self._connection.execute(_PUT_MEASURED, (*key, data))

    @contextmanager
    def _errors(self, action: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _store_error(self.folder, action, error) from error
        except (*UNREADABLE, DataError, zstandard.ZstdError, TypeError) as error:
            raise StoreError(f"{self.folder}: a stored record is damaged ({error})") from error


class NewRun(msgspec.Struct, frozen=True):
    """What a run is created with: its manifest, its plan and the tasks it plays."""

    manifest: bytes
    cells: tuple[StoredCell, ...]
    tasks: dict[str, Task]


def create_run(folder: Path, new: NewRun) -> RunStore:
    """Create a run in a new or empty folder and lock it for writing.

    Raises:
        StoreError: Where the folder holds a run already or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot create the run's folder ({error.strerror})") from error
    lock = _Lock(folder)
    try:
        connection = _new_file(folder, new)
    except StoreError:
        lock.release()
        raise
    return RunStore(folder, connection, lock)


def _new_file(folder: Path, new: NewRun) -> sqlite3.Connection:
    if _is_begun(folder):
        raise StoreError(f"{folder} holds a run already: resume it, or choose another --out")
    # Built under another name and renamed when whole: a run exists completely or not at all.
    draft = folder / f"{FILE}.new"
    try:
        draft.unlink(missing_ok=True)
        connection = sqlite3.connect(draft)
        try:
            _fill(connection, new)
        finally:
            connection.close()
        draft.replace(folder / FILE)
        return _connect(folder, "rw")
    except sqlite3.Error as error:
        raise _store_error(folder, "create", error) from error
    except OSError as error:
        raise StoreError(f"{folder}: cannot create the run ({error.strerror})") from error
    except StoreError:
        (folder / FILE).unlink(missing_ok=True)
        raise
    finally:
        draft.unlink(missing_ok=True)


def _is_begun(folder: Path) -> bool:
    """Whether a folder holds a run; an empty file is what a full disk or a kill may leave."""
    path = folder / FILE
    return path.exists() and (not path.is_file() or path.stat().st_size > 0)


def _fill(connection: sqlite3.Connection, new: NewRun) -> None:
    connection.executescript(f"BEGIN; {_SCHEMA}")
    entries = (
        ("format", FORMAT),
        ("manifest", new.manifest),
        ("tasks", EpisodeCodec().encode_tasks(new.tasks)),
    )
    connection.executemany("INSERT INTO meta VALUES (?, ?)", entries)
    connection.executemany(
        "INSERT INTO cells (key, suite, condition, agent, task, trial) VALUES (?, ?, ?, ?, ?, ?)",
        (
            (
                bytes.fromhex(cell.key),
                cell.suite,
                condition_text(cell.condition),
                cell.agent,
                cell.task,
                cell.trial,
            )
            for cell in new.cells
        ),
    )
    connection.commit()


def open_run(folder: Path, *, write: bool) -> RunStore:
    """Open a run to read, or locked to write.

    Raises:
        StoreError: Where there is no run, it is damaged, or another process writes to it.
    """
    if (folder / FILE).is_file() and not _is_begun(folder):
        raise StoreError(
            f"{folder}: this run was never started: start it with `dragoman run --out`"
        )
    if not (folder / FILE).is_file():
        raise StoreError(
            f"{folder}: no run here (no {FILE}): name the folder that `run --out` wrote"
        )
    lock = _Lock(folder) if write else None
    try:
        connection = _connect(folder, "rw" if write else "ro")
        try:
            _check_format(folder, connection)
        except StoreError:
            connection.close()
            raise
    except StoreError:
        if lock is not None:
            lock.release()
        raise
    return RunStore(folder, connection, lock)


def _check_format(folder: Path, connection: sqlite3.Connection) -> None:
    try:
        row = connection.execute("SELECT value FROM meta WHERE name = 'format'").fetchone()
    except sqlite3.Error as error:
        raise _store_error(folder, "read", error) from error
    if row is None or row[0] not in READABLE:
        found = "none" if row is None else row[0]
        raise StoreError(
            f"{folder}: run format {found}, this version reads {', '.join(sorted(READABLE))}"
        )


def _connect(folder: Path, mode: str) -> sqlite3.Connection:
    path = (folder / FILE).absolute()
    options = f"mode={mode}"
    if mode == "ro" and not os.access(folder, os.W_OK):
        # SQLite keeps its log's index beside the file; where it cannot, nobody writes either.
        options += "&immutable=1"
    try:
        connection = sqlite3.connect(
            f"{path.as_uri()}?{options}", uri=True, check_same_thread=False, timeout=30
        )
        if mode != "ro":
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -65536")
    except sqlite3.Error as error:
        raise _store_error(folder, "open", error) from error
    return connection


def _store_error(folder: Path, action: str, error: sqlite3.Error) -> StoreError:
    text = str(error)
    again = f"make room, then `dragoman resume {shlex.quote(str(folder))}`"
    if action == "write":
        why = "the disk is full" if "full" in text else text
        return StoreError(
            f"{folder}: cannot write any more ({why}); what was stored is safe: {again}"
        )
    if action == "read" and "disk I/O" in text:
        return StoreError(f"{folder}: cannot read the run ({text}); is the disk full? {again}")
    if "full" in text:
        return StoreError(f"{folder}: cannot {action} the run: the disk is full: make room first")
    if "readonly" in text or "unable to open" in text:
        return StoreError(f"{folder}: cannot {action} the run: the folder or file is not writable")
    if "malformed" in text or "not a database" in text:
        return StoreError(f"{folder / FILE}: damaged or not a run file ({text})")
    return StoreError(f"{folder}: cannot {action} the run ({text})")


class _Lock:
    """An exclusive lock that the system frees when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        path = folder / LOCK
        try:
            self._file = path.open("a")
        except OSError as error:
            raise StoreError(
                f"{folder}: cannot write to the run's folder ({error.strerror})"
            ) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            if error.errno in {errno.EAGAIN, errno.EACCES}:
                raise StoreError(
                    f"{folder}: another process is writing to this run: wait for it"
                ) from error
            raise StoreError(f"{folder}: cannot lock the run ({error.strerror})") from error

    def release(self) -> None:
        """Free the lock."""
        self._file.close()
