"""Translation memory: one source text in one context has one translation per language."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import StoreError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.usage import Usage, total_usage
from dragoman.store.checksums import strip_checksum, with_checksum
from dragoman.store.folder_contents import MEMORY_FILE
from dragoman.store.sqlite_files import SqliteFileFormat, open_shared_file, shared_file_error

_TABLE_COLUMNS = """
    key BLOB NOT NULL, source_language TEXT NOT NULL, target_language TEXT NOT NULL,
    origin TEXT NOT NULL, data BLOB NOT NULL CHECK (typeof(data) = 'blob')
"""
_SCHEMA = f"""
CREATE TABLE entries (id INTEGER PRIMARY KEY, {_TABLE_COLUMNS});
CREATE UNIQUE INDEX entries_by_key ON entries (key);
CREATE TABLE replaced (id INTEGER PRIMARY KEY, {_TABLE_COLUMNS});
CREATE INDEX replaced_by_key ON replaced (key);
CREATE TABLE usage (id INTEGER PRIMARY KEY, data BLOB NOT NULL CHECK (typeof(data) = 'blob'));
CREATE TABLE reviews (
    id INTEGER PRIMARY KEY, target_language TEXT NOT NULL,
    data BLOB NOT NULL CHECK (typeof(data) = 'blob')
);
"""

MEMORY_FORMAT = SqliteFileFormat(
    "translation memory",
    _SCHEMA,
    missing="name the file that `dragoman translate` wrote",
    damaged="put a copy in its place, or move it away and import a TMX file",
)


FILE = MEMORY_FILE

Origin = Literal["machine", "imported", "reviewed"]
"""The source of a translation: a model, an imported file, or a person who reviewed it."""


class SourceText(msgspec.Struct, frozen=True):
    """A text to be translated, with its languages and the context of its meaning."""

    source_language: str
    target_language: str
    context: str
    text: str

    @property
    def key(self) -> bytes:
        """The hash of the content."""
        return bytes.fromhex(content_key("translation-1", self))


class MemoryEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A translation, and its origin.

    Attributes:
        source: The source text.
        target: The translation.
        origin: The kind of its origin.
        translator: The model and its prompt's version, the file, or the reviewer; "" if unknown.
        made: Time of creation, in seconds since 1970.
        notes: Remarks of checks.
        back_translation: The translation, translated back; None if it was not.
        quality: Quality estimate of a model, from 0 to 1; None without an estimate.
    """

    source: SourceText
    target: str
    origin: Origin
    translator: str = ""
    made: int = 0
    notes: tuple[str, ...] = ()
    back_translation: str | None = None
    quality: float | None = None


class MemoryCount(msgspec.Struct, frozen=True):
    """Number of translations from one language into another, by origin."""

    source_language: str
    target_language: str
    origin: Origin
    entries: int


class ReviewCount(msgspec.Struct, frozen=True):
    """The numbers of reviewed, accepted and unsure texts of one artifact.

    Accepted texts were not changed. Unsure texts were left undecided.
    """

    artifact: str
    read: int
    accepted: int
    unsure: int = 0


class ReviewRecord(msgspec.Struct, frozen=True):
    """One imported review file.

    Attributes:
        target_language: The reviewed language.
        reviewer: The reviewer's name, as they gave it; "" if they gave none.
        file: The name of the file, and `file_hash` its SHA-256.
        made: Time of the import, in seconds since 1970.
        counts: The counts for each artifact.
    """

    target_language: str
    reviewer: str
    file: str
    file_hash: str
    made: int
    counts: tuple[ReviewCount, ...]


_COLUMNS = "key, source_language, target_language, origin, data"
_GET = f"SELECT {_COLUMNS} FROM entries WHERE key = ?"  # noqa: S608 - our own names
# Our own names.
_PUT = f"INSERT OR REPLACE INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608
_KEEP = f"INSERT INTO replaced ({_COLUMNS}) SELECT {_COLUMNS} FROM entries WHERE key = ?"  # noqa: S608
# Our own names.
_HISTORY = f"SELECT {_COLUMNS} FROM replaced WHERE key = ? ORDER BY id"  # noqa: S608
_ALL = (
    f"SELECT {_COLUMNS} FROM entries WHERE ?1 IN ('', source_language) "  # noqa: S608
    "AND ?2 IN ('', target_language)"
)
_COUNT = (
    "SELECT source_language, target_language, origin, count(*) FROM entries GROUP BY 1, 2, 3 "
    "ORDER BY 1, 2, 3"
)

