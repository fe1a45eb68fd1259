"""The world's files, read once: rows of APIs, tables and tasks."""

import csv
import functools
import io
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from dragoman.benchmarks.itc.world.rows import ApiRow, CountryRow
from dragoman.core.errors import DataError

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
"""How the values of a column are read, by what stands after the colon in its heading."""


def world_data() -> Traversable:
    """Return the folder of the world's files."""
    return files("dragoman.benchmarks.itc.world") / "data"


@functools.cache
def countries() -> tuple[CountryRow, ...]:
    """Return the countries with their APIs, Global first, then by name.

    Raises:
        DataError: Where a file does not have the form of one.
    """
    read = [_country(file) for file in (world_data() / "countries").iterdir()]
    return tuple(sorted(read, key=lambda country: (country.id != "global", country.country)))


def apis() -> dict[str, ApiRow]:
    """Return all APIs by id."""
    return {api.id: api for country in countries() for api in country.api}


@functools.cache
def table(name: str) -> Table:
    """Return the rows of a table: `NAME.csv`, headings `column:type`, or a list in `NAME.json`.

    Raises:
        DataError: Where there is no such table.
    """
    folder = world_data() / "tables"
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
