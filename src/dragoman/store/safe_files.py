"""Safe file access: bounded reads of untrusted files, no links, and no path traversal.

In the place of a file may lie a link that leads out of the folder, or a pipe or a device that never
ends; opening it would write elsewhere, or wait for ever.
"""

import errno
import os
import stat
from io import FileIO
from pathlib import Path

_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_DATABASE_SUFFIXES = ("", "-journal", "-wal", "-shm")


def read_plain(path: Path, most: int) -> bytes:
    """Return the bytes of a plain file.

    Args:
        path: Of the file; a link to a plain file is followed.
        most: Bytes that it may hold.

    Raises:
        OSError: Where it cannot be read, is no plain file, or holds more.
    """
    with FileIO(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "no plain file", str(path))
        if found.st_size > most:
            raise OSError(errno.EFBIG, f"more than {most} bytes", str(path))
        return file.readall()


def read_bounded(path: Path, most: int) -> bytes:
    """Return the bytes of a file that a person names, which may be a pipe.

    Args:
        path: Of the file.
        most: Bytes that it may hold.

    Raises:
        OSError: Where it cannot be read or holds more.
    """
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"more than {most} bytes", str(path))
    return content


def open_without_links(path: str, flags: int) -> int:
    """Open a file for writing, for `open(opener=...)`.

    Links are not followed, and pipes are not waited for.
    """
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)


def require_plain_database(path: Path) -> None:
    """See that SQLite can be given a file: neither it nor what lies beside it is a link or a pipe.

    SQLite removes the file that a journal names as that of a transaction over several databases. No
    database of ours has one, so a journal that names one was written to have something removed.

    Raises:
        OSError: Where one is no plain file, or a journal names another file.
    """
    for ending in _DATABASE_SUFFIXES:
        beside = path.with_name(f"{path.name}{ending}")
        require_plain(beside)
    journal = path.with_name(f"{path.name}-journal")
    if journal.exists() and _end_of(journal) == _JOURNAL_MAGIC:
        raise OSError(errno.EINVAL, "its journal names another file", str(journal))


def require_plain(path: Path) -> None:
    """See that a path is a plain file, and no link, or is not there.

    Raises:
        OSError: Where something else lies there.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, f"{path.name} is a link: put the file itself there", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, f"{path.name} is no plain file", str(path))


def require_inside(folder: Path, path: Path) -> None:
    """See that a path under a folder stays under it, whatever links are on its way.

    Raises:
        OSError: Where it leads out of the folder.
    """
    if not path.resolve().is_relative_to(folder.resolve()):
        raise OSError(errno.ELOOP, "a link leads out of the folder", str(path))


def _end_of(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - len(_JOURNAL_MAGIC)))
        return file.read()
