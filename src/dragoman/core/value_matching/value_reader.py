"""Typed reading of a text: numbers, money, dates, times, codes and words, in order."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from dragoman.core.value_matching.dates_times import read_date, read_time
from dragoman.core.value_matching.lexicon import ValueLexicon, common_table, lexicon_of
from dragoman.core.value_matching.quantities import (
    read_divided_unit,
    read_money,
    read_number,
    read_ordinal,
    read_percent,
    read_unit,
)
from dragoman.core.value_matching.reader_state import ReaderState, ReadItem, Readout, figure_atoms
from dragoman.core.value_matching.tokenizer import TextToken, tokenize

_SPELLED = 2
"""Most small letters next to figures that count as letters; more are a word."""
_MOST_ACRONYM = 6
_IN_CODE = frozenset({"word", "figure"})


def read_code(state: ReaderState, at: int) -> ReadItem | None:
    """Read letters and figures that are written together: `W2378156`, not `20km` or `5th`."""
    if not state.glued(at + 1):
        return None
    end = at + 1
    while state.glued(end) and state.tokens[end].kind in _IN_CODE:
        end += 1
    kinds = [token.kind for token in state.tokens[at:end]]
    if "word" not in kinds or "figure" not in kinds:
        return None
    if kinds == ["figure", "word"] and _is_measure(state, at + 1):
        return None
    atoms: list[str] = []
    for token in state.tokens[at:end]:
        atoms += code_atoms(token) if token.kind == "word" else figure_atoms(token.text)
    return ReadItem("code", tuple(atoms), at, end)


def _is_measure(state: ReaderState, at: int) -> bool:
    """Return whether a word is attached to a figure because it says what the figure counts."""
    word, lexicon = state.words[at], state.lexicon
    numbers, clock, amounts = lexicon.numbers, lexicon.clock, lexicon.amounts
    if not word.isascii() or word in common_table().ordinal_endings.names:
        return True
    if word in amounts.unit and (len(word) > 1 or state.word(at + 1) == "/"):
        return True
    tables = (clock.day_part, numbers.multiplier, clock.hour, amounts.currency)
    return word in numbers.glued or any(word in table for table in tables)


def code_atoms(token: TextToken) -> tuple[str, ...]:
    """Return the letters of a word in a code; a longer one in small letters is one unit."""
    text = token.text
    if not text.isascii() or (len(text) > _SPELLED and not token.is_upper):
        return (text,)
    return tuple(text)


def read_word(state: ReaderState, at: int) -> ReadItem:
    """Read a word, a sign, or a figure without a value, as its canonical units."""
    token = state.tokens[at]
    if token.kind == "word":
        return (
            _read_special_word(state, at) if token.text in state.lexicon.changed_words else None
        ) or (ReadItem("word", _word_atoms(state, token, at), at, at + 1))
    if token.kind == "sign":
        atoms = () if token.text == "/" else tuple(token.text.split())
        return ReadItem("sign", atoms, at, at + 1)
    digits = tuple(sign for sign in token.text if sign.isdigit())
    return ReadItem("word", digits, at, at + 1)


def _read_special_word(state: ReaderState, at: int) -> ReadItem | None:
    """Read a word without meaning, a sign's name, or a word that is counted as other words."""
    lexicon, words = state.lexicon, state.words
    if lexicon.filler.at(words, at) is not None:
        return ReadItem("word", (), at, at + 1)
    name = lexicon.sign.at(words, at)
    if name is not None and (name[1] > at + 1 or not state.tokens[at].is_upper):
        return ReadItem("sign", (name[0],), at, name[1])
    changed = lexicon.word.at(words, at)
    return None if changed is None else ReadItem("word", changed[0], at, changed[1])


def _word_atoms(state: ReaderState, token: TextToken, at: int) -> tuple[str, ...]:
    text = token.text
    is_acronym = token.is_upper and 1 < len(text) <= _MOST_ACRONYM and not state.shouts
    if is_acronym and text.isascii() and text.isalpha():
        return tuple(text)
    if "'" in text:
        is_owner = text.endswith("'s") and not (is_acronym and text.isascii())
        plain = text.removesuffix("'s") if is_owner else text
        return (plain.replace("'", ""), *(("s",) if is_owner else ()))
    if text == "hash" and at + 1 < state.count:
        return ()  # before an id: the sign is not counted either
    return (text,)


Reader = Callable[[ReaderState, int], ReadItem | None]
"""A function that reads the value of its type at a token; it returns None for no value."""

_READERS: tuple[Reader, ...] = (
    read_date,
    read_time,
    read_money,
    read_percent,
    read_code,
    read_ordinal,
    read_number,
)
"""The readers in order: a date or an amount begins with a token that is also a number."""

_BY_KIND: dict[str, tuple[Reader, ...]] = {"date": (read_date,), "time": (read_time,)}
_BEFORE_UNIT = frozenset({"number", "percent"})


@lru_cache(maxsize=1024)
def read(text: str, language: str) -> Readout:
    """Return the items of a text, in order."""
    lexicon = lexicon_of(language)
    tokens = tokenize(text, lexicon)
    items = _items(ReaderState(tokens, lexicon), _starts_of(lexicon.language))
    return Readout(text, language, tuple(tokens), tuple(items))


def _items(state: ReaderState, starts: "_Starts") -> list[ReadItem]:
    """Return the items of a text; every step takes at least one token."""
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
    """The readers by the first word of a value; most words have none.

    Attributes:
        by_word: The readers by word, in order.
        by_sign: The readers by sign: of currencies, and of negative numbers.
        prefixes: Prefixes of number words that make ordinals.
    """

    by_word: dict[str, tuple[Reader, ...]]
    by_sign: dict[str, tuple[Reader, ...]]
    prefixes: tuple[str, ...]

    def readers(self, state: ReaderState, at: int) -> tuple[Reader, ...]:
        """Return the readers to try at a token."""
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
    """Return the possible first words of a value for each reader.

    They apply if the value does not begin with a figure.
    """
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
