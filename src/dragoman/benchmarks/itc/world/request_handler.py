"""Request handler of the simulated APIs: table queries, computed answers, response templates.

A request is a value and so is its response; the same request always has the same response. Text
queries ignore case, width, accents and doubled spaces. Responses are JSON templates in which
`$name` stands for a value.
"""

import functools
import hashlib
import random
import string
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import msgspec

from dragoman.benchmarks.itc.world.api_data import (
    ApiRow,
    CountryRow,
    NoMatchResponse,
    ParameterRow,
    Row,
    countries,
    table,
)
from dragoman.benchmarks.itc.world.request_params import InvalidParameter, ParamValues, read_params
from dragoman.core.content_keys import derive_seed

_MARKS = frozenset(map(chr, (*range(0x300, 0x370), *range(0x653, 0x656))))
"""Combining marks of Latin letters, and hamza and madda above Arabic ones; others carry meaning."""

_LETTERS = str.maketrans({"\u0131": "i", "đ": "d", "ł": "l", "ø": "o", "ى": "ي", "ـ": None})
"""The dotless i, strokes, alif maqsura and the line that stretches Arabic words."""


def fold_text(text: str) -> str:
    """Return a text without case, width, accents, hamza and doubled spaces.

    Thai, Devanagari, kana and hangul keep their marks, which make other words there.
    """
    compatible = unicodedata.normalize("NFKC", text).casefold()
    apart = unicodedata.normalize("NFD", compatible)
    bare = "".join(letter for letter in apart if letter not in _MARKS)
    return " ".join(unicodedata.normalize("NFC", bare).translate(_LETTERS).split())


_PAGE = 10
_POSTCODE = 5


def find_rows(api: ApiRow, rows: Sequence[Row], given: ParamValues) -> Sequence[Row]:
    """Return the rows that a request asks for, in the table's order."""
    for parameter in api.parameter:
        if parameter.name in given:
            rows = _filter_rows(parameter, given[parameter.name], rows)
    return rows


def page_of_rows(api: ApiRow, rows: Sequence[Row], given: ParamValues) -> Sequence[Row]:
    """Return the requested part of the rows: the first ones, a page, or the rows after a cursor."""
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


def _filter_rows(parameter: ParameterRow, value: object, rows: Sequence[Row]) -> Sequence[Row]:
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
    wanted = fold_text(value)
    return lambda found: _any_folded(found, wanted)


def _any_folded(found: object, wanted: str) -> bool:
    if isinstance(found, list):
        return any(_cell(str(each)) == wanted for each in found)
    return found is not None and _cell(str(found)) == wanted


def _exact(value: object) -> Callable[[object], bool]:
    return lambda found: found == value


def _has(value: object) -> Callable[[object], bool]:
    wanted = fold_text(str(value))
    return lambda found: wanted in _cell(_text(found))


def _words(value: object) -> Callable[[object], bool]:
    words = [word for word in fold_text(str(value).replace(",", " ")).split() if _is_name(word)]
    return lambda found: set(words) <= set(_cell(_text(found)).split())


def _is_name(word: str) -> bool:
    """Return whether a word of a search names something: no house number, no single letter."""
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
    return fold_text(text)


_TESTS: dict[str, Callable[[object], Callable[[object], bool]]] = {
    "same": _same,
    "exact": _exact,
    "has": _has,
    "words": _words,
    "least": _least,
    "most": _most,
}


Computed = Callable[[ParamValues, Sequence[Row]], dict[str, object] | None]
"""Makes one row of what was given and found; None where there is none."""

_DIGITS = 6
_SYMBOLS = "!#$%&*+-=?@_"


