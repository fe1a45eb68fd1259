"""Catalogues in Markdown: tables, or lists of links where there are no tables."""

import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.catalogues.rows import CatalogueRow, entry_of
from dragoman.curation.apis.collecting.catalogues.words import (
    AFTER_NAMES,
    ColumnRole,
    catalogue_words,
)
from dragoman.curation.apis.collecting.entries import FoundEntry, ReadFile

MOST_BYTES, LONGEST_CELL = 4 << 20, 4_000
_WEB = ("https://", "http://")
_TEXTS = frozenset(("text", "text_special", "code_inline", "softbreak", "hardbreak"))


class MarkdownCell(NamedTuple):
    """A cell, or an item of a list: its text without marks, its links with their texts, and what stands after the first."""

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
    """Return the APIs that a page lists.

    Raises:
        DataError: Where it lists none.
    """
    if len(content) > MOST_BYTES:
        raise DataError(f"a page of more than {MOST_BYTES >> 20} MiB: split it")
    try:
        page = content.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"no text in UTF-8 ({error.reason}): convert it") from error
    tables, items = parts_of(page)
    rows = [row for table in tables for row in _rows_of_table(table)] or list(_rows_of_items(items))
    if not rows:
        raise DataError("a page without a table or a list of links to APIs")
    return [entry_of(row, number, file) for number, row in enumerate(rows, 1)]


def parts_of(page: str) -> tuple[list[MarkdownTable], list[MarkdownItem]]:
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
                heading = _cell(tokens[at + 1]).text
            case "th_open" | "td_open":
                cells.append(_cell(tokens[at + 1]))
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
                items.append(MarkdownItem(heading, _cell(token)))
                in_item = False
            case _:
                pass
    return tables, items


@functools.cache
def _parser() -> MarkdownIt:
    # Cells are read one by one: what stands in them may take time with the square of its length.
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("inline")


def _cell(inline: Token) -> MarkdownCell:
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


def _rows_of_table(table: MarkdownTable) -> Iterator[CatalogueRow]:
    """Yield the rows of a table that lists APIs; of any other, none."""
    roles = _roles(table)
    if "name" not in roles:
        return
    words = catalogue_words()
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
        yield CatalogueRow(cells, "" if language else table.heading, language, given_up)


def _roles(table: MarkdownTable) -> dict[ColumnRole, int]:
    """Return which column plays which role; where no heading says where names stand, the links' texts are names."""
    words = catalogue_words()
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
    """Return the column of links: that of names if they are links, else the one that is for them."""
    asked = [roles[role] for role in ("name", "link") if role in roles]
    others = [at for at in range(len(table.columns)) if at not in asked]
    return _mostly_linked(table, [*asked, *others])


def _mostly_linked(table: MarkdownTable, columns: Sequence[int]) -> int | None:
    """Return the first column in which half of the cells or more lead to another page."""
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


def _rows_of_items(items: Sequence[MarkdownItem]) -> Iterator[CatalogueRow]:
    """Yield the items of lists that begin with a link to another page."""
    words = catalogue_words()
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
        yield CatalogueRow(
            {"name": name, "link": href, "description": said},
            "" if language else heading,
            language,
            given_up,
        )
