"""Run store: a folder with one SQLite file, one writer at a time, any number of readers.

An episode and its first score are committed together, so a process that is killed at any instant
leaves only whole episodes. Results of measures lie in one table: each row of the reward holds a
score and names its rules, each row of another measure holds a `MeasureResult`. Episodes and scores
are indexed by their cell's place in the plan, and written near it: appending stays cheap at any
size.
"""

import hashlib
import sqlite3
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import zip_longest
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from dragoman.core.conditions import Condition, condition_from
from dragoman.core.episodes import Episode
from dragoman.core.errors import StoreError
from dragoman.core.measures import DeclaredMetrics, MeasureResult
from dragoman.core.scores import Score
from dragoman.core.tasks import Task
from dragoman.core.usage import Usage
from dragoman.store import run_queries as queries
from dragoman.store.checksums import strip_checksum, with_checksum
from dragoman.store.conversation_writes import (
    FOUND,
    OWN_LAST,
    ConversationWrites,
    RunEntry,
    StoredEpisode,
)
from dragoman.store.record_codec import DAMAGE_ERRORS, EpisodeCodec
from dragoman.store.run_file import OpenFile, create_file, open_file, store_error
from dragoman.store.run_plan import (
    SELECT_PLAN,
    NewRun,
    StoredCell,
    cells_of,
    digest_rows,
    fill_new_run,
    renewed_row,
    rows_of,
)
from dragoman.store.status_counts import (
    StatusCount,
    StatusGroup,
    all_scored,
    read_status_counts,
)

_PAGES = "SELECT page_count, page_size FROM pragma_page_count(), pragma_page_size()"
_COUNT = "SELECT count(*), max(id) FROM episodes NOT INDEXED"
_STRAY = """
SELECT cell FROM (SELECT cell FROM episodes UNION ALL SELECT cell FROM scores)
WHERE cell NOT IN (SELECT id FROM cells) LIMIT 1
"""
MOST_LOOKED_THROUGH = 256 * 2**20
"""The largest file, in bytes, that is checked whenever it is opened."""


class StoredConversation(msgspec.Struct, frozen=True):
    """One cell with its last attempt, and all of its scores and measures, the oldest first."""

    cell: StoredCell
    episode: Episode | None
    scores: tuple[Score, ...]
    measures: tuple[MeasureResult, ...]


class LastRows(msgspec.Struct, frozen=True):
    """The last rows of a run's episodes and scores that were written, or read."""

    episodes: int = 0
    scores: int = 0


class PlayedCell(msgspec.Struct, frozen=True):
    """The stored data of one cell, without the events of its episodes.

    Attributes:
        place: The cell's place in the plan, from 1.
        attempt: The number of the last attempt.
        episode: The episode of that attempt.
        score: The score of that attempt under the requested scoring.
        measures: The results of measures for it, the oldest first.
        earlier: The usage of earlier attempts and their judges.
    """

    place: int
    attempt: int
    episode: Episode
    score: Score | None
    measures: tuple[MeasureResult, ...]
    earlier: tuple[Usage, ...]


