"""ITN of numbers, dates, times and money: English words to figures.

A reader takes recognized words and a position, and returns the value that begins there.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal

import msgspec

from dragoman.conditions.voice.verbalization.english_words import english_words, ordinal, units
from dragoman.core.texts.entities import MONTHS, EntityKind, sign_names

MAX_CHARACTERS = 20_000
"""Longest text that is normalized, in characters; a longer one stays as it is."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_CROSSED = re.compile(r"[\s,-]*")
_AFTER_LETTER = re.compile(r"\.?[\s,-]*")


class Word(msgspec.Struct, frozen=True):
    """A word in small letters, its place, and whether the text after it starts a phrase."""

    text: str
    start: int
    end: int
    stops: bool
    is_capital: bool


Heard = Sequence[Word]


class Reading(msgspec.Struct, frozen=True):
    """Reading of a sequence of words: its text, its kind, and the position after it."""

    text: str
    end: int
    kind: EntityKind | Literal["spelling"]


Reader = Callable[[Heard, int], Reading | None]
"""Reads a value that begins at a word; None if none does."""


def heard_words(text: str) -> tuple[Word, ...]:
    """Return the words of a text; commas, hyphens and dots after letters do not end a stretch."""
    matches = list(_WORD.finditer(text))
    starts = [match.start() for match in matches]
    return tuple(
        Word(
            match.group().casefold(),
            match.start(),
            match.end(),
            _stops(match.group(), text[match.end() : after]),
            match.group()[0].isupper(),
        )
        for match, after in zip(matches, (*starts[1:], len(text)), strict=False)
    )


def text_at(words: Heard, at: int) -> str:
    """Return the word at a place.

    It is "" after the last word and if a new stretch begins before the place.
    """
    return words[at].text if goes_on(words, at) else ""


def goes_on(words: Heard, at: int) -> bool:
    """Return whether there is a word at a place and nothing before it ends the stretch."""
    return at < len(words) and (at == 0 or not words[at - 1].stops)


def _stops(word: str, gap: str) -> bool:
    crossed = _AFTER_LETTER if len(word) == 1 and word.isalpha() else _CROSSED
    return crossed.fullmatch(gap) is None


_SCALES = {"billion": 10**9, "million": 10**6, "thousand": 1_000}
_MAX_FIGURES = 12
DIGITS = range(10)
_TWO_DIGITS = range(10, 100)
_YEARS = range(1900, 2100)


class Number(msgspec.Struct, frozen=True):
    """A number and the word after it."""

    value: int
    end: int


def cardinal_at(words: Heard, at: int) -> Number | None:
    """Return the number whose words begin at a word: `one thousand (and) twenty`."""
    total, place, end, below = 0, at, at, 10**_MAX_FIGURES
    while (part := _below_thousand(words, place)) is not None:
        scale = _SCALES.get(text_at(words, part.end), 1)
        if scale >= below:
            break
        total, below = total + part.value * scale, scale
        end = part.end + (scale > 1)
        place = end + (text_at(words, end) == "and")
        if scale == 1:
            break
    return Number(total, end) if end > at else None


def year_at(words: Heard, at: int) -> Number | None:
    """Return the year between 1900 and 2099 that begins at a word: `twenty oh six`."""
    whole = cardinal_at(words, at)
    if whole is not None and whole.value in _YEARS:
        return whole
    pair = _pair_at(words, at)
    return pair if pair is not None and pair.value in _YEARS else None


def number_at(words: Heard, at: int) -> Reading | None:
    """Return a number of ten or more, of several words, or with decimals, in figures.

    Small numbers of one word stay words: `one` is more often none.
    """
    pair, whole = _pair_at(words, at), cardinal_at(words, at)
    if pair is not None and (whole is None or pair.end > whole.end):
        return Reading(str(pair.value), pair.end, "number")
    if whole is None or text_at(words, at).isdecimal():
        return None
    decimals, end = decimals_at(words, whole.end)
    if not decimals and whole.value in DIGITS:
        return None
    return Reading(f"{whole.value}{decimals}", end, "number")


