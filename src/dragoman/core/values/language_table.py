"""What the files of languages hold: their words for numbers, dates, times, money, units and signs.

One file a language, `languages/NAME.toml`, and `common.toml` for what all languages share. A field that
a file does not have is empty; one that is not known here is refused.
"""

import importlib.resources
from functools import cache

import msgspec


class LanguageTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The words of one language, as its file lists them.

    Attributes:
        digits: The words of 0 to 9.
        numbers: Other words that are units of a number.
        tens: Words that multiply a unit by ten.
        teens: Words behind a unit that add ten to it.
        multipliers: Words that multiply what stands before them.
        glued: Other words that are a number with the figure that they are written against.
        halves: Words that add a part of the last place.
        and_: Words between the parts of a number.
        decimal: The sign before decimals.
        decimal_words: The words for it.
        leading_decimal: Whether a number may begin with one: `point five`.
        shorthand: Whether a last digit may stand for the next place: `三千五`.
        repeats: Words that repeat the digit behind them.
        spoken_zeros: Words that are a zero among digits alone.
        last_digit: Words that are a six among digits alone.
        contextual: Number words that are one only beside other number words.
        contextual_openers: Words behind which they are numbers too.
        not_numbers: Phrases that have number words and are none.
        classifiers: Words that count; where there are any, a lone digit is one before them alone.
        number_openers: Words behind which a lone digit is one too.
        minus: Words for a negative number.
        percent: Words for a percentage, and those before it.
        percent_prefixes: Words before a percentage.
        fractions: Words for parts, and how many make one.
        articles: Words before an ordinal or a month.
        one_words: Words for one before a fraction.
        ordinals: Words for ordinals.
        ordinal_prefixes: What is written before a number word to make it an ordinal.
        ordinal_mark: The unit of ordinals before their digits; where it is empty, `th` stands behind.
        ambiguous_ordinals: Ordinals that are a unit of time too.
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
        bare_morning: Whether it may go without one behind the word for the morning.
        minute_words: Words behind minutes.
        minutes_follow: Whether minutes follow an hour that has no such word.
        joined_minutes: Whether a word such as `and` may stand before them.
        two_digit_minutes: Whether minutes under ten need a zero before them.
        half_hours: Phrases for thirty minutes behind an hour.
        half_before: Words for half an hour before the hour that follows.
        clock_fractions: Words for parts of an hour before `past_hour` and `before_hour`.
        past_hour: Words between minutes and the hour that they follow.
        before_hour: Words between minutes and the hour that they precede.
        before_hour_minus: Words between them where the hour is counted back.
        less: Words before minutes that are taken off.
        past: Words before minutes that are added.
        quarters: Phrases for quarters of an hour.
        moments: Names of times, in minutes of the day.
        day_parts: Names of parts of the day.
        polite: Words that may stand before them.
        oclock: Words behind a full hour.
        clock_prefixes: Words before a time.
        currency: What the hundredths are of where nothing else is said.
        currencies: Names of currencies.
        currency_links: Words before them.
        hundredths: Names of hundredths, and the currency that they are of.
        units: Names of units of measure.
        powers: Words before a unit that raise it.
        signs: Names of signs.
        words: Words that are written in more than one way.
        letters: Names of letters.
        spelled_by: Phrases between a letter and a word that begins with it.
        code_links: Words between the parts of a code.
        fillers: Words that say nothing.
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
    """Words, the ends of names, or tags of languages."""

    names: tuple[str, ...]


class CommonTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all languages share.

    Attributes:
        currency_signs: The currencies of signs and letters before or behind an amount.
        currencies: The currencies of codes and signs behind a number.
        units: The units of symbols.
        endings: What the names of files and hosts end with.
        decimal_comma: Languages without a table whose decimals stand behind a comma.
        unspaced: Languages without spaces between words.
        abbreviated: Words whose dot ends no sentence.
        ordinal_endings: What is written against a figure to make it an ordinal.
        code_labels: Acronyms before codes that are no part of them.
        lone_words: Letters that are words too, such as articles.
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
    """Return what all languages share."""
    content = importlib.resources.files(__package__).joinpath("common.toml").read_bytes()
    return msgspec.toml.decode(content, type=CommonTable)


def language_table(name: str) -> LanguageTable:
    """Return the table of a language that has a file."""
    folder = importlib.resources.files(__package__).joinpath("languages")
    return msgspec.toml.decode(folder.joinpath(f"{name}.toml").read_bytes(), type=LanguageTable)
