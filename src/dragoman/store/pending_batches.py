"""Pending batch requests: submitted to a provider, and not known to be answered."""

import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from dragoman.store.sqlite_files import SqliteFileFormat, open_shared_file, shared_file_error

FILE = "batches.sqlite"

_KEPT_SECONDS = 30 * 24 * 3_600
"""Providers do not keep the results of a batch longer."""

_FORM = SqliteFileFormat(
    what="file of batches",
    schema="""
CREATE TABLE batches (
    name TEXT PRIMARY KEY, endpoint TEXT NOT NULL, id TEXT NOT NULL, began INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE requests (
    key TEXT NOT NULL, batch TEXT NOT NULL, PRIMARY KEY (key, batch)
) WITHOUT ROWID;
""",
    missing="nothing was handed in",
    damaged="remove it; batches that were waited for are paid for again",
)


class PendingBatch(msgspec.Struct, frozen=True):
    """A batch that was submitted, or was about to be.

    Attributes:
        name: Our name for the batch, which is sent with it.
        id: The provider's id; "" if its answer was not received.
        keys: The keys of its requests that the caller asked for.
    """

    name: str
    id: str
    keys: frozenset[str]


class PendingBatches:
    """The file of pending batches; every call opens and closes it.

    Args:
        path: The file; it is made if it is missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def begin(self, name: str, endpoint: str, keys: Collection[str]) -> None:
        """Record a batch that is about to be submitted.

        Raises:
            StoreError: If the file cannot be written.
        """
        now = int(time.time())
        with self._writing() as file:
            file.execute("DELETE FROM batches WHERE began < ?", (now - _KEPT_SECONDS,))
            file.execute("DELETE FROM requests WHERE batch NOT IN (SELECT name FROM batches)")
            file.execute("INSERT INTO batches VALUES (?, ?, '', ?)", (name, endpoint, now))
            file.executemany("INSERT INTO requests VALUES (?, ?)", [(key, name) for key in keys])

    def accepted(self, name: str, batch_id: str) -> None:
        """Record the provider's id of a batch.

        Raises:
            StoreError: If the file cannot be written.
        """
        with self._writing() as file:
            file.execute("UPDATE batches SET id = ? WHERE name = ?", (batch_id, name))

    def holding(self, endpoint: str, keys: Collection[str]) -> list[PendingBatch]:
        """Return the batches of an endpoint that contain some of these requests.

        Raises:
            StoreError: If the file cannot be read.
        """
        asked, found = set(keys), []
        with self._writing() as file:
            batches = file.execute(
                "SELECT name, id FROM batches WHERE endpoint = ? ORDER BY began, name", (endpoint,)
            ).fetchall()
            for name, batch_id in batches:
                rows = file.execute("SELECT key FROM requests WHERE batch = ?", (name,))
                held = asked & {key for (key,) in rows}
                if held:
                    asked -= held
                    found.append(PendingBatch(name, batch_id, frozenset(held)))
        return found

    def forget(self, keys: Collection[str]) -> None:
        """Remove requests from the file.

        They are answered and stored elsewhere, or are to be submitted again.

        Raises:
            StoreError: If the file cannot be written.
        """
        if not keys:
            return
        with self._writing() as file:
            file.executemany("DELETE FROM requests WHERE key = ?", [(key,) for key in keys])
            file.execute("DELETE FROM batches WHERE name NOT IN (SELECT batch FROM requests)")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with closing(open_shared_file(self._path, _FORM)) as file:
            try:
                file.execute("BEGIN IMMEDIATE")
                yield file
                file.execute("COMMIT")
            except sqlite3.Error as error:
                raise shared_file_error(self._path, _FORM, "written", error) from error