def decimals_at(words: Heard, at: int) -> tuple[str, int]:
    """Return `.` and the digits after `point`, and the word after them."""
    names = sign_names().digits
    if text_at(words, at) != "point":
        return "", at
    end = at + 1
    while text_at(words, end) in names:
        end += 1
    digits = "".join(str(names.index(words[place].text)) for place in range(at + 1, end))
    return (f".{digits}", end) if digits else ("", at)


def _pair_at(words: Heard, at: int) -> Number | None:
    """Return four digits that were said two by two: `nineteen oh six`, `forty four twenty one`."""
    first = below_hundred(words, at)
    if first is None or first.value not in _TWO_DIGITS or text_at(words, at).isdecimal():
        return None
    if text_at(words, first.end) in {"oh", "o"}:
        second = below_hundred(words, first.end + 1)
        is_second = second is not None and second.value in DIGITS[1:]
    else:
        second = below_hundred(words, first.end)
        is_second = second is not None and second.value in _TWO_DIGITS
    if second is None or not is_second:
        return None
    return Number(first.value * 100 + second.value, second.end)


def _below_thousand(words: Heard, at: int) -> Number | None:
    first = below_hundred(words, at)
    if first is None and text_at(words, at).isdecimal():
        figure = text_at(words, at)
        return Number(int(figure), at + 1) if len(figure) <= _MAX_FIGURES else None
    if first is None or text_at(words, first.end) != "hundred":
        return first
    end = first.end + 1
    rest = below_hundred(words, end + (text_at(words, end) == "and"))
    hundreds = first.value * 100
    return Number(hundreds, end) if rest is None else Number(hundreds + rest.value, rest.end)


def below_hundred(words: Heard, at: int) -> Number | None:
    """Return the number below one hundred that begins at a word."""
    tens_words = english_words().tens
    word = text_at(words, at)
    if word.isdecimal() and len(word) <= len("99"):
        return Number(int(word), at + 1)
    if word in units():
        return Number(units().index(word), at + 1)
    if word not in tens_words:
        return None
    tens = (tens_words.index(word) + 2) * 10
    unit = text_at(words, at + 1)
    if unit in units()[1:10]:
        return Number(tens + units().index(unit), at + 2)
    return Number(tens, at + 1)


_ABBREVIATED = 3
_DAYS = range(1, 32)
_HOURS = range(1, 13)
_MINUTES = range(10, 60)


def date_at(words: Heard, at: int) -> Reading | None:
    """Return a date: `May fifth (twenty twenty six)` or `the fifth of May`.

    With a year it is written as `2026-05-05`, without as `May 5`.
    """
    month, place = _month(words, at), at + 1
    if month:
        place += text_at(words, place) == "the"
        day = _ordinal_at(words, place) or _day_at(words, place)
    else:
        day = _ordinal_at(words, at)
        place = at if day is None else day.end + (text_at(words, day.end) == "of")
        month = _month(words, place)
        day = day if day is None or not month else Number(day.value, place + 1)
    if not month or day is None or day.value not in _DAYS:
        return None
    year = year_at(words, day.end)
    if year is None:
        return Reading(f"{MONTHS[month - 1]} {day.value}", day.end, "date")
    return Reading(f"{year.value}-{month:02}-{day.value:02}", year.end, "date")


def time_at(words: Heard, at: int) -> Reading | None:
    """Return a time of day, where its half of the day or `o'clock` is said."""
    hour = below_hundred(words, at)
    if hour is None or hour.value not in _HOURS:
        return None
    minute = _minute_at(words, hour.end)
    end = hour.end if minute is None else minute.end
    stated = f"{hour.value}:{0 if minute is None else minute.value:02}"
    if text_at(words, end) == "o'clock":
        end += 1
        if not _half(words, end)[0]:
            return Reading(stated, end, "time")
    half, end = _half(words, end)
    if not half:
        return None
    return Reading(f"{hour.value if minute is None else stated} {half}", end, "time")


