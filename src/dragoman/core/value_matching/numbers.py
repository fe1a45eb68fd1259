"""Number grammar: number words read as numbers, for all languages that have a table."""

from decimal import Decimal

import msgspec

from dragoman.core.value_matching.lexicon import ValueLexicon
from dragoman.core.value_matching.tokenizer import TextToken, TokenRow

_ZERO, _ONE = Decimal(0), Decimal(1)
_INFINITE = Decimal(10) ** 30
_TEN = 10
_TWENTY = 20
_HUNDRED = 100
_THOUSAND = 1000
_MOST_FIGURES = 72
"""Most digits of a number; longer figures are codes, with the number value zero."""
_LETTERS = 2
"""Longest word, in letters, that is a multiplier only when attached to a figure: `5k`."""
_LETTER_SCALES = {"m": Decimal(10**6), "b": Decimal(10**9), "t": Decimal(10**12)}
_AGAINST = frozenset({"", " "})
_BESIDE = frozenset({"", " ", "-"})


class NumberSpan(msgspec.Struct, frozen=True, gc=False):
    """A number that tokens state.

    Attributes:
        value: The value.
        digits: The digits as written or said one by one, with leading zeros; "" for other numbers.
        end: The token after it.
        is_words: Whether it contains a word.
    """

    value: Decimal
    digits: str
    end: int
    is_words: bool


def is_within(value: Decimal, span: range) -> bool:
    """Return whether a number is an integer of a range.

    The operator `in` would compare it with each integer.
    """
    return span.start <= value < span.stop and not value % 1


def number_at(row: TokenRow, at: int) -> NumberSpan | None:
    """Return the number that begins at a token; None if none begins there."""
    token = row.tokens[at]
    if token.kind == "figure":
        return _NumberReader(row, at).from_figure(token)
    if token.kind != "word" or _is_no_number(row, at):
        return None
    if token.text in row.lexicon.numbers.ones:
        return _NumberReader(row, at).from_article()
    return _NumberReader(row, at).from_words()


def _is_no_number(row: TokenRow, at: int) -> bool:
    """Return whether a word that could be a number is not a number in its context."""
    words, numbers = row.words, row.lexicon.numbers
    if numbers.not_number.at(words, at) is not None:
        return True
    if words[at] in numbers.contextual:
        return not _is_among_number_words(row, at)
    if numbers.classifiers and words[at] in numbers.digit:
        return not _is_counting(row, at)
    return False


def _is_counting(row: TokenRow, at: int) -> bool:
    """Return whether a lone digit of a script without spaces is a number.

    It is if it counts something, or stands among digits.
    """
    lexicon = row.lexicon
    numbers, amounts, clock = lexicon.numbers, lexicon.amounts, lexicon.clock
    after = row.words[at + 1] if at + 1 < row.count and row.tokens[at + 1].gap in _AGAINST else ""
    before = row.words[at - 1] if at and row.tokens[at].gap in _AGAINST else ""
    if any(
        word in numbers.beside or word.isdigit() or word in lexicon.sign
        for word in (after, before)
        if word
    ):
        return True
    if not after or after.isascii() or before in amounts.currency:
        return True
    counted = (numbers.classifiers, amounts.unit, amounts.currency, clock.hour, clock.minute)
    return any(after in words for words in counted) or (
        at > 0 and row.words[at - 1] in numbers.openers
    )


def _is_among_number_words(row: TokenRow, at: int) -> bool:
    """Return whether an ambiguous word stands among number words."""
    if at + 1 < row.count and row.tokens[at + 1].gap in _BESIDE:
        following = row.words[at + 1]
        if row.is_figure(at + 1):
            return len(following) == 1
        if _is_after_number(following, row.lexicon):
            return True
    return _has_number_before(row, at)


def _is_after_number(following: str, lexicon: ValueLexicon) -> bool:
    """Return whether a word makes the word before it a number."""
    numbers, amounts = lexicon.numbers, lexicon.amounts
    tables = (numbers.unit, numbers.tens, numbers.multiplier, numbers.decimal)
    others = (amounts.currency, lexicon.clock.hour, amounts.unit)
    return any(following in table for table in tables) or any(
        following in table for table in others
    )


def _has_number_before(row: TokenRow, at: int) -> bool:
    """Return whether an ambiguous word follows a word that makes it a number."""
    if not at or row.tokens[at].gap not in _BESIDE or row.is_figure(at - 1):
        return False
    before, lexicon = row.words[at - 1], row.lexicon
    numbers, dates = lexicon.numbers, lexicon.dates
    markers = (dates.month_marker, dates.day_marker, lexicon.clock.prefix)
    is_marked = before in numbers.contextual_openers or any(before in table for table in markers)
    if is_marked or before in numbers.tens:
        # `hai mươi năm` are twenty years: behind tens a five is `lăm`.
        return row.words[at] not in dates.year_marker or before not in numbers.tens
    before_last = row.words[at - 2] if at > 1 else ""
    return before in numbers.unit and before_last in numbers.unit


