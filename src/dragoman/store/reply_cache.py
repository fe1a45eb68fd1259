"""Cache of model replies by the content of the request, shared by all runs of a user."""

import asyncio
import fcntl
import logging
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from dragoman.core.errors import StoreError
from dragoman.core.texts.decoding import TranslatedErrors

FILE = "replies.sqlite"
LOCK_WAIT_SECONDS = 30

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
    """Counts of a reply cache file.

    `bytes` is its size on disk, `in_flight` the number of calls that began and whose end is
    unknown.
    """

    replies: int
    in_flight: int
    bytes: int


def open_replies(path: Path) -> sqlite3.Connection:
    """Open the file; make it if it is missing, and move a damaged one aside.

    Raises: sqlite3.Error: If the file cannot be opened.
        OSError: If its folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        try:
            return _open_database(path)
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            log.warning("%s is damaged (%s): set aside, beginning a new one", path, error)
            _move_aside(path)
            return _open_database(path)


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error means that the file is damaged."""
    return "malformed" in str(error) or "not a database" in str(error)


def move_aside(path: Path, inode: int) -> None:
    """Rename a damaged file, unless another process has replaced it (`inode` shows this).

    Raises:
        OSError: If the folder cannot be written.
    """
    with _alone(path):
        if path.exists() and path.stat().st_ino == inode:
            _move_aside(path)


def describe_replies(path: Path) -> ReplyFileFacts:
    """Return the counts of a file; all are 0 if it is missing.

    Raises:
        StoreError: If the file cannot be read.
    """
    if not path.exists():
        return ReplyFileFacts(0, 0, 0)
    try:
        # A reader of a file in WAL mode writes its index next to it: "ro" would require an existing
        # index.
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as file:
            counts = [
                file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
                for table in ("replies", "calls")
            ]
    except sqlite3.Error as error:
        raise StoreError(
            f"{path}: cannot be read ({error}): `dragoman cache clear` removes it"
        ) from error
    return ReplyFileFacts(counts[0], counts[1], _size(path))


def clear_replies(path: Path) -> int:
    """Remove the file and damaged files that were moved aside, and return the freed bytes.

    A process that uses the file keeps its own until it ends.

    Raises:
        StoreError: If the file cannot be removed.
    """
    if not path.parent.exists():
        return 0
    with TranslatedErrors(StoreError, f"{path}: cannot be removed"), _alone(path):
        freed = _size(path) + _size(_aside_path(path))
        for base in (path, _aside_path(path)):
            for part in _PARTS:
                Path(f"{base}{part}").unlink(missing_ok=True)
    return freed


def _open_database(path: Path) -> sqlite3.Connection:
    file = sqlite3.connect(path, timeout=LOCK_WAIT_SECONDS, check_same_thread=False)
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


def _aside_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.damaged")


def _move_aside(path: Path) -> None:
    """Rename a damaged file; an earlier renamed one is removed."""
    for part in _PARTS:
        old, new = Path(f"{path}{part}"), Path(f"{_aside_path(path)}{part}")
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


DEFAULT_BYTES = 2 * 1024**3
GATHER_SECONDS = 0.002
MOST_WAITING = 4_096
"""Largest number of replies in the queue; if the disk is slower, further replies are not cached."""

_EVICTED_AT_ONCE = 32
_TOUCHED_AFTER = 3_600
"""Tolerated age of a reply's last recorded use, in seconds.

Recording every use would cost too much.
"""
_FORGOTTEN_AFTER = 7 * 24 * 3_600
"""Seconds for which a call without a recorded end counts as in flight."""

_GET = "SELECT used, checksum, body FROM replies WHERE key = ?"
_BEGIN = "INSERT OR REPLACE INTO calls (key, began) VALUES (?, ?)"
_END = "DELETE FROM calls WHERE key = ?"
_PUT = "INSERT OR REPLACE INTO replies (key, used, checksum, body) VALUES (?, ?, ?, ?)"
_DROP = "DELETE FROM replies WHERE key = ?"
_TOUCH = "UPDATE replies SET used = ? WHERE key = ?"
_EVICT = "DELETE FROM replies WHERE id IN (SELECT id FROM replies ORDER BY used, id LIMIT ?)"


