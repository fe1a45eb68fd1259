"""Safe file access: bounded reads of untrusted files, no links, and no path traversal.

In place of a file there may be a link that leads out of the folder, or a pipe or a device that
never ends. Opening it would write elsewhere, or wait for ever.
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
        path: The file; a link to a plain file is followed.
        most: Largest size in bytes.

    Raises:
        OSError: If the file cannot be read, is not a plain file, or is larger.
    """
    with FileIO(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a plain file", str(path))
        if found.st_size > most:
            raise OSError(errno.EFBIG, f"more than {most} bytes", str(path))
        return file.readall()


def read_bounded(path: Path, most: int) -> bytes:
    """Return the bytes of a file that a user names, which may be a pipe.

    Args:
        path: The file.
        most: Largest size in bytes.

    Raises:
        OSError: If the file cannot be read or is larger.
    """
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"more than {most} bytes", str(path))
    return content


def open_without_links(path: str, flags: int) -> int:
    """Open a file for writing, for `open(opener=...)`.

    The function does not follow links and does not wait for pipes.
    """
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)


def require_plain_database(path: Path) -> None:
    """Check that SQLite may open a file: neither it nor its side files are links or pipes.

    A journal can name the journal of a transaction over several databases, and SQLite removes that
    file. Our databases never have one, so such a journal was written to remove a file.

    Raises:
        OSError: If one of them is not a plain file, or a journal names another file.
    """
    for ending in _DATABASE_SUFFIXES:
        beside = path.with_name(f"{path.name}{ending}")
        require_plain(beside)
    journal = path.with_name(f"{path.name}-journal")
    if journal.exists() and _end_of(journal) == _JOURNAL_MAGIC:
        raise OSError(errno.EINVAL, "its journal names another file", str(journal))


def require_plain(path: Path) -> None:
    """Check that a path is a plain file and not a link, or does not exist.

    Raises:
        OSError: If the path is anything else.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, f"{path.name} is a link: put the file itself there", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, f"{path.name} is not a plain file", str(path))


def require_inside(folder: Path, path: Path) -> None:
    """Check that a path under a folder stays under it, whatever links it contains.

    Raises:
        OSError: If it leads out of the folder.
    """
    if not path.resolve().is_relative_to(folder.resolve()):
        raise OSError(errno.ELOOP, "a link leads out of the folder", str(path))


def _end_of(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - len(_JOURNAL_MAGIC)))
        return file.read()
