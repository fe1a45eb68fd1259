"""The file in which replies of models are remembered: opened, set aside, described, cleared.

One SQLite file serves all runs of a person; several processes may use it at once. Whoever opens,
sets aside or clears it holds a lock meanwhile, so that two of them never do so together.
"""

import fcntl
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from dragoman.core.errors import StoreError
from dragoman.core.texts.decoding import OutsideErrors

FILE = "replies.sqlite"
PATIENCE_SECONDS = 30

_FORMAT = 1
_SCHEMA = """
CREATE TABLE replies (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, used INTEGER NOT NULL,
    checksum INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE INDEX replies_by_use ON replies (used);
CREATE TABLE calls (key BLOB PRIMARY KEY, began INTEGER NOT NULL) WITHOUT ROWID;
"""
_PARTS = ("", "-wal", "-shm")

log = logging.getLogger(__name__)


class ReplyFileFacts(msgspec.Struct, frozen=True):
    """What a file of replies holds.

    `bytes` is its size on disk, `in_flight` the calls that began and were not seen to end.
    """

    replies: int
    in_flight: int
    bytes: int


def open_replies(path: Path) -> sqlite3.Connection:
    """Open the file, making it where there is none and setting a damaged one aside.

    Raises:
        sqlite3.Error: Where it cannot be opened.
        OSError: Where its folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        try:
            return _opened(path)
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            log.warning("%s is damaged (%s): set aside, beginning a new one", path, error)
            _move_aside(path)
            return _opened(path)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error means that the file is not what it was written as."""
    return "malformed" in str(error) or "not a database" in str(error)


def set_aside(path: Path, inode: int) -> None:
    """Rename a damaged file, unless somebody has replaced it since (`inode` tells).

    Raises:
        OSError: Where the folder cannot be written.
    """
    with _alone(path):
        if path.exists() and path.stat().st_ino == inode:
            _move_aside(path)


def describe_replies(path: Path) -> ReplyFileFacts:
    """Return what the file holds; all is 0 where there is none.

    Raises:
        StoreError: Where it cannot be read.
    """
    if not path.exists():
        return ReplyFileFacts(0, 0, 0)
    try:
        # A reader of a file in this mode writes its index beside it: "ro" would need that there.
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as file:
            counts = [
                file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - our own names
                for table in ("replies", "calls")
            ]
    except sqlite3.Error as error:
        raise StoreError(
            f"{path}: cannot be read ({error}): `dragoman cache clear` removes it"
        ) from error
    return ReplyFileFacts(counts[0], counts[1], _size(path))


def clear_replies(path: Path) -> int:
    """Remove the file and what was set aside, and return how many bytes that freed.

    A process that is using the file goes on with its own until it ends.

    Raises:
        StoreError: Where it cannot be removed.
    """
    if not path.parent.exists():
        return 0
    with OutsideErrors(StoreError, f"{path}: cannot be removed"), _alone(path):
        freed = _size(path) + _size(_aside(path))
        for base in (path, _aside(path)):
            for part in _PARTS:
                Path(f"{base}{part}").unlink(missing_ok=True)
    return freed


def _opened(path: Path) -> sqlite3.Connection:
    file = sqlite3.connect(path, timeout=PATIENCE_SECONDS, check_same_thread=False)
    try:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")
        found = file.execute("PRAGMA user_version").fetchone()[0]
        if found == 0:
            file.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_FORMAT}; COMMIT")
        elif found != _FORMAT:
            raise sqlite3.NotSupportedError(f"format {found}, this version reads {_FORMAT}")
    except sqlite3.Error:
        file.close()
        raise
    return file


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.damaged")


def _move_aside(path: Path) -> None:
    """Give a damaged file another name; the one set aside before it is dropped."""
    for part in _PARTS:
        old, new = Path(f"{path}{part}"), Path(f"{_aside(path)}{part}")
        new.unlink(missing_ok=True)
        if old.exists():
            old.rename(new)


def _size(path: Path) -> int:
    parts = (Path(f"{path}{part}") for part in _PARTS)
    return sum(part.stat().st_size for part in parts if part.exists())


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.with_name(f"{path.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
