"""In which language a call's values were written: evidence for errors of language and of value."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from dragoman.conditions.language.field_trees import NOTHING, FieldTree
from dragoman.conditions.language.surface import DomainSurface
from dragoman.conditions.language.value_maps import ValueSet, fold
from dragoman.core.tools import ToolCall

Place = tuple[str | int, ...]
Written = Literal["canonical", "label", "other language", "unknown"]
"""A world's own value, its label in the tool's language or in another's, or none of these."""


class ArgumentEvidence(msgspec.Struct, frozen=True):
    """One value of a call that its field's value set knows or should know.

    Attributes:
        path: The place among the arguments.
        given: What the caller wrote.
        written: How it is written.
        language: The language of the label; "" for a canonical or unknown value.
        canonical: The value that it stands for; None where it stands for none.
    """

    path: Place
    given: str
    written: Written
    language: str = ""
    canonical: str | None = None


def argument_evidence(
    call: ToolCall, own: DomainSurface | None, others: Iterable[DomainSurface] = ()
) -> tuple[ArgumentEvidence, ...]:
    """Return how each value of a call is written, where a value set says which values there are.

    Args:
        call: The call as it was made.
        own: The surface of the tool; None where it is English.
        others: Further surfaces whose labels are recognised.
    """
    surfaces = [surface for surface in (own, *others) if surface is not None]
    trees = [surface.arguments.get(call.by, {}).get(call.name, NOTHING) for surface in surfaces]
    found: dict[Place, ArgumentEvidence] = {}
    for surface, tree in zip(surfaces, trees, strict=True):
        for path, value_set, text in _values(call.arguments, tree, ()):
            known = _written(path, text, value_set, surface, is_own=surface is own)
            if path not in found or found[path].written == "unknown":
                found[path] = known
    return tuple(found.values())


def _written(
    path: Place, text: str, value_set: ValueSet, surface: DomainSurface, *, is_own: bool
) -> ArgumentEvidence:
    value = value_set.known(text)
    if value is None:
        return ArgumentEvidence(path, text, "unknown")
    if fold(text) == fold(value):
        return ArgumentEvidence(path, text, "canonical", canonical=value)
    written: Written = "label" if is_own else "other language"
    return ArgumentEvidence(path, text, written, surface.language, value)


def _values(value: object, tree: FieldTree, path: Place) -> Iterator[tuple[Place, ValueSet, str]]:
    """Yield the texts at the places of a tree; the tree bounds the depth."""
    if isinstance(value, str) and tree.value_set is not None:
        yield path, tree.value_set, value
    elif isinstance(value, dict):
        for name, part in value.items():
            below = tree.fields.get(name) or tree.every
            if below:
                yield from _values(part, below, (*path, name))
    elif isinstance(value, list) and tree.every is not None:
        for at, part in enumerate(value):
            yield from _values(part, tree.every, (*path, at))
