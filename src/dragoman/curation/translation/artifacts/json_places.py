"""Texts in decoded JSON by their place: found along patterns, replaced in place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE

Place = tuple[str | int, ...]

ANY = "*"
"""Stands in a pattern for any entry of a list."""


def decode(content: bytes, where: str) -> Any:  # noqa: ANN401 - whatever a file holds
    """Decode JSON.

    Raises:
        DataError: Where it is none.
    """
    try:
        return msgspec.json.decode(content)
    except UNREADABLE as error:
        raise DataError(f"{where}: {error}") from error


def encode(value: object) -> bytes:
    """Encode as released files are: indented by two, in UTF-8, with a newline at the end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def texts_along(
    value: object, pattern: Sequence[str], done: Place = ()
) -> Iterator[tuple[Place, str]]:
    """Yield the places and texts of the strings to which a pattern leads."""
    if not pattern:
        if isinstance(value, str):
            yield done, value
    elif pattern[0] == ANY:
        for at, part in enumerate(value if isinstance(value, list) else ()):
            yield from texts_along(part, pattern[1:], (*done, at))
    elif isinstance(value, dict) and pattern[0] in value:
        yield from texts_along(value[pattern[0]], pattern[1:], (*done, pattern[0]))


def at_place(value: object, place: Place) -> object:
    """Return what stands at a place, or None where there is no such place."""
    for step in place:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def put(value: Any, texts: Mapping[Place, str]) -> None:  # noqa: ANN401 - whatever a file holds
    """Put texts into their places, which must be there."""
    for place, text in texts.items():
        holder = value
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = text
