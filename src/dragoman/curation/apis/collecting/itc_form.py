"""Documents in the form of International Tool Calling (appendix A, figure 16)."""

from collections.abc import Mapping
from typing import cast

from dragoman.core.apis.documents import (
    METHODS,
    PLACES,
    ApiDocument,
    ApiParameter,
    DocumentOrigin,
    Operation,
)
from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.entries import FoundEntry, LeftOutEntry, ReadFile
from dragoman.curation.apis.collecting.identity import with_id
from dragoman.curation.apis.collecting.openapi.schemas import IN_TASK, TYPES, known_type
from dragoman.curation.apis.collecting.values import first_text, mapping, one_line, plain, sequence

_MOST = 100_000


def is_itc(value: object) -> bool:
    """Whether a value is a tool of the source's form, or a list of them."""
    first = mapping(value[0] if isinstance(value, list) and value else value)
    return "tool_name" in first and "api_list" in first


def read_itc(value: object, file: ReadFile) -> list[FoundEntry]:
    """Return the tools of a file, each an API.

    Raises:
        DataError: Where there are more than are read.
    """
    tools = value if isinstance(value, list) else [value]
    if len(tools) > _MOST:
        raise DataError(f"more than {_MOST:,} tools: split it")
    alone = not isinstance(value, list)
    return [
        _entry(mapping(tool), file.place if alone else f"{file.place}#{number}", file)
        for number, tool in enumerate(tools, 1)
    ]


def _entry(tool: Mapping[str, object], place: str, file: ReadFile) -> FoundEntry:
    facts = file.facts
    name = one_line(tool.get("tool_name"))
    if not name:
        return FoundEntry(place, remark="a tool without a name")
    operations: dict[str, Operation] = {}
    left_out: list[LeftOutEntry] = []
    for number, each in enumerate(sequence(tool.get("api_list")), 1):
        try:
            operation = _operation(mapping(each))
        except DataError as error:
            left_out.append(LeftOutEntry(f"api_list {number}", str(error)))
            continue
        if operation.name in operations:
            reason = f"two operations are called {operation.name!r}"
            left_out.append(LeftOutEntry(f"api_list {number}", reason))
        operations.setdefault(operation.name, operation)
    said = f"{len(left_out)} left out: {left_out[0].reason}" if left_out else ""
    if not operations:
        return FoundEntry(place, remark=f"{name}: {said or 'its api_list is empty'}")
    licence = first_text(tool, "licence", "license") or facts.licence
    document = ApiDocument(
        "",
        name,
        first_text(tool, "tool_description"),
        first_text(tool, "home_url"),
        one_line(tool.get("country")) or facts.country,
        tuple(operations.values()),
        one_line(tool.get("language")) or facts.language,
        origins=(DocumentOrigin(facts.source, place, "itc", file.digest, licence),),
    )
    return FoundEntry(place, with_id(document, place), said, tuple(left_out))


def _operation(raw: Mapping[str, object]) -> Operation:
    name, url = one_line(raw.get("name")), first_text(raw, "url")
    method = (one_line(raw.get("method")) or "GET").upper()
    if not name or not url:
        raise DataError(f"{name or url or 'an operation'}: no name or no address")
    if method not in METHODS:
        raise DataError(f"{name}: the method {method[:20]!r} is none of HTTP")
    return Operation(
        name,
        url,
        first_text(raw, "description"),
        METHODS[method],
        one_line(raw.get("category")),
        _parameters(raw.get("required_parameters")),
        _parameters(raw.get("optional_parameters")),
        one_line(raw.get("statuscode")),
        cast("dict[str, object]", plain(mapping(raw.get("schema")))),
    )


def _parameters(listed: object) -> tuple[ApiParameter, ...]:
    rows = [mapping(each) for each in sequence(listed)]
    return tuple(_parameter(row) for row in rows if one_line(row.get("name")))


def _parameter(raw: Mapping[str, object]) -> ApiParameter:
    kind, place = known_type(raw.get("type")), one_line(raw.get("place"))
    return ApiParameter(
        one_line(raw.get("name")),
        kind if isinstance(kind, str) and kind in TYPES else "string",
        first_text(raw, "description"),
        PLACES.get(place, "query"),
        plain(raw.get("example")),
        plain(raw.get("default")),
        cast("dict[str, object]", plain(mapping(raw.get("schema")))),
        in_task=raw.get(IN_TASK) is True,
    )
