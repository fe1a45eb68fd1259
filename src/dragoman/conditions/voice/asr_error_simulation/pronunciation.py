"""Phonetics: distances between phones, and grapheme-to-phoneme rules by language.

The tables are `phones.toml`, `spelling.toml` and `signs.toml`.
"""

import importlib.resources
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from dragoman.core.texts.entities import sign_names

Phones = tuple[str, ...]

Features = tuple[float, ...]


class Costs(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"category": "class"}):
    """Costs of misrecognitions other than feature distances; see the table."""

    other: float
    category: float
    lost: float
    weak_lost: float
    tone_lost: float
    weak: frozenset[str]


class PhoneFeatures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table in its file format."""

    weights: dict[str, float]
    costs: Costs
    consonants: dict[str, Features]
    vowels: dict[str, Features]
    tones: dict[str, Features]


class PhoneTable(msgspec.Struct, frozen=True):
    """Costs by phone numbers: of confusing two phones, and of losing or adding one."""

    numbers: Mapping[str, int]
    between: NDArray[np.float64]
    lost: NDArray[np.float64]

    def coded(self, phones: Sequence[str]) -> NDArray[np.int64]:
        """Return phones as their numbers."""
        return np.array([self.numbers[phone] for phone in phones], np.int64)

    def distances(
        self, phones: NDArray[np.int64], others: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return what it costs to hear each of several strings of one length for a string.

        Args:
            phones: The string that is said.
            others: One string that may be heard in each row.
        """
        rows, length = others.shape
        above = np.zeros((length + 1, rows))
        above[1:] = np.cumsum(self.lost[others], axis=1).T
        for phone in phones.tolist():
            own = np.empty_like(above)
            own[0] = above[0] + self.lost[phone]
            for column in range(length):
                heard = others[:, column]
                own[column + 1] = np.minimum(
                    above[column] + self.between[phone][heard],
                    np.minimum(
                        above[column + 1] + self.lost[phone], own[column] + self.lost[heard]
                    ),
                )
            above = own
        result: NDArray[np.float64] = above[length]
        return result

    def per_phone(self, phones: Phones, other: Phones) -> float:
        """Return the distance between two strings per phone of the longer one.

        A distance of 0 means that they sound alike.
        """
        longer = max(len(phones), len(other))
        if not longer:
            return 0.0
        cost = self.distances(self.coded(phones), self.coded(other)[None, :])
        return float(cost[0]) / longer


@cache
def phone_table() -> PhoneTable:
    """Return the costs of the shipped table."""
    content = importlib.resources.files(__package__).joinpath("phones.toml").read_bytes()
    features = msgspec.toml.decode(content, type=PhoneFeatures)
    weights, costs = features.weights, features.costs
    kinds = (
        (features.consonants, ("place", "manner", "voice", "breath"), costs.lost),
        (features.vowels, ("height", "back", "round"), costs.lost),
        (features.tones, ("pitch", "pitch"), costs.tone_lost),
    )
    names = [name for group, _, _ in kinds for name in group]
    between = np.full((len(names), len(names)), costs.category)
    lost = np.empty(len(names))
    start = 0
    for group, axes, cost in kinds:
        place = slice(start, start + len(group))
        scaled = np.array(list(group.values())) * np.array([weights[axis] for axis in axes])
        apart = np.abs(scaled[:, None] - scaled[None]).sum(axis=-1)
        between[place, place] = np.minimum(costs.other + apart, costs.category)
        lost[place] = [costs.weak_lost if name in costs.weak else cost for name in group]
        start = place.stop
    np.fill_diagonal(between, 0.0)
    return PhoneTable({name: at for at, name in enumerate(names)}, between, lost)


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
    """Names of letters and digits, and whether recognizers write digits as English words."""

    digits: tuple[str, ...]
    letters: tuple[str, ...] = ()
    digits_are_words: bool = False


@cache
def spellings() -> Mapping[str, Spelling]:
    """Return the tables by language."""
    return msgspec.toml.decode(_content("spelling.toml"), type=dict[str, Spelling])


@cache
def sign_sounds(language: str) -> Mapping[str, Phones]:
    """Return the phones of single letters and digits, by the recognizer's text for them."""
    own, english = _signs()[language], _signs()["en"]
    letters = _pronounce_names(language, own.letters) or _pronounce_names("en", english.letters)
    digits = _pronounce_names(language, own.digits)
    return dict(zip((*LETTERS, *digit_words(language)), (*letters, *digits), strict=True))


@cache
def digit_words(language: str) -> tuple[str, ...]:
    """Return the ten digits as a recognizer of the language writes them."""
    return sign_names().digits if _signs()[language].digits_are_words else tuple(DIGITS)


def _pronounce_names(language: str, names: Sequence[str]) -> tuple[Phones, ...]:
    spelling = spellings()[language]
    read = spelling.sounded if spelling.sounds else spelling.phones
    return tuple(read(name) for name in names)


@cache
def _signs() -> Mapping[str, Signs]:
    return msgspec.toml.decode(_content("signs.toml"), type=dict[str, Signs])


def _longest_matches(text: str, table: Mapping[str, str], other: Mapping[str, str]) -> Phones:
    """Return the phones of the longest letter sequences that match, from the left.

    Letters without a phone are skipped.
    """
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
