"""Dates and times of day as they are said in English."""

from datetime import date

from dragoman.conditions.voice.spoken.numbers import DIGITS, cardinal, ordinal
from dragoman.core.texts.entities import MONTHS, canonical

_NOON = 12
_MIDNIGHT = 24


def spoken_date(written: str) -> str:
    """Return a date in words: `May fifth, twenty twenty six`; what is none stays as it is."""
    plain = canonical("date", written)
    try:
        day = date.fromisoformat(plain if plain[:4].isdecimal() else f"2000-{plain}")
    except ValueError:
        return written
    said = f"{MONTHS[day.month - 1]} {ordinal(day.day)}"
    return f"{said}, {spoken_year(day.year)}" if plain[:4].isdecimal() else said


def spoken_year(year: int) -> str:
    """Return a year of four digits in words: `nineteen oh five`, `two thousand six`."""
    century, rest = divmod(year, 100)
    if century % 10 == 0 and rest in DIGITS:
        return cardinal(year)
    return f"{cardinal(century)} {_two_digits(rest)}" if rest else f"{cardinal(century)} hundred"


def spoken_time(written: str) -> str:
    """Return a time of day in words: `three thirty P M`; what is none stays as it is.

    The half of the day is said where the writing tells it: by name, from 13:00 on, and by a zero
    before the hour. Other full hours have `o'clock`.
    """
    hour, minute = map(int, canonical("time", written).split(":"))
    if hour >= _MIDNIGHT:
        return written
    minutes = f" {_two_digits(minute)}" if minute else ""
    said = f"{cardinal((hour - 1) % _NOON + 1)}{minutes}"
    is_told = "m" in written.casefold() or written.startswith("0") or hour > _NOON
    if not is_told:
        return said if minute else f"{said} o'clock"
    return f"{said} {'A M' if hour < _NOON else 'P M'}"


def _two_digits(number: int) -> str:
    return f"oh {cardinal(number)}" if number in DIGITS else cardinal(number)