_PUT_REVIEW = "INSERT INTO reviews (target_language, data) VALUES (?, ?)"
_REVIEWS = "SELECT target_language, data FROM reviews WHERE ?1 IN ('', target_language) ORDER BY id"

_PUT_USAGE = "INSERT INTO usage (data) VALUES (?)"
_USAGE = "SELECT data FROM usage ORDER BY id"

_DECODER = msgspec.json.Decoder(MemoryEntry)
_USAGE_DECODER = msgspec.json.Decoder(Usage)
_REVIEW_DECODER = msgspec.json.Decoder(ReviewRecord)


class TranslationMemory:
    """Translations in a file that several processes may use at once, as a context manager.

    Every call is one transaction: once `put` returns, its entries are on the disk.

    Args:
        path: The SQLite file.
        write: Whether the file may be written.
        make: Whether a missing file is made if it may be written.

    Raises:
        StoreError: If the file cannot be opened or is not a translation memory.
    """

    def __init__(self, path: Path, *, write: bool = True, make: bool = True) -> None:
        self.path = path
        self._file = open_shared_file(path, MEMORY_FORMAT, write=write, make=make)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def find(self, sources: Iterable[SourceText]) -> dict[SourceText, MemoryEntry]:
        """Return the stored translations of some texts.

        Raises:
            StoreError: If the file cannot be read or an entry is damaged.
        """
        found = {}
        for source in sources:
            rows = self._rows(_GET, (source.key,))
            if rows:
                found[source] = rows[0]
        return found

    def put(
        self, entries: Sequence[MemoryEntry], usage: Iterable[Usage] = ()
    ) -> tuple[MemoryEntry, ...]:
        """Store translations, all or none, and return the entry that is then stored for each text.

        A machine translation replaces nothing, an import replaces machine translations and imports,
        and a review replaces everything except a later review.

        Args:
            entries: The translations.
            usage: The usage for them, including attempts without a result.

        Raises:
            StoreError: If the file cannot be written.
        """
        with self._transaction():
            self._put_usage(usage)
            return tuple(map(self._put, entries))

    def usage(self) -> tuple[Usage, ...]:
        """Return the usage of all translations in the file, by purpose and model.

        Raises:
            StoreError: If the file cannot be read or a record is damaged.
        """
        try:
            rows = self._file.execute(_USAGE).fetchall()
            return total_usage(
                _USAGE_DECODER.decode(strip_checksum(data, "usage")) for (data,) in rows
            )
        except sqlite3.Error as error:
            raise shared_file_error(self.path, MEMORY_FORMAT, "read", error) from error
        except (ValueError, *DECODING_ERRORS) as error:
            raise StoreError(
                f"{self.path}: the record of what was consumed is damaged ({error}): put a copy of "
                "the file in its place"
            ) from error

    def put_review(
        self, entries: Sequence[MemoryEntry], review: ReviewRecord
    ) -> tuple[MemoryEntry, ...]:
        """Store the translations that a reviewer approved and the record of the review.

        Both are stored, or neither; see `put`.

        Raises:
            StoreError: If the file cannot be written.
        """
        with self._transaction():
            language = review.target_language
            data = with_checksum(msgspec.json.encode(review), language)
            self._file.execute(_PUT_REVIEW, (language, data))
            return tuple(map(self._put, entries))

    def reviews(self, target_language: str = "") -> list[ReviewRecord]:
        """Return the imported reviews, of all languages or one, the oldest first.

        Raises:
            StoreError: If the file cannot be read or a record is damaged.
        """
        try:
            rows = self._file.execute(_REVIEWS, (target_language,)).fetchall()
            return [
                _REVIEW_DECODER.decode(strip_checksum(data, language)) for language, data in rows
            ]
        except sqlite3.Error as error:
            raise shared_file_error(self.path, MEMORY_FORMAT, "read", error) from error
        except (ValueError, *DECODING_ERRORS) as error:
            raise StoreError(
                f"{self.path}: the record of a review is damaged ({error}): put a copy of the file "
                "in its place"
            ) from error

    def annotate(self, entries: Iterable[MemoryEntry], usage: Iterable[Usage] = ()) -> None:
        """Store notes, back-translations and estimates of translations that are still current.

        Args:
            entries: The translations with their annotations.
            usage: The usage of the annotation.

        Raises:
            StoreError: If the file cannot be written.
        """
        with self._transaction():
            self._put_usage(usage)
            for entry in entries:
                for old in self._rows(_GET, (entry.source.key,)):
                    if old.target == entry.target:
                        changed = msgspec.structs.replace(
                            old,
                            notes=entry.notes,
                            back_translation=entry.back_translation,
                            quality=entry.quality,
                        )
                        self._file.execute(_PUT, _row(changed))

    def entries(self, source_language: str = "", target_language: str = "") -> list[MemoryEntry]:
        """Return the translations, all or from or into a language, by context and source.

        Raises:
            StoreError: If the file cannot be read or an entry is damaged.
        """
        return sorted(self._rows(_ALL, (source_language, target_language)), key=_place)

    def history(self, source: SourceText) -> list[MemoryEntry]:
        """Return the replaced translations of a text, the oldest first.

        Raises:
            StoreError: If the file cannot be read or an entry is damaged.
        """
        return self._rows(_HISTORY, (source.key,))

    def counts(self) -> list[MemoryCount]:
        """Return the numbers of translations, by languages and origin.

        Raises:
            StoreError: If the file cannot be read.
        """
        try:
            rows = self._file.execute(_COUNT).fetchall()
        except sqlite3.Error as error:
            raise shared_file_error(self.path, MEMORY_FORMAT, "read", error) from error
        return [MemoryCount(*row) for row in rows]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run the block as one transaction, with the file locked for other processes.

        Raises:
            StoreError: If the file cannot be written.
        """
        try:
            self._file.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._file.execute("COMMIT")
            finally:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise shared_file_error(self.path, MEMORY_FORMAT, "written", error) from error
        except DECODING_ERRORS as error:
            raise StoreError(f"{self.path}: a text cannot be stored ({error})") from error

    def _put_usage(self, usage: Iterable[Usage]) -> None:
        for each in usage:
            self._file.execute(_PUT_USAGE, (with_checksum(msgspec.json.encode(each), "usage"),))

    def _put(self, entry: MemoryEntry) -> MemoryEntry:
        key = entry.source.key
        rows = self._rows(_GET, (key,))
        if rows and not _replaces(entry, rows[0]):
            return rows[0]
        if rows:
            self._file.execute(_KEEP, (key,))
        self._file.execute(_PUT, _row(entry))
        return entry

    def _rows(self, query: str, values: Sequence[object]) -> list[MemoryEntry]:
        try:
            with closing(self._file.execute(query, values)) as rows:
                return [self._entry(*row) for row in rows]
        except sqlite3.Error as error:
            raise shared_file_error(self.path, MEMORY_FORMAT, "read", error) from error

    def _entry(self, key: bytes, source: str, target: str, origin: str, data: bytes) -> MemoryEntry:
        try:
            return _DECODER.decode(strip_checksum(data, key, source, target, origin))
        except (ValueError, *DECODING_ERRORS) as error:
            raise StoreError(
                f"{self.path}: a translation from {source} into {target} is damaged ({error}): "
                "put a "
                "copy of the file in its place"
            ) from error


def _replaces(new: MemoryEntry, old: MemoryEntry) -> bool:
    """Return whether a translation replaces another one of the same text."""
    if new.target == old.target:
        return new.origin == "reviewed" and old.origin != "reviewed"
    match new.origin:
        case "machine":
            return False
        case "imported":
            return old.origin != "reviewed"
        case "reviewed":
            return old.origin != "reviewed" or new.made > old.made


def _row(entry: MemoryEntry) -> tuple[object, ...]:
    source = entry.source
    columns = (source.key, source.source_language, source.target_language, entry.origin)
    return (*columns, with_checksum(msgspec.json.encode(entry), *columns))


def _place(entry: MemoryEntry) -> tuple[str, str, str, str]:
    source = entry.source
    return (source.source_language, source.target_language, source.context, source.text)
