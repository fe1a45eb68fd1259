"""Amounts of money: `$20`, `twenty dollars and fifty cents`, `1,5 juta rupiah`."""

from decimal import Decimal

from dragoman.core.values.items import ReadItem, decimal_atoms
from dragoman.core.values.numbers import NumberSpan
from dragoman.core.values.state import ReaderState

_TEN, _HUNDRED = 10, 100
_LETTERS = 3
"""The letters of a currency's code."""


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
        currency, value = cents[0] or amounts.default, number.value / _HUNDRED
        return _as_money((at, cents[1]), currency, value, number, minus=minus)
    currency, end = _currency(state, number.end)
    if not currency:
        return None
    value, end = _with_hundredths(state, number.value, end)
    return _as_money((at, end), currency, value, number, minus=minus)


def _is_sign(state: ReaderState, at: int) -> bool:
    return state.tokens[at].kind == "sign" and state.words[at] in state.lexicon.amounts.names


def _currency(state: ReaderState, at: int) -> tuple[str, int]:
    """Return the currency at a token, also by the letters of its code, and the token after it."""
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
    """Add `and fifty cents`, or a digit alone where the language has it so, to an amount."""
    lexicon = state.lexicon
    start = lexicon.numbers.joining.after(state.words, at)
    number = state.near_number(start) if state.near(at) else None
    if number is None or number.value >= _HUNDRED or value != value.to_integral_value():
        return value, at
    named = (
        lexicon.amounts.hundredth.at(state.words, number.end) if state.near(number.end) else None
    )
    if named is not None:
        return value + number.value / _HUNDRED, named[1]
    if lexicon.table.shorthand and number.value < _TEN and number.digits:
        return value + number.value / _TEN, number.end  # `三块五`
    return value, at


def _as_money(
    span: tuple[int, int], currency: str, value: Decimal, number: NumberSpan, *, minus: bool
) -> ReadItem:
    atoms = (*(("minus",) if minus else ()), *decimal_atoms(abs(value)), currency)
    first, end = span
    signed = -value if minus else value
    return ReadItem("money", atoms, first, end, (currency, signed), "", number.is_words)