class _NumberReader:
    """Reader of one number from a token on."""

    __slots__ = ("end", "last", "low", "numbers", "parts", "row", "start")

    def __init__(self, row: TokenRow, at: int) -> None:
        self.row, self.numbers = row, row.lexicon.numbers
        self.start = self.end = at
        self.parts: list[Decimal] = []
        self.low = _INFINITE
        self.last = _ONE

    def from_figure(self, token: TextToken) -> NumberSpan:
        """Read a figure with any multiplier behind it: `3.5 million`, `5k`."""
        value = Decimal(token.text) if len(token.text) <= _MOST_FIGURES else _ZERO
        self.end = self.start + 1
        scale = self._multiplier_at(self.end)
        if scale is None or scale[0] < _HUNDRED:
            return NumberSpan(value, token.text, self.end, is_words=False)
        self.parts, self.low = [value], _ONE
        self._multiply(*scale)
        self._more()
        return NumberSpan(sum(self.parts, _ZERO), "", self.end, is_words=True)

    def from_article(self) -> NumberSpan | None:
        """Read `a hundred and one`: the article stands for one."""
        at = self.start + 1
        if not self.row.near(at) or self._multiplier_at(at) is None:
            return None
        self.end = at
        return self.from_words()

    def from_words(self) -> NumberSpan | None:
        """Read number words."""
        if not self._part():
            return self._decimal_alone()
        self._more()
        single = self.end == self.start + 1 and len(self.parts) == 1 and self.parts[0] < _TEN
        value = sum(self.parts, _ZERO)
        is_digit = single and value == value.to_integral_value()
        return NumberSpan(value, f"{value:f}" if is_digit else "", self.end, is_words=True)

    def _decimal_alone(self) -> NumberSpan | None:
        """Read `point five`."""
        if not self.row.lexicon.table.leading_decimal:
            return None
        if self.row.words[self.start] not in self.numbers.decimal:
            return None
        digits, end = self._digits(self.start + 1)
        if not digits:
            return None
        return NumberSpan(Decimal(f"0.{digits}"), "", end, is_words=True)

    def _more(self) -> None:
        while self._joined_part() or self._part():
            pass

    def _goes_on(self, at: int) -> bool:
        return self.row.near(at) or (at == self.start and at < self.row.count)

    def _joined_part(self) -> bool:
        """Take a part behind a word such as `and`, if one can follow."""
        found = self.numbers.joining.at(self.row.words, self.end)
        if found is None or not self.parts or not self._goes_on(self.end):
            return False
        if self.low < (_HUNDRED if self.row.lexicon.language == "en" else _TEN):
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
        kind = self.row.tokens[at].kind
        if kind == "figure":
            return self._figure_part(at)
        if kind != "word":
            return False
        return (
            self._half_part(at)
            or self._scaled_part(at)
            or self._zero_part(at)
            or self._unit_part(at, is_joined=is_joined)
        )

    def _figure_part(self, at: int) -> bool:
        """Take a figure with its own multiplier: `3万5千`, `1 triệu 500 nghìn`."""
        scale = self._multiplier_at(at + 1)
        if scale is None:
            return False
        value = Decimal(self.row.words[at])
        if value * scale[0] >= self.low:
            return False
        self.parts.append(value)
        self.end = at + 1
        return True

    def _half_part(self, at: int) -> bool:
        found = self.numbers.half.at(self.row.words, at)
        if found is None or not self.parts or self.low >= _INFINITE:
            return False
        # Elsewhere it is half past an hour: `cinco e meia`.
        is_joined = self.row.words[at] == "and"
        if self.low < _TEN and not is_joined and self._multiplier_at(found[1]) is None:
            return False
        self.parts.append(Decimal(str(found[0])) * max(self.low, _ONE))
        self.low, self.end = _ONE, found[1]
        return True

    def _multiplier_at(self, at: int) -> tuple[Decimal, int] | None:
        """Return the multiplier at a token; a lone letter must be attached to its figure."""
        row = self.row
        if not self._goes_on(at) or row.tokens[at].kind != "word":
            return None
        word = row.words[at]
        found = self.numbers.multiplier.at(row.words, at)
        if found is None:
            return self._lettered_scale(at) if word in _LETTER_SCALES else None
        if len(word) <= _LETTERS and word.isascii():
            is_near = row.tokens[at].gap == "" or len(word) == _LETTERS
            if at == 0 or not row.is_figure(at - 1) or not is_near:
                return None
            if row.tokens[at].is_upper and not self._is_amount(at - 1):
                return None  # `300K` is a temperature
        return Decimal(found[0]), found[1]

    def _lettered_scale(self, at: int) -> tuple[Decimal, int] | None:
        """Return the multiplier of a letter attached to the figure of an amount: `$1.2M`."""
        row = self.row
        is_glued = at > 0 and row.glued(at) and row.is_figure(at - 1)
        if not is_glued or not self._is_amount(at - 1):
            return None
        return _LETTER_SCALES[row.words[at]], at + 1

    def _is_amount(self, at: int) -> bool:
        tokens = self.row.tokens
        return at > 0 and tokens[at - 1].kind == "sign" and tokens[at].gap in _AGAINST

    def _scaled_part(self, at: int) -> bool:
        words = self.row.words
        tens = self.numbers.tens.at(words, at)
        scale = self._multiplier_at(at) if tens is None else (Decimal(tens[0]), tens[1])
        if scale is not None:
            return self._multiply(*scale)
        teens = self.numbers.teens.at(words, at)
        if teens is None or not self.parts or self.parts[-1] >= _TEN:
            return False
        self.parts[-1] += teens[0]
        self.low, self.end = _ONE, teens[1]
        return True

    def _multiply(self, by: Decimal, end: int) -> bool:
        """Apply a multiplier to the smaller parts before it."""
        taken = _ZERO
        while self.parts and self.parts[-1] < by:
            taken += self.parts.pop()
        product = (taken or _ONE) * by
        if self.parts and product >= self.parts[-1]:
            if taken:
                self.parts.append(taken)
            return False
        if not taken and self.parts and self.low <= by:
            return False
        self.parts.append(product)
        self.low, self.last, self.end = by, by, end
        return True

    def _zero_part(self, at: int) -> bool:
        """Take `không trăm`, the mark of missing hundreds: `hai nghìn không trăm`."""
        found = self.numbers.unit.at(self.row.words, at)
        if found is None or found[0] != 0 or not self.parts:
            return False
        hundred = self.numbers.multiplier.at(self.row.words, found[1])
        if hundred is None or hundred[0] != _HUNDRED or self.low < _THOUSAND:
            return False
        self.low, self.end = Decimal(_HUNDRED), hundred[1]
        return True

    def _unit_part(self, at: int, *, is_joined: bool) -> bool:
        words = self.row.words
        found = self.numbers.unit.at(words, at)
        if found is None or self._is_year_word(at):
            return False
        value, end = found
        if value >= self.low or (self.parts and (self.low <= 1 or value == 0)):
            return False
        is_short = self._is_shorthand(value, end, is_joined=is_joined)
        self.parts.append(value * self.last / _TEN if is_short else value)
        self.low = self._place_of(value)
        self.end = end
        self._decimals()
        return True

    def _is_year_word(self, at: int) -> bool:
        """Return whether a word that also means a year stands behind tens: `hai mươi năm`."""
        word = self.row.words[at]
        is_both = word in self.numbers.contextual and word in self.row.lexicon.dates.year_marker
        return is_both and at != self.start and self.low == _TEN

    def _place_of(self, value: Decimal) -> Decimal:
        """Return the place value below which a part may follow a unit."""
        if value >= _HUNDRED:
            return Decimal(_HUNDRED)
        is_joined_ten = value == _TEN and self.row.lexicon.language == "fil"
        is_tens = value >= _TWENTY and value % _TEN == 0
        return Decimal(_TEN) if is_tens or is_joined_ten else _ONE

    def _is_shorthand(self, value: Decimal, end: int, *, is_joined: bool) -> bool:
        """Return whether a last digit stands for the next place: `三千五` is 3,500."""
        row, numbers = self.row, self.numbers
        if not row.lexicon.table.shorthand or is_joined or not self.parts or value >= _TEN:
            return False
        if self.last < _HUNDRED or self.low != self.last:
            return False
        if not self._goes_on(end):
            return True
        following = row.words[end]
        tables = (numbers.tens, numbers.multiplier, numbers.unit)
        return not (row.is_figure(end) or any(following in table for table in tables))

    def _decimals(self) -> None:
        """Add the digits behind a decimal word: `three point one four`."""
        at, row = self.end, self.row
        if not self._goes_on(at) or self.numbers.decimal.at(row.words, at) is None:
            return
        digits, end = self._digits(at + 1)
        clock = row.lexicon.clock
        is_hour = row.words[at] in clock.hour and clock.minute.at(row.words, end) is not None
        if not digits or is_hour:  # `三点十五分` is a time
            return
        self.parts[-1] += Decimal(f"0.{digits}")
        self.low, self.end = _ONE, end

    def _digits(self, at: int) -> tuple[str, int]:
        digits, row = "", self.row
        is_spaced, numbers = row.lexicon.is_spaced, self.numbers
        while self._goes_on(at):
            kind, word = row.tokens[at].kind, row.words[at]
            if kind == "figure" and word.isdigit():
                digits, at = digits + word, at + 1
                continue
            found = numbers.unit.at(row.words, at)
            if found is None or found[0] >= _TEN or kind != "word":
                break
            if not is_spaced and numbers.tens.at(row.words, found[1]) is not None:
                break
            digits, at = f"{digits}{found[0]:f}", found[1]
        return digits, at