def exchange_rates(given: ParamValues, rows: Sequence[Row]) -> dict[str, object] | None:
    """Return the rates of some currencies for one unit of another, on the latest day of rates."""
    per_euro = {str(row["currency"]): cast("float", row["per_eur"]) for row in rows}
    base = str(given["from"]).upper()
    wanted = [code.strip().upper() for code in str(given["to"]).split(",")]
    if base not in per_euro or not all(code in per_euro for code in wanted):
        return None
    rates = {code: round(per_euro[code] / per_euro[base], _DIGITS) for code in wanted}
    return {"base": base, "date": rows[0]["date"], "rates": rates}


def convert_units(given: ParamValues, rows: Sequence[Row]) -> dict[str, object] | None:
    """Return a value in another unit of the same dimension.

    Numbers are text, as in some APIs.
    """
    units = {str(row["unit"]): row for row in rows}
    one, other = units.get(str(given["from"])), units.get(str(given["to"]))
    if one is None or other is None or one["dimension"] != other["dimension"]:
        return None
    value = cast("float", given["value"])
    base = value * cast("float", one["factor"]) + cast("float", one["offset"])
    result = (base - cast("float", other["offset"])) / cast("float", other["factor"])
    return {
        "from": one["unit"],
        "to": other["unit"],
        "value": f"{value:g}",
        "result": f"{result:.6g}",
    }


def compound_growth(given: ParamValues, rows: Sequence[Row]) -> dict[str, object] | None:  # noqa: ARG001
    """Return what a sum grows to; the rate is in per cent a year."""
    principal, rate = cast("float", given["principal"]), cast("float", given["annual_rate"])
    years, periods = cast("float", given["years"]), cast("int", given["periods_per_year"])
    final = principal * (1 + rate / 100 / periods) ** (years * periods)
    return {
        "principal": principal,
        "final_amount": round(final, 2),
        "interest": round(final - principal, 2),
    }


def password(given: ParamValues, rows: Sequence[Row]) -> dict[str, object] | None:  # noqa: ARG001
    """Return a password that depends on the seed alone; it is useful only for tests."""
    alphabet = string.ascii_letters
    alphabet += string.digits if given.get("numbers") else ""
    alphabet += _SYMBOLS if given.get("symbols") else ""
    length = cast("int", given["length"])
    drawn = random.Random(derive_seed(str(given.get("seed", 0)), "password"))  # noqa: S311 - a toy
    return {"password": "".join(drawn.choice(alphabet) for _ in range(length)), "length": length}


def text_hash(given: ParamValues, rows: Sequence[Row]) -> dict[str, object] | None:  # noqa: ARG001
    """Return the hash of a text in hex."""
    algorithm = str(given["algorithm"])
    made = hashlib.new(algorithm, str(given["text"]).encode(), usedforsecurity=False)
    return {"algorithm": algorithm, "hash": made.hexdigest()}


def scaled_recipe(given: ParamValues, rows: Sequence[Row]) -> dict[str, object] | None:
    """Return a recipe with its amounts for so many people."""
    if not rows:
        return None
    recipe = rows[0]
    people, written = cast("int", given["raciones"]), cast("int", recipe["raciones"])
    amounts = [
        {**each, "cantidad": round(each["cantidad"] * people / written, 2)}
        for each in cast("list[dict[str, float]]", recipe["ingredientes"])
    ]
    return {**recipe, "raciones": people, "ingredientes": amounts}


COMPUTED: dict[str, Computed] = {
    "rates": exchange_rates,
    "units": convert_units,
    "growth": compound_growth,
    "password": password,
    "hash": text_hash,
    "recipe": scaled_recipe,
}


_GIVEN = "given."


