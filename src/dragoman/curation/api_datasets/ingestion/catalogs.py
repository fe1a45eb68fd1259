"""API catalogs (lists of names, links and descriptions) in Markdown, JSON and YAML."""

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Literal, NamedTuple

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token

from dragoman.core.apis.documents import ApiDocument, DocumentOrigin
from dragoman.core.errors import DataError
from dragoman.curation.api_datasets.ingestion.entries import (
    FoundEntry,
    ReadFile,
    with_id,
    without_tracking,
)
from dragoman.curation.api_datasets.ingestion.untrusted_values import (
    as_list,
    as_mapping,
    as_one_line,
    as_text,
    first_text,
)

ColumnRole = Literal[
    "name",
    "link",
    "description",
    "authentication",
    "status",
    "category",
    "country",
    "language",
    "licence",
    "checked",
]
AFTER_NAMES = " \t:\uff1a-\u2013\u2014"
"""Separators between a name and its description: colons and dashes of several scripts."""

_SIGNS = re.compile(r"[\W_]+")


class _Cells(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    nothing: tuple[str, ...]
    out_of_order: tuple[str, ...]
    given_up: tuple[str, ...]


class CatalogWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The known headings of columns, contents of cells, and names of languages."""

    columns: dict[ColumnRole, tuple[str, ...]]
    cells: _Cells
    languages: dict[str, tuple[str, ...]]

    def role_of(self, heading: str) -> ColumnRole | None:
        """Return the role of a column or of a JSON key; None if its words are unknown."""
        return _roles_by_heading().get(_letters(heading))

    def language_of(self, heading: str) -> str:
        """Return the language that a heading names, or "" if it names none."""
        said = heading.casefold().strip(AFTER_NAMES)
        return next((tag for tag, names in self.languages.items() if said in names), "")

    def needs_nothing(self, cell: str) -> bool:
        """Return whether a cell says that calls need no authentication."""
        return cell.casefold() in self.cells.nothing

    def is_out_of_order(self, cell: str) -> bool:
        """Return whether a cell says that an API did not work when the list was written."""
        return cell.casefold() in self.cells.out_of_order

    def is_given_up(self, entry: str) -> bool:
        """Return whether an entry is struck out or marked as abandoned by the list's authors."""
        said = entry.strip().casefold()
        return said.startswith("~") or any(mark in said for mark in self.cells.given_up)


@functools.cache
def catalog_words() -> CatalogWords:
    """Return the known words; the file is read once."""
    content = files(__package__).joinpath("words.toml").read_bytes()
    return msgspec.toml.decode(content, type=CatalogWords)


@functools.cache
def _roles_by_heading() -> dict[str, ColumnRole]:
    columns = catalog_words().columns
    return {_letters(word): role for role, words in columns.items() for word in words}


def _letters(heading: str) -> str:
    return _SIGNS.sub("", unicodedata.normalize("NFKC", heading).casefold())


_WEB = ("https://", "http://")


class CatalogRow(NamedTuple):
    """The cells of a row by the column's role, and facts from the headings above it."""

    cells: Mapping[ColumnRole, str]
    category: str = ""
    language: str = ""
    given_up: bool = False


def catalog_entry(row: CatalogRow, number: int, file: ReadFile) -> FoundEntry:
    """Return the document of a row, or the reason for excluding it.

    Args:
        row: The row.
        number: Number of the row in the file, from 1.
        file: The file.
    """
    words, cells, facts = catalog_words(), row.cells, file.facts
    name, link = as_one_line(cells.get("name", "")), without_tracking(cells.get("link", ""))
    place = f"{file.place}#{number}"
    if row.given_up:
        return FoundEntry(place, remark=f"{name or 'an entry'}: struck out by the list's authors")
    if not link.startswith(_WEB):
        return FoundEntry(place, remark=f"{name or 'an entry'}: no link to a page of it")
    if not name:
        return FoundEntry(place, remark=f"{link}: no name")
    said = as_one_line(cells.get("authentication", ""))
    document = ApiDocument(
        "",
        name,
        as_one_line(cells.get("description", ""), 4_000),
        link,
        cells.get("country", "") or facts.country,
        language=cells.get("language", "") or row.language or facts.language,
        category=as_one_line(cells.get("category", "") or row.category),
        authentication="" if words.needs_nothing(said) else said,
        origins=(
            DocumentOrigin(
                facts.source,
                place,
                "catalogue",
                file.digest,
                cells.get("licence", "") or facts.licence,
            ),
        ),
    )
    broken = words.is_out_of_order(cells.get("status", "").strip())
    remark = "the list says that it did not work" if broken else ""
    return FoundEntry(place, with_id(document, place), remark)


_MOST_ROWS = 100_000
_NAMED_BY = ("categoryName", "category", "Category", "name")


def read_listing(value: object, file: ReadFile) -> list[FoundEntry]:
    """Return the APIs in a list in JSON or YAML.

    Raises:
        DataError: If the file lists no APIs, or too many.
    """
    listed, category = _list_in(value)
    rows = [as_mapping(each) for each in listed if isinstance(each, dict)]
    roles = _roles_of_fields(rows)
    if "checked" in roles:
        raise DataError(
            "a report of checks of links, which describes no API: collect the list that it checked"
        )
    if not rows and "apis" in as_mapping(value):
        raise DataError("an empty list of APIs")
    if not {"name", "link"} <= roles.keys():
        raise DataError(
            "no API document: it has no openapi, swagger or paths, no tool_name, and is not a list "
            "of names with links"
        )
    if len(rows) > _MOST_ROWS:
        raise DataError(f"a list of more than {_MOST_ROWS:,}: split it")
    return [
        catalog_entry(row, number, file)
        for number, row in enumerate(_rows(rows, roles, category), 1)
    ]


def _list_in(value: object) -> tuple[list[object], str]:
    """Return the list in a file, and the category stated next to it."""
    if isinstance(value, list):
        return value, ""
    for each in as_mapping(value).values():
        if isinstance(each, list) and any(isinstance(row, dict) for row in each):
            return each, first_text(as_mapping(value), *_NAMED_BY)
    return [], ""


def _roles_of_fields(rows: list[Mapping[str, object]]) -> dict[ColumnRole, str]:
    words = catalog_words()
    roles: dict[ColumnRole, str] = {}
    for key in rows[0] if rows else ():
        role = words.role_of(key)
        if role is not None:
            roles.setdefault(role, key)
    return roles


def _rows(
    rows: list[Mapping[str, object]], roles: Mapping[ColumnRole, str], category: str
) -> Iterator[CatalogRow]:
    for row in rows:
        cells = {role: _cell_of_field(row.get(key)) for role, key in roles.items()}
        yield CatalogRow(cells, category)


def _cell_of_field(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(as_text(each) for each in as_list(value))
    return as_text(value)


MOST_BYTES, LONGEST_CELL = 4 << 20, 4_000
_TEXTS = frozenset(("text", "text_special", "code_inline", "softbreak", "hardbreak"))


class MarkdownCell(NamedTuple):
    """A cell or list item of Markdown.

    It has its text without marks, its links with their texts, and the text after the first link.
    """

    text: str
    links: tuple[tuple[str, str], ...] = ()
    after: str = ""
    struck: bool = False


class MarkdownTable(NamedTuple):
    """A table under a heading; each row has a cell for each column."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[MarkdownCell, ...], ...]


class MarkdownItem(NamedTuple):
    """An item of a list under a heading."""

    heading: str
    cell: MarkdownCell


def read_markdown(content: bytes, file: ReadFile) -> list[FoundEntry]:
    """Return the APIs that a Markdown page lists.

    Raises:
        DataError: If the page lists no APIs, is too large, or is not UTF-8.
    """
    if len(content) > MOST_BYTES:
        raise DataError(f"a page of more than {MOST_BYTES >> 20} MiB: split it")
    try:
        page = content.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"no text in UTF-8 ({error.reason}): convert it") from error
    tables, items = tables_and_items(page)
    rows = [row for table in tables for row in _rows_of_table(table)] or list(_rows_of_items(items))
    if not rows:
        raise DataError("a page without a table or a list of links to APIs")
    return [catalog_entry(row, number, file) for number, row in enumerate(rows, 1)]


def tables_and_items(page: str) -> tuple[list[MarkdownTable], list[MarkdownItem]]:
    """Return a page's tables and the items of its lists."""
    tables: list[MarkdownTable] = []
    items: list[MarkdownItem] = []
    heading, cells, rows, in_item = (
        "",
        list[MarkdownCell](),
        list[tuple[MarkdownCell, ...]](),
        False,
    )
    tokens = _parser().parse(page)
    for at, token in enumerate(tokens):
        match token.type:
            case "heading_open":
                heading = _cell_of_tokens(tokens[at + 1]).text
            case "th_open" | "td_open":
                cells.append(_cell_of_tokens(tokens[at + 1]))
            case "tr_close":
                rows.append(tuple(cells))
                cells = []
            case "table_close":
                columns = tuple(cell.text for cell in rows[0]) if rows else ()
                tables.append(MarkdownTable(heading, columns, tuple(rows[1:])))
                rows = []
            case "list_item_open":
                in_item = True
            case "inline" if in_item:
                items.append(MarkdownItem(heading, _cell_of_tokens(token)))
                in_item = False
            case _:
                pass
    return tables, items


@functools.cache
def _parser() -> MarkdownIt:
    # Cells are parsed one by one, since inline parsing may take time quadratic in the length of the
    # text.
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("inline")


def _cell_of_tokens(inline: Token) -> MarkdownCell:
    said: list[str] = []
    after: list[str] = []
    links: list[tuple[str, str]] = []
    inside: list[str] | None = None
    tokens = list[Token]()
    _parser().inline.parse(inline.content[:LONGEST_CELL], _parser(), {}, tokens)
    for token in tokens:
        if token.type == "link_open":
            inside = []
            links.append((str(token.attrGet("href") or ""), ""))
        elif token.type == "link_close" and inside is not None:
            links[-1] = (links[-1][0], "".join(inside).strip())
            inside = None
        elif token.type in _TEXTS:
            words = token.content or " "
            said.append(words)
            if inside is not None:
                inside.append(words)
            if links and (inside is None or len(links) > 1):
                after.append(words)
    struck = any(token.type == "s_open" for token in tokens[:1])
    return MarkdownCell("".join(said).strip(), tuple(links), "".join(after).strip(), struck)


def _rows_of_table(table: MarkdownTable) -> Iterator[CatalogRow]:
    """Yield the rows of a table that lists APIs; other tables have none."""
    roles = _roles_of_columns(table)
    if "name" not in roles:
        return
    words = catalog_words()
    language = words.language_of(table.heading)
    link_at = _link_column(table, roles)
    if link_at is None:
        return
    for row in table.rows:
        cells = {role: row[at].text for role, at in roles.items()}
        link = next((href for href, _ in row[link_at].links if href.startswith(_WEB)), "")
        cells["link"] = link or row[link_at].text
        name = row[roles["name"]]
        given_up = name.struck or words.is_given_up(name.text)
        yield CatalogRow(cells, "" if language else table.heading, language, given_up)


def _roles_of_columns(table: MarkdownTable) -> dict[ColumnRole, int]:
    """Return the column of each role.

    If no heading marks the column of names, the links' texts are names.
    """
    words = catalog_words()
    roles: dict[ColumnRole, int] = {}
    for at, heading in enumerate(table.columns):
        role = words.role_of(heading)
        if role is not None and role not in roles:
            roles[role] = at
    if "name" not in roles and "link" not in roles:
        linked = _mostly_linked(table, range(len(table.columns)))
        if linked is not None:
            roles["name"] = linked
    if "name" in roles and "description" not in roles:
        longest = _longest(table, set(roles.values()))
        if longest is not None:
            roles["description"] = longest
    return roles


def _link_column(table: MarkdownTable, roles: dict[ColumnRole, int]) -> int | None:
    """Return the column of links.

    It is the column of names if they are links, otherwise the column for links.
    """
    asked = [roles[role] for role in ("name", "link") if role in roles]
    others = [at for at in range(len(table.columns)) if at not in asked]
    return _mostly_linked(table, [*asked, *others])


def _mostly_linked(table: MarkdownTable, columns: Sequence[int]) -> int | None:
    """Return the first column in which at least half of the cells link to another page."""
    for at in columns:
        linked = sum(_leads_out(row[at]) for row in table.rows if at < len(row))
        if linked and 2 * linked >= len(table.rows):
            return at
    return None


def _leads_out(cell: MarkdownCell) -> bool:
    return cell.text.startswith(_WEB) or any(href.startswith(_WEB) for href, _ in cell.links)


def _longest(table: MarkdownTable, taken: set[int]) -> int | None:
    lengths = {
        at: sum(len(row[at].text) for row in table.rows)
        for at in range(len(table.columns))
        if at not in taken
    }
    return max(lengths, key=lambda at: lengths[at], default=None)


def _rows_of_items(items: Sequence[MarkdownItem]) -> Iterator[CatalogRow]:
    """Yield the list items that begin with a link to another page."""
    words = catalog_words()
    for heading, cell in items:
        if not cell.links or not cell.links[0][0].startswith(_WEB):
            continue
        href, name = cell.links[0]
        before = cell.text.partition(name)[0].strip(" ~*_")
        if before:
            continue
        said = cell.after.strip().lstrip(AFTER_NAMES)
        given_up = cell.struck or words.is_given_up(cell.text)
        language = words.language_of(heading)
        yield CatalogRow(
            {"name": name, "link": href, "description": said},
            "" if language else heading,
            language,
            given_up,
        )
