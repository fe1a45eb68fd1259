"""The words of numbers, dates, money and units: one table a language, and one that all share."""

import importlib.resources
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Generic, TypeVar

import msgspec

from dragoman.core.texts.sign_names import sign_names
from dragoman.core.values.folding import fold, primary_language

T = TypeVar("T")

FULL_LANGUAGES = ("en", "fil", "id", "pt", "th", "vi", "zh")
"""Languages that have a table. Of others only figures, signs and characters are read."""

_UNSPACED = frozenset({"th", "zh", "ja", "km", "lo", "my"})


class LanguageTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language, as its file lists them."""

    digits: tuple[str, ...] = ()
    decimal: str = "."
    unspaced: bool = False
    shorthand: bool = False
    buddhist: bool = False
    and_: tuple[str, ...] = msgspec.field(default=(), name="and")
    decimal_words: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()
    percent: tuple[str, ...] = ("%",)
    percent_prefixes: tuple[str, ...] = ()
    hour_words: tuple[str, ...] = ()
    minute_words: tuple[str, ...] = ()
    oclock: tuple[str, ...] = ()
    clock_prefixes: tuple[str, ...] = ()
    date_links: tuple[str, ...] = ()
    day_markers: tuple[str, ...] = ()
    month_markers: tuple[str, ...] = ()
    year_markers: tuple[str, ...] = ()
    day_suffixes: tuple[str, ...] = ()
    month_suffixes: tuple[str, ...] = ()
    year_suffixes: tuple[str, ...] = ()
    code_links: tuple[str, ...] = ()
    not_numbers: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()
    negators: tuple[str, ...] = ()
    contextual: tuple[str, ...] = ()
    last_digit: tuple[str, ...] = ()
    less: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    ordinal_prefixes: tuple[str, ...] = ()
    classifiers: tuple[str, ...] = ()
    quarters: dict[str, int] = {}
    moments: dict[str, int] = {}
    numbers: dict[str, int] = {}
    tens: dict[str, int] = {}
    teens: dict[str, int] = {}
    multipliers: dict[str, int] = {}
    halves: dict[str, float] = {}
    ordinals: dict[str, int] = {}
    months: dict[str, int] = {}
    day_parts: dict[str, str] = {}
    currencies: dict[str, str] = {}
    hundredths: dict[str, str] = {}
    units: dict[str, str] = {}
    signs: dict[str, str] = {}
    words: dict[str, str] = {}
    letters: dict[str, str] = {}


class _Endings(msgspec.Struct, frozen=True):
    """What the names of files and hosts end with."""

    names: tuple[str, ...]


class _Languages(msgspec.Struct, frozen=True):
    """Tags of languages."""

    languages: tuple[str, ...]


class CommonTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all languages share."""

    currency_signs: dict[str, str]
    currencies: dict[str, str]
    units: dict[str, str]
    endings: _Endings
    decimal_comma: _Languages


class PhraseTable(Generic[T]):
    """Phrases of one or more words, found from a word on; the longest one counts."""

    def __init__(self, entries: Mapping[str, T], language: str) -> None:
        by_first: dict[str, list[tuple[tuple[str, ...], T]]] = {}
        for phrase, value in entries.items():
            words = phrase_words(phrase, language)
            if words:
                by_first.setdefault(words[0], []).append((words, value))
        for found in by_first.values():
            found.sort(key=lambda entry: -len(entry[0]))
        self._by_first = by_first

    def __contains__(self, word: str) -> bool:
        return word in self._by_first

    def first_words(self) -> frozenset[str]:
        """Return the words that phrases begin with."""
        return frozenset(self._by_first)

    def at(self, words: Sequence[str], place: int) -> tuple[T, int] | None:
        """Return what the longest phrase from a place on stands for, and the place after it."""
        if place >= len(words):
            return None
        for phrase, value in self._by_first.get(words[place], ()):
            end = place + len(phrase)
            if len(phrase) == 1 or tuple(words[place:end]) == phrase:
                return value, end
        return None


def phrase_words(phrase: str, language: str) -> tuple[str, ...]:
    """Return the words of a phrase as tokens have them: folded and in small letters."""
    return tuple(fold(phrase, language).text.casefold().split())


