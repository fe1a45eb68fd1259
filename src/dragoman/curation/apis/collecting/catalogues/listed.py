"""Catalogues in JSON or YAML: lists of mappings with a name and a link."""

from collections.abc import Iterator, Mapping

from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.catalogues.rows import CatalogueRow, entry_of
from dragoman.curation.apis.collecting.catalogues.words import ColumnRole, catalogue_words
from dragoman.curation.apis.collecting.entries import FoundEntry, ReadFile
from dragoman.curation.apis.collecting.values import first_text, mapping, sequence, text

_MOST_ROWS = 100_000
_NAMED_BY = ("categoryName", "category", "Category", "name")


def read_listed(value: object, file: ReadFile) -> list[FoundEntry]:
    """Return the APIs that a file lists.

    Raises:
        DataError: Where it lists none.
    """
    listed, category = _list_in(value)
    rows = [mapping(each) for each in listed if isinstance(each, dict)]
    roles = _roles(rows)
    if "checked" in roles:
        raise DataError(
            "a report of checks of links, which describes no API: collect the list that it checked"
        )
    if not rows and "apis" in mapping(value):
        raise DataError("an empty list of APIs")
    if not {"name", "link"} <= roles.keys():
        raise DataError(
            "no API document: it has no openapi, swagger or paths, no tool_name, and is no list of "
            "names with links"
        )
    if len(rows) > _MOST_ROWS:
        raise DataError(f"a list of more than {_MOST_ROWS:,}: split it")
    return [
        entry_of(row, number, file) for number, row in enumerate(_rows(rows, roles, category), 1)
    ]


def _list_in(value: object) -> tuple[list[object], str]:
    """Return the list that a file holds, and the category that stands beside it."""
    if isinstance(value, list):
        return value, ""
    for each in mapping(value).values():
        if isinstance(each, list) and any(isinstance(row, dict) for row in each):
            return each, first_text(mapping(value), *_NAMED_BY)
    return [], ""


def _roles(rows: list[Mapping[str, object]]) -> dict[ColumnRole, str]:
    words = catalogue_words()
    roles: dict[ColumnRole, str] = {}
    for key in rows[0] if rows else ():
        role = words.role_of(key)
        if role is not None:
            roles.setdefault(role, key)
    return roles


def _rows(
    rows: list[Mapping[str, object]], roles: Mapping[ColumnRole, str], category: str
) -> Iterator[CatalogueRow]:
    for row in rows:
        cells = {role: _cell(row.get(key)) for role, key in roles.items()}
        yield CatalogueRow(cells, category)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(text(each) for each in sequence(value))
    return text(value)
