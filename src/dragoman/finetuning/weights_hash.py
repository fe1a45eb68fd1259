"""Hashes of files of weights, made once for each state of a file."""

import functools
import hashlib
from pathlib import Path

from dragoman.core.content_keys import content_key

_BLOCK = 1 << 20


def weights_hash(folder: Path) -> str:
    """Return one hash of all weights in a folder, whatever their files are called."""
    return content_key("weights-1", sorted(map(file_hash, folder.glob("*.safetensors"))))


def file_hash(file: Path) -> str:
    """Return the SHA-256 of a file."""
    told = file.stat()
    return _hash(str(file.absolute()), told.st_size, told.st_mtime_ns)


@functools.lru_cache(maxsize=256)
def _hash(file: str, size: int, changed: int) -> str:  # noqa: ARG001 - a changed file is hashed again
    made = hashlib.sha256()
    with Path(file).open("rb") as opened:
        while block := opened.read(_BLOCK):
            made.update(block)
    return made.hexdigest()
