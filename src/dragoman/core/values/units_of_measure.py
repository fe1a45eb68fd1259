"""Units of measure behind a number or divided by another: `km`, `meters per second squared`, `°C`."""

from dragoman.core.values.items import ReadItem
from dragoman.core.values.state import ReaderState

_SCALES = {"c": "celsius", "f": "fahrenheit", "celsius": "celsius", "fahrenheit": "fahrenheit"}
_POWERS = frozenset({"squared", "cubed"})
_BESIDE = frozenset({"", " "})
_NEAR = frozenset({"", " ", "-"})
_NOTHING: tuple[tuple[str, ...], int] = ((), 0)


def read_unit(state: ReaderState, at: int) -> ReadItem | None:
    """Read the unit behind a number, with its powers and what it is divided by."""
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
    """Read a unit without a number where it is divided by another: `speed in km/h`."""
    is_unit = at + 2 < state.count and state.is_word(at) and _is_division(state, at + 1)
    return _whole_unit(state, at) if is_unit else None


def _is_division(state: ReaderState, at: int) -> bool:
    """Whether a token divides units."""
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
