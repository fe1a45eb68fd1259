"""What all readers of a text share: its tokens, and the numbers among them, each read once."""

from collections.abc import Sequence
from decimal import Decimal

from dragoman.core.values.lexicon import ValueLexicon
from dragoman.core.values.numbers import NumberSpan, number_at
from dragoman.core.values.tokens import TextToken, TokenRow

_SIX = Decimal(6)
"""What `meia`, half a dozen, is among digits."""
_SHOUTED = 2


class ReaderState(TokenRow):
    """The tokens of one text while its values are read.

    Attributes:
        shouts: Whether most of it is in capitals, so that these say nothing.
    """

    __slots__ = ("_numbers", "_starts", "shouts")

    def __init__(self, tokens: Sequence[TextToken], lexicon: ValueLexicon) -> None:
        super().__init__(tokens, lexicon)
        upper = sum(token.is_upper and len(token.text) > 1 for token in tokens)
        self.shouts = upper > self.count / 2 > _SHOUTED
        self._numbers: dict[int, NumberSpan | None] = {}
        self._starts = lexicon.numbers.starts

    def number(self, at: int) -> NumberSpan | None:
        """Return the number at a token; None where there is none."""
        if at >= self.count:
            return None
        kind = self.tokens[at].kind
        if kind != "figure" and (kind != "word" or self.words[at] not in self._starts):
            return None
        if at not in self._numbers:
            self._numbers[at] = number_at(self, at) or self._among_digits(at)
        return self._numbers[at]

    def near_number(self, at: int) -> NumberSpan | None:
        """Return the number at a token that belongs to the one before it."""
        return self.number(at) if self.near(at) else None

    def _among_digits(self, at: int) -> NumberSpan | None:
        """Read words that stand for digits beside other digits alone."""
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
        """Whether `oh` or the letter `o` is said for a zero: among number words."""
        before, after = self._after_number_word(at), self._before_number_word(at)
        return (before and after) if len(self.words[at]) == 1 else (before or after)

    def _after_number_word(self, at: int) -> bool:
        return at > 0 and self.near(at) and self.is_number_word(at - 1)

    def _before_number_word(self, at: int) -> bool:
        return self.near(at + 1) and self.is_number_word(at + 1)

    def is_number_word(self, at: int) -> bool:
        """Whether a token is there and is a figure of digits alone, or a word for a unit or a digit."""
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
        """Whether what stands before is a term of a formula, so that a minus subtracts."""
        if at == 0 or self.tokens[at].gap not in {"", " "}:
            return False
        before = self.tokens[at - 1]
        is_term = before.kind == "figure" or (before.kind == "word" and len(before.text) == 1)
        if is_term and before.text.isascii():
            return True
        return before.text in {"squared", "cubed"} or self.is_number_word(at - 1)
