"""A lending library: two tools over one table, and the suite made of them."""

from importlib.resources import files
from typing import ClassVar

import msgspec

from dragoman.ext.benchmarks import (
    ConversationSuite,
    SharedTable,
    Table,
    decode_database,
    single_database_domain,
    suite_from_files,
)
from dragoman.ext.errors import ToolError
from dragoman.ext.scoring import Rules
from dragoman.ext.tools import ToolKind


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A book; `borrower` is empty while it stands on the shelf."""

    title: str
    borrower: str = ""


class LibraryFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `library.toml` holds."""

    books: dict[str, Book]


class Shelf:
    """One conversation's view of the books: what it changes, it changes for itself."""

    def __init__(self, books: SharedTable[Book]) -> None:
        self.books: Table[Book] = Table(books)

    def by_name(self) -> tuple[tuple[str, Table[Book]], ...]:
        """Return the tables by name."""
        return (("books", self.books),)


class Librarian:
    """The agent's tools; names, types and docstrings become what the agent is shown."""

    KINDS: ClassVar[dict[str, ToolKind]] = {"find_book": "read", "lend_book": "write"}

    def __init__(self, shelf: Shelf, rules: Rules) -> None:  # noqa: ARG002 - the same under all rules
        self._books = shelf.books

    def find_book(self, title: str) -> str:
        """Find a book's number by its title.

        Args:
            title: The whole title, in any letter case.
        """
        for number, book in self._books.shared.records.items():
            if book.title.casefold() == title.casefold():
                return number
        raise ToolError(f"there is no book {title[:80]!r}")

    def lend_book(self, number: str, borrower: str) -> str:
        """Lend a book.

        Args:
            number: The book's number, for example "B2".
            borrower: The borrower's full name.
        """
        book = self._books.get(number)
        if book is None:
            raise ToolError(f"there is no book number {number[:80]!r}")
        if book.borrower:
            raise ToolError(f"{number} is lent already")
        self._books.put(number, msgspec.structs.replace(book, borrower=borrower))
        return self._books.text(number)


def _share(content: bytes) -> SharedTable[Book]:
    return SharedTable(decode_database(content, LibraryFile).books)


def suite() -> ConversationSuite:
    """Load the suite; the entry point in pyproject.toml names this function."""
    library = single_database_domain("library.toml", _share, Shelf, Librarian, Librarian.KINDS)
    domain = msgspec.structs.replace(library, is_always_validated=True)
    return suite_from_files("lending", files("lending") / "data", domain, {"agent": Librarian})
