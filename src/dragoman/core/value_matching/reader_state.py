"""Items read from tokens, and the state that all readers of a text share."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

import msgspec

from dragoman.core.value_matching.lexicon import ValueLexicon
from dragoman.core.value_matching.numbers import NumberSpan, number_at
from dragoman.core.value_matching.tokenizer import TextToken, TokenRow

ItemKind = Literal["word", "number", "money", "date", "time", "percent", "ordinal", "code", "sign"]

_MOST_DIGITS = 40


class ReadItem(msgspec.Struct, frozen=True, gc=False):
    """An item read from some tokens of a text.

    Attributes:
        kind: The kind of the item.
        atoms: Its canonical units.
        first: Its first token.
        end: The token after its last one.
        value: A Decimal of a number or percentage, (currency, Decimal) of money, (year, month, day)
            of a date with None for missing parts, the possible minutes of the day of a time.
        digits: The digits of a number as written or said, with leading zeros; "" if a word such as
            `twenty` is part of it.
        is_words: Whether it contains number words.
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
        """Return the position of an item in the source text."""
        return self.tokens[item.first].start

    def stop(self, item: ReadItem) -> int:
        """Return the position after an item in the source text."""
        return self.tokens[item.end - 1].end


def number_atoms(number: NumberSpan) -> tuple[str, ...]:
    """Return the digits of a number as counted.

    Leading zeros are kept as written.
    """
    if len(number.digits) > 1 and number.digits.isdigit():
        return tuple(number.digits[:_MOST_DIGITS])
    return decimal_atoms(number.value)


def decimal_atoms(value: Decimal) -> tuple[str, ...]:
    """Return the digits of a value without trailing zeros in its decimals."""
    return figure_atoms(f"{value.normalize():f}"[:_MOST_DIGITS])


def figure_atoms(figure: str) -> tuple[str, ...]:
    """Return the digits of a figure, with `point` for its decimal sign."""
    if figure.isdigit():
        return tuple(figure)
    return tuple("point" if sign == "." else sign for sign in figure)


_SIX = Decimal(6)
"""The value of `meia`, half a dozen, among digits."""
_SHOUTED = 2


class ReaderState(TokenRow):
    """The tokens of one text while its values are read.

    Attributes:
        shouts: Whether most of the text is in capitals, so that these have no meaning.
    """

    __slots__ = ("_numbers", "_starts", "shouts")

    def __init__(self, tokens: Sequence[TextToken], lexicon: ValueLexicon) -> None:
        super().__init__(tokens, lexicon)
        upper = sum(token.is_upper and len(token.text) > 1 for token in tokens)
        self.shouts = upper > self.count / 2 > _SHOUTED
        self._numbers: dict[int, NumberSpan | None] = {}
        self._starts = lexicon.numbers.starts

    def number(self, at: int) -> NumberSpan | None:
        """Return the number at a token; None if no number begins there."""
        if at >= self.count:
            return None
        kind = self.tokens[at].kind
        if kind != "figure" and (kind != "word" or self.words[at] not in self._starts):
            return None
        if at not in self._numbers:
            self._numbers[at] = number_at(self, at) or self._among_digits(at)
        return self._numbers[at]

    def near_number(self, at: int) -> NumberSpan | None:
        """Return the number at a token that belongs to the token before it."""
        return self.number(at) if self.near(at) else None

    def _among_digits(self, at: int) -> NumberSpan | None:
        """Read words that stand for digits only next to other digits."""
        numbers, word = self.lexicon.numbers, self.words[at]
        times = numbers.repeats.get(word)
        if times is not None:
            digit = number_at(self, at + 1) if self.near(at + 1) else None
            if digit is not None and len(digit.digits) == 1:
                digits = digit.digits * times
                return NumberSpan(Decimal(digits), digits, digit.end, is_words=True)
        if word in numbers.zeros and self._is_zero(at):
            return NumberSpan(Decimal(0), "0", at + 1, is_words=True)
        last = numbers.last_digit.at(self.words, at)
        if last is not None and (self._after_number_word(at) or self._before_number_word(at)):
            return NumberSpan(_SIX, f"{_SIX:f}", last[1], is_words=True)
        return None

    def _is_zero(self, at: int) -> bool:
        """Return whether `oh` or the letter `o` means zero: it does among number words."""
        before, after = self._after_number_word(at), self._before_number_word(at)
        return (before and after) if len(self.words[at]) == 1 else (before or after)

    def _after_number_word(self, at: int) -> bool:
        return at > 0 and self.near(at) and self.is_number_word(at - 1)

    def _before_number_word(self, at: int) -> bool:
        return self.near(at + 1) and self.is_number_word(at + 1)

    def is_number_word(self, at: int) -> bool:
        """Return whether a token exists and is a number word or a figure of digits.

        A number word is a word for a unit or a digit.
        """
        if at >= self.count:
            return False
        kind, word = self.tokens[at].kind, self.words[at]
        if kind != "word":
            return kind == "figure" and word.isdigit()
        return word in self.lexicon.numbers.among_digits

    def minus(self, at: int) -> tuple[bool, int]:
        """Return whether a number is negative, and its first token."""
        token = self.tokens[at]
        if token.kind == "sign":
            is_minus = token.text == "minus" and not self._after_term(at)
            return (True, at + 1) if is_minus else (False, at)
        if token.kind != "word":
            return False, at
        found = self.lexicon.numbers.minus.at(self.words, at)
        if found is None or not self.near(found[1]) or self._after_term(at):
            return False, at
        return True, found[1]

    def _after_term(self, at: int) -> bool:
        """Return whether a term of a formula stands before a minus, so that it subtracts."""
        if at == 0 or self.tokens[at].gap not in {"", " "}:
            return False
        before = self.tokens[at - 1]
        is_term = before.kind == "figure" or (before.kind == "word" and len(before.text) == 1)
        if is_term and before.text.isascii():
            return True
        return before.text in {"squared", "cubed"} or self.is_number_word(at - 1)
