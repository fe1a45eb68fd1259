"""Dates and times of day in heard English words, read back as figures."""

from functools import cache

from dragoman.conditions.voice.spoken.numbers import ordinal
from dragoman.conditions.voice.spoken.words import english_words
from dragoman.conditions.voice.written.numbers import DIGITS, Number, below_hundred, year_at
from dragoman.conditions.voice.written.words import Heard, Reading, text_at
from dragoman.core.texts.entities import MONTHS

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
    told = f"{hour.value}:{0 if minute is None else minute.value:02}"
    if text_at(words, end) == "o'clock":
        end += 1
        if not _half(words, end)[0]:
            return Reading(told, end, "time")
    half, end = _half(words, end)
    if not half:
        return None
    return Reading(f"{hour.value if minute is None else told} {half}", end, "time")


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
    """Return the number of the month that is named, in full or by its first three letters; or else 0."""
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
