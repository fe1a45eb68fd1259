"""Numbers in heard English words, read back as figures."""

import msgspec

from dragoman.conditions.voice.spoken.words import english_words, units
from dragoman.conditions.voice.written.words import Heard, Reading, text_at
from dragoman.core.texts.sign_names import sign_names

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