class _Batch:
    """Changes that wait to be written."""

    def __init__(self) -> None:
        self.begun: set[bytes] = set()
        self.ended: set[bytes] = set()
        self.touched: set[bytes] = set()
        # None stands for a dropped reply.
        self.replies: dict[bytes, bytes | None] = {}
        self.awaited: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}

    def tell(self) -> None:
        """Wake the waiters of this batch, each in its own event loop."""
        for loop, futures in self.awaited.items():
            if not loop.is_closed():
                loop.call_soon_threadsafe(_wake_waiter, futures)
        self.awaited = {}

    def __bool__(self) -> bool:
        return bool(self.begun or self.ended or self.touched or self.replies)


class ReplyCache:
    """Cache of replies; close it when done, or use it as a context manager.

    The methods never raise errors of the file.

    Args:
        path: The SQLite file; it is made if it is missing, and moved aside if it is damaged.
        most_bytes: Size in bytes from which the least recently used replies are dropped.
        clock: Time of day in seconds.
    """

    def __init__(self, path: Path, most_bytes: int, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting = _Batch()
        self._writing = _Batch()
        self._is_hurried = False
        self._is_closing = False
        self._is_off = False
        self._inode = 0
        self._left: set[bytes] = set()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._thread = threading.Thread(target=self._work, name="reply-writer", daemon=True)
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def get(self, key: bytes) -> bytes | None:
        """Return the reply with this key, or None."""
        if self._is_off or self._reader is None:
            return None
        # The order matters: a batch moves from the first to the second, and must be found in one of
        # them.
        for batch in (self._waiting, self._writing):
            if key in batch.replies:
                return batch.replies[key]
        try:
            row = self._reader.execute(_GET, (key,)).fetchone()
        except sqlite3.Error as error:
            self._give_up("read", error)
            return None
        if row is None:
            return None
        used, checksum, body = row
        if not isinstance(body, bytes) or zlib.crc32(body) != checksum:
            return None
        if used + _TOUCHED_AFTER < self._clock():
            self._hand_over(touched=key)
        return body

    def begin(self, key: bytes) -> None:
        """Record that a call is about to be sent, for `was_in_flight` of a later process.

        The record is written together with other changes: if the process is killed within
        `GATHER_SECONDS`, the record is lost.
        """
        self._hand_over(begun=key)

    def put(self, key: bytes, body: bytes) -> None:
        """Store a reply, and record that its call has ended."""
        self._hand_over(ended=key, body=body)

    async def keep(self, key: bytes, body: bytes) -> None:
        """Store a reply, and return once it is written or cannot be written.

        If the process is killed later, the reply is still cached. Only calls in flight may
        therefore have to be paid twice.
        """
        loop = asyncio.get_running_loop()
        written = loop.create_future()
        if self._hand_over(ended=key, body=body, awaited=(loop, written)):
            await written

    def forget(self, key: bytes) -> None:
        """Record that a call has ended without a reply."""
        self._hand_over(ended=key)

    def drop(self, key: bytes) -> None:
        """Drop a reply: it may be the answer to another question."""
        with self._changed:
            if self._is_off:
                return
            batch = self._waiting
            is_first = not batch
            batch.replies[key] = None
            if is_first:
                self._changed.notify_all()

    def was_in_flight(self, key: bytes) -> bool:
        """Return whether an earlier process began this call and its end is unknown."""
        return key in self._left

    def flush(self) -> None:
        """Wait until all queued changes are written."""
        with self._changed:
            self._is_hurried = True
            self._changed.notify_all()
            self._changed.wait_for(self._is_idle)
            self._is_hurried = False

    def close(self) -> None:
        """Write all queued changes and close the file; after that the cache is empty."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()
        self._is_off = True
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._reader = self._writer = None

    def _open(self) -> None:
        try:
            self._writer = open_replies(self._path)
            self._reader = open_replies(self._path)
            # The reader is called from an event loop, which must not wait long for a lock.
            self._reader.execute("PRAGMA busy_timeout = 1000")
            self._inode = self._path.stat().st_ino
            self._left = {key for (key,) in self._reader.execute("SELECT key FROM calls")}
        except (sqlite3.Error, OSError) as error:
            self._give_up("opened", error)
            return
        self._thread.start()

    def _hand_over(
        self,
        begun: bytes | None = None,
        ended: bytes | None = None,
        touched: bytes | None = None,
        body: bytes | None = None,
        awaited: tuple[asyncio.AbstractEventLoop, asyncio.Future[None]] | None = None,
    ) -> bool:
        """Add to the queued changes; False if nothing is written any more."""
        with self._changed:
            if self._is_off:
                return False
            batch = self._waiting
            is_first = not batch
            if begun is not None:
                batch.begun.add(begun)
                batch.ended.discard(begun)
            if touched is not None:
                batch.touched.add(touched)
            if ended is not None:
                self._left.discard(ended)
                batch.begun.discard(ended)
                batch.ended.add(ended)
                if body is not None and len(batch.replies) < MOST_WAITING:
                    batch.replies[ended] = body
            if awaited is not None:
                loop, written = awaited
                batch.awaited.setdefault(loop, []).append(written)
            if is_first:
                self._changed.notify_all()
            return True

    def _give_up(self, action: str, error: Exception) -> None:
        with self._changed:
            if self._is_off:
                return
            self._is_off = True
            self._changed.notify_all()
        log.warning(
            "%s: remembered replies cannot be %s (%s): going on without them",
            self._path,
            action,
            error,
        )
        if isinstance(error, sqlite3.Error) and is_damage(error):
            try:
                move_aside(self._path, self._inode)
            except OSError as failure:
                log.warning("%s is damaged and cannot be set aside (%s)", self._path, failure)

    def _is_idle(self) -> bool:
        return self._is_off or not (self._waiting or self._writing)

    def _work(self) -> None:
        is_writable = self._attempted(self._drop_old_calls)
        while is_writable and self._take():
            is_writable = self._attempted(lambda file: self._write(file, self._writing))
            with self._changed:
                self._writing.tell()
                self._writing = _Batch()
                self._changed.notify_all()
        with self._changed:
            self._is_off = True
            self._waiting.tell()

    def _attempted(self, action: Callable[[sqlite3.Connection], None]) -> bool:
        if self._writer is None:
            return False
        try:
            with self._writer:
                action(self._writer)
        except sqlite3.Error as error:
            self._give_up("written", error)
            return False
        return True

    def _take(self) -> bool:
        """Move the queued changes to the writer.

        The result is False if there are none and the cache is closed.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closing or self._is_off)
            self._changed.wait_for(self._is_urgent, GATHER_SECONDS)
            if self._is_off or not self._waiting:
                return False
            self._writing = self._waiting
            self._waiting = _Batch()
            return True

    def _is_urgent(self) -> bool:
        return self._is_closing or self._is_hurried or self._is_off

    def _drop_old_calls(self, file: sqlite3.Connection) -> None:
        file.execute("DELETE FROM calls WHERE began < ?", (int(self._clock()) - _FORGOTTEN_AFTER,))

    def _write(self, file: sqlite3.Connection, batch: _Batch) -> None:
        now = int(self._clock())
        kept = {key: body for key, body in batch.replies.items() if body is not None}
        replies = [(key, now, zlib.crc32(body), body) for key, body in kept.items()]
        file.executemany(_BEGIN, [(key, now) for key in batch.begun])
        file.executemany(_DROP, [(key,) for key in batch.replies.keys() - kept.keys()])
        file.executemany(_PUT, replies)
        file.executemany(_END, [(key,) for key in batch.ended])
        file.executemany(_TOUCH, [(now, key) for key in batch.touched])
        while _bytes_in_use(file) > self._most_bytes:
            if not file.execute(_EVICT, (_EVICTED_AT_ONCE,)).rowcount:
                break


def _wake_waiter(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)


def _bytes_in_use(file: sqlite3.Connection) -> int:
    pages, free, size = (
        file.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    in_use: int = (pages - free) * size
    return in_use
