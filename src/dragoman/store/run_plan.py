"""Plan of a stored run: its rows, their digest, and the first contents of a new run's file."""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

import msgspec

from dragoman.core.conditions import Condition, condition_from, condition_text
from dragoman.core.errors import DataError
from dragoman.core.tasks import Task
from dragoman.store.checksums import with_checksum
from dragoman.store.record_codec import EpisodeCodec
from dragoman.store.run_file import FORMAT
from dragoman.store.status_counts import count_plan

SELECT_PLAN = "SELECT key, suite, condition, agent, task, trial FROM cells ORDER BY id"
PlanRow = tuple[bytes, str, str, str, str, int]
"""A stored cell: its key, suite, condition, agent, task and trial."""


class StoredCell(msgspec.Struct, frozen=True, gc=False):
    """One planned conversation: its key and its place in the grid."""

    key: str
    suite: str
    condition: Condition
    agent: str
    task: str
    trial: int


class NewRun(msgspec.Struct, frozen=True):
    """Contents of a new run: its manifest, its plan and its tasks."""

    manifest: bytes
    cells: tuple[StoredCell, ...]
    tasks: dict[str, Task]


def rows_of(cells: Iterable[StoredCell]) -> Iterator[PlanRow]:
    """Yield the stored rows of cells."""
    written = cache(condition_text)
    for cell in cells:
        yield (
            bytes.fromhex(cell.key),
            cell.suite,
            written(cell.condition),
            cell.agent,
            cell.task,
            cell.trial,
        )


def renewed_row(row: PlanRow) -> PlanRow:
    """Return a stored row with its condition in the current form.

    Runs of format 1 stored a condition's label instead of its axes.
    """
    return (*row[:2], _renewed(row[2]), *row[3:])


@lru_cache(maxsize=4096)
def _renewed(condition: str) -> str:
    """Return a stored condition as a JSON object of its axes; other texts stay."""
    try:
        return condition_text(condition_from(condition))
    except DataError:
        return condition


def cells_of(rows: Sequence[tuple[object, ...]]) -> Iterator[StoredCell]:
    """Yield the cells of stored rows.

    Raises: msgspec.ValidationError: If a row has other types.
        ValueError: If a condition cannot be parsed.
    """
    read = cache(condition_from)
    for key, suite, condition, agent, task, trial in msgspec.convert(rows, list[PlanRow]):
        yield StoredCell(key.hex(), suite, read(condition), agent, task, trial)


def fill_new_run(connection: sqlite3.Connection, new: NewRun) -> None:
    """Write the first contents of a new run, within a transaction of the caller."""
    tasks = EpisodeCodec().encode_tasks(new.tasks)
    begin_run(connection, new.manifest, tasks, list(rows_of(new.cells)))


def begin_run(
    connection: sqlite3.Connection, manifest: bytes, tasks: bytes, rows: Sequence[PlanRow]
) -> None:
    """Write the first contents of a run, within a transaction of the caller.

    Args:
        connection: A new file.
        manifest: The manifest.
        tasks: The tasks in their stored form.
        rows: The plan, in its order.
    """
    entries = (
        ("manifest", with_checksum(manifest, "manifest")),
        ("tasks", with_checksum(tasks, "tasks")),
        ("plan", with_checksum(digest_rows(rows), "plan")),
    )
    connection.execute("INSERT INTO meta VALUES ('format', ?)", (FORMAT,))
    connection.executemany("INSERT INTO meta VALUES (?, ?)", entries)
    connection.executemany(
        "INSERT INTO cells (key, suite, condition, agent, task, trial) VALUES (?, ?, ?, ?, ?, ?)",
        rows,
    )
    count_plan(connection)


def plan_rows(connection: sqlite3.Connection) -> list[PlanRow]:
    """Return the stored plan, in its order."""
    return connection.execute(SELECT_PLAN).fetchall()


def plan_digest(connection: sqlite3.Connection) -> bytes:
    """Return the hash of the stored plan."""
    return digest_rows(connection.execute(SELECT_PLAN))


def digest_rows(rows: Iterable[tuple[object, ...]]) -> bytes:
    """Return a hash of the plan's rows, in their order."""
    digest = hashlib.blake2b(digest_size=16)
    for row in rows:
        digest.update(repr(row).encode())
    return digest.digest()
