"""Where and how a text states a value: as it is written, sign by sign, or as a number or date in words.

Letter case is not heard, so it does not count.
"""

from decimal import Decimal
from functools import cached_property
from typing import Literal

from dragoman.conditions.voice.written.form import written_form
from dragoman.core.texts.entities import EntityKind, kind_of, occurs
from dragoman.curation.speech.reading.numbers import number_of, numbers_in
from dragoman.curation.speech.reading.signs import SpokenToken, read_signs, tokens_in

How = Literal["exactly", "spelled", "in words"]
"""As it is written; letter by letter or with signs by name; as a number, a date, a time or an amount."""

_MIN_DIGITS = 3
_WRITTEN_ANEW: frozenset[EntityKind] = frozenset({"date", "time", "amount", "phone", "number"})
"""What may be said in words that have no sign of the value's writing in them."""


class ReadText:
    """A text in which values are looked for; what is read of it is read once."""

    def __init__(self, text: str) -> None:
        self.text = text

    def how(self, value: str) -> How | None:
        """Return how the text states a value; None where it does not."""
        number = number_of(value)
        if occurs(value, self.text) and not (_is_digit(value) and value not in self.text):
            return "exactly"
        if number is not None and number in self._numbers:
            return "in words"
        literal = read_signs(value, self._tokens) if _may_be_signs(value) else None
        if literal is not None:
            return "exactly" if literal else "spelled"
        is_read = kind_of(value) in _WRITTEN_ANEW and occurs(value, self._written)
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


def _is_digit(value: str) -> bool:
    """Whether a value is a number below ten, which counts as stated where its word stands."""
    return len(value) == 1 and value.isdecimal()


def _may_be_signs(value: str) -> bool:
    """Whether a value is no small number, which as signs could be part of a larger one."""
    return not (value.isdecimal() and len(value) < _MIN_DIGITS)
