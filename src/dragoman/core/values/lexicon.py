"""The tables of a language ready for look-ups: phrases by their first word."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Generic, TypeVar

from dragoman.core.values.folding import fold, primary_language
from dragoman.core.values.language_table import LanguageTable, common_table, language_table

T = TypeVar("T")

FULL_LANGUAGES = ("en", "fil", "id", "pt", "th", "vi", "zh")
"""Languages that have a table. Of others only figures, signs and characters are read."""


class PhraseTable(Generic[T]):
    """Phrases of one or more words, found from a word on; the longest one counts."""

    __slots__ = ("_by_first",)

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
        phrases = self._by_first.get(words[place])
        if phrases is None:
            return None
        for phrase, value in phrases:
            end = place + len(phrase)
            if len(phrase) == 1 or tuple(words[place:end]) == phrase:
                return value, end
        return None

    def after(self, words: Sequence[str], place: int) -> int:
        """Return the place after a phrase; the same place where there is none."""
        found = self.at(words, place)
        return place if found is None else found[1]


def phrase_words(phrase: str, language: str) -> tuple[str, ...]:
    """Return the words of a phrase as tokens have them: folded and in small letters."""
    return tuple(fold(phrase, language).text.casefold().split())


class _Tables:
    """Makes tables of phrases in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def phrases(self, entries: Mapping[str, T]) -> PhraseTable[T]:
        return PhraseTable(entries, self.language)

    def words(self, words: Iterable[str]) -> PhraseTable[bool]:
        return PhraseTable(dict.fromkeys(words, True), self.language)

    def firsts(self, words: Iterable[str]) -> frozenset[str]:
        return frozenset(phrase_words(word, self.language)[0] for word in words)


class NumberWords:
    """The words of numbers: cardinals, ordinals, fractions and percentages.

    Attributes:
        starts: The words that a number may begin with, where no prefix is written against it.
        beside: The words that tell of a digit beside them that it is one.
    """

    def __init__(self, table: LanguageTable, tables: _Tables) -> None:
        digits = {word: Decimal(number) for number, word in enumerate(table.digits)}
        others = {word: Decimal(number) for word, number in table.numbers.items()}
        self.digit = tables.phrases(digits)
        self.unit = tables.phrases(digits | others)
        self.tens = tables.phrases(table.tens)
        self.teens = tables.phrases(table.teens)
        self.multiplier = tables.phrases(table.multipliers)
        self.glued = tables.firsts(table.glued)
        self.half = tables.phrases(table.halves)
        self.joining = tables.words(table.and_)
        self.decimal = tables.words(table.decimal_words)
        self.minus = tables.words(table.minus)
        self.percent = tables.words(table.percent)
        self.percent_prefix = tables.words(table.percent_prefixes)
        self.not_number = tables.words(table.not_numbers)
        self.contextual = tables.firsts(table.contextual)
        self.contextual_openers = tables.firsts(table.contextual_openers)
        self.last_digit = tables.words(table.last_digit)
        self.repeats = table.repeats
        self.zeros = frozenset(table.spoken_zeros)
        # A lone letter such as `o` says nothing about what is beside it.
        self.among_digits = frozenset().union(
            self.unit.first_words(), self.repeats, (word for word in self.zeros if len(word) > 1)
        )
        self.fractions = table.fractions
        self.ones = frozenset(table.one_words)
        self.ordinal = tables.phrases(table.ordinals)
        self.ambiguous_ordinals = table.ambiguous_ordinals
        self.classifiers = frozenset(table.classifiers)
        self.openers = frozenset(table.number_openers)
        leading = self.decimal.first_words() if table.leading_decimal else frozenset()
        own = (self.unit, self.tens, self.multiplier, self.last_digit)
        self.starts = frozenset().union(
            *(words.first_words() for words in own), leading, self.zeros, self.repeats, self.ones
        )
        beside = (self.unit, self.tens, self.multiplier, self.decimal, self.minus)
        self.beside = frozenset().union(
            *(words.first_words() for words in (*beside, self.percent_prefix))
        )


