"""Numbers, fractions, ordinals and percentages."""

from decimal import Decimal

from dragoman.core.values.items import ReadItem, number_atoms
from dragoman.core.values.language_table import common_table
from dragoman.core.values.numbers import NumberSpan
from dragoman.core.values.state import ReaderState

_TEN, _HUNDRED = 10, 100
_TENS = range(20, 100, 10)


def read_number(state: ReaderState, at: int) -> ReadItem | None:
    """Read a number: `25`, `minus five`, `three quarters`."""
    is_minus, start = state.minus(at)
    number = state.number(start)
    if number is None:
        return _fraction(state, at)
    if is_minus:
        atoms = ("minus", *number_atoms(number))
        return ReadItem("number", atoms, at, number.end, -number.value, "", number.is_words)
    return _fraction(state, at) or _plain(number, at)


def _plain(number: NumberSpan, at: int) -> ReadItem:
    atoms = number_atoms(number)
    return ReadItem("number", atoms, at, number.end, number.value, number.digits, number.is_words)


def _fraction(state: ReaderState, at: int) -> ReadItem | None:
    """Read `one half`, `three quarters`."""
    numbers = state.lexicon.numbers
    if not numbers.fractions:
        return None
    number = state.number(at)
    if number is None and state.words[at] not in numbers.ones:
        return None
    end = at + 1 if number is None else number.end
    bottom = numbers.fractions.get(state.words[end]) if state.near(end) else None
    if bottom is None or (
        state.near(end + 1) and state.words[end + 1] in state.lexicon.clock.beside_hour
    ):
        return None
    if number is not None and (not number.is_words or number.value >= bottom):
        return None
    top = Decimal(1) if number is None else number.value
    atoms = (*f"{top:f}", "slash", str(bottom))
    return ReadItem("number", atoms, at, end + 1, top / bottom, "", is_words=True)


def read_percent(state: ReaderState, at: int) -> ReadItem | None:
    """Read `60%`, `minus five percent`, `百分之二十`."""
    numbers = state.lexicon.numbers
    prefix = numbers.percent_prefix.at(state.words, at)
    if prefix is not None and state.follows(prefix[1]):
        number = state.number(prefix[1])
        if number is not None:
            return _as_percent(at, number, number.end, minus=False)
    is_minus, start = state.minus(at)
    number = state.number(start)
    if number is None or not state.near(number.end):
        return None
    if state.words[number.end] == "percent":  # as the sign is named
        return _as_percent(at, number, number.end + 1, minus=is_minus)
    end = numbers.percent.after(state.words, number.end)
    return None if end == number.end else _as_percent(at, number, end, minus=is_minus)


def _as_percent(at: int, number: NumberSpan, end: int, *, minus: bool) -> ReadItem:
    atoms = (*(("minus",) if minus else ()), *number_atoms(number), "percent")
    value = -number.value if minus else number.value
    return ReadItem("percent", atoms, at, end, value, number.digits, number.is_words)


def read_ordinal(state: ReaderState, at: int) -> ReadItem | None:
    """Read `21st`, `fifth`, `twenty first`, `ikalima`."""
    token = state.tokens[at]
    if token.kind == "figure":
        if token.text.isdigit() and is_ordinal_ending(state, at + 1):
            return _as_ordinal(state, at, Decimal(token.text), at + 2, is_words=False)
        return None
    if token.kind != "word":
        return None
    found = state.lexicon.numbers.ordinal.at(state.words, at) or _prefixed(state, at)
    if found is not None:
        return _as_ordinal(state, at, Decimal(found[0]), found[1], is_words=True)
    return _compound(state, at) if state.lexicon.table.compound_ordinals else None


def is_ordinal_ending(state: ReaderState, at: int) -> bool:
    """Whether a token is written against a figure to make it an ordinal."""
    is_ending = state.glued(at) and state.words[at] in common_table().ordinal_endings.names
    return is_ending and not state.glued(at + 1)


def _prefixed(state: ReaderState, at: int) -> tuple[int, int] | None:
    """Read a number word behind a prefix that is written against it: `ikalabindalawa`."""
    for prefix in state.lexicon.table.ordinal_prefixes:
        word = state.words[at].removeprefix(prefix)
        if word == state.words[at]:
            continue
        found = state.lexicon.numbers.unit.at((word,), 0)
        if found is not None:
            return int(found[0]), at + 1
    return None


def _compound(state: ReaderState, at: int) -> ReadItem | None:
    """Read a number that an ordinal ends: `twenty first`, `two hundredth`."""
    number, numbers = state.number(at), state.lexicon.numbers
    if number is None or not number.is_words or not state.near(number.end):
        return None
    last = numbers.ordinal.at(state.words, number.end)
    if last is None:
        return None
    rest = number.value % _HUNDRED
    is_unit = last[0] < _TEN and state.words[number.end] not in numbers.ambiguous_ordinals
    is_whole = number.value >= _HUNDRED and rest == 0
    if not ((rest in _TENS and is_unit) or is_whole):
        return None
    return _as_ordinal(state, at, number.value + last[0], last[1], is_words=True)


def _as_ordinal(
    state: ReaderState, at: int, value: Decimal, end: int, *, is_words: bool
) -> ReadItem:
    table = state.lexicon.table
    named = next((word for word, of in table.ambiguous_ordinals.items() if of == value), "")
    digits = f"{value:f}"
    if named:
        atoms: tuple[str, ...] = (named,)
    elif table.ordinal_mark:
        atoms = (table.ordinal_mark, *digits)
    else:
        atoms = (*digits, "th")
    return ReadItem("ordinal", atoms, at, end, value, "", is_words)
