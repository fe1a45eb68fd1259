"""JSON files of texts: read and written as they are released, and texts found along patterns."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS, JsonPath

ANY = "*"
"""Stands in a pattern for any entry of a list."""


def decode(content: bytes, where: str) -> Any:  # noqa: ANN401 - whatever a file holds
    """Decode JSON.

    Raises:
        DataError: Where it is none.
    """
    try:
        return msgspec.json.decode(content)
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: {error}") from error


def encode(value: object) -> bytes:
    """Encode as released files are: indented by two, in UTF-8, with a newline at the end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def texts_along(
    value: object, pattern: Sequence[str], done: JsonPath = ()
) -> Iterator[tuple[JsonPath, str]]:
    """Yield the places and texts of the strings to which a pattern leads."""
    if not pattern:
        if isinstance(value, str):
            yield done, value
    elif pattern[0] == ANY:
        for at, part in enumerate(value if isinstance(value, list) else ()):
            yield from texts_along(part, pattern[1:], (*done, at))
    elif isinstance(value, dict) and pattern[0] in value:
        yield from texts_along(value[pattern[0]], pattern[1:], (*done, pattern[0]))