class Lexicon:
    """The tables of one language, ready for look-ups.

    Attributes:
        language: Its primary language.
        table: The words as the file lists them.
        is_spaced: Whether words have spaces between them.
        decimal: The sign before decimals.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self.table = table = _table(language)
        common = common_table()
        self.is_spaced = language not in _UNSPACED
        is_comma = language in common.decimal_comma.languages
        self.decimal = "," if is_comma else table.decimal
        self.digit = self._phrases({word: Decimal(n) for n, word in enumerate(table.digits)})
        units = {word: Decimal(n) for n, word in enumerate(table.digits)}
        units |= {word: Decimal(n) for word, n in table.numbers.items()}
        self.number = self._phrases(units)
        self.tens = self._phrases(table.tens)
        self.teens = self._phrases(table.teens)
        self.multiplier = self._phrases(table.multipliers)
        self.half = self._phrases(table.halves)
        self.ordinal = self._phrases(table.ordinals)
        self.month = self._phrases(table.months)
        self.day_part = self._phrases(table.day_parts)
        self.currency = self._phrases(common.currencies | table.currencies)
        self.hundredth = self._phrases(table.hundredths)
        self.unit = self._phrases(common.units | table.units)
        self.sign = self._phrases(table.signs)
        self.word = self._phrases({w: tuple(to.split()) for w, to in table.words.items()})
        self.letter = self._phrases(table.letters)
        self.joining = self._set(table.and_)
        self.decimal_word = self._set(table.decimal_words)
        self.minus = self._set(table.minus)
        self.percent = self._set(table.percent)
        self.percent_prefix = self._set(table.percent_prefixes)
        self.hour = self._set(table.hour_words)
        self.minute = self._set(table.minute_words)
        self.oclock = self._set(table.oclock)
        self.clock_prefix = self._set(table.clock_prefixes)
        self.date_link = self._set(table.date_links)
        self.day_marker = self._set(table.day_markers)
        self.month_marker = self._set(table.month_markers)
        self.year_marker = self._set(table.year_markers)
        self.day_suffix = self._set(table.day_suffixes)
        self.month_suffix = self._set(table.month_suffixes)
        self.year_suffix = self._set(table.year_suffixes)
        self.code_link = self._set(table.code_links)
        self.not_number = self._set(table.not_numbers)
        self.filler = self._set(table.fillers)
        self.less = self._set(table.less)
        self.past = self._set(table.past)
        self.quarter = self._phrases(table.quarters)
        self.moment = self._phrases(table.moments)
        self.classifiers = frozenset(table.classifiers)
        self.contextual = frozenset(phrase_words(word, language)[0] for word in table.contextual)
        self.last_digit = self._phrases(dict.fromkeys(table.last_digit, Decimal(6)))

        self.value_words = frozenset().union(
            *(
                found.first_words()
                for found in (
                    *(self.number, self.multiplier, self.tens, self.month, self.ordinal, self.minus),
                    *(self.day_part, self.day_marker, self.month_marker, self.clock_prefix),
                    *(self.percent_prefix, self.last_digit, self.currency, self.moment),
                )
            ),
            ("double", "triple", "oh", "o", "point", "half", "quarter", "the", "setengah", "a"),
        )
        self.changed_words = frozenset().union(
            *(found.first_words() for found in (self.filler, self.word, self.sign))
        )

    def _phrases(self, entries: Mapping[str, T]) -> PhraseTable[T]:
        return PhraseTable(entries, self.language)

    def _set(self, words: Sequence[str]) -> PhraseTable[bool]:
        return PhraseTable(dict.fromkeys(words, True), self.language)

    def phrases(self) -> tuple[str, ...]:
        """Return all phrases, the longest first, for scripts without spaces between words."""
        table = self.table
        lists = (
            *(table.digits, table.and_, table.decimal_words, table.minus, table.percent),
            *(table.percent_prefixes, table.hour_words, table.minute_words, table.oclock),
            *(table.clock_prefixes, table.date_links, table.day_markers, table.month_markers),
            *(table.year_markers, table.day_suffixes, table.month_suffixes, table.year_suffixes),
            *(table.code_links, table.not_numbers, table.fillers),
            *(table.numbers, table.tens, table.multipliers, table.halves, table.ordinals),
            *(table.months, table.day_parts, table.currencies, table.hundredths),
            *(table.units, table.signs, table.less, table.quarters, table.moments, table.letters),
        )
        found = {fold(word, self.language).text for words in lists for word in words}
        own = {word for word in found if not word.isascii()}
        return tuple(sorted(own, key=lambda word: (-len(word), word)))


@cache
def lexicon_of(language: str) -> Lexicon:
    """Return the tables of a language; those of one without a file hold signs and symbols alone."""
    return _lexicon(primary_language(language))


@cache
def _lexicon(primary: str) -> Lexicon:
    return Lexicon(primary)


@cache
def common_table() -> CommonTable:
    """Return what all languages share."""
    content = importlib.resources.files(__package__).joinpath("common.toml").read_bytes()
    return msgspec.toml.decode(content, type=CommonTable)


@cache
def nato_letters() -> Mapping[str, str]:
    """Return the letters of the words of the NATO alphabet."""
    names = sign_names()
    pairs = {word: letter for letter, word in names.nato.items()}
    return pairs | {word: letter for letter, word in names.nato_in_english.items()}


def _table(primary: str) -> LanguageTable:
    if primary not in FULL_LANGUAGES:
        return LanguageTable()
    folder = importlib.resources.files(__package__).joinpath("languages")
    content = folder.joinpath(f"{primary}.toml").read_bytes()
    return msgspec.toml.decode(content, type=LanguageTable)
