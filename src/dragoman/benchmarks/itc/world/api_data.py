"""Data of the simulated APIs: rows of APIs, countries and tables, read once from files.

An API is a row of data: its path, its parameters, the table that it queries, its response shape.
"""

import csv
import functools
import io
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

import msgspec

from dragoman.core.apis.documents import Method, Place
from dragoman.core.errors import DataError

How = Literal[
    "same",
    "exact",
    "has",
    "words",
    "least",
    "most",
    "between",
    "latest",
    "limit",
    "page",
    "cursor",
    "fields",
    "told",
]
"""Effect of a parameter on the rows of a table.

`same` and `exact` keep rows whose column is the value, letters folded or not; `has` those whose
list holds it or whose text has it inside; `words` those with each of its words; `least` and `most`
those not below or above it; `between` those whose two columns it lies between; `latest` those of
the latest date up to it. `limit`, `page` and `cursor` keep a stretch of the remaining rows,
`fields` keeps fields; `told` does nothing.
"""


class ParameterRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One parameter.

    Attributes:
        pattern: A regular expression that the whole of a text must match.
        choices: All possible values, if they are few.
        default: Value that applies if the parameter is not given; None for none.
        columns: The columns that are searched; by default the one with the parameter's name.
    """

    name: str
    about: str
    place: Place = "query"
    type: Literal["string", "integer", "number", "boolean"] = "string"
    required: bool = False
    pattern: str = ""
    choices: tuple[str | int, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    default: str | int | float | bool | None = None
    example: str | int | float | bool | None = None
    how: How = "same"
    columns: tuple[str, ...] = ()


class NoMatchResponse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Response if no row fits: JSON, or a text of another type."""

    status: int = 404
    json: str = ""
    text: str = ""
    content_type: str = "text/plain; charset=utf-8"


class ApiRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One API.

    Attributes:
        id: A stable slug, `COUNTRY-NAME`.
        name: The name that agents see, in the country's language.
        about: The API's purpose, in the country's language.
        table: The name of its table; "" where all is computed.
        gives: `one` row, or all as a `list`, a `map` by `key`, or as `columns` (arrays of values).
        compute: Computation on the rows that were found (`request_handler.COMPUTED`).
        row: A row's shape as JSON, `$column` for a value; "" for all columns without a leading `_`.
        body: The whole as JSON: `$rows`, `$row`, `$count`, `$given.PARAMETER`.
        one_of: Parameters of which at least one is needed.
        sent_as: A header of the answer's type, if it is not plain JSON.
        looks_like: APIs that seem to fit the same requests, but do not.
        held_out: Whether tasks that use it are for testing alone.
    """

    id: str
    name: str
    about: str
    category: str
    path: str
    parameter: tuple[ParameterRow, ...]
    method: Method = "GET"
    table: str = ""
    gives: Literal["one", "list", "map", "columns"] = "list"
    compute: str = ""
    key: str = ""
    row: str = ""
    body: str = ""
    missing: NoMatchResponse | None = None
    one_of: tuple[str, ...] = ()
    sent_as: str = "application/json; charset=utf-8"
    looks_like: tuple[str, ...] = ()
    held_out: bool = False


class ErrorMessages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The refusals of a country's APIs, in its language; `{name}` is the parameter's.

    Attributes:
        body: The shape as JSON, with `$message`.
    """

    missing: str
    invalid: str
    body: str
    status: int = 400


class CountryRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The APIs of one country, which share a document.

    Attributes:
        id: The first part of all their paths.
        country: An English country name, or "Global".
        form: The kind and the style of the document that describes them.
    """

    id: str
    country: str
    language: str
    title: str
    about: str
    form: Literal["openapi-3.0", "openapi-3.1", "swagger-2.0"]
    syntax: Literal["yaml", "json"]
    complaints: ErrorMessages
    api: tuple[ApiRow, ...]


Row = Mapping[str, object]
Table = Sequence[Row]

_LIST = "|"
_READ: dict[str, Callable[[str], object]] = {
    "": str,
    "int": int,
    "float": float,
    "bool": lambda text: text == "true",
    "list": lambda text: text.split(_LIST),
}
"""Readers of a column's values, by the text after the colon in its heading."""


def bundled_data_folder() -> Traversable:
    """Return the folder of the world's files."""
    return files("dragoman.benchmarks.itc.world") / "data"


@functools.cache
def countries() -> tuple[CountryRow, ...]:
    """Return the countries with their APIs, Global first, then by name.

    Raises:
        DataError: If a file does not have the required form.
    """
    read = [_country(file) for file in (bundled_data_folder() / "countries").iterdir()]
    return tuple(sorted(read, key=lambda country: (country.id != "global", country.country)))


def apis() -> dict[str, ApiRow]:
    """Return all APIs by id."""
    return {api.id: api for country in countries() for api in country.api}


@functools.cache
def table(name: str) -> Table:
    """Return the rows of a table: `NAME.csv`, headings `column:type`, or a list in `NAME.json`.

    Raises:
        DataError: If the table does not exist.
    """
    folder = bundled_data_folder() / "tables"
    as_csv, as_json = folder / f"{name}.csv", folder / f"{name}.json"
    if as_csv.is_file():
        return read_csv(as_csv.read_text("utf-8"))
    if not as_json.is_file():
        raise DataError(f"the bundled world has no table {name!r}")
    return msgspec.json.decode(as_json.read_bytes(), type=list[dict[str, object]])


def read_csv(text: str) -> Table:
    """Read a table; an empty cell is None."""
    reader = csv.reader(io.StringIO(text))
    columns = [heading.partition(":")[::2] for heading in next(reader)]
    return [
        {
            name: _READ[kind](cell) if cell else None
            for (name, kind), cell in zip(columns, cells, strict=True)
        }
        for cells in reader
    ]


def _country(file: Traversable) -> CountryRow:
    try:
        return msgspec.toml.decode(file.read_bytes(), type=CountryRow)
    except msgspec.DecodeError as error:
        raise DataError(f"{file.name} of the bundled world: {error}") from error