class RunStore:
    """An open run. Make one with `create_run` or `open_run`; close it when done."""

    def __init__(self, folder: Path, file: OpenFile) -> None:
        self.folder = folder
        self._file = file
        self._connection = file.connection
        self._codec = EpisodeCodec()
        self._newest_scores: dict[tuple[str, str], int] = {}
        self._adding = ConversationWrites(str(folder), file, self._codec)

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
        """Close the file and release the lock."""
        self._file.close()

    def copy_to(self, path: Path) -> None:
        """Write a snapshot of the run's file, including its log, to a new file.

        Raises:
            StoreError: If the file cannot be read or written.
        """
        with self._errors("read"), closing(sqlite3.connect(path)) as copy:
            self._connection.backup(copy)
            # A copy that is sent must not need a log next to it.
            copy.execute("PRAGMA journal_mode = DELETE")

    def require_sound(self) -> None:
        """Refuse a run with lost or changed rows; the content of a row is checked when it is read.

        Only files up to `MOST_LOOKED_THROUGH` are checked, which takes about 1.5 s per GB.
        `dragoman verify` checks larger ones.

        Raises:
            StoreError: If the run is damaged.
        """
        with self._errors("read"):
            ((pages, size),) = self._connection.execute(_PAGES)
            if pages * size > MOST_LOOKED_THROUGH:
                return
            ((reported,),) = self._connection.execute("PRAGMA integrity_check(1)")
            count, last = self._connection.execute(_COUNT).fetchone()
            if reported != "ok" or count != (last or 0):
                raise ValueError(reported if reported != "ok" else "conversations are missing")
            if self._connection.execute(_STRAY).fetchone() is not None:
                raise ValueError("a conversation belongs to no cell")

    def _meta(self, name: str) -> bytes | None:
        query = "SELECT value FROM meta WHERE name = ?"
        row = self._connection.execute(query, (name,)).fetchone()
        if row is None:
            return None
        if not isinstance(row[0], bytes):
            raise TypeError(f"its {name} does not consist of bytes")
        return self._verified(row[0], name)

    def manifest(self) -> bytes:
        """Return the manifest that the run was created with."""
        with self._errors("read"):
            found = self._meta("manifest")
        if found is None:
            raise StoreError(f"{self.folder}: the run has no manifest: it was never started")
        return found

    def tasks(self) -> dict[str, Task]:
        """Return the tasks that the run was planned with, by id."""
        with self._errors("read"):
            found = self._meta("tasks")
            return {} if found is None else self._codec.decode_tasks(found)

    def cells(self) -> tuple[StoredCell, ...]:
        """Return the plan, in its order."""
        with self._errors("read"):
            rows = self._connection.execute(SELECT_PLAN).fetchall()
            if self._file.has_checksum and self._meta("plan") != digest_rows(rows):
                raise ValueError("the plan has changed")
            return tuple(cells_of(rows))

    def put(self, entries: Iterable[RunEntry]) -> None:
        """Store episodes, scores and other measures in one transaction."""
        with self._errors("write"), self._connection:
            self.add(entries)

    def add(self, entries: Iterable[RunEntry]) -> None:
        """Write entries within a transaction of the caller."""
        self._adding.add(entries)

    def status_counts(self) -> dict[StatusGroup, StatusCount] | None:
        """Return the counts of statuses and reasons; None for files of formats without counts."""
        if not self._file.is_counted:
            return None
        with self._errors("read"):
            return dict(read_status_counts(self._connection))

    def conditions(self) -> tuple[Condition, ...]:
        """Return the plan's conditions, in its order."""
        with self._errors("read"):
            query = queries.COUNTED_CONDITIONS if self._file.is_counted else queries.CONDITIONS
            rows = self._connection.execute(query).fetchall()
            return tuple(condition_from(text) for (text,) in rows)

    def has_plan(self, cells: Iterable[StoredCell]) -> bool:
        """Return whether the plan consists of these cells, in their order."""
        with self._errors("read"):
            stored = self._connection.execute(SELECT_PLAN)
            return all(
                row == cell or (row is not None and renewed_row(row) == cell)
                for row, cell in zip_longest(stored, rows_of(cells))
            )

    def plan_fingerprint(self) -> str:
        """Return the hash of everything that the plan was made of; "" if it is not stored."""
        with self._errors("read"):
            found = self._meta("made_of")
            return "" if found is None else msgspec.json.decode(found, type=str)

    def store_plan_fingerprint(self, made_of: str) -> None:
        """Store the hash of everything that the plan was made of.

        With an equal hash, no row has to be read.
        """
        with self._errors("write"), self._connection:
            row = ("made_of", self._with_checksum(msgspec.json.encode(made_of), "made_of"))
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", row)

    def resumed(self) -> list[dict[str, object]]:
        """Return the changed options with which the run was resumed, the oldest first.

        The entries do not have keys of their own.
        """
        with self._errors("read"):
            found = self._meta("resumed")
            return [] if found is None else msgspec.json.decode(found, type=list[dict[str, object]])

    def note_resumed(self, changes: Mapping[str, object]) -> None:
        """Store the options that change when the run is resumed.

        Repeated identical changes are stored once.
        """
        before = self.resumed()
        if before and before[-1] == changes:
            return
        with self._errors("write"), self._connection:
            content = msgspec.json.encode([*before, changes])
            row = ("resumed", self._with_checksum(content, "resumed"))
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", row)

    def places(self, cells: Iterable[str]) -> dict[int, str]:
        """Return the places in the plan, from 1, of those of these cells that are in it."""
        with self._errors("read"):
            return {
                row[0]: key
                for key in cells
                for row in self._connection.execute(queries.PLACE, (bytes.fromhex(key),))
            }

    def cell_at(self, place: int) -> StoredCell | None:
        """Return the cell at a place of the plan, from 1; None if there is none."""
        with self._errors("read"):
            row = self._connection.execute(queries.CELL_AT, (place,)).fetchone()
            if row is None:
                return None
            key, suite, condition, agent, task, trial = row
            return StoredCell(key.hex(), suite, condition_from(condition), agent, task, trial)

    def unplayed(self) -> dict[int, str]:
        """Return the cells without attempts by place, in the plan's order."""
        return self._by_place(queries.UNPLAYED)

    def broken(self) -> dict[int, str]:
        """Return the cells by place whose last attempt was ended by infrastructure."""
        return self._by_place(queries.BROKEN)

    def _by_place(self, query: str) -> dict[int, str]:
        with self._errors("read"):
            rows = self._connection.execute(query)
            return {place: key.hex() for place, key in rows}

    def tries(self, cell: str) -> tuple[int, int]:
        """Return the number of attempts at a cell, and the number of those without a fault."""
        with self._errors("read"):
            row = self._connection.execute(queries.TRIES, (bytes.fromhex(cell),)).fetchone()
            last, completed = row
            return (0 if last is None else last + 1), completed or 0

    def declare(self, declared: Iterable[DeclaredMetrics]) -> None:
        """Store the metrics that measures declare.

        A reader of the run then does not need the measures.
        """
        with self._errors("write"), self._connection:
            for entry in declared:
                name = f"measure {entry.measure}-{entry.version}"
                row = (name, self._with_checksum(msgspec.json.encode(entry), name))
                self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", row)

    def declared(self) -> dict[str, DeclaredMetrics]:
        """Return the declared metrics of measures by name."""
        query = "SELECT name, value FROM meta WHERE name LIKE 'measure %'"
        with self._errors("read"):
            found = [
                msgspec.json.decode(self._verified(value, name), type=DeclaredMetrics)
                for name, value in self._connection.execute(query)
            ]
            return {f"{entry.measure}-{entry.version}": entry for entry in found}

    def attempts(self) -> dict[str, tuple[int, bool]]:
        """Return the last attempt of each cell, and whether it ended by an infrastructure fault."""
        with self._errors("read"):
            return {
                key.hex(): (attempt, bool(fault))
                for key, _, attempt, fault in self._connection.execute(
                    queries.LAST_ATTEMPTS.format(data="")
                )
            }

    def completed_attempts(self) -> dict[str, int]:
        """Return the number of completed attempts of each cell.

        Attempts that ended by an infrastructure fault do not count.
        """
        query = (
            "SELECT key, count(*) FROM cells JOIN episodes ON cells.id = episodes.cell "
            "WHERE NOT fault GROUP BY cells.id"
        )
        with self._errors("read"):
            return {key.hex(): count for key, count in self._connection.execute(query)}

    def episode(self, cell: str) -> Episode | None:
        """Return the last attempt at a cell, or None."""
        query = (
            "SELECT attempt, fault, data FROM episodes "
            "WHERE cell = (SELECT id FROM cells WHERE key = ?) ORDER BY attempt DESC LIMIT 1"
        )
        with self._errors("read"):
            row = self._connection.execute(query, (bytes.fromhex(cell),)).fetchone()
            if row is None:
                return None
            attempt, fault, data = row
            return self._codec.decode_episode(self._verified(data, cell, attempt, fault))

    def conversation(self, cell: str) -> StoredConversation | None:
        """Return one cell with all stored data of its last attempt, or None.

        No other data is read.
        """
        with self._errors("read"):
            key = bytes.fromhex(cell)
            planned = self._connection.execute(queries.CELL, (key,)).fetchone()
            if planned is None:
                return None
            place, suite, condition, agent, task, trial = planned
            found = StoredCell(cell, suite, condition_from(condition), agent, task, trial)
            last = self._connection.execute(OWN_LAST, (place,)).fetchone()
            if last is None:
                return StoredConversation(found, None, (), ())
            attempt, fault, data = last
            episode = self._codec.decode_episode(self._verified(data, cell, attempt, fault))
            rows = self._connection.execute(FOUND, (place, attempt)).fetchall()
            scores = (
                self._score(data, key, attempt, *columns) for *columns, data in rows if columns[0]
            )
            measures = (
                self._codec.decode_measured(self._verified(data, cell, attempt, *columns))
                for *columns, data in rows
                if not columns[0]
            )
            return StoredConversation(found, episode, tuple(scores), tuple(measures))

    def has_unscored(self, rules: str, judge: str, metric: str) -> bool:
        """Return whether a last attempt has no score under rules, judge and metric version."""
        scoring = (rules, judge, metric)
        with self._errors("read"):
            if not self._file.is_counted:
                return self._has_unscored("", scoring)
            status_counts = read_status_counts(self._connection)
            return not all_scored(status_counts, scoring) or self._has_unscored(
                "fault AND", scoring
            )

    def _has_unscored(self, among: str, scoring: tuple[str, str, str]) -> bool:
        query = queries.UNSCORED.format(among=among)
        return self._connection.execute(query, scoring).fetchone() is not None

    def episodes(
        self, *, heads_only: bool = False, leaving_out: Container[str] = ()
    ) -> Iterator[tuple[str, int, Episode]]:
        """Yield cell, attempt and episode of every cell's last attempt.

        Args:
            heads_only: Whether the events are omitted.
            leaving_out: Keys of cells to skip.
        """
        decode = self._codec.decode_head if heads_only else self._codec.decode_episode
        query = queries.LAST_ATTEMPTS.format(data=", data")
        with self._errors("read"):
            for key, _, attempt, fault, data in self._connection.execute(query):
                cell = key.hex()
                if cell not in leaving_out:
                    yield cell, attempt, decode(self._verified(data, cell, attempt, fault))

    def scores(self, rules: str, judge: str, metric: str) -> dict[str, Score]:
        """Return the score of each cell's last attempt under rules, judge and metric version."""
        last = self.attempts()
        with self._errors("read"):
            return {
                key.hex(): self._score(data, key, attempt, rules, judge, metric)
                for key, _, attempt, data in self._connection.execute(
                    queries.SCORES, (rules, judge, metric)
                )
                if last.get(key.hex(), (None, False))[0] == attempt
            }

    def _score(self, data: bytes, key: bytes, *columns: object) -> Score:
        return self._codec.decode_score(self._verified(data, key.hex(), *columns))

    def newest_scores(self, metric: str) -> dict[str, Score]:
        """Return the newest score of each cell's last attempt, whatever its rules and judge."""
        query = (
            "SELECT key, attempt, rules, judge, metric, data FROM cells "
            "JOIN scores ON cells.id = scores.cell WHERE metric = ? ORDER BY scores.id"
        )
        last = self.attempts()
        with self._errors("read"):
            newest = {
                key: (data, key, attempt, *columns)
                for key, attempt, *columns, data in self._connection.execute(query, (metric,))
                if last.get(key.hex(), (None, False))[0] == attempt
            }
            return {key.hex(): self._score(*row) for key, row in newest.items()}

    def measured(self) -> dict[str, tuple[MeasureResult, ...]]:
        """Return the results of measures for each cell's last attempt, the oldest first.

        Scores of the reward are not included.
        """
        last: dict[str, tuple[int, bool]] = {}
        found: dict[str, tuple[MeasureResult, ...]] = {}
        for key, attempt, entry in self._measurements():
            last = last or self.attempts()
            if last.get(key, (None, False))[0] == attempt:
                found[key] = (*found.get(key, ()), entry)
        return found

    def _measurements(self) -> Iterator[tuple[str, int, MeasureResult]]:
        with self._errors("read"):
            for key, *columns, data in self._connection.execute(queries.MEASURED):
                content = self._verified(data, key.hex(), *columns)
                yield key.hex(), columns[0], self._codec.decode_measured(content)

    def earlier_usage(self, rules: str, judge: str, metric: str) -> dict[str, tuple[Usage, ...]]:
        """Return the usage of each cell's earlier attempts, and of their judges.

        Args:
            rules: Rules of the scoring whose judges count, in addition to those of other measures.
            judge: Judge of this scoring.
            metric: Metric version of this scoring.
        """
        used: dict[str, tuple[Usage, ...]] = {}
        with self._errors("read"):
            for key, attempt, fault, data in self._connection.execute(queries.EARLIER_EPISODES):
                head = self._codec.decode_head(self._verified(data, key.hex(), attempt, fault))
                used[key.hex()] = used.get(key.hex(), ()) + head.usage
            chosen = (rules, judge, metric)
            for key, attempt, data in self._connection.execute(queries.EARLIER_SCORES, chosen):
                judged = self._score(data, key, attempt, *chosen).judges_usage
                used[key.hex()] = used.get(key.hex(), ()) + judged
        if not used:  # no cell has an earlier attempt
            return used
        last = self.attempts()
        for cell, attempt, entry in self._measurements():
            if entry.usage is not None and attempt < last.get(cell, (0, False))[0]:
                used[cell] = (*used.get(cell, ()), entry.usage)
        return used

    def counts(self) -> tuple[int, int]:
        """Return the number of planned and the number of played conversations."""
        query = "SELECT (SELECT count(*) FROM cells), (SELECT count(DISTINCT cell) FROM episodes)"
        with self._errors("read"):
            planned, played = self._connection.execute(query).fetchone()
            return planned, played

    def last_rows(self) -> LastRows:
        """Return the last rows that were written."""
        with self._errors("read"):
            episodes, scores = self._connection.execute(queries.LAST_ROWS).fetchone()
            return LastRows(episodes or 0, scores or 0)

    def fingerprint(self) -> str:
        """Return a hash that distinguishes this state of the run from any other.

        It covers the manifest, the plan and the last rows: a row that is written again gets a new
        number, unless it is the last one. It is "" if records have no checksums.
        """
        if not self._file.has_checksum:
            return ""
        found = hashlib.blake2b(digest_size=16)
        with self._errors("read"):
            for query in queries.STATE:
                for row in self._connection.execute(query):
                    found.update(repr(row).encode())
        return found.hexdigest()

    def changed_after(self, read: LastRows, most: int) -> tuple[tuple[int, ...], LastRows]:
        """Return the places of cells with rows since then, and the last rows of this answer.

        Args:
            read: The last rows that have been read.
            most: Largest number of rows of episodes, and of scores, to examine.
        """
        found: dict[int, None] = {}
        ends = []
        with self._errors("read"):
            for table, after in (("episodes", read.episodes), ("scores", read.scores)):
                query = queries.ROWS_AFTER.format(table=table)
                rows = self._connection.execute(query, (after, most)).fetchall()
                found.update(dict.fromkeys(cell for _, cell in rows))
                ends.append(rows[-1][0] if rows else after)
        return tuple(found), LastRows(*ends)

    def played_at(
        self, places: Collection[int], rules: str, judge: str, metric: str
    ) -> tuple[PlayedCell, ...]:
        """Return the stored data of cells, without the events of their episodes.

        Scores are those under rules, judge and metric version.
        """
        wanted = msgspec.json.encode(sorted(places)).decode()
        attempts: dict[int, list[tuple[int, Episode]]] = {}
        counted: dict[int, list[tuple[int, Score | MeasureResult]]] = {}
        with self._errors("read"):
            for place, key, attempt, fault, data in self._connection.execute(
                queries.ATTEMPTS_AT, (wanted,)
            ):
                content = self._verified(data, key.hex(), attempt, fault)
                attempts.setdefault(place, []).append((attempt, self._codec.decode_head(content)))
            chosen = (rules, judge, metric)
            for place, key, attempt, *columns, data in self._connection.execute(
                queries.COUNTED_AT, (wanted, *chosen)
            ):
                content = self._verified(data, key.hex(), attempt, *columns)
                is_score = tuple(columns) == chosen
                decode = self._codec.decode_score if is_score else self._codec.decode_measured
                counted.setdefault(place, []).append((attempt, decode(content)))
        return tuple(
            _played_cell(place, played, counted.get(place, ()))
            for place, played in attempts.items()
        )

    def scorings(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of rules and judge under which the run has scores, newest last."""
        query = (
            "SELECT rules, judge, max(id) FROM scores WHERE id > ? AND rules != '' "
            "GROUP BY rules, judge"
        )
        # Scores are replaced, but never removed: only the newer rows have to be read again.
        after = max(self._newest_scores.values(), default=0)
        with self._errors("read"):
            for rules, judge, last in self._connection.execute(query, (after,)):
                self._newest_scores[rules, judge] = last
        return tuple(sorted(self._newest_scores, key=self._newest_scores.__getitem__))

    def _with_checksum(self, data: bytes, *key: object) -> bytes:
        return with_checksum(data, *key) if self._file.has_checksum else data

    def _verified(self, data: bytes, *key: object) -> bytes:
        return strip_checksum(data, *key) if self._file.has_checksum else data

    @contextmanager
    def _errors(self, action: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise store_error(self.folder, action, error) from error
        except DAMAGE_ERRORS as error:
            raise StoreError(f"{self.folder}: a stored record is damaged ({error})") from error


def _played_cell(
    place: int,
    attempts: Sequence[tuple[int, Episode]],
    counted: Sequence[tuple[int, Score | MeasureResult]],
) -> PlayedCell:
    """Return a cell from its attempts and their results.

    The attempts are in their order; the results are scores and those of other measures.
    """
    last, episode = attempts[-1]
    scores = [entry for attempt, entry in counted if attempt == last and isinstance(entry, Score)]
    own = [
        entry for attempt, entry in counted if attempt == last and isinstance(entry, MeasureResult)
    ]
    before = [usage for _, entry in attempts[:-1] for usage in entry.usage]
    for attempt, entry in counted:
        if attempt < last:
            before.extend(_usage_of(entry))
    return PlayedCell(
        place, last, episode, scores[-1] if scores else None, tuple(own), tuple(before)
    )


def _usage_of(entry: Score | MeasureResult) -> tuple[Usage, ...]:
    if isinstance(entry, Score):
        return entry.judges_usage
    return () if entry.usage is None else (entry.usage,)


def create_run(folder: Path, new: NewRun, played: Iterable[StoredEpisode] = ()) -> RunStore:
    """Create a run in a new or empty folder and lock it for writing.

    Args:
        folder: The run's folder.
        new: The run's manifest, plan and tasks.
        played: Conversations of an imported run: either all of them are stored, or no run is
            created.

    Raises:
        StoreError: If the folder already holds a run or cannot be written.
    """

    def fill(connection: sqlite3.Connection) -> None:
        fill_new_run(connection, new)
        RunStore(folder, OpenFile(connection)).add(played)

    return RunStore(folder, create_file(folder, fill))


def open_run(folder: Path, *, write: bool) -> RunStore:
    """Open a run to read, or locked to write.

    Raises:
        StoreError: If the folder has no run, the run is damaged, or another process writes to it.
    """
    store = RunStore(folder, open_file(folder, write=write))
    try:
        store.require_sound()
    except BaseException:
        store.close()
        raise
    return store


def peek_run(folder: Path) -> RunStore:
    """Open a run to read without checking all of it; each record is still checked when it is read.

    Raises:
        StoreError: If the folder has no run, or the file is not that of a run.
    """
    return RunStore(folder, open_file(folder, write=False))
