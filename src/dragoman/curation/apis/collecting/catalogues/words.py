"""The words that catalogues are written with."""

import functools
import re
import unicodedata
from importlib.resources import files
from typing import Literal

import msgspec

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
"""What stands between a name and what is said of it: colons and dashes of several scripts."""

_SIGNS = re.compile(r"[\W_]+")


class _Cells(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    nothing: tuple[str, ...]
    out_of_order: tuple[str, ...]
    given_up: tuple[str, ...]


class CatalogueWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Headings of columns, what cells say, and languages by their names."""

    columns: dict[ColumnRole, tuple[str, ...]]
    cells: _Cells
    languages: dict[str, tuple[str, ...]]

    def role_of(self, heading: str) -> ColumnRole | None:
        """Return what a column, or a key of JSON, is for; None where the words do not tell."""
        return _roles().get(_letters(heading))

    def language_of(self, heading: str) -> str:
        """Return the language that a heading is the name of, "" where it is none."""
        said = heading.casefold().strip(AFTER_NAMES)
        return next((tag for tag, names in self.languages.items() if said in names), "")

    def needs_nothing(self, cell: str) -> bool:
        """Whether a cell says that calls need no authentication."""
        return cell.casefold() in self.cells.nothing

    def is_out_of_order(self, cell: str) -> bool:
        """Whether a cell says that an API did not work when the list was made."""
        return cell.casefold() in self.cells.out_of_order

    def is_given_up(self, entry: str) -> bool:
        """Whether an entry is struck out or marked as given up by the list's authors."""
        said = entry.strip().casefold()
        return said.startswith("~") or any(mark in said for mark in self.cells.given_up)


@functools.cache
def catalogue_words() -> CatalogueWords:
    """Return the words, read once."""
    content = files(__package__).joinpath("words.toml").read_bytes()
    return msgspec.toml.decode(content, type=CatalogueWords)


@functools.cache
def _roles() -> dict[str, ColumnRole]:
    columns = catalogue_words().columns
    return {_letters(word): role for role, words in columns.items() for word in words}


def _letters(heading: str) -> str:
    return _SIGNS.sub("", unicodedata.normalize("NFKC", heading).casefold())
