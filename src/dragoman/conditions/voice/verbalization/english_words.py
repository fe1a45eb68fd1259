"""English number words: cardinals, ordinals, dates, times and money, from `words.toml`."""

import importlib.resources
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache

import msgspec

from dragoman.core.texts.entities import MONTHS, canonical_entity, sign_names


class Endings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Endings of file names and host names."""

    files: tuple[str, ...]
    hosts: tuple[str, ...]


class Capitals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words in capitals.

    Attributes:
        words: Words in capitals that are said as words, not letter by letter.
        short: Words in capitals that are said as words next to others that are.
        spelled: Words in capitals that could be words and are spelled.
    """

    words: frozenset[str]
    short: frozenset[str]
    spelled: frozenset[str]


class SpokenWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """English words as they are said, and as they may be recognized.

    Attributes:
        teens: 10 to 19.
        tens: 20 to 90.
        around: Words of a sentence around a value, which never begin a value.
        said_signs: Signs that are said between letters and digits of one value.
        ordinals: Ordinals that are not the number and `th`, by the number's last word.
        heard_ordinals: Misrecognitions of ordinals, with the number of each.
        as_in: The word that names each letter in `B as in boy`.
        heard_signs: Other words of signs.
        heard_nato: Misrecognitions of words of the NATO alphabet.
        heard_letters: Other words of letters and digits.
        homophones: Words that sound like a letter or a digit.
        endings: Endings of files and hosts.
        capitals: Words in capitals, and the way they are said.
        openers: Words that begin sentences, and lose their capital after a filler.
    """

    teens: tuple[str, ...]
    tens: tuple[str, ...]
    around: tuple[str, ...]
    said_signs: tuple[str, ...]
    ordinals: dict[str, str]
    heard_ordinals: dict[str, int]
    as_in: dict[str, str]
    heard_signs: dict[str, str]
    heard_nato: dict[str, str]
    heard_letters: dict[str, str]
    homophones: dict[str, str]
    endings: Endings
    capitals: Capitals
    openers: frozenset[str]


@cache
def english_words() -> SpokenWords:
    """Return the table of English words."""
    content = importlib.resources.files(__package__).joinpath("words.toml").read_bytes()
    return msgspec.toml.decode(content, type=SpokenWords)


@cache
def units() -> tuple[str, ...]:
    """Return the words of 0 to 19."""
    return (*sign_names().digits, *english_words().teens)


@cache
def nato_words() -> Mapping[str, str]:
    """Return the words of the NATO alphabet as they are said, by letter."""
    names = sign_names()
    return names.nato | names.nato_in_english


@cache
def heard_nato_words() -> Mapping[str, str]:
    """Return the letters of further spellings and misrecognitions of the NATO alphabet."""
    names = sign_names()
    written = {names.nato[letter]: letter for letter in names.nato_in_english}
    return written | english_words().heard_nato


@cache
def sign_words() -> Mapping[str, str]:
    """Return the words of the signs that are said between letters and digits of one value."""
    return {sign: sign_names().signs[sign] for sign in english_words().said_signs}


@cache
def reserved_words() -> frozenset[str]:
    """Return words that stand for a letter, a digit or a sign, or belong around a value.

    A part of a name that is one of them is spelled.
    """
    table = english_words()
    return frozenset(
        {
            *table.around,
            *units(),
            *table.tens,
            *nato_words().values(),
            *sign_words().values(),
            *table.heard_signs,
            *heard_nato_words(),
            *table.heard_letters,
            *table.homophones,
            *("double", "triple", "ray"),
        }
    )


MAX_CARDINAL = 10**12
"""Numbers from here on are said digit by digit."""

DIGITS = range(10)
_SCALES = ((10**9, "billion"), (10**6, "million"), (1_000, "thousand"), (100, "hundred"))


def cardinal(number: int) -> str:
    """Return a number from 0 below 10^12 in words: `one hundred twenty five`."""
    for scale, name in _SCALES:
        if number >= scale:
            rest = number % scale
            return f"{cardinal(number // scale)} {name}{f' {cardinal(rest)}' if rest else ''}"
    words = units()
    if number < len(words):
        return words[number]
    tens = english_words().tens[number // 10 - 2]
    return f"{tens} {words[number % 10]}" if number % 10 else tens


def ordinal(number: int) -> str:
    """Return the ordinal of a number in words: `twenty first`."""
    *before, last = cardinal(number).split()
    return " ".join((*before, english_words().ordinals.get(last, f"{last}th")))


def spell_digits(number: str) -> str:
    """Return digits one by one: `zero four seven`."""
    words = sign_names().digits
    return " ".join(words[int(digit)] for digit in number)


def spoken_number(number: str) -> str:
    """Return a written number in words; its decimals and what is too long digit by digit."""
    whole, _, decimals = number.replace(",", "").partition(".")
    is_said = int(whole) < MAX_CARDINAL and (whole == "0" or not whole.startswith("0"))
    words = cardinal(int(whole)) if is_said else spell_digits(whole)
    return f"{words} point {spell_digits(decimals)}" if decimals else words


_NOON = 12
_MIDNIGHT = 24


def spoken_date(written: str) -> str:
    """Return a date in words: `May fifth, twenty twenty six`; what is none stays as it is."""
    plain = canonical_entity("date", written)
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
    hour, minute = map(int, canonical_entity("time", written).split(":"))
    if hour >= _MIDNIGHT:
        return written
    minutes = f" {_two_digits(minute)}" if minute else ""
    said = f"{cardinal((hour - 1) % _NOON + 1)}{minutes}"
    is_reported = "m" in written.casefold() or written.startswith("0") or hour > _NOON
    if not is_reported:
        return said if minute else f"{said} o'clock"
    return f"{said} {'A M' if hour < _NOON else 'P M'}"


def _two_digits(number: int) -> str:
    return f"oh {cardinal(number)}" if number in DIGITS else cardinal(number)


_CURRENCIES = {"$": ("dollar", "cent"), "€": ("euro", "cent"), "£": ("pound", "penny")}


def spoken_amount(amount: str) -> str:
    """Return an amount of money in words: `five dollars and nine cents`."""
    plain = canonical_entity("amount", amount)
    one, hundredth = _CURRENCIES[plain[0]]
    whole, cents = divmod(int(Decimal(plain[1:]) * 100), 100)
    said = [_count_in_words(whole, one)] if whole or not cents else []
    if cents:
        # Alone, a cent is one of a dollar.
        name = f"euro {hundredth}" if one == "euro" and not whole else hundredth
        said.append(_count_in_words(cents, name))
    return " and ".join(said)


def spoken_round_amount(sign: str, number: str, scale: str) -> str:
    """Return an amount like `$2.5 million` in words, with the currency last, in the plural.

    Args:
        sign: Sign of the currency.
        number: The number in figures.
        scale: Scale of the number, such as `million`.
    """
    return f"{spoken_number(number)} {scale} {_CURRENCIES[sign][0]}s"


def _count_in_words(number: int, name: str) -> str:
    if number != 1:
        name = "pence" if name == "penny" else f"{name}s"
    return f"{cardinal(number)} {name}"
