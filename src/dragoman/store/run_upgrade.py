"""Schema migration of a run's file from older formats to the newest, in one transaction."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from dragoman.core.errors import StoreError
from dragoman.store.checksums import strip_checksum, with_checksum
from dragoman.store.record_codec import DAMAGE_ERRORS, EpisodeCodec
from dragoman.store.run_file import FORMAT, UNCHECKED_FORMAT, OpenFile, open_file, store_error
from dragoman.store.run_plan import plan_digest
from dragoman.store.status_counts import SCHEMA, StatusCounter, count_plan, groups_of

_RECORDS = {
    "meta": "SELECT rowid, value, name FROM meta WHERE name != 'format' AND rowid = ?",
    "episodes": "SELECT e.id, data, lower(hex(key)), attempt, fault FROM episodes AS e JOIN cells "
    "ON cells.id = cell WHERE e.id = ?",
    "scores": "SELECT s.id, data, lower(hex(key)), attempt, rules, judge, metric FROM scores AS s "
    "JOIN cells ON cells.id = cell WHERE s.id = ?",
}
_VALUE = {"meta": "value", "episodes": "data", "scores": "data"}
_LAST = """
SELECT cells.id, lower(hex(key)), suite, condition, agent, attempt, fault, data
FROM cells JOIN episodes ON cells.id = episodes.cell
WHERE attempt = (SELECT max(attempt) FROM episodes AS every WHERE every.cell = cells.id)
"""
_FOUND = (
    "SELECT attempt, rules, judge, metric, data FROM scores WHERE cell = ? AND attempt = ? "
    "AND rules != ''"
)


def upgrade_run(folder: Path, on_record: Callable[[], None]) -> str:
    """Convert a run to the newest format, and return the format that it had.

    If the process is killed meanwhile, the run stays unchanged.

    Args:
        folder: The run's folder.
        on_record: Function that is called after each conversation.

    Raises:
        StoreError: If the run cannot be read or written, or another process writes to it.
    """
    with closing(open_file(folder, write=True)) as file:
        before = file.format
        if before == FORMAT:
            return before
        try:
            file.connection.execute("BEGIN IMMEDIATE")
            _upgrade(file, on_record)
            file.connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise store_error(folder, "upgrade", error) from error
        except DAMAGE_ERRORS as error:
            raise StoreError(
                f"{folder}: a stored record is damaged ({error}): `dragoman verify` names all"
            ) from error
    return before


def _upgrade(file: OpenFile, on_record: Callable[[], None]) -> None:
    connection = file.connection
    if file.format in UNCHECKED_FORMAT:
        _add_checksums(connection)
    connection.execute("DROP TABLE IF EXISTS tallies")
    connection.execute("DROP INDEX IF EXISTS episodes_that_broke")
    for statement in SCHEMA.split(";\n"):
        if statement.strip():
            # The statement must equal that of a new file to the letter, because files are
            # recognized by it.
            connection.execute(statement.strip())
    count_plan(connection)
    count_conversations(connection, on_record)
    connection.execute("UPDATE meta SET value = ? WHERE name = 'format'", (FORMAT,))


def _add_checksums(connection: sqlite3.Connection) -> None:
    for table, query in _RECORDS.items():
        # Our own.
        numbers = connection.execute(f"SELECT rowid FROM {table}").fetchall()  # noqa: S608
        change = f"UPDATE {table} SET {_VALUE[table]} = ? WHERE rowid = ?"  # noqa: S608 - our own
        for number in numbers:
            for row, data, *key in connection.execute(query, number).fetchall():
                connection.execute(change, (with_checksum(data, *key), row))
    plan = with_checksum(plan_digest(connection), "plan")
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('plan', ?)", (plan,))


def count_conversations(connection: sqlite3.Connection, on_record: Callable[[], None]) -> None:
    """Count the conversations by status that were written without counts."""
    codec, counting = EpisodeCodec(), StatusCounter(connection)
    for place, key, suite, condition, agent, attempt, fault, data in connection.execute(_LAST):
        episode = codec.decode_head(strip_checksum(data, key, attempt, fault))
        scores = tuple(
            codec.decode_score(strip_checksum(score, key, *columns))
            for *columns, score in connection.execute(_FOUND, (place, attempt)).fetchall()
        )
        for group in groups_of((suite, condition, agent), episode, scores):
            counting.add(group, place)
        on_record()
    counting.flush()
