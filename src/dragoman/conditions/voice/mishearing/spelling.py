"""How words sound, roughly, by how they are written: the tables beside this module."""

import importlib.resources
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from dragoman.conditions.voice.mishearing.phones import Phones
from dragoman.core.texts.sign_names import sign_names

LANGUAGES = ("en", "vi", "id", "tl", "th", "zh")
"""The languages that there are word lists and tables for."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"

_SIZES = (4, 3, 2, 1)


class Spelling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's letters, marks and sounds; see the table."""

    letters: dict[str, str]
    marks: dict[str, str] = {}
    level: str = ""
    leading: str = ""
    sounds: dict[str, str] = {}

    def phones(self, word: str) -> Phones:
        """Return how a written word sounds; letters that the language lacks sound as in English."""
        decomposed = unicodedata.normalize("NFD", word.casefold())
        tones = [self.marks[sign] for sign in decomposed if sign in self.marks]
        bare = "".join(sign for sign in decomposed if sign not in self.marks)
        ordered = self._as_said(unicodedata.normalize("NFC", bare))
        found = _longest_matches(ordered, self.letters, spellings()["en"].letters)
        return (*found, *(tones or ([self.level] if self.level and found else [])))

    def sounded(self, sounds: str) -> Phones:
        """Return the phones of a word whose sounds are written down."""
        table = self.sounds or self.letters
        return tuple(
            phone for part in sounds.split() for phone in _longest_matches(part, table, {})
        )

    def _as_said(self, word: str) -> str:
        """Put vowels that are written before their consonant behind it."""
        signs = list(word)
        for at, sign in enumerate(signs[:-1]):
            if sign in self.leading:
                signs[at], signs[at + 1] = signs[at + 1], sign
        return "".join(signs) if self.leading else word


class Signs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What letters and digits are called, and if recognizers write the English words of digits."""

    digits: tuple[str, ...]
    letters: tuple[str, ...] = ()
    digits_are_words: bool = False


@cache
def spellings() -> Mapping[str, Spelling]:
    """Return the tables by language."""
    return msgspec.toml.decode(_content("spelling.toml"), type=dict[str, Spelling])


@cache
def sign_sounds(language: str) -> Mapping[str, Phones]:
    """Return how single letters and digits sound, by what a recognizer writes for them."""
    own, english = _signs()[language], _signs()["en"]
    letters = _named(language, own.letters) or _named("en", english.letters)
    digits = _named(language, own.digits)
    return dict(zip((*LETTERS, *digit_words(language)), (*letters, *digits), strict=True))


@cache
def digit_words(language: str) -> tuple[str, ...]:
    """Return what a recognizer of the language writes for the ten digits."""
    return sign_names().digits if _signs()[language].digits_are_words else tuple(DIGITS)


def _named(language: str, names: Sequence[str]) -> tuple[Phones, ...]:
    spelling = spellings()[language]
    read = spelling.sounded if spelling.sounds else spelling.phones
    return tuple(read(name) for name in names)


@cache
def _signs() -> Mapping[str, Signs]:
    return msgspec.toml.decode(_content("signs.toml"), type=dict[str, Signs])


def _longest_matches(text: str, table: Mapping[str, str], other: Mapping[str, str]) -> Phones:
    """Return the phones of the longest letters that match, from the left; what has none is left out."""
    phones: list[str] = []
    at = 0
    while at < len(text):
        size = next((size for size in _SIZES if text[at : at + size] in table), 1)
        sound = table.get(text[at : at + size]) or other.get(text[at], "")
        phones += sound.split()
        at += size
    return tuple(phones)


def _content(name: str) -> bytes:
    return importlib.resources.files(__package__).joinpath(name).read_bytes()
