"""What the tokens of a text are read as: items with their kinds, values and canonical units.

The canonical units ("atoms") of an item are the same for all its written forms: words, single digits,
spelled letters and names of signs.
"""

from decimal import Decimal
from typing import Literal, NamedTuple

import msgspec

from dragoman.core.values.numbers import NumberSpan
from dragoman.core.values.tokens import TextToken

ItemKind = Literal["word", "number", "money", "date", "time", "percent", "ordinal", "code", "sign"]

_MOST_DIGITS = 40


class ReadItem(msgspec.Struct, frozen=True, gc=False):
    """What some tokens of a text are read as.

    Attributes:
        kind: What it is.
        atoms: Its canonical units.
        first: Its first token.
        end: The token after its last one.
        value: A Decimal of a number or percentage, (currency, Decimal) of money, (year, month, day)
            of a date with None for what is not said, the minutes of the day that a time may mean.
        digits: The digits of a number as they are written or said, leading zeros included; "" where a
            word such as `twenty` is part of it.
        is_words: Whether number words are part of it.
    """

    kind: ItemKind
    atoms: tuple[str, ...]
    first: int
    end: int
    value: object = None
    digits: str = ""
    is_words: bool = False


class Readout(NamedTuple):
    """A text after reading."""

    text: str
    language: str
    tokens: tuple[TextToken, ...]
    items: tuple[ReadItem, ...]

    def start(self, item: ReadItem) -> int:
        """Return the place of an item in the source text."""
        return self.tokens[item.first].start

    def stop(self, item: ReadItem) -> int:
        """Return the place after an item in the source text."""
        return self.tokens[item.end - 1].end


def number_atoms(number: NumberSpan) -> tuple[str, ...]:
    """Return the digits of a number as it is counted; leading zeros are kept as they are written."""
    if len(number.digits) > 1 and number.digits.isdigit():
        return tuple(number.digits[:_MOST_DIGITS])
    return decimal_atoms(number.value)


def decimal_atoms(value: Decimal) -> tuple[str, ...]:
    """Return the digits of a value without zeros at the end of its decimals."""
    return figure_atoms(f"{value.normalize():f}"[:_MOST_DIGITS])


def figure_atoms(figure: str) -> tuple[str, ...]:
    """Return the digits of a figure, and `point` for its sign before decimals."""
    if figure.isdigit():
        return tuple(figure)
    return tuple("point" if sign == "." else sign for sign in figure)
