"""How an argument that a call was given differs from the one that its plan has."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from dragoman.core.texts.said_values import MAX_DEPTH

Difference = Literal["missing", "added", "type", "format", "other language", "other value"]
"""`missing` and `added`: only the plan, or only the call, has the argument. `type`: a value of another
JSON type. `format`: the same letters and digits, written otherwise. `other language`: what stands for
the value in another language, or letters of another script. `other value`: anything else."""

DIFFERENCES: tuple[Difference, ...] = (
    "missing",
    "added",
    "type",
    "format",
    "other language",
    "other value",
)

Labels = Mapping[str, Sequence[str]]
"""What stands for a value of the world in another language, by the value."""


def difference(wanted: object, given: object, labels: Labels) -> Difference | None:
    """Return how a value differs from the one that was wanted; None where it does not.

    Of lists and objects of one shape it is what all their differing parts have in common.
    """
    kinds = set(_differences(wanted, given, labels, 0))
    if not kinds:
        return None
    return kinds.pop() if len(kinds) == 1 else "other value"


def _differences(wanted: object, given: object, labels: Labels, depth: int) -> Iterator[Difference]:
    if _json_type(wanted) != _json_type(given):
        yield "type"
    elif isinstance(wanted, str) and isinstance(given, str):
        if wanted != given:
            yield _between_texts(wanted, given, labels)
    elif wanted != given:
        parts = _parts(wanted, given) if depth < MAX_DEPTH else None
        if parts is None:
            yield "other value"
        else:
            for left, right in parts:
                yield from _differences(left, right, labels, depth + 1)


def _json_type(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return str(type(value))
    return "number" if isinstance(value, int | float) else type(value).__name__


def _parts(wanted: object, given: object) -> Sequence[tuple[object, object]] | None:
    """Return the parts of two values that stand in the same places; None where shapes differ."""
    if isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        return list(zip(wanted, given, strict=True))
    if isinstance(wanted, dict) and isinstance(given, dict) and wanted.keys() == given.keys():
        return [(wanted[name], given[name]) for name in wanted]
    return None


def _between_texts(wanted: str, given: str, labels: Labels) -> Difference:
    if given in labels.get(wanted, ()) or wanted in labels.get(given, ()):
        return "other language"
    if _bare(wanted) == _bare(given) != "":
        return "format"
    scripts = _scripts(wanted), _scripts(given)
    if all(scripts) and scripts[0].isdisjoint(scripts[1]):
        return "other language"
    return "other value"


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _scripts(text: str) -> frozenset[str]:
    """Return the scripts of a text's letters, as the names of letters begin."""
    return frozenset(
        unicodedata.name(letter, "").split(" ", maxsplit=1)[0]
        for letter in text
        if letter.isalpha()
    )
