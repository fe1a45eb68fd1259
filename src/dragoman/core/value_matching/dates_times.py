"""Readers of dates and clock times, in figures and in words.

`2026-05-05`, `the fifth of May`, `5 tháng 5 năm 2026`, `2026年5月5日`; `17:30`, `half past five`,
`setengah enam`, `quinze para as oito`, `下午五点半`.
"""

import re
from datetime import date
from decimal import Decimal

from dragoman.core.value_matching.numbers import is_within
from dragoman.core.value_matching.quantities import read_ordinal
from dragoman.core.value_matching.reader_state import ReaderState, ReadItem

MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
"""Names of months in canonical units, for all languages."""

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
    """Read a date with at least a month, and a day or a year."""
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
    return _join_date_parts((at, month[1]), year, month, day)


def _day_first(state: ReaderState, at: int, start: int) -> ReadItem | None:
    """Read `5(th) (of) May (2026)`, `5 tháng 5 năm 2026`, `5 de maio de 2026`."""
    day = _day(state, start)
    if day is None or not state.follows(day[1]):
        return None
    month = _month(state, _links(state, day[1])) or _numbered_month(state, day[1])
    if month is None:
        return None
    return _join_date_parts((at, month[1]), _year(state, month[1]), month, day)


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
    return _join_date_parts((at, month[1]), None if year is None else (year[0], place), month, day)


def _month_of_year(state: ReaderState, at: int, start: int) -> ReadItem | None:
    """Read `tháng 5 năm 2026`."""
    month = _numbered_month(state, start)
    year = None if month is None else _year(state, month[1])
    return None if month is None else _join_date_parts((at, month[1]), year, month, None)


def _join_date_parts(
    span: tuple[int, int], year: _Part | None, month: _Part, day: _Part | None
) -> ReadItem | None:
    """Return a date from its parts, which ends with the last part; None for a month alone."""
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
    """Return the token after linking words such as `of` between the parts of a date."""
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
    """Read a year in pairs or single digits: `twenty twenty six`, `二零二六`."""
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


_HALF_DAY, _DAY = 12, 24
_HOUR_MINUTES = 60
_HOURS = range(25)
_CLOCK_HOURS = range(1, 13)
_MINUTES = range(60)
_SAID_MINUTES = range(1, 30)
_LESS_MINUTES = range(1, 31)
_TEN = 10
_HALF = 30
_EVENING_FROM = 18
_AT_NOON = range(10, 13)
_PAST_MIDNIGHT = frozenset({12, 1, 2, 3, 4})
_MINUTE_DIGITS = 2
_WHOLE_DAY = "24"
"""The part of the day of an hour that is counted on 24 hours."""
_CLOCK_NUMBER = re.compile(r"[0-9]+")

_Clock = tuple[int, int, int]
"""Hour, minute, and the token after them."""


def read_time(state: ReaderState, at: int) -> ReadItem | None:
    """Read a time of day."""
    if state.tokens[at].kind == "time":
        return _figure_time(state, at, at)
    clock = state.lexicon.clock
    start = clock.prefix.after(state.words, at)
    if start >= state.count:
        return None
    moment = clock.moment.at(state.words, start)
    if moment is not None:
        minute, end = _minute(state, moment[1])
        hour, own = divmod(moment[0], _HOUR_MINUTES)
        return _as_time((at, end), hour, own + minute, _WHOLE_DAY)
    if state.tokens[start].kind == "time":
        return _figure_time(state, at, start)
    early = clock.day_part.at(state.words, start)
    if early is not None and not state.lexicon.is_spaced:
        return _after_part(state, at, *early)
    return (
        _read_relative_clock_time(state, at)
        or _before_hour(state, at)
        or _half_before(state, at, start)
        or _hour_time(state, at, start)
    )


def _figure_time(state: ReaderState, at: int, place: int) -> ReadItem | None:
    text = state.words[place]
    hour, minute, *seconds = map(int, _CLOCK_NUMBER.findall(text))
    if any(seconds):
        return None  # counted digit by digit: no time of day is said with seconds
    part = _part_of_day(state, place + 1)
    if part is not None:
        return _as_time((at, part[1]), hour, minute, part[0])
    is_whole = text.startswith("0") or hour > _HALF_DAY or hour == 0
    return _as_time((at, place + 1), hour, minute, _WHOLE_DAY if is_whole else None)


def _part_of_day(state: ReaderState, at: int) -> tuple[str, int] | None:
    clock = state.lexicon.clock
    place = clock.polite.after(state.words, at)
    return clock.day_part.at(state.words, place) if state.follows(place) else None


