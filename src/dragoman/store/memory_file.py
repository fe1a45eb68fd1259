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


def open_memory_file(path: Path, *, write: bool = True) -> sqlite3.Connection:
    """Open the file of a translation memory.

    Args:
        path: Where it lies.
        write: Whether it is made where there is none, and may be written.

    Raises:
        StoreError: Where it cannot be opened or is no translation memory.
    """
    if not write and not path.is_file():
        raise StoreError(
            f"{path}: no translation memory here: name the file that `dragoman translate` wrote"
        )
    with OutsideErrors(StoreError, f"{path}: the memory's folder cannot be made or written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.parent):
            return _opened(path)


def memory_error(path: Path, action: str, error: sqlite3.Error) -> StoreError:
    """Return what SQLite could not do as one line that says what to do."""
    text = str(error)
    if "malformed" in text or "not a database" in text:
        return StoreError(
            f"{path}: damaged or no translation memory ({text}): put a copy in its place, or move it "
            "away and import a TMX file"
        )
    if "full" in text:
        return StoreError(
            f"{path}: the memory cannot be written, the disk is full: make room and go on; what was "
            "stored is safe"
        )
    return StoreError(f"{path}: the memory cannot be {action} ({text})")


def _opened(path: Path) -> sqlite3.Connection:
    try:
        file = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
    except sqlite3.Error as error:
        raise memory_error(path, "opened", error) from error
    try:
        file.execute("PRAGMA trusted_schema = OFF")
        if file.execute("PRAGMA user_version").fetchone()[0] == 0:
            _make(path, file)
        _require_own(path, file)
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


def _make(path: Path, file: sqlite3.Connection) -> None:
    if file.execute(_OBJECTS).fetchone() is not None:
        raise StoreError(f"{path}: a database, but no translation memory: choose another file")
    file.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_FORMAT}; COMMIT")


def _require_own(path: Path, file: sqlite3.Connection) -> None:
    found = file.execute("PRAGMA user_version").fetchone()[0]
    if found != _FORMAT:
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
