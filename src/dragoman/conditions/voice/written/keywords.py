"""Letters that were named by words, read back: `B as in boy`, and names in the NATO alphabet.

The word is heard far better than the letter before it, so within a row of them the letter may be
anything, and what stands between two of them is noise, unless it is a digit of an id.
"""

from collections.abc import Callable
from functools import cache

import msgspec

from dragoman.conditions.voice.spoken.words import english_words
from dragoman.conditions.voice.written.signs import is_spelling, sign_at
from dragoman.conditions.voice.written.words import Heard, Reading, text_at
from dragoman.core.texts.sign_names import sign_names

_AS = frozenset({"as", "has", "is"})
_IN = frozenset({"in", "an", "and"})
_MIN_NAMED = 2
_MAX_NOISE = 2


class Named(msgspec.Struct, frozen=True):
    """A letter that a word names, and the word after it."""

    letter: str
    end: int


ReadNamed = Callable[[Heard, int], Named | None]


def keyworded_at(words: Heard, at: int) -> Reading | None:
    """Return the id or name whose letters are named by words, from a word on."""
    is_name = is_spelling(words, at)
    named_at = _named_in_name_at if is_name else _named_at
    text, end, count = "", at, 0
    while (step := _next_named(words, end, named_at, _MAX_NOISE if count else 0)) is not None:
        between, named = step
        text += "" if is_name else between
        text += named.letter
        end, count = named.end, count + 1
    if count < _MIN_NAMED:
        return None
    if is_name:
        return Reading(text.capitalize(), end, "spelling")
    digits, end = _digits_from(words, end)
    return Reading((text + digits).upper(), end, "code")


def _next_named(
    words: Heard, at: int, named_at: ReadNamed, most_noise: int
) -> tuple[str, Named] | None:
    """Return the digits before the next named letter, and the letter."""
    digits, place = _digits_from(words, at)
    for start in range(place, place + most_noise + 1):
        named = named_at(words, start)
        if named is not None:
            return digits, named
        if text_at(words, start) in _joining():
            return None
    return None


@cache
def _joining() -> frozenset[str]:
    """Return the words that end a row of named letters: signs of an address, `again`, the end."""
    return frozenset({"", "again", "hyphen", *(sign_names().signs[sign] for sign in "@._-+")})


def _named_in_name_at(words: Heard, at: int) -> Named | None:
    """Read also a word of the NATO alphabet; outside of names it may be a person or a place."""
    sign = sign_at(words, at)
    if sign is not None and sign.is_nato:
        return Named(sign.text, sign.end)
    return _named_at(words, at)


def _named_at(words: Heard, at: int) -> Named | None:
    """Read `B as in boy`, with a word that is heard for the letter, or for it and `as`."""
    first, second, third = (text_at(words, at + step) for step in range(3))
    if second in _AS and third in _IN:
        letter = _letter(text_at(words, at + 3), any_word=(second, third) == ("as", "in"))
        end = at + 4 + (text_at(words, at + 4) == "ray" and letter == "x")
        return Named(letter, end) if first and letter else None
    letter = _letter(third, any_word=False) if second == "in" else ""
    return Named(letter, at + 3) if letter and first not in _AS else None


def _letter(word: str, *, any_word: bool) -> str:
    """Return the letter that a word names; "" where it names none."""
    known = {name: letter for letter, name in english_words().as_in.items()}
    known |= {name.split()[0]: letter for name, letter in known.items()}
    return known.get(word, word[:1] if any_word and word[:1].isalpha() else "")


def _digits_from(words: Heard, at: int) -> tuple[str, int]:
    """Return the digits said from a word on, and the word after them."""
    digits, place = "", at
    while (sign := sign_at(words, place)) is not None and sign.is_sure and sign.text.isdecimal():
        digits, place = digits + sign.text, sign.end
    return digits, place
