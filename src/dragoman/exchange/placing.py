"""Puts files in their place whole: whoever is killed leaves no half of one."""

import contextlib
import os
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
        why = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise StoreError(f"{path}: cannot be written ({why:.200})") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
