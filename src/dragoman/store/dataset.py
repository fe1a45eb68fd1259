"""Dataset folder: one SQLite file of items and a ledger of curation steps.

The outcome of one step for one item is one transaction: the ledger line, the items made from it and
the usage. A killed step resumes with the first item without a line, and repeats nothing.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import StoreError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.usage import Usage, total_usage
from dragoman.store.checksums import strip_checksum, with_checksum
from dragoman.store.folder_contents import DATASET_FILE, require_folder_for
from dragoman.store.sqlite_files import SqliteFileFormat, open_shared_file, shared_file_error

T = TypeVar("T")

Verdict = Literal["kept", "dropped", "merged", "failed"]
"""The decision of a step.

`failed` means that the step could not decide (an endpoint was down) and must be tried again.
"""


class StoredItem(msgspec.Struct, frozen=True):
    """One item of a dataset.

    Attributes:
        kind: Kind of the item, such as "document" or "task".
        name: The item's id, unique within its kind.
        source: Origin of the item in funnel counts; generated items inherit it from the item they
            were made of.
        digest: The hash of its content, in hex.
        data: Its record as JSON.
    """

    kind: str
    name: str
    source: str
    digest: str
    data: bytes

    def record(self, kind: type[T]) -> T:
        """Return the decoded record.

        Raises:
            StoreError: If the record has another form.
        """
        try:
            return msgspec.json.decode(self.data, type=kind)
        except DECODING_ERRORS as error:
            raise StoreError(f"{self.kind} {self.name!r} is damaged ({error})") from error


class NewItem(msgspec.Struct, frozen=True):
    """One item to be stored: its record, and the (kind, name) of the items that it depends on.

    If one of these is dropped, the item is dropped, too. A `source` of "" stands for the source of
    the item that it was made from.
    """

    kind: str
    name: str
    record: msgspec.Struct
    source: str = ""
    stands_on: tuple[tuple[str, str], ...] = ()


class StepLine(msgspec.Struct, frozen=True):
    """The outcome of a step for an item, as one line of the ledger.

    Attributes:
        step: The step's name.
        kind: The item's kind.
        name: The item's name; an input that was rejected before it became an item has its file's
            name.
        verdict: The decision of the step.
        reason: The reason; "" for an item that was kept without remarks.
        source: The item's source in funnel counts.
        digest: Hash of the item and the step's settings; if it differs, the step checks the item
            again.
    """

    step: str
    kind: str
    name: str
    verdict: Verdict
    reason: str = ""
    source: str = ""
    digest: str = ""


class StepOutcome(msgspec.Struct, frozen=True):
    """The outcome of a step for one item.

    It has a ledger line, the items made from the item, and the usage.
    """

    line: StepLine
    made: tuple[NewItem, ...] = ()
    usage: tuple[Usage, ...] = ()


class FunnelCount(msgspec.Struct, frozen=True):
    """Numbers of items of a source that a step kept, dropped, merged, or failed to decide on."""

    step: str
    kind: str
    source: str
    kept: int = 0
    dropped: int = 0
    merged: int = 0
    failed: int = 0

    @property
    def seen(self) -> int:
        """Total number of items."""
        return self.kept + self.dropped + self.merged + self.failed


FILE = DATASET_FILE

_SCHEMA = """
CREATE TABLE items (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, source TEXT NOT NULL,
    step TEXT NOT NULL, made_of TEXT NOT NULL, digest TEXT NOT NULL, data BLOB NOT NULL
);
CREATE UNIQUE INDEX items_by_name ON items (kind, name);
CREATE INDEX items_by_step ON items (step, made_of);
CREATE TABLE supports (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL,
    on_kind TEXT NOT NULL, on_name TEXT NOT NULL
);
CREATE INDEX supports_by_name ON supports (kind, name);
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, step TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    verdict TEXT NOT NULL, reason TEXT NOT NULL, source TEXT NOT NULL, digest TEXT NOT NULL
);
CREATE UNIQUE INDEX ledger_by_item ON ledger (step, kind, name);
CREATE TABLE usage (id INTEGER PRIMARY KEY, step TEXT NOT NULL, data BLOB NOT NULL);
"""
_FORM = SqliteFileFormat(
    "dataset",
    _SCHEMA,
    missing="name the folder that `dragoman curate collect` wrote",
    damaged="put a copy in its place",
)

_ITEM = "kind, name, source, digest, data"
_PUT_ITEM = (
    "INSERT INTO items (kind, name, source, step, made_of, digest, data) VALUES (?, ?, ?, "
    "?, ?, ?, ?)"
)
_PUT_SUPPORT = "INSERT INTO supports (kind, name, on_kind, on_name) VALUES (?, ?, ?, ?)"
_PUT_LINE = (
    "INSERT OR REPLACE INTO ledger (step, kind, name, verdict, reason, source, digest) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_FUNNEL = (
    "SELECT step, kind, source, sum(verdict = 'kept'), sum(verdict = 'dropped'), "
    "sum(verdict = 'merged'), sum(verdict = 'failed') FROM ledger GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
)
_LINES = (
    "SELECT step, kind, name, verdict, reason, source, digest FROM ledger WHERE ?1 IN ('', "
    "step) ORDER BY step, kind, name"
)

_USAGE_DECODER = msgspec.json.Decoder(Usage)
_encode = msgspec.json.Encoder(order="deterministic").encode


class Dataset:
    """A dataset, as a context manager.

    Lists are sorted by name, so that they do not reveal the order of arrival.

    Args:
        folder: The dataset's folder.
        write: Whether the dataset may be written.
        make: Whether a missing dataset is created if it may be written.

    Raises:
        UsageError: If a dataset would be made in a folder that holds something else.
        StoreError: If the dataset cannot be opened or the folder does not hold one.
    """

    def __init__(self, folder: Path, *, write: bool = True, make: bool = True) -> None:
        self.folder = folder
        self.path = folder / FILE
        if write and make:
            require_folder_for(folder, "a dataset")
        self._file = open_shared_file(self.path, _FORM, write=write, make=make)

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

    def kinds(self) -> list[str]:
        """Return the kinds of items, sorted by name.

        Raises:
            StoreError: If the file cannot be read.
        """
        return [kind for (kind,) in self._rows("SELECT DISTINCT kind FROM items ORDER BY kind", ())]

    def items(self, kind: str) -> Iterator[StoredItem]:
        """Yield all items of a kind, including those that a step dropped.

        Raises:
            StoreError: If the file cannot be read or an item is damaged.
        """
        # Our own names.
        query = f"SELECT {_ITEM} FROM items WHERE kind = ? ORDER BY name"  # noqa: S608
        for row in self._rows(query, (kind,)):
            yield _item(row)

    def active(
        self, kind: str, *, after: Collection[str], decided: Collection[str] = ()
    ) -> Iterator[StoredItem]:
        """Yield the items of a kind that are not excluded by these steps.

        A step excludes the items that it dropped or merged, and the items that depend on them.

        Args:
            kind: The kind of the items.
            after: The names of the steps.
            decided: The steps among them that must have decided: items on which one of these failed
                are excluded.

        Raises:
            StoreError: If the file cannot be read or an item is damaged.
        """
        fallen = self.excluded(after, decided)
        for item in self.items(kind):
            if (item.kind, item.name) not in fallen:
                yield item

    def excluded(
        self, steps: Collection[str], decided: Collection[str] = ()
    ) -> set[tuple[str, str]]:
        """Return kind and name of the items that steps dropped or merged, and of their dependents.

        Args:
            steps: The names of the steps.
            decided: The steps among them whose failures exclude items, too.

        Raises:
            StoreError: If the file cannot be read.
        """
        lines = self._rows(
            "SELECT step, kind, name, verdict FROM ledger WHERE verdict != 'kept'", ()
        )
        fallen = {
            (kind, name)
            for step, kind, name, verdict in lines
            if step in steps and (verdict != "failed" or step in decided)
        }
        on: dict[tuple[str, str], list[tuple[str, str]]] = {}
        query = "SELECT kind, name, on_kind, on_name FROM supports"
        for kind, name, on_kind, on_name in self._rows(query, ()):
            on.setdefault((on_kind, on_name), []).append((kind, name))
        ahead = list(fallen)
        while ahead:
            more = [each for each in on.get(ahead.pop(), ()) if each not in fallen]
            fallen.update(more)
            ahead += more
        return fallen

    def find(self, kind: str, name: str) -> StoredItem | None:
        """Return one item; None if no item has this name.

        Raises:
            StoreError: If the file cannot be read or the item is damaged.
        """
        # Our own names.
        query = f"SELECT {_ITEM} FROM items WHERE kind = ? AND name = ?"  # noqa: S608
        for row in self._rows(query, (kind, name)):
            return _item(row)
        return None

    def ledger(self, step: str = "") -> Iterator[StepLine]:
        """Yield the ledger lines of a step, or of all steps.

        Raises:
            StoreError: If the file cannot be read.
        """
        for row in self._rows(_LINES, (step,)):
            yield StepLine(*row)

    def funnel(self) -> list[FunnelCount]:
        """Return how many items each step kept, dropped, merged or failed on, by source.

        Raises:
            StoreError: If the file cannot be read.
        """
        return [FunnelCount(*row) for row in self._rows(_FUNNEL, ())]

    def usage(self) -> dict[str, tuple[Usage, ...]]:
        """Return the usage of each step, by purpose and model.

        Raises:
            StoreError: If the file cannot be read or a record is damaged.
        """
        used: dict[str, list[Usage]] = {}
        for step, data in self._rows("SELECT step, data FROM usage ORDER BY id", ()):
            try:
                used.setdefault(step, []).append(_USAGE_DECODER.decode(strip_checksum(data, step)))
            except (ValueError, *DECODING_ERRORS) as error:
                raise StoreError(
                    f"{self.path}: the record of what {step} consumed is damaged ({error}): put a "
                    "copy of the file in its place"
                ) from error
        return {step: total_usage(each) for step, each in used.items()}

    def put(self, outcomes: Sequence[StepOutcome]) -> None:
        """Store the outcomes of a step for some items, all or none.

        They replace the earlier results of the step for these items.

        Raises:
            StoreError: If the file cannot be written, or two items would have one name.
        """
        with self._transaction():
            for outcome in outcomes:
                self._put(outcome)

    def replace(self, step: str, outcomes: Iterable[StepOutcome]) -> None:
        """Replace the verdicts of a step on all items, all or nothing.

        Args:
            step: The step's name.
            outcomes: The outcomes, taken one by one while the dataset is written; the iterator may
                read it.

        Raises:
            StoreError: If the file cannot be written, or two items would have one name.
        """
        with self._transaction():
            self._file.execute(
                "DELETE FROM supports WHERE EXISTS (SELECT 1 FROM items WHERE step = ? "
                "AND items.kind = supports.kind AND items.name = supports.name)",
                (step,),
            )
            self._file.execute("DELETE FROM items WHERE step = ?", (step,))
            self._file.execute("DELETE FROM ledger WHERE step = ?", (step,))
            for outcome in outcomes:
                self._put(outcome)

    def forget(self, step: str, names: Iterable[tuple[str, str]]) -> None:
        """Remove a step's lines for some items, by kind and name, and the items it made of them.

        Raises:
            StoreError: If the file cannot be written.
        """
        with self._transaction():
            for kind, name in names:
                self._drop_made(step, kind, name)
                self._file.execute(
                    "DELETE FROM ledger WHERE step = ? AND kind = ? AND name = ?",
                    (step, kind, name),
                )

    def _put(self, outcome: StepOutcome) -> None:
        line = outcome.line
        self._drop_made(line.step, line.kind, line.name)
        self._file.execute(_PUT_LINE, msgspec.structs.astuple(line))
        for made in outcome.made:
            data = _encode(made.record)
            source = made.source or line.source
            key = (made.kind, made.name)
            self._file.execute(
                _PUT_ITEM,
                (
                    *key,
                    source,
                    line.step,
                    _origin(line.kind, line.name),
                    content_key(msgspec.Raw(data)),
                    with_checksum(data, *key, source),
                ),
            )
            self._file.executemany(_PUT_SUPPORT, [(*key, *each) for each in made.stands_on])
        for used in outcome.usage:
            self._file.execute(
                "INSERT INTO usage (step, data) VALUES (?, ?)",
                (line.step, with_checksum(_encode(used), line.step)),
            )

    def _drop_made(self, step: str, kind: str, name: str) -> None:
        made_of = (step, _origin(kind, name))
        query = "SELECT kind, name FROM items WHERE step = ? AND made_of = ?"
        for made in self._file.execute(query, made_of).fetchall():
            self._file.execute("DELETE FROM supports WHERE kind = ? AND name = ?", made)
        self._file.execute("DELETE FROM items WHERE step = ? AND made_of = ?", made_of)

    def _rows(self, query: str, values: Sequence[object]) -> Iterator[tuple[Any, ...]]:
        try:
            rows = self._file.execute(query, values)
            # `yield from` would close its source, and the file may be closed before that.
            for row in rows:  # noqa: UP028 - see above
                yield row
        except sqlite3.Error as error:
            raise shared_file_error(self.path, _FORM, "read", error) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._file.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._file.execute("COMMIT")
            finally:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
        except sqlite3.IntegrityError as error:
            raise StoreError(f"{self.path}: two items of one name ({error})") from error
        except sqlite3.Error as error:
            raise shared_file_error(self.path, _FORM, "written", error) from error
        except DECODING_ERRORS as error:
            raise StoreError(f"{self.path}: a text cannot be stored ({error})") from error


def _origin(kind: str, name: str) -> str:
    return f"{kind}/{name}"


def _item(row: tuple[object, ...]) -> StoredItem:
    kind, name, source, digest, data = row
    if not isinstance(data, bytes):
        raise StoreError(f"{kind} {name!r} is damaged (no bytes)")
    try:
        content = strip_checksum(data, kind, name, source)
    except ValueError as error:
        raise StoreError(f"{kind} {name!r} is damaged ({error})") from error
    return StoredItem(str(kind), str(name), str(source), str(digest), content)
