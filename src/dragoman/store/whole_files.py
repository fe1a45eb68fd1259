"""Files that are there whole or not at all, whoever is killed and however full the disk is."""

import contextlib
from collections.abc import Iterable
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.store.foreign_files import open_own


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file beside its place and move it there.

    Args:
        path: The file; its folder is made where there is none.
        parts: What it is to hold, piece by piece.

    Raises:
        DataError: Where it cannot be written; and what the parts raise: no draft is left of either.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "wb", opener=open_own) as file:
            file.writelines(parts)
        part.replace(path)
    except OSError as error:
        raise DataError(
            f"{path} cannot be written ({error.strerror}): choose another folder or make room"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
