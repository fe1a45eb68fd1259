"""SQLite file of a run: created atomically, locked by its one writer, checked when opened."""

import errno
import fcntl
import os
import shlex
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from dragoman.core.errors import StoreError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.store import status_counts
from dragoman.store.folder_contents import RUN_FILE, require_folder_for
from dragoman.store.safe_files import open_without_links, require_plain_database

FILE = RUN_FILE
LOCK = "run.lock"

FORMAT = "4"
"""The format of new runs: every record has a checksum, and conversations are counted by status."""

UNCOUNTED_FORMAT = "3"
"""The format before that, without counts."""

UNCHECKED_FORMAT = frozenset({"1", "2"})
"""Formats without counts and without checksums; the first one stores conditions as labels."""

OLDER = frozenset({*UNCHECKED_FORMAT, UNCOUNTED_FORMAT})
"""Older formats that are read and written unchanged.

`dragoman upgrade` converts them to the newest format.
"""

_READS = ", ".join(sorted({*OLDER, FORMAT}))

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

OF_A_BUNDLE = "`dragoman unbundle FILE --out FOLDER` makes a run of a bundle"
"""Advice if a bundle is given instead of a run's folder."""

_OBJECTS = "SELECT type, name, sql FROM sqlite_master"

_OF_THE_FILE = ("", "-journal", "-wal", "-shm")


class OpenFile:
    """An open run file, and its format."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: "Lock | None" = None,
        copied_to: "tempfile.TemporaryDirectory[str] | None" = None,
    ) -> None:
        self.connection = connection
        self.format = FORMAT
        self._lock = lock
        self._copied_to = copied_to

    @property
    def has_checksum(self) -> bool:
        """Whether its records have checksums."""
        return self.format not in UNCHECKED_FORMAT

    @property
    def is_counted(self) -> bool:
        """Whether the file has counts of conversations by status."""
        return self.format not in OLDER

    def close(self) -> None:
        """Close the file, remove a copy that was read in its place, and release the lock."""
        try:
            self.connection.close()
        finally:
            if self._copied_to is not None:
                self._copied_to.cleanup()
            if self._lock is not None:
                self._lock.release()


def create_file(folder: Path, fill: Callable[[sqlite3.Connection], None]) -> OpenFile:
    """Make a run's file in a new or empty folder, locked for writing.

    Args:
        folder: The run's folder.
        fill: Function that writes the first contents into the existing tables, within one
            transaction.

    Raises:
        UsageError: If the folder holds something else than a run.
        StoreError: If the folder already holds a run or cannot be written.
    """
    require_folder_for(folder, "a run")
    with TranslatedErrors(StoreError, f"{folder}: cannot create the run's folder"):
        folder.mkdir(parents=True, exist_ok=True)
    lock = Lock(folder)
    try:
        _make_file(folder, fill)
        connection = _connect(folder, "mode=rw")
    except BaseException:
        lock.release()
        raise
    opened = OpenFile(connection, lock)
    try:
        _prepare(folder, connection)
    except StoreError:
        opened.close()
        (folder / FILE).unlink(missing_ok=True)
        raise
    return opened


def open_file(folder: Path, *, write: bool) -> OpenFile:
    """Open a run's file to read, or locked to write.

    Raises:
        StoreError: If the folder has no run, the run is damaged, or another process writes to it.
    """
    if (folder / FILE).is_file() and not _is_begun(folder):
        raise StoreError(
            f"{folder}: this run was never started: start it with `dragoman run --out`"
        )
    if folder.is_file():
        raise StoreError(f"{folder}: no run here, but a file: {OF_A_BUNDLE}")
    if not (folder / FILE).is_file():
        raise StoreError(
            f"{folder}: no run here (no {FILE}): name the folder that `run --out` wrote"
        )
    with TranslatedErrors(StoreError, f"{folder}: no run that can be opened"):
        require_plain_database(folder / FILE)
    opened = _opened_to_write(folder) if write else _opened_to_read(folder)
    try:
        opened.format = _checked_format(folder, opened.connection)
        if write:
            _prepare(folder, opened.connection)
    except BaseException:
        opened.close()
        raise
    return opened


def _make_file(folder: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    if _is_begun(folder):
        raise StoreError(f"{folder} holds a run already: resume it, or choose another --out")
    # The file is built under another name and renamed once it is whole: a run exists completely or
    # not at all.
    draft = folder / f"{FILE}.new"
    try:
        _remove(draft)
        connection = sqlite3.connect(draft)
        try:
            connection.executescript(f"BEGIN; {_SCHEMA}{status_counts.SCHEMA}")
            fill(connection)
            connection.commit()
        finally:
            connection.close()
        draft.replace(folder / FILE)
    except sqlite3.Error as error:
        raise store_error(folder, "create", error) from error
    except OSError as error:
        raise StoreError(f"{folder}: cannot create the run ({error.strerror})") from error
    finally:
        _remove(draft)


def _remove(draft: Path) -> None:
    """Remove a draft with its journal, which SQLite would apply to the next draft."""
    for ending in _OF_THE_FILE:
        draft.with_name(f"{draft.name}{ending}").unlink(missing_ok=True)


def _is_begun(folder: Path) -> bool:
    """Return whether a folder holds a run.

    A full disk or a kill may leave an empty file, which is not one.
    """
    path = folder / FILE
    return path.exists() and (not path.is_file() or path.stat().st_size > 0)


def _checked_format(folder: Path, connection: sqlite3.Connection) -> str:
    """Return the format of a file, and refuse a file with tables that are not those of a run."""
    try:
        # The schema of a foreign file must not be able to call functions.
        connection.execute("PRAGMA trusted_schema = OFF")
        found = set(connection.execute(_OBJECTS))
        own = _own_objects() if any(name == "tallies" for _, name, _ in found) else _older_objects()
        if found != own:
            odd = min(f"{kind} {name}" for kind, name, _ in found ^ own)
            raise StoreError(
                f"{folder / FILE}: damaged or not a run file (its {odd} is not a run's)"
            )
        row = connection.execute("SELECT value FROM meta WHERE name = 'format'").fetchone()
    except sqlite3.Error as error:
        raise store_error(folder, "read", error) from error
    if row is None or row[0] not in {*OLDER, FORMAT}:
        reported = "none" if row is None else f"{row[0]!s:.20}"
        raise StoreError(f"{folder}: run format {reported}, this version reads {_READS}")
    if row[0] == FORMAT and own != _own_objects():
        raise StoreError(f"{folder / FILE}: damaged (its tables are not those of format {row[0]})")
    return str(row[0])


@cache
def _own_objects() -> frozenset[tuple[str, str, str | None]]:
    return _objects(_SCHEMA + status_counts.SCHEMA)


@cache
def _older_objects() -> frozenset[tuple[str, str, str | None]]:
    return _objects(_SCHEMA)


def _objects(schema: str) -> frozenset[tuple[str, str, str | None]]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema)
        return frozenset(connection.execute(_OBJECTS))
    finally:
        connection.close()


def _opened_to_write(folder: Path) -> OpenFile:
    lock = Lock(folder)
    try:
        return OpenFile(_connect(folder, "mode=rw"), lock)
    except sqlite3.Error as error:
        lock.release()
        raise store_error(folder, "open", error) from error


def _prepare(folder: Path, connection: sqlite3.Connection) -> None:
    """Switch the file to a write-ahead log, so that readers never wait for the writer."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -65536")
    except sqlite3.Error as error:
        raise store_error(folder, "open", error) from error


