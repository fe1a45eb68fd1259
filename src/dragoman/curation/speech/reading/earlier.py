"""How a text states a value, for sets made before the value matcher: their proofs are looked at by it.

A value is found as it is written, sign by sign, or as a number or date in words. Letter case does not count.
"""

from decimal import Decimal
from functools import cached_property, lru_cache

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.normalizer import written_form
from dragoman.core.texts.entities import EntityKind, contains_entity, kind_of
from dragoman.curation.speech.reading.how import How
from dragoman.curation.speech.reading.numbers import number_of, numbers_in
from dragoman.curation.speech.reading.signs import SpokenToken, read_signs, tokens_in

_MIN_DIGITS = 3
_WRITTEN_ANEW: frozenset[EntityKind] = frozenset({"date", "time", "amount", "phone", "number"})
"""What may be said in words that have no sign of the value's writing in them."""


class EarlierReader(msgspec.Struct, frozen=True):
    """Finds values in English texts; one that is typed and one that is said are read alike."""

    def how_stated(self, value: str, text: str) -> How | None:
        """Return how a typed text states a value; None where it does not."""
        return _read(text).how(value)

    def how_said(self, value: str, text: str) -> How | None:
        """Return how a text that is said or heard states a value; None where it does not."""
        return _read(text).how(value)


class EarlierReadText:
    """A text in which values are looked for; what is read of it is read once."""

    def __init__(self, text: str) -> None:
        self.text = text

    def how(self, value: str) -> How | None:
        """Return how the text states a value; None where it does not."""
        number = number_of(value)
        if contains_entity(value, self.text) and not (_is_digit(value) and value not in self.text):
            return "exactly"
        if number is not None and number in self._numbers:
            return "in words"
        literal = read_signs(value, self._tokens) if _may_be_signs(value) else None
        if literal is not None:
            return "exactly" if literal else "spelled"
        is_read = kind_of(value) in _WRITTEN_ANEW and contains_entity(value, self._written)
        return "in words" if is_read else None

    @cached_property
    def _tokens(self) -> tuple[SpokenToken, ...]:
        return tokens_in(self.text)

    @cached_property
    def _numbers(self) -> frozenset[Decimal]:
        return numbers_in(self.text)

    @cached_property
    def _written(self) -> str:
        return written_form(self.text)


@lru_cache(maxsize=4)
def _read(text: str) -> EarlierReadText:
    return EarlierReadText(text)


def _is_digit(value: str) -> bool:
    """Whether a value is a number below ten, which counts as stated where its word stands."""
    return len(value) == 1 and value.isdecimal()


def _may_be_signs(value: str) -> bool:
    """Whether a value is no small number, which as signs could be part of a larger one."""
    return not (value.isdecimal() and len(value) < _MIN_DIGITS)
