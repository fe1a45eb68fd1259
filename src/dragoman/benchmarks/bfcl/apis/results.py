"""What a call's value becomes in the text that the caller sees, by the reference's rule."""

import json
from collections.abc import Callable, Iterable
from typing import TypeVar

Value = TypeVar("Value")

MAX_RESULT = 1_000_000
"""Characters of a result; the longest that the data lead to has some 50,000."""

_slowly = json.JSONEncoder().encode


def _encoder() -> Callable[[object], str]:
    """Return what writes JSON: the interpreter's own, which `json` makes anew for every text."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _slowly
    quoted = json.encoder.encode_basestring_ascii
    chunks = make(None, None, quoted, None, ": ", ", ", False, False, True)

    def encode(value: object) -> str:
        try:
            return "".join(chunks(value, 0))
        except RecursionError:
            return _slowly(value)  # which tells what contains itself from what is deep

    return encode


_encode = _encoder()


class LongList(list[Value]):
    """A long list that many results contain, with its JSON text made once; not to be changed."""

    __slots__ = ("text",)

    def __init__(self, elements: Iterable[Value]) -> None:
        super().__init__(elements)
        self.text = _encode(list(self))


class Refused(Exception):  # noqa: N818 - says what the interface did
    """An interface's refusal; its text is what the caller is told went wrong."""


def result_text(value: object) -> str:
    """Return a call's value as text.

    Texts stay as they are, objects become JSON where JSON can hold them, and everything else is
    what Python shows.

    Raises:
        Refused: Where the text would be longer than MAX_RESULT characters.
        ValueError: For a number with more digits than Python writes.
    """
    text = _object_text(value) if isinstance(value, dict) else str(value)
    if len(text) > MAX_RESULT:
        raise Refused(f"the result has {len(text)} characters, more than {MAX_RESULT}")
    return text


def _object_text(value: dict[object, object]) -> str:
    try:
        return _joined(value) if LongList in map(type, value.values()) else _encode(value)
    except (TypeError, ValueError):
        return str(value)


def _joined(value: dict[object, object]) -> str:
    """Return the JSON text of an object with names for keys, of which some values are long lists."""
    members = (
        f"{_encode(name)}: {entry.text if isinstance(entry, LongList) else _encode(entry)}"
        for name, entry in value.items()
    )
    return "{" + ", ".join(members) + "}"


def error_text(error: Exception | str) -> str:
    """Return what the caller is told of a call that failed."""
    return f"Error during execution: {error}"
