"""Vocabulary of a simulated recognizer: words, frequencies and pronunciations of a language.

English comes from the data of pocketsphinx, Thai and Chinese from data files of installed packages,
whose code is not run, because it would write caches. The words of the other languages are counted
in texts of the project. Words of a suite's own texts are added.
"""

import importlib.resources
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

import msgspec
import numpy as np
from numpy.typing import NDArray

from dragoman.conditions.voice.asr_error_simulation.pronunciation import (
    LANGUAGES,
    Phones,
    Spelling,
    phone_table,
    spellings,
)
from dragoman.conditions.voice.pocketsphinx_data import (
    pocketsphinx_model_folder,
    read_bigrams,
    read_dictionary,
)
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UnplayableConditionError, UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS

EXTRA = "asr-errors"
NOT_INSTALLED = (
    f"simulated hearing in Thai and Chinese is an extra: pip install 'dragoman[{EXTRA}]'"
)

ENGLISH_WORDS = 16_000
THAI_WORDS = 10_000
CHINESE_WORDS = 10_000
CHINESE_CHARACTERS = 4_000
"""The numbers of most frequent words and characters in the vocabularies.

More single characters are included, since any word may be one.
"""

_SCALE = 10**8
_FOLDER = "texts"
_ENGLISH = re.compile(r"[a-z']{2,}|[ai]")
_THAI = re.compile(r"[\u0e01-\u0e4e]{2,}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_LETTERS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_TONES = {"\u0304": "1", "\u0301": "2", "\u030c": "3", "\u0300": "4"}
_TONELESS = "5"


class ListedWord(msgspec.Struct, frozen=True):
    """A word in small letters; `sounds` is "" if the spelling tells them."""

    text: str
    count: int
    sounds: str = ""


def listed_words(language: str) -> tuple[ListedWord, ...]:
    """Return the words of a language, the frequent ones first.

    Args:
        language: One of `LANGUAGES`.

    Raises:
        UsageError: If the package with the words is not installed.
        DataError: If its files are absent, damaged or of another format.
    """
    sources: Mapping[str, tuple[Callable[[], Iterable[ListedWord]], str]] = {
        "en": (_english, "voice"),
        "th": (_thai, EXTRA),
        "zh": (_chinese, EXTRA),
    }
    if language in sources:
        read, extra = sources[language]
        words = _read(read, language, extra)
    else:
        words = _count_words(_own_text(language))
    return tuple(sorted(words, key=lambda word: (-word.count, word.text)))


def _read(
    read: Callable[[], Iterable[ListedWord]], language: str, extra: str
) -> tuple[ListedWord, ...]:
    try:
        words = tuple(read())
    except (*DECODING_ERRORS, OSError, LookupError, ValueError) as error:
        raise _unreadable(language, extra, str(error)) from error
    if not words:
        raise _unreadable(language, extra, "there are none")
    return words


def _unreadable(language: str, extra: str, why: str) -> DataError:
    return DataError(
        f"the words of {language!r} cannot be read where they are installed ({why}): "
        f"pip install --force-reinstall 'dragoman[{extra}]'"
    )


def _english() -> Iterable[ListedWord]:
    folder = pocketsphinx_model_folder()
    model = read_bigrams(folder / "en-us.lm.bin")
    ways = read_dictionary(folder / "cmudict-en-us.dict")
    words = (
        ListedWord(word, max(round(_SCALE * math.exp(weight)), 1), ways[word][0])
        for word, weight in zip(model.words, model.single.tolist(), strict=True)
        if word in ways and _ENGLISH.fullmatch(word)
    )
    return _most_frequent(words, ENGLISH_WORDS)


def _thai() -> Iterable[ListedWord]:
    known = set(_file_of("pythainlp", "corpus/words_th.txt").decode().split())
    rows = (row.split("\t") for row in _lines_of("pythainlp", "corpus/tnc_freq.txt"))
    words = (
        ListedWord(word, int(count))
        for word, count in rows
        if word in known and _THAI.fullmatch(word)
    )
    return _most_frequent(words, THAI_WORDS)


def _chinese() -> Iterator[ListedWord]:
    rows = (row.split() for row in _lines_of("jieba", "dict.txt"))
    counts = {word: int(count) for word, count, *_ in rows if _CHINESE.fullmatch(word)}
    ordered = sorted(counts, key=lambda word: -counts[word])
    characters = [word for word in ordered if len(word) == 1][:CHINESE_CHARACTERS]
    readings = msgspec.json.decode(_file_of("pypinyin", "pinyin_dict.json"), type=dict[str, str])
    phrases = msgspec.json.decode(
        _file_of("pypinyin", "phrases_dict.json"), type=dict[str, list[list[str]]]
    )
    for word in dict.fromkeys((*ordered[:CHINESE_WORDS], *characters)):
        syllables = (
            [ways[0] for ways in phrases[word]]
            if word in phrases
            else [readings[str(ord(sign))].split(",")[0] for sign in word]
        )
        yield ListedWord(word, max(counts[word], 1), " ".join(map(_number_tone, syllables)))


def _own_text(language: str) -> str:
    folder = importlib.resources.files(__package__).joinpath(_FOLDER)
    return folder.joinpath(f"{language}.txt").read_text("utf-8")


def _count_words(text: str) -> tuple[ListedWord, ...]:
    counts = Counter(_LETTERS.findall(unicodedata.normalize("NFC", text).casefold()))
    return tuple(ListedWord(word, count) for word, count in counts.items())


def _most_frequent(words: Iterable[ListedWord], most: int) -> list[ListedWord]:
    return sorted(words, key=lambda word: -word.count)[:most]


def _number_tone(syllable: str) -> str:
    """Return a syllable of pinyin with the number of its tone at the end instead of a mark."""
    decomposed = unicodedata.normalize("NFD", syllable)
    tone = next((_TONES[sign] for sign in decomposed if sign in _TONES), _TONELESS)
    bare = "".join(sign for sign in decomposed if sign not in _TONES)
    return unicodedata.normalize("NFC", bare).replace("ü", "v") + tone


def _lines_of(package: str, name: str) -> list[str]:
    return _file_of(package, name).decode().splitlines()


def _file_of(package: str, name: str) -> bytes:
    """Return a data file of an installed package, whose code is not imported."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise UsageError(NOT_INSTALLED)
    return (Path(spec.submodule_search_locations[0]) / name).read_bytes()


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
    """Words with their frequencies and pronunciations.

    Attributes:
        language: One of `LANGUAGES`.
        words: The words, in small letters.
        counts: Frequency of each word in the list's own texts; only ratios are meaningful.
        phones: Phones of each word.
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
        """Return the phones of a word, listed or not.

        Only the beginning of a very long word is pronounced.
        """
        known = self.phones.get(word)
        return spellings()[self.language].phones(word[:_LONGEST]) if known is None else known


def build_lexicon(language: str, texts: Iterable[str] = ()) -> Lexicon:
    """Return a language's lexicon.

    Args:
        language: A language tag; only its first part counts.
        texts: Texts whose words are added (policy, tools, database), never the words of users.
            Texts in scripts without spaces add nothing.

    Raises:
        UsageError: For a language without a list, and if the extra with the list is not installed.
        DataError: If the installed data cannot be read.
    """
    short = base_language(language)
    with _LOADING:
        rows = dict(_load_pronunciations(short))
    expected = sorted((count for count, _ in rows.values()), reverse=True)
    count = expected[min(_EXPECTED_RANK, len(expected)) - 1]
    spelling = spellings()[short]
    for word in _words_of(texts):
        known, sound = rows.get(word, (0, None))
        rows[word] = (max(known, count), spelling.phones(word) if sound is None else sound)
    return _lexicon(short, {word: row for word, row in rows.items() if row[1]})


def base_language(tag: str) -> str:
    """Return the language of a tag; `fil` is `tl`.

    Raises:
        UnplayableConditionError: For a language without a list.
    """
    short = tag.replace("_", "-").split("-")[0].casefold()
    short = "tl" if short == "fil" else short
    if short not in LANGUAGES:
        raise UnplayableConditionError(
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
def _load_pronunciations(language: str) -> Mapping[str, tuple[int, Phones]]:
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