def _opened_to_read(folder: Path) -> OpenFile:
    """Open a file to read, including the log of a killed process.

    SQLite keeps an index of the log next to the file. If it cannot, no process writes either, and
    the log is read in a copy.
    """
    try:
        if os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            return OpenFile(_connect(folder, "mode=ro"))
        if not _has_log(folder):
            return OpenFile(_connect(folder, "mode=ro&immutable=1"))
        connection = _connect(folder, "mode=ro")
        try:
            connection.execute(_OBJECTS).fetchone()
        except sqlite3.OperationalError:
            connection.close()
            return _open_copy(folder)
        return OpenFile(connection)
    except sqlite3.Error as error:
        raise store_error(folder, "open", error) from error


def _has_log(folder: Path) -> bool:
    log = folder / f"{FILE}-wal"
    return log.exists() and log.stat().st_size > 0


def _open_copy(folder: Path) -> OpenFile:
    copy = tempfile.TemporaryDirectory(prefix="dragoman-")
    try:
        for name in (FILE, f"{FILE}-wal"):
            shutil.copyfile(folder / name, Path(copy.name) / name)
        return OpenFile(_connect(Path(copy.name), "mode=ro"), copied_to=copy)
    except OSError as error:
        copy.cleanup()
        raise StoreError(
            f"{folder}: this run was killed and lies where nobody can write: copy the folder to "
            f"where there is room, and read it there ({error.strerror})"
        ) from error


def _connect(folder: Path, options: str) -> sqlite3.Connection:
    address = f"{(folder / FILE).absolute().as_uri()}?{options}"
    return sqlite3.connect(address, uri=True, check_same_thread=False, timeout=30)


def store_error(folder: Path, action: str, error: sqlite3.Error) -> StoreError:
    """Return SQLite's failure as one line that says what to do."""
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


class Lock:
    """An exclusive lock that the operating system releases when the process ends."""

    def __init__(self, folder: Path) -> None:
        path = folder / LOCK
        try:
            self._file = open(path, "a", encoding="ascii", opener=open_without_links)  # noqa: SIM115
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
        """Release the lock."""
        self._file.close()
