"""The words that may be heard in a language: those listed for it, and those of a suite's own texts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from threading import Lock

import msgspec
import numpy as np
from numpy.typing import NDArray

from dragoman.conditions.voice.mishearing.lists import ListedWord, listed_words
from dragoman.conditions.voice.mishearing.phones import Phones, phone_table
from dragoman.conditions.voice.mishearing.spelling import LANGUAGES, Spelling, spellings
from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key

MAX_OWN_WORDS = 50_000
"""More words of a suite's texts are not taken; the most frequent ones are."""

_EXPECTED_RANK = 1_000
_LONGEST = 32
_WORD = re.compile(r"[^\W\d_]{2,32}(?:['\u2019][^\W\d_]+)?")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u4e00-\u9fff]+")
_LOADING = Lock()


class SameLength(msgspec.Struct, frozen=True):
    """Words of as many phones each: their places in the lexicon, and their phones by number."""

    places: NDArray[np.int64]
    phones: NDArray[np.int64]


class Lexicon(msgspec.Struct, frozen=True):
    """Words with how often they occur and how they sound.

    Attributes:
        language: One of `LANGUAGES`.
        words: The words, in small letters.
        counts: How often each occurs in the list's own texts; only ratios mean anything.
        phones: How each sounds.
        lengths: The same words by their number of phones.
        key: The content key.
    """

    language: str
    words: tuple[str, ...]
    counts: NDArray[np.float64]
    phones: Mapping[str, Phones]
    lengths: Mapping[int, SameLength]
    key: str

    def sound(self, word: str) -> Phones:
        """Return how a word sounds, listed or not; of a very long one its beginning."""
        known = self.phones.get(word)
        return spellings()[self.language].phones(word[:_LONGEST]) if known is None else known


def lexicon_of(language: str, texts: Iterable[str] = ()) -> Lexicon:
    """Return a language's lexicon.

    Args:
        language: A tag; what stands after its first part does not count.
        texts: Texts whose words may be heard too (policy, tools, database), never what users say.
            Nothing is taken of what is written without spaces.

    Raises:
        UsageError: For a language without a list, and where the extra that has it is not installed.
        DataError: Where what is installed cannot be read.
    """
    short = known_language(language)
    with _LOADING:
        rows = dict(_listed(short))
    expected = sorted((count for count, _ in rows.values()), reverse=True)
    count = expected[min(_EXPECTED_RANK, len(expected)) - 1]
    spelling = spellings()[short]
    for word in _words_of(texts):
        known, sound = rows.get(word, (0, None))
        rows[word] = (max(known, count), spelling.phones(word) if sound is None else sound)
    return _lexicon(short, {word: row for word, row in rows.items() if row[1]})


def known_language(tag: str) -> str:
    """Return the language of a tag; `fil` is `tl`.

    Raises:
        UsageError: For a language without a list.
    """
    short = tag.replace("_", "-").split("-")[0].casefold()
    short = "tl" if short == "fil" else short
    if short not in LANGUAGES:
        raise UsageError(
            f"hearing errors cannot be simulated in {tag!r}: there are {', '.join(LANGUAGES)}"
        )
    return short


def _lexicon(language: str, rows: Mapping[str, tuple[int, Phones]]) -> Lexicon:
    words, table = tuple(rows), phone_table()
    phones = {word: sound for word, (_, sound) in rows.items()}
    places: dict[int, list[int]] = {}
    for place, sound in enumerate(phones.values()):
        places.setdefault(len(sound), []).append(place)
    lengths = {
        length: SameLength(
            np.array(found), np.array([table.coded(phones[words[place]]) for place in found])
        )
        for length, found in places.items()
    }
    counts = np.array([float(count) for count, _ in rows.values()])
    key = content_key(language, [(word, *row) for word, row in rows.items()])
    return Lexicon(language, words, counts, phones, lengths, key)


@cache
def _listed(language: str) -> Mapping[str, tuple[int, Phones]]:
    """Read the words of a language, which takes up to a second of CPU, once."""
    spelling = spellings()[language]
    return {word.text: (word.count, _phones(word, spelling)) for word in listed_words(language)}


def _phones(word: ListedWord, spelling: Spelling) -> Phones:
    return spelling.sounded(word.sounds) if word.sounds else spelling.phones(word.text)


def _words_of(texts: Iterable[str]) -> tuple[str, ...]:
    counts = Counter(
        word
        for text in texts
        for word in _WORD.findall(_UNSPACED.sub(" ", unicodedata.normalize("NFC", text).casefold()))
        if len(word) <= _LONGEST
    )
    return tuple(word for word, _ in counts.most_common(MAX_OWN_WORDS))
