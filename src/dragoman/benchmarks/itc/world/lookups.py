"""Which rows of a table a request is answered with."""

import functools
from collections.abc import Callable, Sequence

from dragoman.benchmarks.itc.world.folding import folded
from dragoman.benchmarks.itc.world.given import Given
from dragoman.benchmarks.itc.world.reading import Row
from dragoman.benchmarks.itc.world.rows import ApiRow, ParameterRow

_PAGE = 10
_POSTCODE = 5


def found(api: ApiRow, rows: Sequence[Row], given: Given) -> Sequence[Row]:
    """Return the rows that a request asks for, in the table's order."""
    for parameter in api.parameter:
        if parameter.name in given:
            rows = _kept(parameter, given[parameter.name], rows)
    return rows


def stretch(api: ApiRow, rows: Sequence[Row], given: Given) -> Sequence[Row]:
    """Return the part of what was found that is asked for: the first ones, a page, what comes after."""
    for parameter in api.parameter:
        value = given.get(parameter.name)
        if value is None:
            continue
        if parameter.how == "limit":
            rows = rows[: int(str(value))]
        elif parameter.how == "page":
            start = (int(str(value)) - 1) * _PAGE
            rows = rows[start : start + _PAGE]
        elif parameter.how == "cursor":
            rows = rows[int(str(value)) :]
    return rows


def _kept(parameter: ParameterRow, value: object, rows: Sequence[Row]) -> Sequence[Row]:
    columns = parameter.columns or (parameter.name,)
    if parameter.how == "latest":
        return _latest(columns[0], str(value), rows)
    if parameter.how not in {*_TESTS, "between"}:
        return rows
    if parameter.how == "between":
        low, high = columns
        return [row for row in rows if _between(row[low], value, row[high])]
    test = _TESTS[parameter.how](value)
    return [row for row in rows if any(test(row.get(column)) for column in columns)]


def _latest(column: str, value: str, rows: Sequence[Row]) -> Sequence[Row]:
    dates = [str(row[column]) for row in rows if str(row[column]) <= value]
    last = max(dates, default="")
    return [row for row in rows if row[column] == last]


def _same(value: object) -> Callable[[object], bool]:
    if not isinstance(value, str):
        return _exact(value)
    wanted = folded(value)
    return lambda found: _any_folded(found, wanted)


def _any_folded(found: object, wanted: str) -> bool:
    if isinstance(found, list):
        return any(_cell(str(each)) == wanted for each in found)
    return found is not None and _cell(str(found)) == wanted


def _exact(value: object) -> Callable[[object], bool]:
    return lambda found: found == value


def _has(value: object) -> Callable[[object], bool]:
    wanted = folded(str(value))
    return lambda found: wanted in _cell(_text(found))


def _words(value: object) -> Callable[[object], bool]:
    words = [word for word in folded(str(value).replace(",", " ")).split() if _is_name(word)]
    return lambda found: set(words) <= set(_cell(_text(found)).split())


def _is_name(word: str) -> bool:
    """Whether a word of a search names something: no house number, no single letter."""
    return len(word) > 1 and not (word.isdigit() and len(word) < _POSTCODE)


def _least(value: object) -> Callable[[object], bool]:
    return lambda found: found is not None and found >= value  # type: ignore[operator]


def _most(value: object) -> Callable[[object], bool]:
    return lambda found: found is not None and found <= value  # type: ignore[operator]


def _between(low: object, value: object, high: object) -> bool:
    return low <= value <= high  # type: ignore[operator, no-any-return]


def _text(found: object) -> str:
    return " | ".join(map(str, found)) if isinstance(found, list) else str(found or "")


@functools.cache
def _cell(text: str) -> str:
    """Return the text of a table's cell as texts are compared; there are as many as tables have."""
    return folded(text)


_TESTS: dict[str, Callable[[object], Callable[[object], bool]]] = {
    "same": _same,
    "exact": _exact,
    "has": _has,
    "words": _words,
    "least": _least,
    "most": _most,
}