def response_body(api: ApiRow, rows: Sequence[Row], given: ParamValues, all_found: int) -> object:
    """Return the body for rows that were found.

    Args:
        api: The API, which defines the shapes.
        rows: The rows to show; of an API that gives one, that one.
        given: The parameters, for shapes that repeat them.
        all_found: Number of all rows that were found, including those that are not shown.
    """
    shown = [_row(api, row, given) for row in rows]
    values: dict[str, object] = {"count": all_found, "shown": len(shown)}
    if api.gives == "one":
        values["row"] = shown[0] if shown else None
    elif api.gives == "map":
        values["rows"] = {str(row[api.key]): each for row, each in zip(rows, shown, strict=True)}
    elif api.gives == "columns":
        values |= {"rows": [list(each.values()) for each in shown]}
    else:
        values["rows"] = shown
    whole = "$row" if api.gives == "one" else "$rows"
    return fill_template(load_template(api.body), values, given) if api.body else values[whole[1:]]


def fill_template(shape: object, values: Mapping[str, object], given: ParamValues) -> object:
    """Return a shape with its `$name` replaced; a name without a value becomes None."""
    if isinstance(shape, str) and shape.startswith("$"):
        name = shape[1:]
        if name.startswith(_GIVEN):
            return given.get(name.removeprefix(_GIVEN))
        return values.get(name)
    if isinstance(shape, dict):
        return {key: fill_template(value, values, given) for key, value in shape.items()}
    if isinstance(shape, list):
        return [fill_template(value, values, given) for value in shape]
    return shape


@functools.cache
def load_template(text: str) -> object:
    """Read a shape."""
    return msgspec.json.decode(text)


def _row(api: ApiRow, row: Row, given: ParamValues) -> dict[str, object]:
    if api.row:
        shown = fill_template(load_template(api.row), row, given)
        content = dict(shown) if isinstance(shown, dict) else {"value": shown}
    else:
        content = {name: value for name, value in row.items() if not name.startswith("_")}
    for parameter in api.parameter:
        wanted = given.get(parameter.name)
        if parameter.how == "fields" and wanted:
            kept = [name.strip() for name in str(wanted).split(",")]
            return {name: value for name, value in content.items() if name in kept}
    return content


JSON = "application/json; charset=utf-8"
_OK, _BAD, _NOT_FOUND, _NOT_ALLOWED = 200, 400, 404, 405


class SimulatedResponse(msgspec.Struct, frozen=True):
    """An answer over HTTP as a value."""

    status: int
    headers: dict[str, str]
    body: bytes


class SimulatedRequest(msgspec.Struct, frozen=True):
    """A request over HTTP as a value; its path is not escaped."""

    method: str
    path: str
    query: dict[str, str] = {}
    body: bytes = b""
    headers: dict[str, str] = {}


class SimulatedApis:
    """All APIs of some countries; pure, so that one may be shared by all who play.

    Args:
        rows: The countries.
    """

    def __init__(self, rows: Sequence[CountryRow] | None = None) -> None:
        rows = countries() if rows is None else rows
        self._by_name = {api.name: (land, api) for land in rows for api in land.api}
        self._routes: dict[tuple[str, int], list[tuple[CountryRow, ApiRow]]] = {}
        for land, api in self._by_name.values():
            parts = _parts(api.path)
            self._routes.setdefault((parts[0], len(parts)), []).append((land, api))

    def answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> SimulatedResponse:
        """Answer a request: a path that nobody serves is 404, a wrong method 405.

        Args:
            method: In capitals.
            path: Not escaped, without a query.
            query: Its parameters.
            body: JSON, where something is posted.
            headers: With names in any case.
        """
        parts = _parts(path)
        served = self._routes.get((parts[0], len(parts)), []) if parts else []
        for land, api in served:
            in_path = _in_path(api.path, parts)
            if in_path is None:
                continue
            if api.method != method:
                return _json(_NOT_ALLOWED, {"error": f"{method} is not allowed"})
            values = {
                **_decode_body(body),
                **_select_headers(headers or {}, api),
                **(query or {}),
                **in_path,
            }
            return _answer(land, api, values)
        return _json(_NOT_FOUND, {"error": "no such resource"})

    def api_of(self, request: SimulatedRequest) -> str:
        """Return the id of the API that serves a request; "" where none does."""
        parts = _parts(request.path)
        served = self._routes.get((parts[0], len(parts)), []) if parts else []
        return next((api.id for _, api in served if _in_path(api.path, parts) is not None), "")

    def call(self, tool: str, arguments: Mapping[str, object]) -> SimulatedResponse:
        """Answer a call by the tool's name, as its request would be.

        Raises:
            KeyError: If no tool has the name.
        """
        made = self.request(tool, arguments)
        return self.answer(made.method, made.path, made.query, made.body, made.headers)

    def request(self, tool: str, arguments: Mapping[str, object]) -> SimulatedRequest:
        """Make the request of a call; what a parameter of the path lacks leaves its place empty.

        Raises:
            KeyError: If no tool has the name.
        """
        _, api = self._by_name[tool]
        path, query, body, headers = api.path, {}, {}, {}
        places = {parameter.name: parameter for parameter in api.parameter}
        given = dict(arguments)
        for name, parameter in places.items():
            if parameter.place == "header" and parameter.default is not None:
                given.setdefault(name, parameter.default)
        for name, value in given.items():
            place = places[name].place if name in places else "query"
            if place == "path":
                path = path.replace("{" + name + "}", encode_param(value))
            elif place == "body":
                body[name] = value
            elif place == "header":
                headers[name] = encode_param(value)
            else:
                query[name] = encode_param(value)
        content = msgspec.json.encode(body) if body else b""
        return SimulatedRequest(api.method, path, query, content, headers)


