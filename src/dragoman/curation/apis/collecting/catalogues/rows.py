"""One row of a catalogue, whatever it was written in, as a document."""

from collections.abc import Mapping
from typing import NamedTuple

from dragoman.core.apis.documents import ApiDocument, DocumentOrigin
from dragoman.curation.apis.collecting.catalogues.words import ColumnRole, catalogue_words
from dragoman.curation.apis.collecting.entries import FoundEntry, ReadFile
from dragoman.curation.apis.collecting.identity import with_id, without_tracking
from dragoman.curation.apis.collecting.values import one_line

_WEB = ("https://", "http://")


class CatalogueRow(NamedTuple):
    """What a row says, by the column's role, and what the headings above it say."""

    cells: Mapping[ColumnRole, str]
    category: str = ""
    language: str = ""
    given_up: bool = False


def entry_of(row: CatalogueRow, number: int, file: ReadFile) -> FoundEntry:
    """Return the document of a row, or why it is left out.

    Args:
        row: The row.
        number: Which of the file's rows it is, from 1.
        file: The file.
    """
    words, cells, facts = catalogue_words(), row.cells, file.facts
    name, link = one_line(cells.get("name", "")), without_tracking(cells.get("link", ""))
    place = f"{file.place}#{number}"
    if row.given_up:
        return FoundEntry(place, remark=f"{name or 'an entry'}: struck out by the list's authors")
    if not link.startswith(_WEB):
        return FoundEntry(place, remark=f"{name or 'an entry'}: no link to a page of it")
    if not name:
        return FoundEntry(place, remark=f"{link}: no name")
    said = one_line(cells.get("authentication", ""))
    document = ApiDocument(
        "",
        name,
        one_line(cells.get("description", ""), 4_000),
        link,
        cells.get("country", "") or facts.country,
        language=cells.get("language", "") or row.language or facts.language,
        category=one_line(cells.get("category", "") or row.category),
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
