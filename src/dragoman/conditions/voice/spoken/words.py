"""The English words of numbers, letters and signs: the table beside this module, and what all share."""

import importlib.resources
from collections.abc import Mapping
from functools import cache

import msgspec

from dragoman.core.texts.sign_names import sign_names


class Endings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the names of files and of hosts end with."""

    files: tuple[str, ...]
    hosts: tuple[str, ...]


class Capitals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words in capitals.

    Attributes:
        words: Those that are said as words, not letter by letter.
        short: Those that are said as words among others that are.
        spelled: Those that could be words and are spelled.
    """

    words: frozenset[str]
    short: frozenset[str]
    spelled: frozenset[str]


class SpokenWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words as they are said, and as they may be heard.

    Attributes:
        teens: 10 to 19.
        tens: 20 to 90.
        around: Words of the sentence around a value, of which none begins one.
        said_signs: Signs that are said between letters and digits of one value.
        ordinals: Those that are not the number and `th`, by the number's last word.
        heard_ordinals: Words that an ordinal is misheard as, and its number.
        as_in: The word that names each letter in `B as in boy`.
        heard_signs: Other words of signs.
        heard_nato: What words of the NATO alphabet are heard as.
        heard_letters: Other words of letters and digits.
        homophones: Words that sound like a letter or a digit.
        endings: Of files and hosts.
        capitals: Words in capitals, and how they are said.
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
    """Return the letters that other words of the NATO alphabet stand for, written or heard."""
    names = sign_names()
    written = {names.nato[letter]: letter for letter in names.nato_in_english}
    return written | english_words().heard_nato


@cache
def sign_words() -> Mapping[str, str]:
    """Return the words of the signs that are said between letters and digits of one value."""
    return {sign: sign_names().signs[sign] for sign in english_words().said_signs}


@cache
def taken_words() -> frozenset[str]:
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
