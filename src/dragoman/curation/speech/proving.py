"""Proof that a rewritten message still states every value that its text stated."""

from collections.abc import Sequence

import msgspec

from dragoman.curation.speech.messages import StatedValue
from dragoman.curation.speech.reading.how import How, ValueReader


class Recovered(msgspec.Struct, frozen=True):
    """A value and how it is found again.

    Attributes:
        topic: What it is for.
        value: As calls must have it.
        how: How it is found; None where it is not.
        why: Why it is not found; "" where it is.
        is_case_unheard: It is spelled or in words, and which of its letters are capitals is not said.
    """

    topic: str
    value: str
    how: How | None
    why: str = ""
    is_case_unheard: bool = False


def recovered(
    values: Sequence[StatedValue], said: str, reader: ValueReader
) -> tuple[Recovered, ...]:
    """Return for each value how a rewritten text states it."""
    return tuple(_recovered(each, said, reader) for each in values)


def _recovered(stated: StatedValue, said: str, reader: ValueReader) -> Recovered:
    value = stated.value
    how = reader.how_said(value, said)
    if how is None:
        return Recovered(stated.topic, value, None, "not found in the rewritten text")
    is_unheard = how != "exactly" and has_unheard_case(value)
    return Recovered(stated.topic, value, how, is_case_unheard=is_unheard)


def has_unheard_case(value: str) -> bool:
    """Whether nobody can tell from a value's letters which are capitals."""
    return value not in {value.lower(), value.upper(), value.capitalize(), value.title()}


def lost(proof: Sequence[Recovered]) -> tuple[str, ...]:
    """Return the values that are not found again."""
    return tuple(dict.fromkeys(each.value for each in proof if each.how is None))