def _half(words: Heard, at: int) -> tuple[str, int]:
    """Return which half of the day is named, and the word after it."""
    first, second = text_at(words, at), text_at(words, at + 1)
    if first in {"am", "pm"}:
        return first.upper(), at + 1
    return (f"{first.upper()}M", at + 2) if first in {"a", "p"} and second == "m" else ("", at)


def _minute_at(words: Heard, at: int) -> Number | None:
    if text_at(words, at) in {"oh", "o", "zero"}:
        unit = below_hundred(words, at + 1)
        return unit if unit is not None and unit.value in DIGITS[1:] else None
    minute = below_hundred(words, at)
    return minute if minute is not None and minute.value in _MINUTES else None


def _month(words: Heard, at: int) -> int:
    """Return the number of the month named at a place, or 0.

    The name is in full or has the first three letters.
    """
    name = text_at(words, at)
    known = (
        number
        for number, month in enumerate(MONTHS, 1)
        if name in {month.casefold(), month[:_ABBREVIATED].casefold()}
    )
    return next(known, 0)


def _ordinal_at(words: Heard, at: int) -> Number | None:
    """Return the day that an ordinal names: `twenty first`, `21st`."""
    days = _days()
    pair = f"{text_at(words, at)} {text_at(words, at + 1)}"
    if pair in days:
        return Number(days[pair], at + 2)
    word = text_at(words, at)
    day = days.get(word)
    if day is None and word[:-2].isdecimal() and word[-2:] in {"st", "nd", "rd", "th"}:
        day = int(word[:-2][:2])
    return None if day is None else Number(day, at + 1)


def _day_at(words: Heard, at: int) -> Number | None:
    """Return a day named by a cardinal, which is taken for one from ten on or before a year."""
    day = below_hundred(words, at)
    if day is None or (day.value in DIGITS and year_at(words, day.end) is None):
        return None
    return day


@cache
def _days() -> dict[str, int]:
    """Return the days of a month by their ordinals."""
    return {ordinal(day): day for day in _DAYS} | english_words().heard_ordinals


_CURRENCIES = {"dollar": "$", "dollars": "$", "bucks": "$", "euro": "€", "euros": "€"}
_HUNDREDTHS = {"cent": "$", "cents": "$", "pence": "£", "penny": "£"}
_POUNDS = frozenset({"pound", "pounds"})
_CENTS = range(100)


def amount_at(words: Heard, at: int) -> Reading | None:
    """Return an amount of money: `five dollars and nine cents`."""
    whole = cardinal_at(words, at)
    if whole is None:
        return None
    return _cents_alone(words, whole) or _with_currency(words, whole)


def _cents_alone(words: Heard, cents: Number) -> Reading | None:
    """Read `nine cents`, which are of a dollar, and `nine euro cents`."""
    end = cents.end
    is_euro = text_at(words, end) == "euro"
    sign = _HUNDREDTHS.get(text_at(words, end + is_euro))
    if sign is None or cents.value not in _CENTS:
        return None
    return Reading(f"{'€' if is_euro else sign}0.{cents.value:02}", end + is_euro + 1, "amount")


def _with_currency(words: Heard, whole: Number) -> Reading | None:
    decimals, end = decimals_at(words, whole.end)
    name = text_at(words, end)
    if name not in _CURRENCIES and name not in _POUNDS:
        return None
    sign = _CURRENCIES.get(name, "£")
    cents = None if decimals else _cents_at(words, end + 1)
    if cents is not None:
        return Reading(f"{sign}{whole.value}.{cents.value:02}", cents.end, "amount")
    if name in _POUNDS and not decimals:  # a pound may be a weight
        return Reading(f"{whole.value} {name}", end + 1, "amount")
    figures = f".{decimals[1:3]:0<2}" if decimals else ""
    return Reading(f"{sign}{whole.value}{figures}", end + 1, "amount")


def _cents_at(words: Heard, at: int) -> Number | None:
    cents = below_hundred(words, at + (text_at(words, at) == "and"))
    if cents is None or text_at(words, cents.end) not in _HUNDREDTHS:
        return None
    return Number(cents.value, cents.end + 1)
