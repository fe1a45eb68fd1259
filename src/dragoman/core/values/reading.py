"""Typed readings of a text: numbers, money, dates, times, percentages, codes and words, in order.

`read_reply` returns items. Scoring compares their canonical units; the value matcher compares their values, and
rows of canonical units.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from dragoman.core.values.clock_times import read_time
from dragoman.core.values.dates import read_date
from dragoman.core.values.items import ReadItem, Readout
from dragoman.core.values.lexicon import ValueLexicon, lexicon_of
from dragoman.core.values.money import read_money
from dragoman.core.values.quantities import read_number, read_ordinal, read_percent
from dragoman.core.values.state import ReaderState
from dragoman.core.values.tokens import tokenize
from dragoman.core.values.units_of_measure import read_divided_unit, read_unit
from dragoman.core.values.words import read_code, read_word

Reader = Callable[[ReaderState, int], ReadItem | None]
"""Reads the value that begins at a token; None where none of its type does."""

_READERS: tuple[Reader, ...] = (
    read_date,
    read_time,
    read_money,
    read_percent,
    read_code,
    read_ordinal,
    read_number,
)
"""In this order: a date or an amount begins with what is a number too."""

_BY_KIND: dict[str, tuple[Reader, ...]] = {"date": (read_date,), "time": (read_time,)}
_BEFORE_UNIT = frozenset({"number", "percent"})


@lru_cache(maxsize=1024)
def read(text: str, language: str) -> Readout:
    """Return the readings of a text, in its order."""
    lexicon = lexicon_of(language)
    tokens = tokenize(text, lexicon)
    items = _items(ReaderState(tokens, lexicon), _starts_of(lexicon.language))
    return Readout(text, language, tuple(tokens), tuple(items))


def _items(state: ReaderState, starts: "_Starts") -> list[ReadItem]:
    """Return the items of a text; every step takes a token at least."""
    found: list[ReadItem] = []
    at = 0
    while at < state.count:
        item = _value(state, starts.readers(state, at), at)
        if item is None:
            item = read_divided_unit(state, at) or read_word(state, at)
        found.append(item)
        at = item.end
        if item.kind in _BEFORE_UNIT:
            unit = read_unit(state, at)
            if unit is not None:
                found.append(unit)
                at = unit.end
    return found


def _value(state: ReaderState, readers: tuple[Reader, ...], at: int) -> ReadItem | None:
    for reader in readers:
        item = reader(state, at)
        if item is not None:
            return item
    return None


class _Starts(NamedTuple):
    """Which readers may find a value that begins with a word; most words begin none.

    Attributes:
        by_word: The readers by the word, in their order.
        by_sign: The same of signs: of currencies, and of negative numbers.
        prefixes: What may be written before a number word to make it an ordinal.
    """

    by_word: dict[str, tuple[Reader, ...]]
    by_sign: dict[str, tuple[Reader, ...]]
    prefixes: tuple[str, ...]

    def readers(self, state: ReaderState, at: int) -> tuple[Reader, ...]:
        """Return the readers that are to be tried at a token."""
        kind, text = state.tokens[at].kind, state.words[at]
        if kind != "word":
            return (
                _READERS if kind == "figure" else _BY_KIND.get(kind) or self.by_sign.get(text, ())
            )
        found = self.by_word.get(text)
        if found is None:
            is_prefixed = self.prefixes and text.startswith(self.prefixes)
            found = (read_date, read_ordinal) if is_prefixed else ()
        if state.glued(at + 1):
            return _READERS if found else (read_code,)
        return found


@cache
def _starts_of(primary: str) -> _Starts:
    lexicon = lexicon_of(primary)
    firsts = _first_words(lexicon)
    words = frozenset().union(*firsts.values())
    by_word = {
        word: tuple(reader for reader in _READERS if word in firsts.get(reader, ()))
        for word in words
    }
    by_sign: dict[str, tuple[Reader, ...]] = dict.fromkeys(lexicon.amounts.names, (read_money,))
    by_sign["minus"] = (read_money, read_percent, read_number)
    return _Starts(by_word, by_sign, lexicon.table.ordinal_prefixes)


def _first_words(lexicon: ValueLexicon) -> dict[Reader, frozenset[str]]:
    """Return the words that a value of each reader may begin with, where it does not with a figure."""
    numbers, dates, clock = lexicon.numbers, lexicon.dates, lexicon.clock
    number = numbers.starts
    signed = number | numbers.minus.first_words()
    parts = frozenset() if lexicon.is_spaced else clock.day_part.first_words()
    ordinal = numbers.ordinal.first_words()
    return {
        read_date: number.union(
            *(dates.month.first_words(), dates.day_marker.first_words(), dates.articles, ordinal),
            dates.month_marker.first_words(),
        ),
        read_time: number.union(
            *(clock.prefix.first_words(), clock.moment.first_words(), parts, clock.fractions),
            *(clock.half_before.first_words(), clock.quarter.first_words()),
            numbers.ones if clock.fractions else (),
        ),
        read_money: signed | lexicon.amounts.currency.first_words(),
        read_percent: signed | numbers.percent_prefix.first_words(),
        read_ordinal: ordinal | (number if lexicon.table.compound_ordinals else frozenset()),
        read_number: signed | (numbers.ones if numbers.fractions else frozenset()),
    }
