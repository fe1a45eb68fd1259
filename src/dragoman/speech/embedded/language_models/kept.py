"""Whether files that are kept are as they were made: their sizes and hashes stand in a file beside them.

A model that lost its end, or a dictionary that lost words, is still read without a complaint, and
hears something else.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec


class _Kept(msgspec.Struct, frozen=True):
    size: int
    hash: str


def sign(files: Sequence[Path], beside: Path) -> None:
    """Write down what files are, after all of them were written."""
    draft = beside.with_name(f"{beside.name}.{os.getpid()}")
    draft.write_bytes(msgspec.json.encode({file.name: _kept(file) for file in files}))
    draft.replace(beside)


def are_as_signed(files: Sequence[Path], beside: Path) -> bool:
    """Whether files are there and are what was written down; each is read whole."""
    try:
        signed = msgspec.json.decode(beside.read_bytes(), type=dict[str, _Kept])
        return all(_is_kept(file, signed.get(file.name)) for file in files)
    except (OSError, msgspec.DecodeError):
        return False


def _is_kept(file: Path, signed: _Kept | None) -> bool:
    return signed is not None and file.stat().st_size == signed.size and _kept(file) == signed


def _kept(file: Path) -> _Kept:
    with file.open("rb") as content:
        return _Kept(
            os.fstat(content.fileno()).st_size, hashlib.file_digest(content, "blake2b").hexdigest()
        )
