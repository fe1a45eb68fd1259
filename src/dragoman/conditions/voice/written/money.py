"""Amounts of money in heard English words, read back as figures."""

from dragoman.conditions.voice.written.numbers import (
    Number,
    below_hundred,
    cardinal_at,
    decimals_at,
)
from dragoman.conditions.voice.written.words import Heard, Reading, text_at

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
    if name in _POUNDS and not decimals:  # which may be a weight
        return Reading(f"{whole.value} {name}", end + 1, "amount")
    figures = f".{decimals[1:3]:0<2}" if decimals else ""
    return Reading(f"{sign}{whole.value}{figures}", end + 1, "amount")


def _cents_at(words: Heard, at: int) -> Number | None:
    cents = below_hundred(words, at + (text_at(words, at) == "and"))
    if cents is None or text_at(words, cents.end) not in _HUNDREDTHS:
        return None
    return Number(cents.value, cents.end + 1)
