"""Source files: a folder, or a file and its neighbours, and guarded remote fetches.

No file outside the folder is read, whatever a link or a reference says. Other hosts are contacted
only with permission.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.decoding import TranslatedErrors, decompress
from dragoman.web.address_guard import IpAddress, why_blocked
from dragoman.web.fetcher import Fetcher, FetchLimits, FetchRequest

MOST_BYTES = 16 << 20
"""Largest file, in bytes, uncompressed."""

MOST_FILES = 200_000
"""Most files of one source."""


Fetch = Callable[[str], bytes]
"""Returns the content of an address; raises DataError if it cannot be fetched."""


class SourceFolder:
    """A folder whose files are read by their places in it.

    Args:
        folder: The folder.
        only: The single file to collect; "" for all. References may still lead to others.
        fetch: Fetches the content of an address; None if other hosts may not be contacted.
    """

    def __init__(self, folder: Path, only: str = "", fetch: Fetch | None = None) -> None:
        self._folder = folder.resolve()
        self._only = only
        self._fetch = fetch

    @property
    def path(self) -> str:
        """The whole path of the folder, or of the one file."""
        return str(self._folder / self._only)

    @property
    def fetches(self) -> bool:
        """Whether other hosts may be contacted."""
        return self._fetch is not None

    def places(self) -> Iterator[str]:
        """Yield the places of all files, in order; hidden files and folders (.git) are skipped.

        Bytes of a name that are not UTF-8 are written with a backslash, and `read` refuses such a
        place.

        Raises:
            UsageError: If there are too many files.
        """
        if self._only:
            yield self._only
            return
        for count, path in enumerate(sorted(_visible_files(self._folder))):
            if count >= MOST_FILES:
                raise UsageError(
                    f"{self._folder.name}: more than {MOST_FILES:,} files: name folders in it"
                )
            yield _escape_undecodable(path.relative_to(self._folder).as_posix())

    def read(self, place: str) -> bytes:
        """Return the uncompressed content of a file or of an address of another host.

        Raises:
            DataError: If it is outside the folder, too large, damaged or missing, or if it is on
                another host that may not be contacted or does not return it.
        """
        if is_address(place):
            if self._fetch is None:
                raise DataError("it is on another host, asked only with --fetch-refs")
            return self._fetch(place)
        if "\0" in place:
            raise DataError("no such file")
        if "\\udc" in place:
            raise DataError("its name is no UTF-8: rename it")
        path = Path(os.path.realpath(self._folder / place))
        if not path.is_relative_to(self._folder):
            raise DataError(
                "it is outside the folder that was named: name a folder that holds both"
            )
        with TranslatedErrors(DataError, "it cannot be read"):
            if not path.is_file():
                raise DataError("no such file")
            if path.stat().st_size > MOST_BYTES:
                raise DataError(f"it is larger than {MOST_BYTES >> 20} MiB: split it")
            return decompress(path.read_bytes(), MOST_BYTES)


def open_source(path: Path, fetch: Fetch | None = None) -> SourceFolder:
    """Return the folder of a source.

    Args:
        path: A file or a folder.
        fetch: Fetches the content of an address; None if other hosts may not be contacted.

    Raises:
        UsageError: If the path does not exist.
    """
    if _escape_undecodable(str(path.resolve())) != str(path.resolve()):
        raise UsageError(f"{_escape_undecodable(str(path))}: its name is no UTF-8: rename it")
    if path.is_dir():
        return SourceFolder(path, fetch=fetch)
    if path.is_file():
        return SourceFolder(path.parent, path.name, fetch)
    if path.parts[:1] in {("http:",), ("https:",)}:
        raise UsageError(f"{path}: an address: download it, and name the file")
    raise UsageError(f"{path}: no such file or folder")


def is_address(place: str) -> bool:
    """Return whether a place is a web address and not a file of the source."""
    return place.startswith(("https://", "http://"))


def suffix_of(place: str) -> str:
    """Return the suffix of a file's name, without the suffix of a compressed file."""
    return PurePosixPath(place.removesuffix(".gz")).suffix.lower()


def _escape_undecodable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


def _visible_files(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(parent, name) for name in files if not name.startswith("."))


_OK = 200
_LIMITS = FetchLimits(seconds=20.0, most_bytes=4 << 20)
_MOST_FETCHED = 500
"""Most addresses that one command requests, including those that failed."""


def guarded_fetch(refuses: Callable[[IpAddress], str] = why_blocked) -> Fetch:
    """Return a function that fetches files of other hosts, each only once.

    Args:
        refuses: Returns the reason why an address must not be reached; "" if it may be.
    """
    known: dict[str, bytes | DataError] = {}

    def fetch(address: str) -> bytes:
        if address not in known:
            known[address] = (
                _fetch_document(address, refuses)
                if len(known) < _MOST_FETCHED
                else DataError(f"more than {_MOST_FETCHED} files of other hosts are referred to")
            )
        found = known[address]
        if isinstance(found, DataError):
            raise DataError(str(found))
        return found

    return fetch


def _fetch_document(address: str, refuses: Callable[[IpAddress], str]) -> bytes | DataError:
    async def ask() -> bytes | DataError:
        async with Fetcher(_LIMITS, refuses) as fetcher:
            exchange = await fetcher.fetch(FetchRequest(address))
        if exchange.failure:
            return DataError(exchange.failure)
        if exchange.status != _OK:
            return DataError(f"its host answered with status {exchange.status}")
        return exchange.body

    return asyncio.run(ask())
