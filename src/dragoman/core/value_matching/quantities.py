"""Readers of numbers, fractions, ordinals, percentages, money and units of measure."""

from decimal import Decimal

from dragoman.core.value_matching.lexicon import common_table
from dragoman.core.value_matching.numbers import NumberSpan
from dragoman.core.value_matching.reader_state import (
    ReaderState,
    ReadItem,
    decimal_atoms,
    number_atoms,
)

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
    found = state.lexicon.numbers.ordinal.at(state.words, at) or _read_prefixed_number(state, at)
    if found is not None:
        return _as_ordinal(state, at, Decimal(found[0]), found[1], is_words=True)
    return _compound(state, at) if state.lexicon.table.compound_ordinals else None


def is_ordinal_ending(state: ReaderState, at: int) -> bool:
    """Return whether a token is an ending that makes an ordinal of the figure before it."""
    is_ending = state.glued(at) and state.words[at] in common_table().ordinal_endings.names
    return is_ending and not state.glued(at + 1)


def _read_prefixed_number(state: ReaderState, at: int) -> tuple[int, int] | None:
    """Read a number word with an attached prefix: `ikalabindalawa`."""
    for prefix in state.lexicon.table.ordinal_prefixes:
        word = state.words[at].removeprefix(prefix)
        if word == state.words[at]:
            continue
        found = state.lexicon.numbers.unit.at((word,), 0)
        if found is not None:
            return int(found[0]), at + 1
    return None


def _compound(state: ReaderState, at: int) -> ReadItem | None:
    """Read a number that ends with an ordinal: `twenty first`, `two hundredth`."""
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


_TENTHS_PER_UNIT, _CENTS_PER_UNIT = 10, 100
_LETTERS = 3
"""Number of letters in a currency code."""


def read_money(state: ReaderState, at: int) -> ReadItem | None:
    """Read an amount, with its currency before or behind it."""
    is_minus, start = state.minus(at)
    if start >= state.count:
        return None
    return (
        _behind_sign(state, at, start, minus=is_minus)
        or _behind_code(state, at, start, minus=is_minus)
        or _before_name(state, at, start, minus=is_minus)
    )


def _behind_sign(state: ReaderState, at: int, start: int, *, minus: bool) -> ReadItem | None:
    """Read `$20`, also with the currency's name or code behind it."""
    if not _is_sign(state, start):
        return None
    number = state.near_number(start + 1)
    if number is None:
        return None
    sign, end = state.words[start], number.end
    again, place = _currency(state, end)
    if again and sign in {again, "dollar"}:  # `$20 AUD`
        end = place
    return _as_money((at, end), sign, number.value, number, minus=minus)


def _behind_code(state: ReaderState, at: int, start: int, *, minus: bool) -> ReadItem | None:
    """Read `USD 20`."""
    token = state.tokens[start]
    if token.kind != "word" or not token.is_upper:
        return None
    named = state.lexicon.amounts.currency.at(state.words, start)
    number = None if named is None else state.near_number(named[1])
    if named is None or number is None:
        return None
    return _as_money((at, number.end), named[0], number.value, number, minus=minus)


def _before_name(state: ReaderState, at: int, start: int, *, minus: bool) -> ReadItem | None:
    """Read `twenty dollars`, `fifty cents`, `三块五`."""
    number = None if _is_sign(state, start) else state.number(start)
    if number is None or not state.near(number.end):
        return None
    amounts = state.lexicon.amounts
    cents = amounts.hundredth.at(state.words, number.end)
    if cents is not None:
        currency, value = cents[0] or amounts.default, number.value / _CENTS_PER_UNIT
        return _as_money((at, cents[1]), currency, value, number, minus=minus)
    currency, end = _currency(state, number.end)
    if not currency:
        return None
    value, end = _with_hundredths(state, number.value, end)
    return _as_money((at, end), currency, value, number, minus=minus)


def _is_sign(state: ReaderState, at: int) -> bool:
    return state.tokens[at].kind == "sign" and state.words[at] in state.lexicon.amounts.names


def _currency(state: ReaderState, at: int) -> tuple[str, int]:
    """Return the currency at a token, also from its spelled code, and the token after it."""
    if not state.near(at):
        return "", at
    words, amounts = state.words, state.lexicon.amounts
    if _is_sign(state, at):
        # A sign before another number is that number's.
        is_before = state.near_number(at + 1) is not None
        return ("", at) if is_before else (words[at], at + 1)
    linked = amounts.link.after(words, at)
    found = amounts.currency.at(words, linked if state.near(linked) else at)
    if found is not None:
        return found
    if len(words[at]) == 1 and state.near(at + 2):
        letters = "".join(words[at : at + _LETTERS])
        named = amounts.currency.at((letters,), 0) if len(letters) == _LETTERS else None
        if named is not None:
            return named[0], at + _LETTERS
    return "", at