def _after_part(state: ReaderState, at: int, part: str, place: int) -> ReadItem | None:
    """Read `下午五点半`, `บ่าย 3 โมง`."""
    is_bare = part == "am" and state.lexicon.table.bare_morning
    hour = _clock(state, place, needs_hour=not is_bare)
    return None if hour is None else _as_time((at, hour[2]), hour[0], hour[1], part)


def _hour_time(state: ReaderState, at: int, start: int) -> ReadItem | None:
    """Read an hour with a word that marks it, or with a part of the day behind it."""
    if start == at and at > 0 and state.near(at) and state.is_number_word(at - 1):
        return None
    hour = _clock(state, start)
    if hour is None or _is_in_name(state, hour[2]):
        return None
    value, minute, end = hour
    clock, words = state.lexicon.clock, state.words
    part = _part_of_day(state, end)
    last = clock.oclock.after(words, end) if state.near(end) else end
    is_full = last > end
    if is_full:
        end = last
        part = part or _part_of_day(state, end)
    named = clock.day_part.at(words, end - 1)
    if named is not None and named[0] == "evening":
        part = named
    if part is None:
        has_word = any(clock.hour.at(words, place) for place in range(start, end))
        is_bare = minute == 0 or value == 0
        needs_word = state.lexicon.table.hour_is_marked and is_bare
        if not has_word and (needs_word or not (is_full or start > at)):
            return None
        is_whole = value > _HALF_DAY or value == 0
        return _as_time((at, end), value, minute, _WHOLE_DAY if is_whole else None)
    return _as_time((at, part[1]), value, minute, part[0])


def _is_in_name(state: ReaderState, end: int) -> bool:
    """Return whether the word for the hour is the dot of a name: `二零二六点docx`."""
    if state.lexicon.is_spaced or not state.near(end):
        return False
    return state.words[end].isascii() and state.words[end].isalpha()


def _clock(state: ReaderState, at: int, *, needs_hour: bool = False) -> _Clock | None:
    """Return the hour and minute at a token."""
    number = state.number(at)
    if number is None or number.value > _DAY:
        return None
    text = state.words[at]
    is_dotted = state.is_figure(at) and number.end == at + 1 and "." in text
    if is_dotted or number.value % 1:
        return _dotted_clock(state, text, number.end) if is_dotted else None
    hour, end = int(number.value), number.end
    clock = state.lexicon.clock
    if state.near(end):
        named = clock.hour.at(state.words, end)
        if named is not None:
            return hour, *_minute(state, named[1])
        evening = clock.day_part.at(state.words, end)
        if evening is not None and evening[0] == "evening":
            return (hour + _EVENING_FROM) % _DAY, *_minute(state, evening[1])
    if needs_hour:
        return None
    return (hour, *_minute(state, end)) if state.lexicon.table.minutes_follow else (hour, 0, end)


def _dotted_clock(state: ReaderState, text: str, end: int) -> _Clock | None:
    """Return the hour and minute of `5.30`."""
    hour, _, minute = text.partition(".")
    if len(minute) != _MINUTE_DIGITS or int(minute) not in _MINUTES or not hour:
        return None
    hours = state.lexicon.clock.hour
    return int(hour), int(minute), hours.after(state.words, end) if state.near(end) else end


def _minute(state: ReaderState, at: int) -> tuple[int, int]:
    """Return the minutes at a token and the token after them; 0 without minutes."""
    if not state.near(at):
        return 0, at
    clock, words = state.lexicon.clock, state.words
    half = state.lexicon.numbers.half.at(words, at) or clock.half_hour.at(words, at)
    if half is not None:
        return _HALF, half[1]
    less = clock.less.after(words, at)
    is_less = less > at
    start = less if is_less else clock.past.after(words, at)
    quarter = clock.quarter.at(words, start)
    if quarter is not None:
        return -quarter[0] if is_less else quarter[0], quarter[1]
    if is_less:
        minutes = state.number(less)
        if minutes is not None and is_within(minutes.value, _LESS_MINUTES):
            return -int(minutes.value), clock.minute.after(words, minutes.end)
    return _plain_minute(state, at)


def _plain_minute(state: ReaderState, at: int) -> tuple[int, int]:
    """Return the minutes that are a number at a token: `thirty`, `oh five`, `e quinze`."""
    lexicon = state.lexicon
    table, numbers = lexicon.table, lexicon.numbers
    place = numbers.joining.after(state.words, at) if table.joined_minutes else at
    has_zero = state.word(place) in numbers.zeros
    number = state.number(place + has_zero)
    if number is None or not is_within(number.value, _MINUTES):
        return 0, at
    value = int(number.value)
    is_short = value < _TEN and number.digits != f"0{value}"
    if table.two_digit_minutes and is_short and not has_zero:
        return 0, at
    end = number.end
    return value, lexicon.clock.minute.after(state.words, end) if state.near(end) else end