def encode_param(value: object) -> str:
    """Return a value as it stands in a path, a query or a header."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return ",".join(map(encode_param, value)) if isinstance(value, list | tuple) else str(value)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _in_path(pattern: str, parts: Sequence[str]) -> dict[str, str] | None:
    """Return the parameters in a path; None where it is another."""
    values = {}
    for wanted, part in zip(_parts(pattern), parts, strict=True):
        if wanted.startswith("{"):
            values[wanted[1:-1]] = part
        elif wanted != part:
            return None
    return values


def _decode_body(body: bytes) -> dict[str, object]:
    if not body:
        return {}
    try:
        return msgspec.json.decode(body, type=dict[str, object])
    except msgspec.DecodeError:
        return {}


def _select_headers(headers: Mapping[str, str], api: ApiRow) -> dict[str, str]:
    lower = {name.lower(): value for name, value in headers.items()}
    wanted = [each.name for each in api.parameter if each.place == "header"]
    return {name: lower[name.lower()] for name in wanted if name.lower() in lower}


def _answer(land: CountryRow, api: ApiRow, values: Mapping[str, object]) -> SimulatedResponse:
    try:
        given = read_params(api, values)
    except InvalidParameter as lack:
        return _complaint(land, lack)
    rows = find_rows(api, table(api.table), given) if api.table else []
    if api.compute:
        made = COMPUTED[api.compute](given, rows)
        rows = [] if made is None else [made]
    if not rows and api.missing is not None:
        return _nothing(api.missing, given)
    shown = page_of_rows(api, rows, given)
    return _json(_OK, response_body(api, shown, given, len(rows)), api.sent_as)


def _nothing(missing: NoMatchResponse, given: ParamValues) -> SimulatedResponse:
    if missing.json:
        return _json(missing.status, fill_template(load_template(missing.json), {}, given))
    return SimulatedResponse(
        missing.status, {"Content-Type": missing.content_type}, missing.text.encode()
    )


def _complaint(land: CountryRow, lack: InvalidParameter) -> SimulatedResponse:
    said = land.complaints.missing if lack.is_missing else land.complaints.invalid
    message = said.replace("{name}", lack.name)
    return _json(
        land.complaints.status,
        fill_template(load_template(land.complaints.body), {"message": message}, {}),
    )


def _json(status: int, content: object, content_type: str = JSON) -> SimulatedResponse:
    return SimulatedResponse(status, {"Content-Type": content_type}, msgspec.json.encode(content))