def _with_hundredths(state: ReaderState, value: Decimal, at: int) -> tuple[Decimal, int]:
    """Add `and fifty cents`, or a lone digit in languages that allow it, to an amount."""
    lexicon = state.lexicon
    start = lexicon.numbers.joining.after(state.words, at)
    number = state.near_number(start) if state.near(at) else None
    if number is None or number.value >= _CENTS_PER_UNIT or value != value.to_integral_value():
        return value, at
    named = (
        lexicon.amounts.hundredth.at(state.words, number.end) if state.near(number.end) else None
    )
    if named is not None:
        return value + number.value / _CENTS_PER_UNIT, named[1]
    if lexicon.table.shorthand and number.value < _TENTHS_PER_UNIT and number.digits:
        return value + number.value / _TENTHS_PER_UNIT, number.end  # `三块五`
    return value, at


def _as_money(
    span: tuple[int, int], currency: str, value: Decimal, number: NumberSpan, *, minus: bool
) -> ReadItem:
    atoms = (*(("minus",) if minus else ()), *decimal_atoms(abs(value)), currency)
    first, end = span
    signed = -value if minus else value
    return ReadItem("money", atoms, first, end, (currency, signed), "", number.is_words)


_SCALES = {"c": "celsius", "f": "fahrenheit", "celsius": "celsius", "fahrenheit": "fahrenheit"}
_POWERS = frozenset({"squared", "cubed"})
_BESIDE = frozenset({"", " "})
_NEAR = frozenset({"", " ", "-"})
_NOTHING: tuple[tuple[str, ...], int] = ((), 0)


def read_unit(state: ReaderState, at: int) -> ReadItem | None:
    """Read the unit behind a number, with its powers and its divisor."""
    return _whole_unit(state, at) if at < state.count and state.tokens[at].gap in _NEAR else None


def _whole_unit(state: ReaderState, at: int) -> ReadItem | None:
    atoms, end = _one_unit(state, at, is_divided=False)
    if not atoms:
        return None
    while end < state.count:
        token = state.tokens[end]
        if token.text in _POWERS and token.gap in _BESIDE:
            atoms, end = (*atoms, token.text), end + 1
            continue
        is_more = _is_division(state, end) and state.near(end + 1)
        more, place = _one_unit(state, end + 1, is_divided=True) if is_more else _NOTHING
        if not more:
            break
        atoms, end = (*atoms, "per", *more), place
    return ReadItem("word", atoms, at, end)


def read_divided_unit(state: ReaderState, at: int) -> ReadItem | None:
    """Read a unit without a number if it is divided by another: `speed in km/h`."""
    is_unit = at + 2 < state.count and state.is_word(at) and _is_division(state, at + 1)
    return _whole_unit(state, at) if is_unit else None


def _is_division(state: ReaderState, at: int) -> bool:
    """Return whether a token divides units."""
    return state.words[at] == "per" or (state.words[at] == "/" and state.tokens[at].kind == "sign")


def _one_unit(state: ReaderState, at: int, *, is_divided: bool) -> tuple[tuple[str, ...], int]:
    """Return the units at a token, without powers behind them, and the token after them."""
    if at >= state.count:
        return _NOTHING
    token = state.tokens[at]
    if token.kind != "word":
        is_degree = token.kind == "sign" and token.text == "degree"
        return _degree(state, at + 1) if is_degree else _NOTHING
    amounts = state.lexicon.amounts
    power = amounts.powers.get(token.text)
    if power is not None and state.near(at + 1):
        inner, end = _one_unit(state, at + 1, is_divided=True)
        return ((*inner, power), end) if inner else _NOTHING
    found = amounts.unit.at(state.words, at)
    if found is None:
        return _NOTHING
    name, end = found
    is_symbol = len(token.text) == 1 and token.text.isascii()
    if is_symbol and not is_divided and state.word(end) != "/":
        return _NOTHING  # `5 m` may be a letter
    return _degree(state, end) if name == "degree" else (tuple(name.split()), end)


def _degree(state: ReaderState, at: int) -> tuple[tuple[str, ...], int]:
    """Return a degree with the scale at a token, if there is one."""
    scale = _SCALES.get(state.words[at]) if state.near(at) else None
    return (("degree", scale), at + 1) if scale else (("degree",), at)
