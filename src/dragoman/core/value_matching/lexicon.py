"""Lexicons of languages: words for numbers, dates, times, money, units and signs."""

import importlib.resources
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Generic, TypeVar

import msgspec

from dragoman.core.value_matching.folding import fold, primary_language


class LanguageTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The words of one language, as in its file.

    Attributes:
        digits: The words of 0 to 9.
        numbers: Other words that are units of a number.
        tens: Words that multiply a unit by ten.
        teens: Words behind a unit that add ten to it.
        multipliers: Words that multiply the number before them.
        glued: Other words that form a number with the figure that they are attached to.
        halves: Words that add a fraction of the last place.
        and_: Words between the parts of a number.
        decimal: The sign before decimals.
        decimal_words: The words for the decimal sign.
        leading_decimal: Whether a number may begin with a decimal word: `point five`.
        shorthand: Whether a last digit may stand for the next place: `三千五`.
        repeats: Words that repeat the digit behind them.
        spoken_zeros: Words that mean zero only among digits.
        last_digit: Words that mean six only among digits.
        contextual: Words that are number words only next to other number words.
        contextual_openers: Words behind which contextual words are numbers too.
        not_numbers: Phrases that contain number words but are not numbers.
        classifiers: Words that count; in a language with such words, a lone digit is a number only
            before them.
        number_openers: Words behind which a lone digit is a number too.
        minus: Words for a negative number.
        percent: Words for a percentage, and those before it.
        percent_prefixes: Words before a percentage.
        fractions: Words for parts, and the number of parts in a whole.
        articles: Words before an ordinal or a month.
        one_words: Words for one before a fraction.
        ordinals: Words for ordinals.
        ordinal_prefixes: Prefixes of number words that make ordinals.
        ordinal_mark: The unit of ordinals before their digits; if it is empty, `th` follows them.
        ambiguous_ordinals: Ordinals that are also a unit of time.
        compound_ordinals: Whether an ordinal may end a number: `twenty first`.
        months: The names of months.
        month_first: Whether a date in figures with slashes begins with the month.
        date_links: Words between the parts of a date.
        day_markers: Words before a day.
        month_markers: Words before the number of a month.
        year_markers: Words before a year.
        day_suffixes: Words behind a day.
        month_suffixes: Words behind the number of a month.
        year_suffixes: Words behind a year.
        buddhist: Whether years may be counted from the Buddha's death.
        hour_words: Words behind an hour.
        hour_is_marked: Whether an hour without minutes needs such a word or a part of the day.
        bare_morning: Whether an hour may lack an hour word behind the word for the morning.
        minute_words: Words behind minutes.
        minutes_follow: Whether minutes follow an hour without an hour word.
        joined_minutes: Whether a word such as `and` may stand before minutes.
        two_digit_minutes: Whether minutes under ten need a zero before them.
        half_hours: Phrases for thirty minutes behind an hour.
        half_before: Words for half an hour before the following hour.
        clock_fractions: Words for parts of an hour before `past_hour` and `before_hour`.
        past_hour: Words between minutes and the hour that they follow.
        before_hour: Words between minutes and the hour that they precede.
        before_hour_minus: Words between minutes and the hour from which they are subtracted.
        less: Words before minutes that are subtracted.
        past: Words before minutes that are added.
        quarters: Phrases for quarters of an hour.
        moments: Names of times, in minutes of the day.
        day_parts: Names of parts of the day.
        polite: Words that may stand before parts of the day.
        oclock: Words behind a full hour.
        clock_prefixes: Words before a time.
        currency: The currency of hundredths if none is stated.
        currencies: Names of currencies.
        currency_links: Words before names of currencies.
        hundredths: Names of hundredths, and their currencies.
        units: Names of units of measure.
        powers: Words before a unit that raise it to a power.
        signs: Names of signs.
        words: Words with several spellings.
        letters: Names of letters.
        spelled_by: Phrases between a letter and a word that begins with it.
        code_links: Words between the parts of a code.
        fillers: Words without meaning.
    """

    digits: tuple[str, ...] = ()
    numbers: dict[str, int] = {}
    tens: dict[str, int] = {}
    teens: dict[str, int] = {}
    multipliers: dict[str, int] = {}
    glued: tuple[str, ...] = ()
    halves: dict[str, float] = {}
    and_: tuple[str, ...] = msgspec.field(default=(), name="and")
    decimal: str = "."
    decimal_words: tuple[str, ...] = ()
    leading_decimal: bool = False
    shorthand: bool = False
    repeats: dict[str, int] = {}
    spoken_zeros: tuple[str, ...] = ()
    last_digit: tuple[str, ...] = ()
    contextual: tuple[str, ...] = ()
    contextual_openers: tuple[str, ...] = ()
    not_numbers: tuple[str, ...] = ()
    classifiers: tuple[str, ...] = ()
    number_openers: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()
    percent: tuple[str, ...] = ("%",)
    percent_prefixes: tuple[str, ...] = ()
    fractions: dict[str, int] = {}
    articles: tuple[str, ...] = ()
    one_words: tuple[str, ...] = ()
    ordinals: dict[str, int] = {}
    ordinal_prefixes: tuple[str, ...] = ()
    ordinal_mark: str = ""
    ambiguous_ordinals: dict[str, int] = {}
    compound_ordinals: bool = False
    months: dict[str, int] = {}
    month_first: bool = False
    date_links: tuple[str, ...] = ()
    day_markers: tuple[str, ...] = ()
    month_markers: tuple[str, ...] = ()
    year_markers: tuple[str, ...] = ()
    day_suffixes: tuple[str, ...] = ()
    month_suffixes: tuple[str, ...] = ()
    year_suffixes: tuple[str, ...] = ()
    buddhist: bool = False
    hour_words: tuple[str, ...] = ()
    hour_is_marked: bool = False
    bare_morning: bool = False
    minute_words: tuple[str, ...] = ()
    minutes_follow: bool = False
    joined_minutes: bool = False
    two_digit_minutes: bool = False
    half_hours: tuple[str, ...] = ()
    half_before: tuple[str, ...] = ()
    clock_fractions: dict[str, int] = {}
    past_hour: tuple[str, ...] = ()
    before_hour: tuple[str, ...] = ()
    before_hour_minus: tuple[str, ...] = ()
    less: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    quarters: dict[str, int] = {}
    moments: dict[str, int] = {}
    day_parts: dict[str, str] = {}
    polite: tuple[str, ...] = ()
    oclock: tuple[str, ...] = ()
    clock_prefixes: tuple[str, ...] = ()
    currency: str = "dollar"
    currencies: dict[str, str] = {}
    currency_links: tuple[str, ...] = ()
    hundredths: dict[str, str] = {}
    units: dict[str, str] = {}
    powers: dict[str, str] = {}
    signs: dict[str, str] = {}
    words: dict[str, str] = {}
    letters: dict[str, str] = {}
    spelled_by: tuple[str, ...] = ()
    code_links: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()


class _Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A list of words, name endings or language tags."""

    names: tuple[str, ...]


class CommonTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table that all languages share.

    Attributes:
        currency_signs: The currencies of signs and letters before or behind an amount.
        currencies: The currencies of codes and signs behind a number.
        units: The units of symbols.
        endings: The endings of file names and host names.
        decimal_comma: Languages without a table that have a decimal comma.
        unspaced: Languages without spaces between words.
        abbreviated: Words whose dot does not end a sentence.
        ordinal_endings: Endings that make an ordinal of a figure.
        code_labels: Acronyms before codes that do not belong to them.
        lone_words: Letters that are also words, such as articles.
    """

    currency_signs: dict[str, str]
    currencies: dict[str, str]
    units: dict[str, str]
    endings: _Names
    decimal_comma: _Names
    unspaced: _Names
    abbreviated: _Names
    ordinal_endings: _Names
    code_labels: _Names
    lone_words: _Names


@cache
def common_table() -> CommonTable:
    """Return the table that all languages share."""
    content = importlib.resources.files(__package__).joinpath("common.toml").read_bytes()
    return msgspec.toml.decode(content, type=CommonTable)


def language_table(name: str) -> LanguageTable:
    """Return the table of a language that has a file."""
    folder = importlib.resources.files(__package__).joinpath("languages")
    return msgspec.toml.decode(folder.joinpath(f"{name}.toml").read_bytes(), type=LanguageTable)


T = TypeVar("T")

FULL_LANGUAGES = ("en", "fil", "id", "pt", "th", "vi", "zh")
"""Languages with a table.

In other languages only figures, signs and characters are read.
"""


class PhraseTable(Generic[T]):
    """Phrases of one or more words, found by their first word; the longest match counts."""

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
        """Return the first words of the phrases."""
        return frozenset(self._by_first)

    def at(self, words: Sequence[str], place: int) -> tuple[T, int] | None:
        """Return the value of the longest phrase at a position, and the position after it."""
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
        """Return the position after a phrase; the same position without a phrase."""
        found = self.at(words, place)
        return place if found is None else found[1]


def phrase_words(phrase: str, language: str) -> tuple[str, ...]:
    """Return the words of a phrase in the form of tokens: folded and in small letters."""
    return tuple(fold(phrase, language).text.casefold().split())


class _Tables:
    """Factory of phrase tables in one language."""

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
        starts: The possible first words of a number, without attached prefixes.
        beside: The words that make a neighboring digit a number.
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
        # A lone letter such as `o` says nothing about its neighbors.
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
        table: The words as in the file.
        is_spaced: Whether words have spaces between them.
        decimal: The decimal sign.
        changed_words: The first words of phrases that are counted as other words.
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
    """Return the tables of a language; without a file they have only signs and symbols."""
    return _lexicon(primary_language(language))


@cache
def _lexicon(primary: str) -> ValueLexicon:
    return ValueLexicon(primary)
