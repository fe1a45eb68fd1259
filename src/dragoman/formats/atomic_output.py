"""Atomic output files: a file is written under another name and moved into place when complete."""

import contextlib
import errno
import os
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl

from dragoman.core.errors import StoreError


def place_file(path: Path, fill: Callable[[Path], None]) -> None:
    """Make a file beside its place and move it there.

    Args:
        path: The file; its folder is made where there is none.
        fill: Writes it, at the path that it is given.

    Raises:
        StoreError: Where it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Somebody who knows how drafts are named may have laid a link there.
        temporary.unlink(missing_ok=True)
        fill(temporary)
        temporary.replace(path)
    except (FileExistsError, NotADirectoryError) as error:
        raise StoreError(f"{path.parent}: a file, where a folder is needed") from error
    except (OSError, zipfile.LargeZipFile, pl.exceptions.PolarsError) as error:
        raise StoreError(f"{path}: cannot be written ({_why(path, error)})") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _why(path: Path, error: Exception) -> str:
    """Return why a file could not be written; libraries hide what the disk said in words of their own."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    number = _ERROR_NUMBER.search(str(error))
    if number is not None:
        return os.strerror(int(number[1]))
    with contextlib.suppress(OSError):
        if shutil.disk_usage(path.parent).free < _NO_ROOM:
            return os.strerror(errno.ENOSPC)
    return f"{' '.join(str(error).split()):.200}"


_ERROR_NUMBER = re.compile(r"os error (\d{1,4})")
_NO_ROOM = 65_536
"""Bytes that are left of a disk that is taken for full."""
