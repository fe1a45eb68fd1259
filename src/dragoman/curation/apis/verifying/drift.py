"""What changed in an API's answers between two times."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from dragoman.curation.apis.verifying.schemas import types_of

MOST = 50
"""Changes that are told of one answer."""


class Drift(msgspec.Struct, frozen=True):
    """One change.

    Attributes:
        kind: A field that was always there is gone, one that is always there is new, or a type is another.
        place: Where, such as `data.rows[].price`; "" for the whole answer.
        said: In words: "string was integer".
    """

    kind: Literal["gone", "new", "type"]
    place: str
    said: str = ""

    def __str__(self) -> str:
        """Return it in one piece."""
        where = self.place or "the answer"
        return f"{where}: {self.said}" if self.kind == "type" else f"{where} is {self.kind}"


def drifts(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Drift, ...]:
    """Return what changed from one schema to another, as `schemas.inferred` makes them.

    What tells nothing is no change: a field that was only sometimes there, an empty list, a null.
    """
    return tuple(each for each, _ in zip(_walk("", before, after), range(MOST), strict=False))


def _walk(place: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Drift]:
    old, new = _telling(before), _telling(after)
    if not old or not new:
        return
    if not new <= old:
        yield Drift("type", place, f"{_listed(new)} was {_listed(old)}")
    if "properties" in before and "properties" in after:
        yield from _fields(place, before, after)
    if "items" in before and "items" in after:
        yield from _walk(f"{place}[]", before["items"], after["items"])


def _fields(place: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Drift]:
    old, new = before["properties"], after["properties"]
    for name in sorted({*old, *new}):
        inner = f"{place}.{name}" if place else name
        if name in old and name in new:
            yield from _walk(inner, old[name], new[name])
        elif name in before["required"]:
            yield Drift("gone", inner)
        elif name in after["required"]:
            yield Drift("new", inner)


def _telling(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the types that tell something: null says nothing, and a number may happen to be whole."""
    types = types_of(schema) - {"null"}
    return types | {"integer"} if "number" in types else types


def _listed(types: frozenset[str]) -> str:
    return " or ".join(sorted(types - {"integer"} if "number" in types else types))
