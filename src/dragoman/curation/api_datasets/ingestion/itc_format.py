"""Tool documents of International Tool Calling as API documents.

The format is that of appendix A, figure 16.
"""

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
from dragoman.curation.api_datasets.ingestion.entries import (
    FoundEntry,
    ReadFile,
    SkippedEntry,
    with_id,
)
from dragoman.curation.api_datasets.ingestion.openapi_schemas import IN_TASK, TYPES, known_type
from dragoman.curation.api_datasets.ingestion.untrusted_values import (
    as_list,
    as_mapping,
    as_one_line,
    first_text,
    storable,
)

_MOST = 100_000


def is_itc(value: object) -> bool:
    """Return whether a value is a tool in the source's format, or a list of such tools."""
    first = as_mapping(value[0] if isinstance(value, list) and value else value)
    return "tool_name" in first and "api_list" in first


def read_itc(value: object, file: ReadFile) -> list[FoundEntry]:
    """Return the tools of a file, each as an API.

    Raises:
        DataError: If there are too many tools.
    """
    tools = value if isinstance(value, list) else [value]
    if len(tools) > _MOST:
        raise DataError(f"more than {_MOST:,} tools: split it")
    alone = not isinstance(value, list)
    return [
        _entry(as_mapping(tool), file.place if alone else f"{file.place}#{number}", file)
        for number, tool in enumerate(tools, 1)
    ]


def _entry(tool: Mapping[str, object], place: str, file: ReadFile) -> FoundEntry:
    facts = file.facts
    name = as_one_line(tool.get("tool_name"))
    if not name:
        return FoundEntry(place, remark="a tool without a name")
    operations: dict[str, Operation] = {}
    left_out: list[SkippedEntry] = []
    for number, each in enumerate(as_list(tool.get("api_list")), 1):
        try:
            operation = _operation(as_mapping(each))
        except DataError as error:
            left_out.append(SkippedEntry(f"api_list {number}", str(error)))
            continue
        if operation.name in operations:
            reason = f"two operations are called {operation.name!r}"
            left_out.append(SkippedEntry(f"api_list {number}", reason))
        operations.setdefault(operation.name, operation)
    said = f"{len(left_out)} excluded: {left_out[0].reason}" if left_out else ""
    if not operations:
        return FoundEntry(place, remark=f"{name}: {said or 'its api_list is empty'}")
    licence = first_text(tool, "licence", "license") or facts.licence
    document = ApiDocument(
        "",
        name,
        first_text(tool, "tool_description"),
        first_text(tool, "home_url"),
        as_one_line(tool.get("country")) or facts.country,
        tuple(operations.values()),
        as_one_line(tool.get("language")) or facts.language,
        origins=(DocumentOrigin(facts.source, place, "itc", file.digest, licence),),
    )
    return FoundEntry(place, with_id(document, place), said, tuple(left_out))


def _operation(raw: Mapping[str, object]) -> Operation:
    name, url = as_one_line(raw.get("name")), first_text(raw, "url")
    method = (as_one_line(raw.get("method")) or "GET").upper()
    if not name or not url:
        raise DataError(f"{name or url or 'an operation'}: no name or no address")
    if method not in METHODS:
        raise DataError(f"{name}: the method {method[:20]!r} is none of HTTP")
    return Operation(
        name,
        url,
        first_text(raw, "description"),
        METHODS[method],
        as_one_line(raw.get("category")),
        _parameters(raw.get("required_parameters")),
        _parameters(raw.get("optional_parameters")),
        as_one_line(raw.get("statuscode")),
        cast("dict[str, object]", storable(as_mapping(raw.get("schema")))),
    )


def _parameters(listed: object) -> tuple[ApiParameter, ...]:
    rows = [as_mapping(each) for each in as_list(listed)]
    return tuple(_parameter(row) for row in rows if as_one_line(row.get("name")))


def _parameter(raw: Mapping[str, object]) -> ApiParameter:
    kind, place = known_type(raw.get("type")), as_one_line(raw.get("place"))
    return ApiParameter(
        as_one_line(raw.get("name")),
        kind if isinstance(kind, str) and kind in TYPES else "string",
        first_text(raw, "description"),
        PLACES.get(place, "query"),
        storable(raw.get("example")),
        storable(raw.get("default")),
        cast("dict[str, object]", storable(as_mapping(raw.get("schema")))),
        in_task=raw.get(IN_TASK) is True,
    )
