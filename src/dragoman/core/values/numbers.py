"""Number words read as numbers: one grammar for all languages that have a table.

A number is a row of parts. A word for a unit or for tens is a part; a multiplier takes the smaller
parts before it; each part is smaller than the place of the one before it. So `two hundred five
thousand` is one number and `one two three` are three.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from dragoman.core.values.lexicon import Lexicon
from dragoman.core.values.tokens import Token

_INFINITE = Decimal(10) ** 30
_TEN = 10
_HUNDRED = 100
_THOUSAND = 1000
_MOST_DIGITS = 18


class NumberSpan(NamedTuple):
    """A number that tokens state.

    Attributes:
        value: Its value.
        digits: As it is written or said digit by digit, leading zeros included; "" where it is not.
        end: The token after it.
        is_words: Whether a word is part of it.
    """

    value: Decimal
    digits: str
    end: int
    is_words: bool


def number_at(
    tokens: Sequence[Token], words: Sequence[str], at: int, lexicon: Lexicon
) -> NumberSpan | None:
    """Return the number that begins at a token; None where none does."""
    return _NumberReader(tokens, words, at, lexicon).read()


class _NumberReader:
    """Reads one number from a token on."""

    def __init__(
        self, tokens: Sequence[Token], words: Sequence[str], at: int, lexicon: Lexicon
    ) -> None:
        self.tokens, self.words, self.lexicon = tokens, words, lexicon
        self.start = self.end = at
        self.parts: list[Decimal] = []
        self.low = _INFINITE
        self.last = Decimal(1)
        self.has_words = False

    def read(self) -> NumberSpan | None:
        token = self.tokens[self.start]
        if token.kind == "figure":
            return self._from_figure(token)
        if token.kind not in {"word"} or self._is_no_number():
            return None
        return self._from_words()

    def _is_no_number(self) -> bool:
        lexicon, at = self.lexicon, self.start
        if lexicon.not_number.at(self.words, at) is not None:
            return True
        if self.words[at] in lexicon.contextual:
            return not self._has_number_beside(at)
        if lexicon.classifiers and self.words[at] in lexicon.digit:
            return not self._has_classifier(at)
        return False

    def _has_classifier(self, at: int) -> bool:
        """Whether a lone digit of a script without spaces counts something, or stands among digits."""
        lexicon, words = self.lexicon, self.words
        beside = (
            *(words[at + 1 : at + 2] if at + 1 < len(words) and self.tokens[at + 1].gap in {"", " "} else ()),
            *(words[at - 1 : at] if at and self.tokens[at].gap in {"", " "} else ()),
        )
        for word in beside:
            if (
                word in lexicon.number
                or word in lexicon.tens
                or word in lexicon.multiplier
                or word in lexicon.decimal_word
                or word.isdigit()
                or word in lexicon.minus
                or word in lexicon.sign
                or word in lexicon.percent_prefix
            ):
                return True
        after = beside[0] if at + 1 < len(words) and self.tokens[at + 1].gap in {"", " "} else ""
        if not after or after.isascii():
            return True
        is_counted = after in lexicon.classifiers or after in lexicon.unit or after in lexicon.currency
        is_counted = is_counted or after in lexicon.hour or after in lexicon.minute
        return is_counted or (at > 0 and words[at - 1] in {"第", "号", "码", "是", "加", "减"})

    def _has_number_beside(self, at: int) -> bool:
        """Whether a word that also means something else stands among number words."""
        lexicon, words = self.lexicon, self.words
        if at + 1 < len(words) and self.tokens[at + 1].gap in {" ", "", "-"}:
            if self.tokens[at + 1].kind == "figure":
                return len(words[at + 1]) == 1
            following = words[at + 1]
            if any(
                following in table
                for table in (
                    lexicon.number,
                    lexicon.tens,
                    lexicon.multiplier,
                    lexicon.decimal_word,
                    lexicon.currency,
                    lexicon.hour,
                    lexicon.unit,
                )
            ):
                return True
        if at and self.tokens[at].gap in {" ", "", "-"}:
            before = words[at - 1]
            if self.tokens[at - 1].kind == "figure":
                return False
            markers = (lexicon.tens, lexicon.month_marker, lexicon.day_marker, lexicon.clock_prefix)
            if before == "thứ" or any(before in table for table in markers):
                return words[at] != "năm" or before not in lexicon.tens
            before_last = words[at - 2] if at > 1 else ""
            return before in lexicon.number and before_last in lexicon.number
        return False

    def _from_figure(self, token: Token) -> NumberSpan | None:
        """Read a figure, and a multiplier behind it: `3.5 million`, `5k`."""
        value = Decimal(token.text) if len(token.text) <= _MOST_DIGITS * 4 else Decimal(0)
        self.end = self.start + 1
        scale = self._multiplier_at(self.end)
        if scale is None or scale[0] < _HUNDRED:
            return NumberSpan(value, token.text, self.end, is_words=False)
        self.parts, self.low, self.has_words = [value], Decimal(1), True
        self._multiply(*scale)
        self._more()
        return NumberSpan(sum(self.parts, Decimal(0)), "", self.end, is_words=True)

    def _from_words(self) -> NumberSpan | None:
        if not self._part():
            return self._decimal_alone()
        self._more()
        single = self.end == self.start + 1 and len(self.parts) == 1 and self.parts[0] < _TEN
        value = sum(self.parts, Decimal(0))
        is_digit = single and value == value.to_integral_value()
        return NumberSpan(value, f"{value:f}" if is_digit else "", self.end, is_words=True)

    def _decimal_alone(self) -> NumberSpan | None:
        """Read `point five`."""
        if self.lexicon.language != "en" or self.words[self.start] != "point":
            return None
        digits, end = self._digits(self.start + 1)
        if not digits:
            return None
        return NumberSpan(Decimal(f"0.{digits}"), "", end, is_words=True)

    def _more(self) -> None:
        while self._joined_part() or self._part():
            pass

    def _goes_on(self, at: int) -> bool:
        if at >= len(self.tokens):
            return False
        return at == self.start or self.tokens[at].gap in {"", " ", "-", "'"}

    def _joined_part(self) -> bool:
        """Take a part behind a word such as `and`, where one can follow."""
        found = self.lexicon.joining.at(self.words, self.end)
        if found is None or not self.parts or not self._goes_on(self.end):
            return False
        if self.low < _TEN or (self.lexicon.language == "en" and self.low < _HUNDRED):
            return False
        before = self.end, self.low, self.last, list(self.parts)
        self.end = found[1]
        if self._goes_on(self.end) and self._part(is_joined=True):
            scale = self._multiplier_at(self.end)
            if scale is None or self._multiply(*scale):
                return True
        # `three hundred and four hundred` are two numbers.
        self.end, self.low, self.last, self.parts = before
        return False

    def _part(self, *, is_joined: bool = False) -> bool:
        at = self.end
        if not self._goes_on(at):
            return False
        if self.tokens[at].kind == "figure":
            return self._figure_part(at)
        if self.tokens[at].kind != "word":
            return False
        return (
            self._half_part(at) or self._scaled_part(at) or self._unit_part(at, is_joined=is_joined)
        )

    def _figure_part(self, at: int) -> bool:
        """Take a figure whose own multiplier follows: `3万5千`, `1 triệu 500 nghìn`."""
        scale = self._multiplier_at(at + 1)
        value = Decimal(self.tokens[at].text) if scale is not None else self.low
        if scale is None or value * scale[0] >= self.low:
            return False
        self.parts.append(value)
        self.end = at + 1
        return True

    def _half_part(self, at: int) -> bool:
        found = self.lexicon.half.at(self.words, at)
        if found is None or not self.parts or self.low >= _INFINITE:
            return False
        if self.low < _TEN and self._multiplier_at(found[1]) is None:
            return False
        self.parts.append(Decimal(str(found[0])) * max(self.low, Decimal(1)))
        self.low, self.end = Decimal(1), found[1]
        return True

    def _multiplier_at(self, at: int) -> tuple[Decimal, int] | None:
        """Return the multiplier at a token; a lone letter must be written against its figure."""
        if not self._goes_on(at) or self.tokens[at].kind != "word":
            return None
        found = self.lexicon.multiplier.at(self.words, at)
        if found is None:
            return self._lettered_scale(at)
        if len(self.words[at]) <= 2 and self.words[at].isascii():
            is_glued = at > 0 and self.tokens[at - 1].kind == "figure"
            is_near = self.tokens[at].gap == "" or len(self.words[at]) == 2
            if not (is_glued and is_near):
                return None
            if self.tokens[at].is_upper and not self._is_amount(at - 1):
                return None  # `300K` is a temperature
        if self.words[at] == "mil" and self.lexicon.language == "en":
            return None
        return Decimal(found[0]), found[1]

    def _lettered_scale(self, at: int) -> tuple[Decimal, int] | None:
        """Return what a letter against the figure of an amount multiplies by: `$1.2M`."""
        scale = {"m": 10**6, "b": 10**9, "t": 10**12}.get(self.words[at])
        is_glued = at > 0 and self.tokens[at].gap == "" and self.tokens[at - 1].kind == "figure"
        if scale is None or not is_glued or not self._is_amount(at - 1):
            return None
        return Decimal(scale), at + 1

    def _is_amount(self, at: int) -> bool:
        return at > 0 and self.tokens[at - 1].kind == "sign" and self.tokens[at].gap in {"", " "}

    def _scaled_part(self, at: int) -> bool:
        tens = self.lexicon.tens.at(self.words, at)
        scale = self._multiplier_at(at) if tens is None else (Decimal(tens[0]), tens[1])
        if scale is None:
            teens = self.lexicon.teens.at(self.words, at)
            if teens is None or not self.parts or self.parts[-1] >= _TEN:
                return False
            self.parts[-1] += teens[0]
            self.low, self.end = Decimal(1), teens[1]
            return True
        if scale[0] == _HUNDRED and not self.parts and self.lexicon.language == "en":
            pass
        return self._multiply(*scale)

    def _multiply(self, by: Decimal, end: int) -> bool:
        """Let a multiplier take the smaller parts before it."""
        taken = Decimal(0)
        while self.parts and self.parts[-1] < by:
            taken += self.parts.pop()
        product = (taken or Decimal(1)) * by
        if self.parts and product >= self.parts[-1]:
            if taken:
                self.parts.append(taken)
            return False
        if not taken and self.parts and self.low <= by:
            return False
        self.parts.append(product)
        self.low, self.last, self.end = by, by, end
        self.has_words = True
        return True

    def _unit_part(self, at: int, *, is_joined: bool) -> bool:
        found = self.lexicon.number.at(self.words, at)
        if found is None:
            return False
        value, end = found
        if self.words[at] in self.lexicon.contextual and at != self.start:
            follows_tens = self.low == _TEN
            if self.words[at] == "năm" and follows_tens:
                return False
        if self.parts and value == 0:
            hundred = self.lexicon.multiplier.at(self.words, end)
            if hundred is None or hundred[0] != _HUNDRED or self.low < _THOUSAND:
                return False
            self.low, self.end = Decimal(_HUNDRED), hundred[1]  # `hai nghìn không trăm`: no hundreds
            return True
        if value >= self.low or (self.parts and self.low <= 1):
            return False
        is_short = self._is_shorthand(value, end, is_joined=is_joined)
        self.parts.append(value * self.last / _TEN if is_short else value)
        self.low = Decimal(_TEN) if value >= 20 and value % _TEN == 0 else Decimal(1)
        if value >= _HUNDRED:
            self.low = Decimal(_HUNDRED)
        if value == _TEN and self.lexicon.language == "fil":
            self.low = Decimal(_TEN)
        self.end = end
        self._decimals()
        return True

    def _is_shorthand(self, value: Decimal, end: int, *, is_joined: bool) -> bool:
        """Whether a last digit stands for the next place: `三千五` is 3,500."""
        if not self.lexicon.table.shorthand or is_joined or not self.parts or value >= _TEN:
            return False
        if self.last < _HUNDRED or self.low != self.last:
            return False
        if not self._goes_on(end):
            return True
        following = self.words[end]
        return not (
            self.tokens[end].kind == "figure"
            or following in self.lexicon.tens
            or following in self.lexicon.multiplier
            or following in self.lexicon.number
        )

    def _decimals(self) -> None:
        """Add the digits behind a decimal word: `three point one four`."""
        at = self.end
        if not self._goes_on(at) or self.lexicon.decimal_word.at(self.words, at) is None:
            return
        digits, end = self._digits(at + 1)
        if not digits:
            return
        if self.lexicon.language == "zh" and self._is_clock(end):
            return
        self.parts[-1] += Decimal(f"0.{digits}")
        self.low, self.end = Decimal(1), end

    def _is_clock(self, end: int) -> bool:
        return self.lexicon.minute.at(self.words, end) is not None

    def _digits(self, at: int) -> tuple[str, int]:
        digits = ""
        while self._goes_on(at):
            if self.tokens[at].kind == "figure" and self.words[at].isdigit():
                digits, at = digits + self.words[at], at + 1
                continue
            found = self.lexicon.number.at(self.words, at)
            if found is None or found[0] >= _TEN or self.tokens[at].kind != "word":
                break
            if not self.lexicon.is_spaced and self.lexicon.tens.at(self.words, found[1]) is not None:
                break
            digits, at = f"{digits}{found[0]:f}", found[1]
        return digits, at
