"""Folders of translated artifacts: `DOMAIN/LANGUAGE/FILE`, raw or gzipped, as released or pulled."""

import gzip
import re
import zlib
from pathlib import Path

from dragoman.core.errors import DataError

UPSTREAM = "data/tau2/domains"
"""Where a checkout of upstream holds its domains."""

_ARTIFACTS = frozenset({"data_model.json", "tools.json", "tasks.json", "translation_manifest.json"})
_MAX_BYTES = 64_000_000
_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
ENGLISH = "en"


class AssetFolder:
    """The files of a folder by name; a file that ends in `.gz` counts under its own name.

    A file of a folder below it is there under its path, and is not listed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._paths = {
            path.name.removesuffix(".gz"): path for path in _entries(folder) if path.is_file()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the files that are there, in order."""
        return tuple(sorted(self._paths))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._path(name) is not None

    def read(self, name: str) -> bytes:
        """Return a file's content.

        Raises:
            DataError: Where it is missing, damaged or larger than any artifact.
        """
        path = self._path(name)
        if path is None:
            raise DataError(
                f"{self.folder / name} not found: pull the data, or name another folder"
            )
        try:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{path} cannot be read ({error}): pull the data again") from error
        if len(content) > _MAX_BYTES:
            raise DataError(f"{path} holds more than {_MAX_BYTES} bytes: name another folder")
        return content

    def _path(self, name: str) -> Path | None:
        if name in self._paths or "/" not in name:
            return self._paths.get(name)
        below = (self.folder / name, self.folder / f"{name}.gz")
        return next((path for path in below if path.is_file()), None)

    def text(self, name: str) -> str:
        """Return a file's text.

        Raises:
            DataError: Where it is missing or no UTF-8.
        """
        try:
            return self.read(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(f"{self.folder / name} is no UTF-8 text ({error.reason})") from error


def domains_root(assets: Path) -> Path:
    """Return the folder that holds one folder per domain: the one given, or a checkout's.

    Raises:
        DataError: Where it is no folder, or holds no domain in any language.
    """
    if not assets.is_dir():
        raise DataError(f"{assets} is not a folder: name one that holds DOMAIN/LANGUAGE")
    for root in (assets, assets / UPSTREAM):
        if any(languages_of(domain) for domain in _entries(root) if domain.is_dir()):
            return root
    raise DataError(f"{assets} holds no translated domain: name a folder with DOMAIN/LANGUAGE")


def languages_of(domain: Path) -> tuple[str, ...]:
    """Return the languages that a domain's folder holds artifacts in, without English."""
    return tuple(
        path.name
        for path in _entries(domain)
        if _CODE.fullmatch(path.name)
        and path.name != ENGLISH
        and _ARTIFACTS.intersection(each.name.removesuffix(".gz") for each in _entries(path))
    )


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
