"""The single values in tool results, each with its name and the record around it."""

from collections.abc import Iterator

import msgspec

from dragoman.core.texts.decoding import UNREADABLE

MAX_DEPTH = 12
MAX_CONTEXT = 400
"""Characters of the record around a value that are kept."""

Scalar = str | int | float | bool


class FoundValue(msgspec.Struct, frozen=True):
    """One value: its key, itself, and the record that it stands in, as text."""

    name: str
    value: Scalar
    context: str


def findings(tool: str, content: str) -> list[FoundValue]:
    """Return the values of one result; a result that is no JSON is one value named by its tool."""
    try:
        decoded: object = msgspec.json.decode(content)
    except UNREADABLE:
        decoded = content
    return list(_values(tool, decoded, "", 0))


def _values(name: str, value: object, context: str, depth: int) -> Iterator[FoundValue]:
    if depth > MAX_DEPTH:
        return
    match value:
        case dict():
            around = _text(value)
            for key, entry in value.items():
                yield from _values(_named(str(key), name), entry, around, depth + 1)
        case list():
            for entry in value:
                yield from _values(name, entry, context, depth + 1)
        case str() | int() | float():
            yield FoundValue(name, value, context or str(value)[:MAX_CONTEXT])
        case _:
            return


def _named(key: str, parent: str) -> str:
    """Return a key; a bare `id` gets the name of what it identifies."""
    return f"{parent.removesuffix('s')}_id" if key == "id" else key


def _text(record: dict[object, object]) -> str:
    try:
        return msgspec.json.encode(record).decode()[:MAX_CONTEXT]
    except (TypeError, *UNREADABLE):
        return ""