class DateWords:
    """The words of dates."""

    def __init__(self, table: LanguageTable, tables: _Tables) -> None:
        self.month = tables.phrases(table.months)
        self.link = tables.words(table.date_links)
        self.articles = frozenset(table.articles)
        self.day_marker = tables.words(table.day_markers)
        self.month_marker = tables.words(table.month_markers)
        self.year_marker = tables.words(table.year_markers)
        self.day_suffix = tables.words(table.day_suffixes)
        self.month_suffix = tables.words(table.month_suffixes)
        self.year_suffix = tables.words(table.year_suffixes)


class ClockWords:
    """The words of times of day."""

    def __init__(self, table: LanguageTable, tables: _Tables) -> None:
        self.hour = tables.words(table.hour_words)
        self.minute = tables.words(table.minute_words)
        self.oclock = tables.words(table.oclock)
        self.prefix = tables.words(table.clock_prefixes)
        self.day_part = tables.phrases(table.day_parts)
        self.polite = tables.words(table.polite)
        self.moment = tables.phrases(table.moments)
        self.quarter = tables.phrases(table.quarters)
        self.half_hour = tables.words(table.half_hours)
        self.half_before = tables.words(table.half_before)
        self.fractions = table.clock_fractions
        self.past_hour = frozenset(table.past_hour)
        self.before_hour = frozenset(table.before_hour)
        self.beside_hour = self.past_hour | self.before_hour
        self.before_hour_minus = tables.words(table.before_hour_minus)
        self.less = tables.words(table.less)
        self.past = tables.words(table.past)


class AmountWords:
    """The words of currencies and of units of measure."""

    def __init__(self, table: LanguageTable, tables: _Tables) -> None:
        common = common_table()
        self.default = table.currency
        self.names = frozenset(common.currency_signs.values()) | {"yuan"}
        self.currency = tables.phrases(common.currencies | table.currencies)
        self.link = tables.words(table.currency_links)
        self.hundredth = tables.phrases(table.hundredths)
        self.unit = tables.phrases(common.units | table.units)
        self.powers = table.powers


class ValueLexicon:
    """The tables of one language, ready for look-ups.

    Attributes:
        language: Its primary language.
        table: The words as the file lists them.
        is_spaced: Whether words have spaces between them.
        decimal: The sign before decimals.
        changed_words: The words that phrases begin with which are counted as something else.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self.table = table = (
            language_table(language) if language in FULL_LANGUAGES else LanguageTable()
        )
        common = common_table()
        tables = _Tables(language)
        self.is_spaced = language not in common.unspaced.names
        self.decimal = "," if language in common.decimal_comma.names else table.decimal
        self.numbers = NumberWords(table, tables)
        self.dates = DateWords(table, tables)
        self.clock = ClockWords(table, tables)
        self.amounts = AmountWords(table, tables)
        self.sign = tables.phrases(table.signs)
        self.word = tables.phrases({word: tuple(to.split()) for word, to in table.words.items()})
        self.filler = tables.words(table.fillers)
        self.letter = tables.phrases(table.letters)
        self.spelled_by = tables.words(table.spelled_by)
        self.code_link = tables.words(table.code_links)
        self.changed_words = frozenset().union(
            *(found.first_words() for found in (self.filler, self.word, self.sign))
        )

    def phrases(self) -> tuple[str, ...]:
        """Return all phrases, the longest first, for scripts without spaces between words."""
        table = self.table
        lists: tuple[Iterable[str], ...] = (
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
def lexicon_of(language: str) -> ValueLexicon:
    """Return the tables of a language; those of one without a file hold signs and symbols alone."""
    return _lexicon(primary_language(language))


@cache
def _lexicon(primary: str) -> ValueLexicon:
    return ValueLexicon(primary)
