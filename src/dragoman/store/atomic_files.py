"""Atomic writes of files and folders: a temporary draft, fsync, and a rename into place.

After a crash, a kill or a full disk a reader finds the old content or the new content, and never a
part of either. Any number of threads and processes may write one path at the same time: each has a
draft of its own name, and the last one to finish wins. A writer locks its draft. A draft without a
lock belongs to a killed process, and the next process that writes in the folder removes it.
"""

import contextlib
import errno
import fcntl
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from dragoman.core.errors import StoreError

_DRAFT_NAME = re.compile(r"\..*\.\d+-[0-9a-f]{16}\.part", re.DOTALL)
_MAX_STEM_BYTES = 200
"""Bytes of a file's name that its draft's name repeats: file systems allow 255 in all."""

_MAX_REPLACEMENTS = 1_000
"""Times that a folder is moved into place while other writers do the same."""

_CLEANED_FOLDERS: set[Path] = set()
"""Folders in which this process has looked for drafts of killed processes."""

_NO_FOLDER = "a file, where a folder is needed: choose another folder"
_SYSTEM_ERROR_NUMBER = re.compile(r"os error (\d{1,4})")
_MIN_FREE_BYTES = 65_536
"""A disk with fewer free bytes counts as full."""


def atomic_write(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write a file, which is complete or unchanged afterwards.

    Args:
        path: The file; its folder is made if it is missing.
        content: The new content, as a whole or in parts.

    Raises:
        StoreError: If the file cannot be written. Errors of the parts pass unchanged.
    """
    parts = (content,) if isinstance(content, bytes) else content
    with atomic_path(path) as draft, draft.open("wb") as file:
        file.writelines(parts)


@contextlib.contextmanager
def atomic_path(path: Path, *errors: type[Exception]) -> Iterator[Path]:
    """Give the path of an empty draft, which takes the file's place at the end of the block.

    Args:
        path: The file; its folder is made if it is missing.
        errors: Exceptions of a library that cannot write, in addition to `OSError`.

    Raises:
        StoreError: If the file cannot be written. Any other error of the block passes unchanged,
            and the file is as it was.
    """
    with write_errors(path, *errors), _locked_draft(path, is_folder=False) as draft:
        yield draft
        _flush_to_disk(draft)
        draft.replace(path)


@contextlib.contextmanager
def atomic_folder(folder: Path, *, overwrite: bool = True) -> Iterator[Path]:
    """Give an empty draft of a folder, which takes the folder's place at the end of the block.

    Args:
        folder: The folder.
        overwrite: Whether a folder that holds files is replaced; an empty folder is always
            replaced.

    Raises:
        StoreError: If the folder cannot be written. Any other error of the block passes unchanged,
            and the folder is as it was.
    """
    with write_errors(folder), _locked_draft(folder, is_folder=True) as draft:
        yield draft
        if overwrite:
            _replace_folder(draft, folder)
        else:
            draft.replace(folder)


@contextlib.contextmanager
def _locked_draft(path: Path, *, is_folder: bool) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned_drafts(path.parent)
    draft, descriptor = _create_draft(path, is_folder=is_folder)
    try:
        yield draft
    finally:
        _remove(draft)
        os.close(descriptor)


def _create_draft(path: Path, *, is_folder: bool) -> tuple[Path, int]:
    """Create a draft with an unpredictable name, and lock it."""
    while True:
        draft = _draft_path(path)
        if is_folder:
            draft.mkdir()
            descriptor = os.open(draft, os.O_RDONLY)
        else:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another process may have removed the draft in the moment before it was locked.
        if draft.exists():
            return draft, descriptor
        os.close(descriptor)


def _draft_path(path: Path) -> Path:
    stem = path.name.encode(errors="surrogateescape")[:_MAX_STEM_BYTES]
    name = stem.decode(errors="ignore")
    return path.with_name(f".{name}.{os.getpid()}-{os.urandom(8).hex()}.part")


def _remove_abandoned_drafts(folder: Path) -> None:
    """Remove the drafts of killed processes.

    This happens once per folder, as a folder may hold very many files.
    """
    folder = folder.absolute()
    if folder in _CLEANED_FOLDERS:
        return
    _CLEANED_FOLDERS.add(folder)
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _DRAFT_NAME.fullmatch(entry.name):
                _remove_if_abandoned(folder / entry.name)


def _remove_if_abandoned(draft: Path) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(draft)
        finally:
            os.close(descriptor)


def _remove(draft: Path) -> None:
    with contextlib.suppress(OSError):
        if draft.is_dir() and not draft.is_symlink():
            shutil.rmtree(draft, ignore_errors=True)
        else:
            draft.unlink(missing_ok=True)


def _flush_to_disk(draft: Path) -> None:
    """Wait until the content is on the disk.

    A rename may reach the disk before the content does.
    """
    descriptor = os.open(draft, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _replace_folder(draft: Path, folder: Path) -> None:
    """Move a folder into place; a folder that lies there is moved away first, and then removed."""
    for _ in range(_MAX_REPLACEMENTS):
        try:
            draft.replace(folder)
        except OSError as error:
            if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
                raise
        else:
            return
        former = _draft_path(folder)
        with contextlib.suppress(FileNotFoundError):  # another writer was faster
            folder.replace(former)
        shutil.rmtree(former, ignore_errors=True)
    raise OSError(errno.EBUSY, "other programs write there all the time", str(folder))


@contextlib.contextmanager
def write_errors(path: Path, *errors: type[Exception]) -> Iterator[None]:
    """Report in one line the errors of the disk, or of a library, in the block.

    Args:
        path: The file or the folder that the block writes.
        errors: Exceptions of a library that cannot write, in addition to `OSError`.

    Raises:
        StoreError: If one of these is raised. Any other error passes unchanged.
    """
    kinds: tuple[type[Exception], ...] = (OSError, *errors)
    try:
        yield
    except kinds as error:
        if isinstance(error, FileExistsError | NotADirectoryError):
            for place in (path, *path.parents):
                if place.is_file():
                    raise StoreError(f"{place}: {_NO_FOLDER}") from error
        raise StoreError(
            f"{path}: cannot be written ({_reason(path, error)}): choose another folder or make "
            "room"
        ) from error


def _reason(path: Path, error: Exception) -> str:
    """Return the error of the disk; some libraries hide it in a text of their own."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    number = _SYSTEM_ERROR_NUMBER.search(str(error))
    if number is not None:
        return os.strerror(int(number[1]))
    with contextlib.suppress(OSError):
        if shutil.disk_usage(path.parent).free < _MIN_FREE_BYTES:
            return os.strerror(errno.ENOSPC)
    return f"{' '.join(str(error).split()):.200}"
