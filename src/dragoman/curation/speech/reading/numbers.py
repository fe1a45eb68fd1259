"""The numbers that a text states, in figures or in English words."""

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from dragoman.conditions.voice.inverse_text_normalization.numbers import (
    Heard,
    cardinal_at,
    decimals_at,
    heard_words,
    text_at,
    year_at,
)
from dragoman.conditions.voice.verbalization.english_words import ordinal

_FIGURES = re.compile(
    r"(?<![\w.])(?P<sign>[-\u2212])?[$\u20ac\u00a3]?(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]*\.?[0-9]+)"
    r"(?P<percent>\ ?(?:%|percent))?(?P<scale>\ (?:hundred|thousand|million|billion))?"
)
_STRETCH = re.compile(r"(?<![0-9]),|,(?![0-9])|[;:()\[\]{}]")
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_NEGATIVE = frozenset({"minus", "negative"})
_HUNDRED = Decimal(100)


def numbers_in(text: str) -> frozenset[Decimal]:
    """Return all numbers of a text; a percentage counts as itself and as its share of one."""
    stretches = _STRETCH.split(text)
    return frozenset(_figures(text)) | {
        number for stretch in stretches for number in _words(heard_words(stretch))
    }


def number_of(value: str) -> Decimal | None:
    """Return the number that a value is; None where it is none, or none that can be said."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _figures(text: str) -> Iterator[Decimal]:
    for match in _FIGURES.finditer(text):
        number = Decimal(match["number"].replace(",", ""))
        scale = _SCALES.get((match["scale"] or "").strip(), 1)
        yield from _signed(number * scale, is_negative=match["sign"] is not None)
        if match["percent"]:
            yield from _signed(number / _HUNDRED, is_negative=match["sign"] is not None)


def _words(words: Heard) -> Iterator[Decimal]:
    at = 0
    while at < len(words):
        whole, end = _number_at(words, at)
        if whole is None or words[at].text.isdecimal():
            at += 1
            continue
        decimals, end = decimals_at(words, end)
        number = Decimal(f"{whole}{decimals}")
        scale = _SCALES.get(text_at(words, end), 1) if decimals else 1
        is_negative = at > 0 and words[at - 1].text in _NEGATIVE
        yield from _signed(number * scale, is_negative=is_negative)
        if text_at(words, end) == "percent":
            yield from _signed(number / _HUNDRED, is_negative=is_negative)
        year = year_at(words, at)
        if year is not None:
            yield Decimal(year.value)
        at = end


def _number_at(words: Heard, at: int) -> tuple[int | None, int]:
    number = cardinal_at(words, at)
    if number is not None:
        return number.value, number.end
    return _ORDINALS.get(words[at].text), at + 1


def _signed(number: Decimal, *, is_negative: bool) -> Iterator[Decimal]:
    yield -number if is_negative else number


_ORDINALS = {ordinal(number): number for number in range(1, 20)} | {
    f"{number}{ending}": number for number in range(1, 100) for ending in ("st", "nd", "rd", "th")
}
