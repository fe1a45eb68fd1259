"""Dates: `2026-05-05`, `the fifth of May`, `5 tháng 5 năm 2026`, `2026年5月5日`."""

import re
from datetime import date
from decimal import Decimal

from dragoman.core.values.items import ReadItem
from dragoman.core.values.numbers import is_within
from dragoman.core.values.quantities import read_ordinal
from dragoman.core.values.state import ReaderState

MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
"""What months are called among canonical units, in all languages."""

_YEARS = range(1000, 3000)
_DAYS = range(1, 32)
_MONTHS = range(1, 13)
_LEAP_YEAR = 2000
_YEAR_DIGITS = 4
_BUDDHIST_FROM, _BUDDHIST_AHEAD = 2400, 543
_NUMBER = re.compile(r"[0-9]+")

_Part = tuple[int, int]
"""A year, month or day, and the token after it."""


def read_date(state: ReaderState, at: int) -> ReadItem | None:
    """Read a date with a month at least, and a day or a year."""
    if state.tokens[at].kind == "date":
        return _figure_date(state, at)
    dates = state.lexicon.dates
    start = at + 1 if state.words[at] in dates.articles else dates.day_marker.after(state.words, at)
    if start >= state.count:
        return None
    return (
        _month_first(state, at, start)
        or _day_first(state, at, start)
        or _year_first(state, at, start)
        or _month_of_year(state, at, start)
    )


def _figure_date(state: ReaderState, at: int) -> ReadItem | None:
    text = state.words[at]
    first, second, third = map(int, _NUMBER.findall(text))
    if first >= _YEARS.start:
        return _as_date((at, at + 1), first, second, third)
    is_month_first = state.lexicon.table.month_first and "/" in text and first in _MONTHS
    month, day = (first, second) if is_month_first else (second, first)
    if month not in _MONTHS:
        month, day = day, month
    return _as_date((at, at + 1), third, month, day)


def _month_first(state: ReaderState, at: int, start: int) -> ReadItem | None:
    """Read `May 5(th), 2026`, `May of 2026`."""
    articles = state.lexicon.dates.articles
    month = _month(state, start)
    if month is None or (start != at and not articles):
        return None
    place = month[1]
    if state.word(place) in articles:
        place += 1
    day = _day(state, place) if state.near(place) else None
    year = _year(state, month[1] if day is None else day[1])
    return _joined((at, month[1]), year, month, day)


def _day_first(state: ReaderState, at: int, start: int) -> ReadItem | None:
    """Read `5(th) (of) May (2026)`, `5 tháng 5 năm 2026`, `5 de maio de 2026`."""
    day = _day(state, start)
    if day is None or not state.follows(day[1]):
        return None
    month = _month(state, _links(state, day[1])) or _numbered_month(state, day[1])
    if month is None:
        return None
    return _joined((at, month[1]), _year(state, month[1]), month, day)


def _year_first(state: ReaderState, at: int, start: int) -> ReadItem | None:
    """Read `2026年5月5日`."""
    dates, words = state.lexicon.dates, state.words
    if not state.lexicon.table.year_suffixes:
        return None
    year = _year(state, start, is_first=True)
    place = start
    if year is not None and dates.year_suffix.at(words, year[1]) is not None:
        place = year[1] + 1
    else:
        year = None
    number = state.number(place)
    suffix = None if number is None else dates.month_suffix.at(words, number.end)
    if number is None or suffix is None or not is_within(number.value, _MONTHS):
        return None
    month = int(number.value), suffix[1]
    found = state.number(suffix[1])
    last = None if found is None else dates.day_suffix.at(words, found.end)
    day = None if found is None or last is None else (int(found.value), last[1])
    return _joined((at, month[1]), None if year is None else (year[0], place), month, day)


def _month_of_year(state: ReaderState, at: int, start: int) -> ReadItem | None:
    """Read `tháng 5 năm 2026`."""
    month = _numbered_month(state, start)
    year = None if month is None else _year(state, month[1])
    return None if month is None else _joined((at, month[1]), year, month, None)


def _joined(
    span: tuple[int, int], year: _Part | None, month: _Part, day: _Part | None
) -> ReadItem | None:
    """Return a date of its parts, which ends with the last of them; a month alone is none."""
    if year is None and day is None:
        return None
    end = max(part[1] for part in (year, month, day) if part is not None)
    return _as_date(
        (span[0], end), None if year is None else year[0], month[0], None if day is None else day[0]
    )


def _month(state: ReaderState, at: int) -> _Part | None:
    return state.lexicon.dates.month.at(state.words, at) if state.is_word(at) else None


def _numbered_month(state: ReaderState, at: int) -> _Part | None:
    """Return the month behind a word such as `tháng`."""
    dates = state.lexicon.dates
    marker = dates.month_marker.at(state.words, at)
    if marker is None:
        return None
    place = marker[1]
    named = _month(state, place)
    if named is not None:
        return named
    month = state.number(place)
    if month is None and state.word(place) in dates.year_marker:
        # `tháng năm` is May: its five is the word for a year too.
        five = state.lexicon.numbers.unit.at(state.words, place)
        return None if five is None else (int(five[0]), place + 1)
    if month is None or not is_within(month.value, _MONTHS):
        return None
    return int(month.value), month.end


def _links(state: ReaderState, at: int) -> int:
    """Return the token after words such as `of` that stand between the parts of a date."""
    link, place = state.lexicon.dates.link, at
    while state.follows(place):
        after = link.after(state.words, place)
        if after == place:
            break
        place = after
    return place


def _day(state: ReaderState, at: int) -> _Part | None:
    if at >= state.count:
        return None
    ordinal = read_ordinal(state, at)
    if ordinal is not None:
        value = ordinal.value
        return (
            (int(value), ordinal.end)
            if isinstance(value, Decimal) and is_within(value, _DAYS)
            else None
        )
    number = state.number(at)
    if number is None or not is_within(number.value, _DAYS):
        return None
    return int(number.value), number.end


def _year(state: ReaderState, at: int, *, is_first: bool = False) -> _Part | None:
    place = state.lexicon.dates.year_marker.after(state.words, _links(state, at))
    if not (is_first or state.follows(place)):
        return None
    number = state.number(place)
    if number is None:
        return None
    year, end = number.value, number.end
    if not is_within(year, _YEARS) and state.near(end):
        joined = _joined_year(state, place)
        if joined is None:
            return None
        year, end = joined
    if not is_within(year, _YEARS):
        return None
    value = int(year)
    if state.lexicon.table.buddhist and value > _BUDDHIST_FROM:
        value -= _BUDDHIST_AHEAD
    return value, end


def _joined_year(state: ReaderState, at: int) -> tuple[Decimal, int] | None:
    """Read a year that is said in pairs or digit by digit: `twenty twenty six`, `二零二六`."""
    digits, place = "", at
    while len(digits) < _YEAR_DIGITS and (place == at or state.near(place)):
        number = state.number(place)
        if number is None or number.value % 1:
            break
        digits += number.digits or f"{number.value:f}"
        place = number.end
    return (Decimal(digits), place) if len(digits) == _YEAR_DIGITS else None


def _as_date(
    span: tuple[int, int], year: int | None, month: int, day: int | None
) -> ReadItem | None:
    try:
        date(year or _LEAP_YEAR, month, day or 1)
    except ValueError:
        return None
    atoms = (MONTH_NAMES[month - 1], *("" if day is None else str(day)))
    atoms += tuple("" if year is None else str(year))
    return ReadItem("date", atoms, span[0], span[1], (year, month, day))
