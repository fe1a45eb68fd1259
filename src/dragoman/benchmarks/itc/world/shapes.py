"""The shape of an answer: templates in JSON whose texts `$name` stand for values."""

import functools
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.benchmarks.itc.world.given import Given
from dragoman.benchmarks.itc.world.reading import Row
from dragoman.benchmarks.itc.world.rows import ApiRow

_GIVEN = "given."


def body_of(api: ApiRow, rows: Sequence[Row], given: Given, all_found: int) -> object:
    """Return the body for rows that were found.

    Args:
        api: Whose shapes they are.
        rows: The rows to show; of an API that gives one, that one.
        given: The parameters, for shapes that repeat them.
        all_found: How many there are beyond the stretch that is shown.
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
    return filled(template(api.body), values, given) if api.body else values[whole[1:]]


def filled(shape: object, values: Mapping[str, object], given: Given) -> object:
    """Return a shape with its `$name` replaced; a name without a value becomes None."""
    if isinstance(shape, str) and shape.startswith("$"):
        name = shape[1:]
        if name.startswith(_GIVEN):
            return given.get(name.removeprefix(_GIVEN))
        return values.get(name)
    if isinstance(shape, dict):
        return {key: filled(value, values, given) for key, value in shape.items()}
    if isinstance(shape, list):
        return [filled(value, values, given) for value in shape]
    return shape


@functools.cache
def template(text: str) -> object:
    """Read a shape."""
    return msgspec.json.decode(text)


def _row(api: ApiRow, row: Row, given: Given) -> dict[str, object]:
    if api.row:
        shown = filled(template(api.row), row, given)
        content = dict(shown) if isinstance(shown, dict) else {"value": shown}
    else:
        content = {name: value for name, value in row.items() if not name.startswith("_")}
    for parameter in api.parameter:
        wanted = given.get(parameter.name)
        if parameter.how == "fields" and wanted:
            kept = [name.strip() for name in str(wanted).split(",")]
            return {name: value for name, value in content.items() if name in kept}
    return content
