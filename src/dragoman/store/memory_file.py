"""The file of a translation memory: made whole, shared by several processes, refused where it is not ours.

A file may come from anybody: its tables must be exactly those that are made here, for a view or a
trigger would run whatever its author wrote.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from dragoman.core.errors import StoreError
from dragoman.core.texts.decoding import OutsideErrors

PATIENCE_SECONDS = 30
"""How long to wait while another process writes."""

_FORMAT = 1
_COLUMNS = """
    key BLOB NOT NULL, source_language TEXT NOT NULL, target_language TEXT NOT NULL,
    origin TEXT NOT NULL, data BLOB NOT NULL CHECK (typeof(data) = 'blob')
"""
_SCHEMA = f"""
CREATE TABLE entries (id INTEGER PRIMARY KEY, {_COLUMNS});
CREATE UNIQUE INDEX entries_by_key ON entries (key);
CREATE TABLE replaced (id INTEGER PRIMARY KEY, {_COLUMNS});
CREATE INDEX replaced_by_key ON replaced (key);
CREATE TABLE usage (id INTEGER PRIMARY KEY, data BLOB NOT NULL CHECK (typeof(data) = 'blob'));
CREATE TABLE reviews (
    id INTEGER PRIMARY KEY, target_language TEXT NOT NULL,
    data BLOB NOT NULL CHECK (typeof(data) = 'blob')
);
"""
_OBJECTS = "SELECT type, name, sql FROM sqlite_master"


def open_memory_file(path: Path, *, write: bool = True, make: bool = True) -> sqlite3.Connection:
    """Open the file of a translation memory.

    Args:
        path: Where it lies.
        write: Whether it may be written; a file that may not be stays as it is.
        make: Whether one that may be written is made where there is none.

    Raises:
        StoreError: Where it cannot be opened or is no translation memory.
    """
    if not (write and make) and not path.is_file():
        raise StoreError(
            f"{path}: no translation memory here: name the file that `dragoman translate` wrote"
        )
    with OutsideErrors(StoreError, f"{path}: the memory's folder cannot be made or written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.parent):
            return _opened(path, write=write)


def memory_error(path: Path, action: str, error: sqlite3.Error) -> StoreError:
    """Return what SQLite could not do as one line that says what to do."""
    text = str(error)
    if "malformed" in text or "not a database" in text:
        return StoreError(
            f"{path}: damaged or no translation memory ({text}): put a copy in its place, or move it "
            "away and import a TMX file"
        )
    if "locked" in text:
        return StoreError(
            f"{path}: another process has been writing it for {PATIENCE_SECONDS} seconds: try again "
            "when it is done"
        )
    if "full" in text:
        return StoreError(
            f"{path}: the memory cannot be written, the disk is full: make room and go on; what was "
            "stored is safe"
        )
    return StoreError(f"{path}: the memory cannot be {action} ({text})")


def _opened(path: Path, *, write: bool) -> sqlite3.Connection:
    try:
        file = sqlite3.connect(
            _address(path, write=write), timeout=PATIENCE_SECONDS, isolation_level=None, uri=True
        )
    except sqlite3.Error as error:
        raise memory_error(path, "opened", error) from error
    try:
        file.execute("PRAGMA trusted_schema = OFF")
        if write and _format_of(file) == 0:
            _make(path, file)
        _require_own(path, file)
        file.execute(f"PRAGMA query_only = {not write}")
        if write:
            file.execute("PRAGMA journal_mode = WAL")
            # A translation was paid for: it must outlast the machine's power too.
            file.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error as error:
        file.close()
        raise memory_error(path, "opened", error) from error
    except StoreError:
        file.close()
        raise
    return file


def _address(path: Path, *, write: bool) -> str:
    """Return how SQLite is asked for a file.

    What is only read is opened for writing too where that is allowed: only so SQLite takes the files
    away that it needs beside it. In a folder that may not be written it has none.
    """
    address = path.absolute().as_uri()
    if write:
        return address
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return f"{address}?mode=rw"
    is_alone = not Path(f"{path}-wal").exists()
    return f"{address}?mode=ro{'&immutable=1' if is_alone else ''}"


def _make(path: Path, file: sqlite3.Connection) -> None:
    if file.execute(_OBJECTS).fetchone() is not None:
        raise StoreError(f"{path}: a database, but no translation memory: choose another file")
    file.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_FORMAT}; COMMIT")


def _format_of(file: sqlite3.Connection) -> int:
    return int(file.execute("PRAGMA user_version").fetchone()[0])


def _require_own(path: Path, file: sqlite3.Connection) -> None:
    found = _format_of(file)
    if found not in {0, _FORMAT}:
        raise StoreError(f"{path}: memory format {found}, this version reads {_FORMAT}")
    if set(file.execute(_OBJECTS)) != _own_objects():
        raise StoreError(f"{path}: a database, but no translation memory: choose another file")


@cache
def _own_objects() -> frozenset[tuple[str, str, str | None]]:
    file = sqlite3.connect(":memory:")
    try:
        file.executescript(_SCHEMA)
        return frozenset(file.execute(_OBJECTS))
    finally:
        file.close()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a folder's lock: two processes must not make one file together."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
