"""Typed readings of a text: numbers, money, dates, times, percentages, codes and words, in order.

`read` returns items. Each has the canonical units ("atoms") that all written forms of it share: a word,
one digit, one spelled letter, or the name of a sign. Scoring compares atoms; the value matcher compares
values and rows of atoms.
"""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from dragoman.core.values.lexicon import Lexicon, lexicon_of
from dragoman.core.values.numbers import NumberSpan, number_at
from dragoman.core.values.tokens import Token, tokenize

ItemKind = Literal["word", "number", "money", "date", "time", "percent", "ordinal", "code", "sign"]

MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_YEARS = range(1000, 3000)
_DAYS = range(1, 32)
_MONTHS = range(1, 13)
_HOURS = range(25)
_MINUTES = range(60)
_HALF_DAY = 12
_DAY = 24
_HOUR_MINUTES = 60
_BUDDHIST_FROM, _BUDDHIST_AHEAD = 2400, 543
_MOST_DIGITS = 40
_NOT_SPLIT = 2
_MOST_ACRONYM = 6
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th", "\u00ba", "\u00aa", "o"})
_DEFAULT_CURRENCY = {"en": "dollar", "fil": "peso", "pt": "real", "th": "baht", "id": "rupiah"}
_POWER_WORDS = {"square": "squared", "cubic": "cubed"}
_FRACTIONS = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4}


class Item(NamedTuple):
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


class ReadText(NamedTuple):
    """A text after reading."""

    text: str
    language: str
    tokens: tuple[Token, ...]
    items: tuple[Item, ...]

    def start(self, item: Item) -> int:
        """Return the place of an item in the source text."""
        return self.tokens[item.first].start

    def stop(self, item: Item) -> int:
        """Return the place after an item in the source text."""
        return self.tokens[item.end - 1].end


@lru_cache(maxsize=1024)
def read(text: str, language: str) -> ReadText:
    """Return the readings of a text, in its order."""
    lexicon = lexicon_of(language)
    tokens, words = tokenize(text, lexicon)
    return ReadText(text, language, tokens, tuple(_Reader(tokens, words, lexicon).items()))


