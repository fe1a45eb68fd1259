"""Numbers as they are said in English."""

from dragoman.conditions.voice.spoken.words import english_words, units
from dragoman.core.texts.sign_names import sign_names

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


def digits(number: str) -> str:
    """Return digits one by one: `zero four seven`."""
    words = sign_names().digits
    return " ".join(words[int(digit)] for digit in number)


def spoken_number(number: str) -> str:
    """Return a written number in words; its decimals and what is too long digit by digit."""
    whole, _, decimals = number.replace(",", "").partition(".")
    is_said = int(whole) < MAX_CARDINAL and (whole == "0" or not whole.startswith("0"))
    words = cardinal(int(whole)) if is_said else digits(whole)
    return f"{words} point {digits(decimals)}" if decimals else words
