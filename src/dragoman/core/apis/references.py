"""Values of calls that earlier results give: `{"from": "$1.data.city_ibge"}`, and what they come to."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.core.texts.decoding import UNREADABLE

_REFERENCE = re.compile(r"\$([1-9][0-9]?)((?:\.[^.\s]+)*)")
_PLACE = re.compile(r"[0-9]{1,9}")


class Reference(NamedTuple):
    """A value that the result of an earlier call gives.

    Attributes:
        call: Which call, from 1.
        path: Where in its result, such as "data.0.id"; "" for the whole.
        written: How it is written.
    """

    call: int
    path: str
    written: str


def reference_in(value: object) -> Reference | None:
    """Return what a value refers to; None where it is a value of its own."""
    match value:
        case {"from": str() as path, **others} if not others:
            found = _REFERENCE.fullmatch(path)
            return found and Reference(int(found[1]), found[2].removeprefix("."), path)
        case _:
            return None


def holds_reference(value: object) -> bool:
    """Whether a value is, or holds anywhere, one that an earlier result is to give."""
    match value:
        case dict():
            return reference_in(value) is not None or any(map(holds_reference, value.values()))
        case list() | tuple():
            return any(map(holds_reference, value))
        case _:
            return False


def result_of(text: str) -> object:
    """Return what a call returned as the JSON that it is, or as text."""
    try:
        return msgspec.json.decode(text)
    except UNREADABLE:
        return text


def given_by(reference: Reference, results: Sequence[object]) -> object:
    """Return the value that results give; None where they do not hold it."""
    found: object = results[reference.call - 1] if reference.call <= len(results) else None
    for part in filter(None, reference.path.split(".")):
        found = _inside(found, part)
    return found


def _inside(value: object, part: str) -> object:
    match value:
        case Mapping():
            return value.get(part)
        case list() if _PLACE.fullmatch(part) and int(part) < len(value):
            return value[int(part)]
        case _:
            return None