class _Reader:
    """Reads the items of one text."""

    def __init__(
        self, tokens: tuple[Token, ...], words: tuple[str, ...], lexicon: Lexicon
    ) -> None:
        self.tokens, self.words, self.lexicon = tokens, words, lexicon
        self.english = lexicon.language == "en"
        self.shouts = sum(t.is_upper and len(t.text) > 1 for t in tokens) > len(tokens) / 2 > 2
        self.prefixes = lexicon.table.ordinal_prefixes
        self._numbers: dict[int, NumberSpan | None] = {}

    def items(self) -> list[Item]:
        found: list[Item] = []
        at = 0
        readers: tuple[Callable[[int], Item | None], ...] = (
            self._date,
            self._time,
            self._money,
            self._percent,
            self._code,
            self._ordinal,
            self._number,
        )
        while at < len(self.tokens):
            item = None
            if self._may_be_value(at):
                for reader in readers:
                    item = reader(at)
                    if item is not None:
                        break
            if item is None:
                item = self._divided_unit(at) or self._word(at)
            found.append(item)
            at = item.end
            if item.kind in {"number", "percent"}:
                unit = self._unit(at)
                if unit is not None:
                    found.append(unit)
                    at = unit.end
        return found

    def _may_be_value(self, at: int) -> bool:
        token = self.tokens[at]
        if token.kind != "word":
            return True
        return (
            token.text in self.lexicon.value_words
            or self._glued(at + 1)
            or token.text.startswith(self.prefixes)
        )

    # Numbers

    def number(self, at: int) -> NumberSpan | None:
        """Return the number at a token, read once."""
        if at >= len(self.tokens):
            return None
        if at not in self._numbers:
            self._numbers[at] = self._read_number(at)
        return self._numbers[at]

    def _read_number(self, at: int) -> NumberSpan | None:
        found = number_at(self.tokens, self.words, at, self.lexicon)
        if found is not None:
            return found
        word = self.words[at]
        if self.lexicon.language in {"en", "fil"} and word in {"double", "triple"}:
            digit = number_at(self.tokens, self.words, at + 1, self.lexicon) if self._near(at + 1) else None
            if digit is not None and len(digit.digits) == 1:
                digits = digit.digits * (2 if word == "double" else 3)
                return NumberSpan(Decimal(digits), digits, digit.end, is_words=True)
        if self.english and word in {"oh", "o"} and self._is_zero(at):
            return NumberSpan(Decimal(0), "0", at + 1, is_words=True)
        last = self.lexicon.last_digit.at(self.words, at)
        if last is not None and self._beside_digits(at):
            return NumberSpan(last[0], f"{last[0]:f}", last[1], is_words=True)
        return None

    def _is_zero(self, at: int) -> bool:
        """Whether `oh` or the letter `o` is said for a zero: among number words."""
        before = at > 0 and self._near(at) and self._is_number_word(at - 1)
        after = self._near(at + 1) and self._is_number_word(at + 1)
        if self.words[at] == "o":
            return before and after
        return before or after

    def _is_number_word(self, at: int) -> bool:
        if at >= len(self.words) or self.tokens[at].kind != "word":
            return at < len(self.words) and self.tokens[at].kind == "figure" and self.words[at].isdigit()
        return self.words[at] in self.lexicon.number or self.words[at] in {"oh", "double", "triple"}

    def _beside_digits(self, at: int) -> bool:
        return (at > 0 and self._near(at) and self._is_number_word(at - 1)) or (
            self._near(at + 1) and self._is_number_word(at + 1)
        )

    def _near(self, at: int) -> bool:
        return at < len(self.tokens) and self.tokens[at].gap in {"", " ", "-", "'"}

    def _next(self, at: int) -> bool:
        """Whether a token follows in the same stretch; a comma may stand before it."""
        return at < len(self.tokens) and self.tokens[at].gap != "."

    def _glued(self, at: int) -> bool:
        return at < len(self.tokens) and self.tokens[at].gap == ""

    def _number(self, at: int) -> Item | None:
        is_minus, start = self._minus(at)
        number = self.number(start)
        if number is None:
            return self._fraction(at)
        if is_minus:
            atoms = ("minus", *digit_atoms(number))
            return Item("number", atoms, at, number.end, -number.value, "", number.is_words)
        fraction = self._fraction(at)
        if fraction is not None:
            return fraction
        return Item(
            "number", digit_atoms(number), at, number.end, number.value, number.digits, number.is_words
        )

    def _minus(self, at: int) -> tuple[bool, int]:
        """Return whether a number is negative, and its first token."""
        token = self.tokens[at]
        if token.kind == "sign" and token.text == "minus":
            return not self._after_term(at), at + 1
        found = self.lexicon.minus.at(self.words, at) if token.kind == "word" else None
        if found is None or not self._near(found[1]) or self._after_term(at):
            return False, at
        return True, found[1]

    def _after_term(self, at: int) -> bool:
        """Whether what stands before is a term of a formula, so that a minus subtracts."""
        if at == 0 or self.tokens[at].gap not in {"", " "}:
            return False
        before = self.tokens[at - 1]
        is_term = before.kind == "figure" or (before.kind == "word" and len(before.text) == 1)
        is_term = is_term and before.text.isascii()
        return is_term or before.text in {"squared", "cubed"} or self._is_number_word(at - 1)

    def _fraction(self, at: int) -> Item | None:
        """Read `one half`, `three quarters`."""
        if not self.english:
            return None
        number = self.number(at)
        is_article = self.words[at] == "a"
        if number is None and not is_article:
            return None
        end = at + 1 if number is None else number.end
        top = Decimal(1) if number is None else number.value
        if not self._near(end) or self.words[end] not in _FRACTIONS:
            return None
        if self._near(end + 1) and self.words[end + 1] in {"past", "to"}:
            return None
        if number is not None and (not number.is_words or number.value >= _FRACTIONS[self.words[end]]):
            return None
        bottom = _FRACTIONS[self.words[end]]
        atoms = (*f"{top:f}", "slash", str(bottom))
        return Item("number", atoms, at, end + 1, top / bottom, "", is_words=True)

    def _percent(self, at: int) -> Item | None:
        prefix = self.lexicon.percent_prefix.at(self.words, at)
        if prefix is not None and self._next(prefix[1]):
            number = self.number(prefix[1])
            if number is not None:
                return self._as_percent(at, number, number.end, minus=False)
        is_minus, start = self._minus(at)
        number = self.number(start)
        if number is None or not self._near(number.end):
            return None
        found = self.lexicon.percent.at(self.words, number.end)
        end = number.end + 1 if self.words[number.end] == "percent" else 0
        if found is None and not end:
            return None
        return self._as_percent(at, number, end or (found[1] if found else 0), minus=is_minus)

    def _as_percent(self, at: int, number: NumberSpan, end: int, *, minus: bool) -> Item:
        atoms = (*(("minus",) if minus else ()), *digit_atoms(number), "percent")
        value = -number.value if minus else number.value
        return Item("percent", atoms, at, end, value, number.digits, number.is_words)

    def _unit(self, at: int) -> Item | None:
        """Read the unit behind a number: `km`, `meters per second squared`, `°C`."""
        atoms, end = self._one_unit(at)
        if not atoms:
            return None
        while end < len(self.tokens):
            token = self.tokens[end]
            if token.text in {"squared", "cubed"} and token.gap in {"", " "}:
                atoms, end = (*atoms, token.text), end + 1
                continue
            is_per = (token.kind == "sign" and token.text == "/") or token.text == "per"
            more, place = self._one_unit(end + 1, is_divided=True) if is_per else ((), end)
            if not more:
                break
            atoms, end = (*atoms, "per", *more), place
        return Item("word", atoms, at, end)

    def _divided_unit(self, at: int) -> Item | None:
        """Read a unit without a number where it is divided by another: `speed in km/h`."""
        if at + 2 >= len(self.tokens) or self.tokens[at].kind != "word":
            return None
        token = self.tokens[at + 1]
        is_divided = (token.kind == "sign" and token.text == "/") or token.text == "per"
        return self._unit(at) if is_divided else None

    def _one_unit(self, at: int, *, is_divided: bool = False) -> tuple[tuple[str, ...], int]:
        if at >= len(self.tokens) or self.tokens[at].gap not in {"", " ", "-"}:
            return (), at
        token = self.tokens[at]
        if token.kind == "sign" and token.text == "degree":
            kinds = {"c": "celsius", "f": "fahrenheit", "celsius": "celsius", "fahrenheit": "fahrenheit"}
            scale = kinds.get(self.words[at + 1]) if self._near(at + 1) else None
            return (("degree", scale), at + 2) if scale else (("degree",), at + 1)
        power = _POWER_WORDS.get(token.text) if self.english else None
        if power is not None and self._near(at + 1):
            inner, end = self._one_unit(at + 1, is_divided=True)
            return ((*inner, power), end) if inner else ((), at)
        found = self.lexicon.unit.at(self.words, at) if token.kind == "word" else None
        if found is None:
            return (), at
        name, end = found
        is_symbol = len(token.text) == 1 and token.text.isascii()
        is_divided = is_divided or (end < len(self.tokens) and self.tokens[end].text == "/")
        if is_symbol and not is_divided:
            return (), at
        if name in {"second", "minute"} and self.lexicon.language == "pt" and token.text in {"segundo"}:
            return (name,), end
        atoms = tuple(name.split())
        if atoms == ("degree",) and self._near(end) and self.words[end] in {"c", "f"}:
            return ("degree", "celsius" if self.words[end] == "c" else "fahrenheit"), end + 1
        return atoms, end

    def _ordinal(self, at: int) -> Item | None:
        token = self.tokens[at]
        if token.kind == "figure" and token.text.isdigit() and self._glued(at + 1):
            if self.words[at + 1] in _ORDINAL_ENDINGS and not self._glued(at + 2):
                return self._as_ordinal(at, Decimal(token.text), at + 2, is_words=False)
            return None
        if token.kind != "word":
            return None
        found = self.lexicon.ordinal.at(self.words, at) or self._prefixed_ordinal(at)
        if found is not None:
            return self._as_ordinal(at, Decimal(found[0]), found[1], is_words=True)
        number = self.number(at) if self.english else None
        if number is None or not number.is_words or not self._near(number.end):
            return None
        last = self.lexicon.ordinal.at(self.words, number.end)
        is_after_tens = number.value % 100 in range(20, 100, 10)
        if last is None or not is_after_tens or last[0] >= 10 or self.words[number.end] == "second":
            is_whole = number.value >= 100 and last is not None and number.value % 100 == 0
            if last is None or not is_whole:
                return None
        return self._as_ordinal(at, number.value + last[0], last[1], is_words=True)

    def _prefixed_ordinal(self, at: int) -> tuple[int, int] | None:
        """Read a number word behind a prefix that is written against it: `ikalabindalawa`."""
        for prefix in self.lexicon.table.ordinal_prefixes:
            word = self.words[at].removeprefix(prefix)
            if word != self.words[at] and (found := self.lexicon.number.at((word,), 0)) is not None:
                return int(found[0]), at + 1
        return None

    def _as_ordinal(self, at: int, value: Decimal, end: int, *, is_words: bool) -> Item:
        if self.english and value == 2:
            return Item("ordinal", ("second",), at, end, value, "", is_words)
        marks = {"id": ("ke",), "fil": ("ika",)}.get(self.lexicon.language)
        atoms = (*marks, *f"{value:f}") if marks else (*f"{value:f}", "th")
        return Item("ordinal", atoms, at, end, value, "", is_words)

    # Codes and words

    def _code(self, at: int) -> Item | None:
        """Read letters and figures that are written as one: `W2378156`, not `20km` or `5th`."""
        end = at + 1
        while self._glued(end) and self.tokens[end].kind in {"word", "figure"}:
            end += 1
        kinds = [token.kind for token in self.tokens[at:end]]
        if len(kinds) < 2 or {"word", "figure"} - set(kinds):
            return None
        if kinds == ["figure", "word"] and self._is_measure(at + 1):
            return None
        atoms: list[str] = []
        for token in self.tokens[at:end]:
            atoms += self._letters(token) if token.kind == "word" else _figure_atoms(token.text)
        return Item("code", tuple(atoms), at, end)

    def _is_measure(self, at: int) -> bool:
        word, lexicon = self.words[at], self.lexicon
        return (
            (word in lexicon.unit and (len(word) > 1 or not word.isascii()))
            or word in _ORDINAL_ENDINGS
            or word in lexicon.day_part
            or word in lexicon.multiplier
            or word in lexicon.hour
            or word in lexicon.currency
            or not word.isascii()
            or (word in lexicon.unit and self.tokens[at + 1 : at + 2] != () and self.words[at + 1] == "/")
        )

    def _letters(self, token: Token) -> tuple[str, ...]:
        text = token.text
        if not text.isascii() or (len(text) > _NOT_SPLIT and not token.is_upper):
            return (text,)
        return tuple(text)

    def _word(self, at: int) -> Item:
        token = self.tokens[at]
        if token.kind == "sign":
            atoms = () if token.text == "/" else tuple(token.text.split())
            return Item("sign", atoms, at, at + 1)
        if token.kind in {"date", "time"}:
            atoms = tuple(sign for sign in token.text if sign.isdigit())
            return Item("word", atoms, at, at + 1)
        if token.text not in self.lexicon.changed_words:
            return Item("word", self._word_atoms(at), at, at + 1)
        if self.lexicon.filler.at(self.words, at) is not None:
            return Item("word", (), at, at + 1)
        name = self.lexicon.sign.at(self.words, at)
        if name is not None and (name[1] > at + 1 or not token.is_upper):
            return Item("sign", (name[0],), at, name[1])
        changed = self.lexicon.word.at(self.words, at)
        if changed is not None:
            return Item("word", changed[0], at, changed[1])
        return Item("word", self._word_atoms(at), at, at + 1)

    def _word_atoms(self, at: int) -> tuple[str, ...]:
        token = self.tokens[at]
        text = token.text
        if token.is_upper and 1 < len(text) <= _MOST_ACRONYM and not self.shouts and text.isascii():
            return tuple(text) if text.isalpha() else (text.replace("'", ""),)
        if text.endswith("'s"):
            return (text[:-2].replace("'", ""), "s")
        if text == "hash" and at + 1 < len(self.tokens):
            return ()
        return (text.replace("'", ""),)

    # Money

    def _money(self, at: int) -> Item | None:
        is_minus, start = self._minus(at)
        token = self.tokens[start] if start < len(self.tokens) else None
        if token is None:
            return None
        sign = token.text if token.kind == "sign" and self._is_currency_sign(token) else ""
        if sign:
            return self._signed_amount(at, start, sign, is_minus=is_minus)
        named = self.lexicon.currency.at(self.words, start) if token.kind == "word" else None
        if named is not None and self._near(named[1]) and token.is_upper:
            number = self.number(named[1])
            if number is not None:
                return self._as_money(at, named[0], number.value, number.end, number, is_minus)
        number = self.number(start)
        if number is None or not self._near(number.end):
            return None
        cents = self.lexicon.hundredth.at(self.words, number.end)
        if cents is not None:
            currency = cents[0] or _DEFAULT_CURRENCY.get(self.lexicon.language, "dollar")
            return self._as_money(at, currency, number.value / 100, cents[1], number, is_minus)
        currency, end = self._currency(number.end)
        if not currency:
            return None
        value, end = self._with_cents(number.value, end)
        return self._as_money(at, currency, value, end, number, is_minus)

    def _is_currency_sign(self, token: Token) -> bool:
        return token.text in _CURRENCY_NAMES

    def _signed_amount(self, at: int, start: int, sign: str, *, is_minus: bool) -> Item | None:
        if not self._near(start + 1):
            return None
        number = self.number(start + 1)
        if number is None:
            return None
        end = number.end
        again, place = self._currency(end) if self._near(end) else ("", end)
        if again == sign or (again and sign == "dollar"):
            end = place
        return self._as_money(at, sign, number.value, end, number, is_minus)

    def _currency(self, at: int) -> tuple[str, int]:
        """Return the currency named at a token, also by the letters of its code, and the token after it."""
        if not self._near(at):
            return "", at
        if self.tokens[at].kind == "sign" and self.tokens[at].text in _CURRENCY_NAMES:
            following = self.number(at + 1) if self._near(at + 1) else None
            return ("", at) if following is not None else (self.tokens[at].text, at + 1)
        link = self.words[at] in {"de", "na", "ng"} and self._near(at + 1)
        found = self.lexicon.currency.at(self.words, at + link)
        if found is not None:
            return found
        letters = "".join(self.words[at : at + 3])
        if len(letters) == 3 and len(self.words[at]) == 1 and self._near(at + 2):
            named = self.lexicon.currency.at((letters,), 0)
            if named is not None:
                return named[0], at + 3
        return "", at

    def _with_cents(self, value: Decimal, at: int) -> tuple[Decimal, int]:
        """Add `and fifty cents`, or `fifty` alone, to an amount."""
        joined = self.lexicon.joining.at(self.words, at)
        start = at if joined is None else joined[1]
        if not self._near(at) or not self._near(start):
            return value, at
        number = self.number(start)
        if number is None or number.value >= 100 or value != value.to_integral_value():
            return value, at
        named = self.lexicon.hundredth.at(self.words, number.end) if self._near(number.end) else None
        if named is None and self.lexicon.table.shorthand and number.value < 10 and number.digits:
            return value + number.value / 10, number.end  # `三块五`
        if named is None:
            return value, at
        return value + number.value / 100, named[1]

    def _as_money(
        self, at: int, currency: str, value: Decimal, end: int, number: NumberSpan, is_minus: bool
    ) -> Item:
        value = -value if is_minus else value
        atoms = (*(("minus",) if is_minus else ()), *_decimal_atoms(abs(value)), currency)
        return Item("money", atoms, at, end, (currency, value), "", number.is_words)

    # Dates

    def _date(self, at: int) -> Item | None:
        token = self.tokens[at]
        if token.kind == "date":
            return self._figure_date(at)
        start = self._skip(self.lexicon.day_marker, at)
        if self.english and token.text == "the":
            start = at + 1
        if start >= len(self.tokens):
            return None
        return (
            self._month_first(at, start)
            or self._day_first(at, start)
            or self._year_first(at, start)
            or self._month_of_year(at, start)
        )

    def _skip(self, table: object, at: int) -> int:
        found = table.at(self.words, at)  # type: ignore[attr-defined]
        return int(found[1]) if found is not None else at

    def _figure_date(self, at: int) -> Item | None:
        parts = [int(part) for part in _split_digits(self.words[at])]
        if parts[0] >= 1000:
            year, month, day = parts
        else:
            first, second, year = parts
            is_month_first = self.english and "/" in self.words[at] and first in _MONTHS
            month, day = (first, second) if is_month_first else (second, first)
            if month not in _MONTHS:
                month, day = day, month
        return self._as_date(at, year, month, day, at + 1)

    def _month_first(self, at: int, start: int) -> Item | None:
        """Read `May 5(th), 2026`, `May of 2026`."""
        month = self._month(start)
        if month is None or (start != at and not self.english):
            return None
        place = month[1]
        if self.english and place < len(self.words) and self.words[place] == "the":
            place += 1
        day = self._day(place) if self._near(place) else None
        if day is not None:
            year = self._year(day[1])
            end = day[1] if year is None else year[1]
            return self._as_date(at, None if year is None else year[0], month[0], day[0], end)
        year = self._year(month[1])
        return None if year is None else self._as_date(at, year[0], month[0], None, year[1])

    def _day_first(self, at: int, start: int) -> Item | None:
        """Read `5(th) (of) May (2026)`, `5 tháng 5 năm 2026`, `5 de maio de 2026`."""
        day = self._day(start)
        if day is None:
            return None
        place = self._links(day[1])
        month = self._month(place) or self._numbered_month(day[1])
        if month is None or not self._next(day[1]):
            return None
        year = self._year(month[1])
        end = month[1] if year is None else year[1]
        return self._as_date(at, None if year is None else year[0], month[0], day[0], end)

    def _year_first(self, at: int, start: int) -> Item | None:
        """Read `2026年5月5日`."""
        lexicon = self.lexicon
        if not lexicon.table.year_suffixes:
            return None
        year = self._year(start, is_first=True)
        place = start
        if year is not None and lexicon.year_suffix.at(self.words, year[1]) is not None:
            place = year[1] + 1
        else:
            year = None
        month = self.number(place) if place < len(self.tokens) else None
        suffix = lexicon.month_suffix.at(self.words, month.end) if month is not None else None
        if month is None or suffix is None or month.value not in _MONTHS:
            return None
        day = self.number(suffix[1])
        end = suffix[1]
        if day is not None and (last := lexicon.day_suffix.at(self.words, day.end)) is not None:
            end = last[1]
        else:
            day = None
        if year is None and day is None:
            return None
        number = None if day is None else int(day.value)
        return self._as_date(at, None if year is None else year[0], int(month.value), number, end)

    def _month_of_year(self, at: int, start: int) -> Item | None:
        """Read `tháng 5 năm 2026`."""
        month = self._numbered_month(start)
        year = None if month is None else self._year(month[1])
        if month is None or year is None:
            return None
        return self._as_date(at, year[0], month[0], None, year[1])

    def _month(self, at: int) -> tuple[int, int] | None:
        if at >= len(self.tokens) or self.tokens[at].kind != "word":
            return None
        return self.lexicon.month.at(self.words, at)

    def _numbered_month(self, at: int) -> tuple[int, int] | None:
        marker = self.lexicon.month_marker.at(self.words, at)
        if marker is None:
            return None
        named = self._month(marker[1])
        if named is not None:
            return named
        month = self.number(marker[1])
        if month is None and self.words[marker[1] : marker[1] + 1] == ("năm",):
            return 5, marker[1] + 1
        if month is None or month.value not in _MONTHS:
            return None
        return int(month.value), month.end

    def _links(self, at: int) -> int:
        """Return the token after words such as `of` that stand between the parts of a date."""
        place = at
        while self._next(place) and (found := self.lexicon.date_link.at(self.words, place)):
            place = found[1]
        return place

    def _day(self, at: int) -> tuple[int, int] | None:
        if at >= len(self.tokens):
            return None
        ordinal = self._ordinal(at)
        if ordinal is not None:
            value = ordinal.value
            is_day = isinstance(value, Decimal) and value in _DAYS
            return (int(value), ordinal.end) if is_day and isinstance(value, Decimal) else None
        number = self.number(at)
        if number is None or number.value not in _DAYS or number.value % 1:
            return None
        return int(number.value), number.end

    def _year(self, at: int, *, is_first: bool = False) -> tuple[int, int] | None:
        place = self._links(at)
        marker = self.lexicon.year_marker.at(self.words, place) if place < len(self.words) else None
        place = marker[1] if marker is not None else place
        if place >= len(self.tokens) or not (is_first or self._next(place)):
            return None
        number = self.number(place)
        if number is None:
            return None
        year, end = number.value, number.end
        if year not in _YEARS and self._near(end):
            joined = self._joined_year(place)
            if joined is None:
                return None
            year, end = joined
        if year not in _YEARS or year % 1:
            return None
        value = int(year)
        if self.lexicon.table.buddhist and value > _BUDDHIST_FROM:
            value -= _BUDDHIST_AHEAD
        return value, end

    def _joined_year(self, at: int) -> tuple[Decimal, int] | None:
        """Read a year that is said in pairs or digit by digit: `twenty twenty six`, `二零二六`."""
        digits, place = "", at
        while len(digits) < 4 and place < len(self.tokens) and (place == at or self._near(place)):
            number = self.number(place)
            if number is None or number.value % 1:
                break
            digits += number.digits or f"{number.value:f}"
            place = number.end
        return (Decimal(digits), place) if len(digits) == 4 else None

    def _as_date(self, at: int, year: int | None, month: int, day: int | None, end: int) -> Item | None:
        try:
            date(year or 2000, month, day or 1)
        except ValueError:
            return None
        atoms = [MONTH_NAMES[month - 1]]
        atoms += [] if day is None else list(str(day))
        atoms += [] if year is None else list(str(year))
        return Item("date", tuple(atoms), at, end, (year, month, day))

    # Times

    def _time(self, at: int) -> Item | None:
        token = self.tokens[at]
        if token.kind == "time":
            return self._figure_time(at, at)
        start = self._skip(self.lexicon.clock_prefix, at)
        moment = self.lexicon.moment.at(self.words, start)
        if moment is not None:
            minute, end = self._minute(moment[1])
            return self._as_time(at, end, moment[0] // 60, moment[0] % 60 + minute, "24")
        if start < len(self.tokens) and start > at and self.tokens[start].kind == "time":
            return self._figure_time(at, start)
        early = self.lexicon.day_part.at(self.words, start) if start < len(self.words) else None
        if early is not None and not self.lexicon.is_spaced:
            return self._time_after_part(at, *early)
        return self._said_time(at, start)

    def _figure_time(self, at: int, place: int) -> Item | None:
        hour, minute, *_ = (int(part) for part in _split_digits(self.words[place]))
        part = self._part_of_day(place + 1)
        end = place + 1 if part is None else part[1]
        is_whole = self.words[place].startswith("0") or hour > _HALF_DAY or hour == 0
        return self._as_time(at, end, hour, minute, "24" if part is None and is_whole else part and part[0])

    def _part_of_day(self, at: int) -> tuple[str, int] | None:
        if self.lexicon.language == "fil" and self.words[at : at + 1] in {("po",), ("ho",)}:
            at += 1
        return self.lexicon.day_part.at(self.words, at) if self._next(at) else None

    def _time_after_part(self, at: int, part: str, place: int) -> Item | None:
        """Read `下午五点半`, `บ่าย 3 โมง`."""
        hour = self._clock(place, needs_hour=part != "am" or self.lexicon.language == "zh", part=part)
        if hour is None:
            return None
        value, minute, end = hour
        return self._as_time(at, end, value, minute, part)

    def _said_time(self, at: int, start: int) -> Item | None:
        english = self._past(at) if self.english else self._before_hour(at)
        if english is not None:
            return english
        half = self._half_to(at, start)
        if half is not None:
            return half
        if start == at and at > 0 and self._near(at) and self._is_number_word(at - 1):
            return None
        hour = self._clock(start, needs_hour=False)
        if hour is None:
            return None
        value, minute, end = hour
        if not self.lexicon.is_spaced and end < len(self.words) and self.words[end].isascii():
            if self.words[end].isalpha() and self._near(end):
                return None  # `二零二六点docx`: the hour's word is the dot of a name
        part = self._part_of_day(end)
        last = self.lexicon.oclock.at(self.words, end) if self._near(end) else None
        if last is not None:
            end = last[1]
            part = part or self._part_of_day(end)
        has_mark = self._has_hour_word(start, end) or last is not None or start > at
        evening = self.lexicon.day_part.at(self.words, end - 1)
        if evening is not None and evening[0] == "evening":
            has_mark, part = True, evening
        if part is None and not has_mark:
            return None
        if part is not None and part[0] in {"noon"} and not has_mark and self.lexicon.is_spaced:
            has_mark = True
        is_full = minute > 0 and value > 0
        needs_word = self.lexicon.language in {"pt", "fil"} and not is_full
        if part is None and needs_word and not self._has_hour_word(start, end):
            return None
        if part is None and start > at and not self._has_hour_word(start, end) and value > _DAY:
            return None
        end = end if part is None else part[1]
        is_whole = value > _HALF_DAY or value == 0
        return self._as_time(at, end, value, minute, part[0] if part else ("24" if is_whole else None))

    def _has_hour_word(self, start: int, end: int) -> bool:
        return any(self.lexicon.hour.at(self.words, place) for place in range(start, end))

    def _clock(
        self, at: int, *, needs_hour: bool, part: str = ""
    ) -> tuple[int, int, int] | None:
        """Return hour, minute and the token after them."""
        number = self.number(at) if at < len(self.tokens) else None
        if number is None or number.value >= 25:
            return None
        text = self.words[at] if number.end == at + 1 else ""
        if "." in text and self.tokens[at].kind == "figure":
            return self._dotted_clock(text, number.end)
        if number.value % 1:
            return None
        hour, end = int(number.value), number.end
        named = self.lexicon.hour.at(self.words, end) if self._near(end) else None
        evening = self.lexicon.day_part.at(self.words, end) if self._near(end) else None
        if named is None and evening is not None and evening[0] == "evening":
            minute, end = self._minute(evening[1])
            return (hour + 18) % _DAY, minute, end
        if named is None:
            if needs_hour:
                return None
            if self.english or self.lexicon.language in {"fil", "id", "pt"}:
                minute, end = self._minute(end)
                return hour, minute, end
            return hour, 0, end
        minute, end = self._minute(named[1])
        return hour, minute, end

    def _dotted_clock(self, text: str, end: int) -> tuple[int, int, int] | None:
        hour, _, minute = text.partition(".")
        if len(minute) != 2 or int(minute) not in _MINUTES or int(hour or 99) not in _HOURS:
            return None
        named = self.lexicon.hour.at(self.words, end) if self._near(end) else None
        return int(hour), int(minute), named[1] if named is not None else end

    def _minute(self, at: int) -> tuple[int, int]:
        """Return the minutes at a token and the token after them; 0 where there are none."""
        if not self._near(at):
            return 0, at
        half = self.lexicon.half.at(self.words, at)
        if half is not None:
            return 30, half[1]
        less = self.lexicon.less.at(self.words, at)
        later = self.lexicon.past.at(self.words, at)
        start = at if less is None and later is None else (less or later or (True, at))[1]
        quarter = self.lexicon.quarter.at(self.words, start)
        if quarter is not None:
            return (-quarter[0] if less else quarter[0]), quarter[1]
        if less is not None:
            minutes = self.number(start)
            if minutes is not None and minutes.value in range(1, 31):
                named = self.lexicon.minute.at(self.words, minutes.end)
                return -int(minutes.value), named[1] if named is not None else minutes.end
        if self.words[at : at + 2] in {("y", "medya"), ("e", "meia"), ("at", "kalahati")}:
            return 30, at + 2
        joined = self.lexicon.joining.at(self.words, at)
        place = joined[1] if joined is not None and self.lexicon.language in {"pt", "fil"} else at
        zero = self.english and self.words[place : place + 1] in {("oh",), ("o",)}
        number = self.number(place + zero)
        if number is None or number.value not in _MINUTES or number.value % 1:
            return 0, at
        if self.english and not zero and number.value < 10 and number.digits != f"0{number.value}":
            return 0, at
        named = self.lexicon.minute.at(self.words, number.end) if self._near(number.end) else None
        return int(number.value), named[1] if named is not None else number.end

    def _half_to(self, at: int, start: int) -> Item | None:
        """Read Indonesian `setengah enam`, which is half an hour before six."""
        if self.lexicon.language != "id" or self.words[start : start + 1] != ("setengah",):
            return None
        number = self.number(start + 1) if self._near(start + 1) else None
        if number is None or number.value not in range(1, 13):
            return None
        part = self._part_of_day(number.end)
        if part is None and start == at:
            return None
        hour = (int(number.value) - 1) or _HALF_DAY
        return self._as_time(at, number.end if part is None else part[1], hour, 30, part and part[0])

    def _before_hour(self, at: int) -> Item | None:
        """Read Portuguese `quinze para as oito`, which is before the hour."""
        if self.lexicon.language != "pt":
            return None
        start = at + (self.words[at] in {"às", "as"})
        minutes = self.number(start)
        quarter = self.lexicon.quarter.at(self.words, start)
        if quarter is None and (minutes is None or minutes.value not in range(1, 30)):
            return None
        end = quarter[1] if quarter is not None else minutes.end if minutes is not None else start
        if self.words[end : end + 1] != ("para",):
            return None
        place = end + 1 + (self.words[end + 1 : end + 2] in {("as",), ("a",), ("o",)})
        hour = self.number(place)
        if hour is None or hour.value not in range(1, 13):
            return None
        less = quarter[0] if quarter is not None else int(minutes.value) if minutes is not None else 0
        part = self._part_of_day(hour.end)
        return self._as_time(
            at, hour.end if part is None else part[1], int(hour.value), -less, part and part[0]
        )

    def _past(self, at: int) -> Item | None:
        """Read `half past five`, `quarter to six`, `ten past nine`."""
        words = self.words
        start = at + 1 if words[at] == "a" else at
        named = {"half": 30, "quarter": 15}.get(words[start] if start < len(words) else "")
        number = None if named else self.number(start)
        if named is None and (number is None or number.value not in range(1, 30)):
            return None
        end = start + 1 if number is None else number.end
        if self._near(end) and words[end] == "minutes":
            end += 1
        if not self._near(end + 1) or words[end] not in {"past", "to"}:
            return None
        hour = self.number(end + 1)
        if hour is None or hour.value not in range(1, 13):
            return None
        minutes = named or int(number.value if number is not None else 0)
        value = int(hour.value)
        if words[end] == "to":
            value, minutes = (value - 1) or _HALF_DAY, _HOUR_MINUTES - minutes
        part = self._part_of_day(hour.end)
        if part is None and named is None and words[end] == "to":
            return None  # `ten to seven` may be a range
        return self._as_time(at, hour.end if part is None else part[1], value, minutes, part and part[0])

    def _as_time(self, at: int, end: int, hour: int, minute: int, part: str | None) -> Item | None:
        """Return a time: on 24 hours where the half of the day is known, else both that it may be."""
        if minute < 0:
            hour, minute = (hour - 1) % _DAY or (_HALF_DAY if hour == 1 else 0), minute + _HOUR_MINUTES
        if hour not in _HOURS or minute not in _MINUTES:
            return None
        known = _hour_of_day(hour, part)
        atoms_hour = (hour - 1) % _HALF_DAY + 1
        atoms = (*str(atoms_hour), *(f"{minute:02}" if minute else ""))
        if known is None:
            both = frozenset({(hour % _HALF_DAY) * 60 + minute, (hour % _HALF_DAY + 12) * 60 + minute})
            return Item("time", atoms, at, end, both)
        half = "a" if known < _HALF_DAY else "p"
        return Item("time", (*atoms, half, "m"), at, end, frozenset({known * 60 + minute}))


_CURRENCY_NAMES = frozenset(
    {"dollar", "euro", "pound", "yen", "yuan", "dong", "rupiah", "baht", "peso", "real", "rupee", "won"}
)


def _hour_of_day(hour: int, part: str | None) -> int | None:
    """Return the hour on 24 hours; None where the half of the day is not known."""
    if part is None:
        return None
    if hour > _HALF_DAY or hour == 0 or part in {"24", "evening"}:
        return hour % _DAY
    if part == "am":
        return hour % _HALF_DAY
    if part == "noon":
        return hour if hour in {10, 11, 12} else hour + _HALF_DAY
    if part == "night":
        return hour % _HALF_DAY if hour in {12, 1, 2, 3, 4} else hour + _HALF_DAY
    return hour % _HALF_DAY + _HALF_DAY


def digit_atoms(number: NumberSpan) -> tuple[str, ...]:
    """Return the digits of a number as it is counted; leading zeros are kept as they are written."""
    if number.digits and len(number.digits) > 1 and number.digits.isdigit():
        return tuple(number.digits[:_MOST_DIGITS])
    return _decimal_atoms(number.value)


def _figure_atoms(figure: str) -> tuple[str, ...]:
    return tuple("point" if sign == "." else sign for sign in figure)


def _decimal_atoms(value: Decimal) -> tuple[str, ...]:
    plain = f"{value.normalize():f}"[:_MOST_DIGITS]
    return tuple("point" if sign == "." else sign for sign in plain)


def _split_digits(text: str) -> Sequence[str]:
    return "".join(sign if sign.isdigit() else " " for sign in text).split()
