"""SQLite files that several processes share: created atomically, and checked to be ours."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import msgspec

from dragoman.core.errors import StoreError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.store.safe_files import require_plain_database

LOCK_WAIT_SECONDS = 30
"""Longest wait while another process writes, in seconds."""


class SqliteFileFormat(msgspec.Struct, frozen=True):
    """Format of one of our files.

    Attributes:
        what: The file's name in messages, such as "translation memory".
        schema: The statements that create its tables.
        missing: Advice if the file is missing.
        damaged: Advice if the file is damaged.
        format: The format number in the file.
    """

    what: str
    schema: str
    missing: str
    damaged: str
    format: int = 1


_OBJECTS = "SELECT type, name, sql FROM sqlite_master"


def open_shared_file(
    path: Path, form: SqliteFileFormat, *, write: bool = True, make: bool = True
) -> sqlite3.Connection:
    """Open a file.

    Args:
        path: The file.
        form: Its format.
        write: Whether the file may be written; otherwise it stays unchanged.
        make: Whether a missing file is made if it may be written.

    Raises:
        StoreError: If the file cannot be opened or has another format.
    """
    if not (write and make) and not path.is_file():
        raise StoreError(f"{path}: no {form.what} here: {form.missing}")
    with TranslatedErrors(StoreError, f"{path}: its folder cannot be made or written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.parent):
            return _open_database(path, form, write=write)


def shared_file_error(
    path: Path, form: SqliteFileFormat, action: str, error: sqlite3.Error
) -> StoreError:
    """Return SQLite's failure as one line that says what to do."""
    text = str(error)
    if "malformed" in text or "not a database" in text:
        return StoreError(f"{path}: damaged or no {form.what} ({text}): {form.damaged}")
    if "locked" in text:
        return StoreError(
            f"{path}: another process has been writing it for {LOCK_WAIT_SECONDS} seconds: try "
            "again "
            "when it is done"
        )
    if "full" in text:
        return StoreError(
            f"{path}: the {form.what} cannot be written, the disk is full: make room and go on; "
            "what "
            "was stored is safe"
        )
    return StoreError(f"{path}: the {form.what} cannot be {action} ({text})")


def _open_database(path: Path, form: SqliteFileFormat, *, write: bool) -> sqlite3.Connection:
    with TranslatedErrors(StoreError, f"{path}: no {form.what} that can be opened"):
        require_plain_database(path)
    try:
        file = sqlite3.connect(
            _address(path, write=write), timeout=LOCK_WAIT_SECONDS, isolation_level=None, uri=True
        )
    except sqlite3.Error as error:
        raise shared_file_error(path, form, "opened", error) from error
    try:
        file.execute("PRAGMA trusted_schema = OFF")
        if write and _format_of(file) == 0:
            _make(path, form, file)
        _require_own(path, form, file)
        file.execute(f"PRAGMA query_only = {not write}")
        if write:
            file.execute("PRAGMA journal_mode = WAL")
            # The output of models was paid for: it must survive a power failure, too.
            file.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error as error:
        file.close()
        raise shared_file_error(path, form, "opened", error) from error
    except StoreError:
        file.close()
        raise
    return file


def _address(path: Path, *, write: bool) -> str:
    """Return the URI with which SQLite opens a file.

    A file that is only read is opened for writing, too, if that is allowed: only then does SQLite
    remove its side files. In a read-only folder it has none.
    """
    address = path.absolute().as_uri()
    if write:
        return address
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return f"{address}?mode=rw"
    is_alone = not Path(f"{path}-wal").exists()
    return f"{address}?mode=ro{'&immutable=1' if is_alone else ''}"


def _make(path: Path, form: SqliteFileFormat, file: sqlite3.Connection) -> None:
    if file.execute(_OBJECTS).fetchone() is not None:
        raise StoreError(f"{path}: a database, but no {form.what}: choose another file")
    file.executescript(f"BEGIN; {form.schema} PRAGMA user_version = {form.format}; COMMIT")


def _format_of(file: sqlite3.Connection) -> int:
    return int(file.execute("PRAGMA user_version").fetchone()[0])


def _require_own(path: Path, form: SqliteFileFormat, file: sqlite3.Connection) -> None:
    found = _format_of(file)
    if found not in {0, form.format}:
        raise StoreError(f"{path}: {form.what} of format {found}, this version reads {form.format}")
    if set(file.execute(_OBJECTS)) != _own_objects(form.schema):
        raise StoreError(f"{path}: a database, but no {form.what}: choose another file")


@cache
def _own_objects(schema: str) -> frozenset[tuple[str, str, str | None]]:
    file = sqlite3.connect(":memory:")
    try:
        file.executescript(schema)
        return frozenset(file.execute(_OBJECTS))
    finally:
        file.close()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock a folder, so that two processes do not create one file together."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