def _half_before(state: ReaderState, at: int, start: int) -> ReadItem | None:
    """Read Indonesian `setengah enam`, which is half an hour before six."""
    place = state.lexicon.clock.half_before.after(state.words, start)
    number = state.near_number(place) if place > start else None
    if number is None or not is_within(number.value, _CLOCK_HOURS):
        return None
    part = _part_of_day(state, number.end)
    if part is None and start == at:
        return None
    return _with_part((at, number.end), (int(number.value) - 1) or _HALF_DAY, _HALF, part)


def _before_hour(state: ReaderState, at: int) -> ReadItem | None:
    """Read Portuguese `quinze para as oito`, which is before the hour."""
    clock, words = state.lexicon.clock, state.words
    if not state.lexicon.table.before_hour_minus:
        return None
    start = clock.prefix.after(words, at)
    quarter, number = clock.quarter.at(words, start), state.number(start)
    if quarter is not None:
        less, end = quarter
    elif number is not None and is_within(number.value, _SAID_MINUTES):
        less, end = int(number.value), number.end
    else:
        return None
    found = clock.before_hour_minus.at(words, end)
    hour = None if found is None else state.number(found[1])
    if hour is None or not is_within(hour.value, _CLOCK_HOURS):
        return None
    return _with_part((at, hour.end), int(hour.value), -less, _part_of_day(state, hour.end))


def _read_relative_clock_time(state: ReaderState, at: int) -> ReadItem | None:
    """Read `half past five`, `quarter to six`, `ten past nine`."""
    clock, words = state.lexicon.clock, state.words
    if not clock.fractions:
        return None
    start = at + (words[at] in state.lexicon.numbers.ones)
    named = clock.fractions.get(state.word(start))
    minutes, end = (named, start + 1) if named else _read_minutes(state, start)
    if not minutes or not state.near(end + 1) or words[end] not in clock.beside_hour:
        return None
    hour = state.number(end + 1)
    if hour is None or not is_within(hour.value, _CLOCK_HOURS):
        return None
    part = _part_of_day(state, hour.end)
    value = int(hour.value)
    if words[end] in clock.before_hour:
        if part is None and named is None:
            return None  # `ten to seven` may be a range
        value, minutes = (value - 1) or _HALF_DAY, _HOUR_MINUTES - minutes
    return _with_part((at, hour.end), value, minutes, part)


def _read_minutes(state: ReaderState, at: int) -> tuple[int, int]:
    """Return minutes as a number, and the token after them and after the word `minutes`."""
    number = state.number(at)
    if number is None or not is_within(number.value, _SAID_MINUTES):
        return 0, at
    end = number.end
    unit = state.lexicon.amounts.unit.at(state.words, end) if state.near(end) else None
    return int(number.value), unit[1] if unit is not None and unit[0] == "minute" else end


def _with_part(
    span: tuple[int, int], hour: int, minute: int, part: tuple[str, int] | None
) -> ReadItem | None:
    if part is None:
        return _as_time(span, hour, minute, None)
    return _as_time((span[0], part[1]), hour, minute, part[0])


def _as_time(span: tuple[int, int], hour: int, minute: int, part: str | None) -> ReadItem | None:
    """Return a time, on 24 hours if the half of the day is known; otherwise both times."""
    if minute < 0:
        before = (hour - 1) % _DAY
        hour, minute = before or (_HALF_DAY if hour == 1 else 0), minute + _HOUR_MINUTES
    if hour not in _HOURS or minute not in _MINUTES:
        return None
    known = _hour_of_day(hour, part)
    atoms = (*str((hour - 1) % _HALF_DAY + 1), *(f"{minute:02}" if minute else ""))
    if known is None:
        first = (hour % _HALF_DAY) * _HOUR_MINUTES + minute
        both = frozenset({first, first + _HALF_DAY * _HOUR_MINUTES})
        return ReadItem("time", atoms, span[0], span[1], both)
    half = "a" if known < _HALF_DAY else "p"
    moment = frozenset({known * _HOUR_MINUTES + minute})
    return ReadItem("time", (*atoms, half, "m"), span[0], span[1], moment)


def _hour_of_day(hour: int, part: str | None) -> int | None:
    """Return the hour on 24 hours; None if the half of the day is unknown."""
    if part is None:
        return None
    if hour > _HALF_DAY or hour == 0 or part in {_WHOLE_DAY, "evening"}:
        return hour % _DAY
    is_as_said = part == "noon" and hour in _AT_NOON
    if is_as_said:
        return hour
    is_early = part == "am" or (part == "night" and hour in _PAST_MIDNIGHT)
    return hour % _HALF_DAY + (0 if is_early else _HALF_DAY) if part != "noon" else hour + _HALF_DAY
