"""`$ref` inside a file, to others of the same source, and where that is allowed to other hosts: within bounds."""

import posixpath
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.source_files import SourceFolder, is_address, suffix_of
from dragoman.curation.apis.collecting.values import mapping, parsed

_LONGEST = 120
_MOST_STEPS, _MOST_FILES, _MOST_BYTES = 30, 100, 64 << 20


MOST_PARTS = 500_000
"""Parts of one document, with what they refer to as often as they refer to it."""


class PlacedValue(NamedTuple):
    """A value of a file that was read, with the file that it stands in."""

    value: object
    file: str


class References:
    """Follows the references of one document, to other files of its source too.

    Args:
        source: Where files are read.
        file: The document's place.
        document: What it holds.
    """

    def __init__(self, source: SourceFolder, file: str, document: object) -> None:
        self._source = source
        self._files = {file: document}
        self._failed: dict[str, str] = {}
        self._bytes = 0
        self._parts = 0

    def charge(self, parts: int) -> None:
        """Count parts of the document that were read.

        Raises:
            DataError: Where it has more than are read of one.
        """
        self._parts += parts
        if self._parts > MOST_PARTS:
            raise DataError(f"the document has more than {MOST_PARTS:,} parts: split it")

    @property
    def addresses(self) -> list[str]:
        """What was read of other hosts."""
        return [place for place in self._files if is_address(place)]

    def followed(self, value: object, file: str) -> PlacedValue:
        """Return a value, or what it refers to, through references to references.

        What stands beside a `$ref` goes before what is referred to, as OpenAPI 3.1 has it.

        Raises:
            DataError: Where nothing that may be read is there, or references lead in a circle.
        """
        self.charge(1)
        place, beside = PlacedValue(value, file), dict[str, object]()
        for _ in range(_MOST_STEPS):
            target = reference_of(place.value)
            if target is None:
                return PlacedValue({**place.value, **beside}, place.file) if beside else place  # type: ignore[dict-item]
            beside = {**_beside(place.value), **beside}
            place = self.target(target, place.file)
        raise DataError(f"the reference {_short(reference_of(value) or '')} leads in a circle")

    def target(self, reference: str, file: str) -> PlacedValue:
        """Return what one reference names.

        Raises:
            DataError: Where nothing that may be read is there.
        """
        try:
            place, pointer = _split(reference, file)
        except ValueError as error:
            raise DataError(f"the reference {_short(reference)} is no address ({error})") from error
        whole = self._whole(place, reference)
        return PlacedValue(_pointed(whole, pointer, reference), place)

    def _whole(self, place: str, reference: str) -> object:
        if place not in self._files:
            try:
                self._files[place] = self._read(place)
            except DataError as error:
                self._failed[place] = str(error)
                raise DataError(f"the reference {_short(reference)}: {error}") from error
        return self._files[place]

    def _read(self, place: str) -> object:
        if place in self._failed:
            raise DataError(self._failed[place])
        if len(self._files) + len(self._failed) > _MOST_FILES or self._bytes > _MOST_BYTES:
            raise DataError("the document refers to more files than are read of one")
        content = self._source.read(place)
        self._bytes += len(content)
        return parsed(content, suffix_of(place.partition("?")[0]))[0]


def reference_of(value: object) -> str | None:
    """Return what a value refers to; None where it is no reference."""
    target = mapping(value).get("$ref")
    return target if isinstance(target, str) else None


def _split(reference: str, file: str) -> tuple[str, str]:
    """Return the place and the pointer of a reference that stands in a file.

    What comes from another host refers to that host and never to files here.
    """
    address = urlsplit(reference)
    pointer = unquote(address.fragment)
    if is_address(file) or address.scheme or address.netloc:
        whole = urljoin(file if is_address(file) else "https:", reference)
        if not is_address(whole):
            raise ValueError("neither a file here nor one of the web")
        return whole.partition("#")[0], pointer
    if not address.path:
        return file, pointer
    inside = posixpath.join(posixpath.dirname(file), unquote(address.path))
    return posixpath.normpath(inside), pointer


def _beside(value: object) -> Mapping[str, object]:
    return {key: each for key, each in mapping(value).items() if key != "$ref"}


def _pointed(value: object, pointer: str, reference: str) -> object:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key[:9]) < len(value):
            value = value[int(key[:9])]
        else:
            raise DataError(f"the reference {_short(reference)} names nothing")
    return value


def _short(reference: str) -> str:
    said = " ".join(reference.split())
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
