"""A dataset folder: one SQLite file of items and the ledger of what became of them.

What a step says of an item is one transaction: the ledger's line, the items that were made of it and
what that consumed. So a killed step goes on with the first item that has no line, and does nothing
twice.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from dragoman.core.errors import StoreError
from dragoman.core.keys import content_key
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.usage import Usage, total_usage
from dragoman.store.datasets.records import (
    FunnelCount,
    StepLine,
    StepOutcome,
    StoredItem,
)
from dragoman.store.seals import sealed, unsealed
from dragoman.store.shared_file import FileForm, open_shared_file, shared_file_error

FILE = "dataset.sqlite"

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
_FORM = FileForm(
    "dataset",
    _SCHEMA,
    missing="name the folder that `dragoman curate collect` wrote",
    damaged="put a copy in its place",
)

_ITEM = "kind, name, source, digest, data"
_PUT_ITEM = "INSERT INTO items (kind, name, source, step, made_of, digest, data) VALUES (?, ?, ?, ?, ?, ?, ?)"
_PUT_SUPPORT = "INSERT INTO supports (kind, name, on_kind, on_name) VALUES (?, ?, ?, ?)"
_PUT_LINE = (
    "INSERT OR REPLACE INTO ledger (step, kind, name, verdict, reason, source, digest) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_FUNNEL = (
    "SELECT step, kind, source, sum(verdict = 'kept'), sum(verdict = 'dropped'), "
    "sum(verdict = 'merged'), sum(verdict = 'failed') FROM ledger GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
)
_LINES = "SELECT step, kind, name, verdict, reason, source, digest FROM ledger WHERE ?1 IN ('', step) ORDER BY step, kind, name"

_USAGE_DECODER = msgspec.json.Decoder(Usage)
_encode = msgspec.json.Encoder(order="deterministic").encode


class Dataset:
    """A dataset; a context manager. Lists are by name, so that they do not tell in which order things came.

    Args:
        folder: Its folder.
        write: Whether it may be written.
        make: Whether one that may be written is made where there is none.

    Raises:
        StoreError: Where it cannot be opened or is no dataset.
    """

    def __init__(self, folder: Path, *, write: bool = True, make: bool = True) -> None:
        self.folder = folder
        self.path = folder / FILE
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
        """Return what kinds of items there are, by name.

        Raises:
            StoreError: Where the file cannot be read.
        """
        return [kind for (kind,) in self._rows("SELECT DISTINCT kind FROM items ORDER BY kind", ())]

    def items(self, kind: str) -> Iterator[StoredItem]:
        """Yield all items of a kind, those too that a step dropped.

        Raises:
            StoreError: Where the file cannot be read or an item is damaged.
        """
        query = f"SELECT {_ITEM} FROM items WHERE kind = ? ORDER BY name"  # noqa: S608 - our own names
        for row in self._rows(query, (kind,)):
            yield _item(row)

    def standing(
        self, kind: str, *, after: Collection[str], decided: Collection[str] = ()
    ) -> Iterator[StoredItem]:
        """Yield the items of a kind that none of some steps dropped or merged, themselves or what they stand on.

        Args:
            kind: What they are.
            after: The names of the steps.
            decided: Those of them that must have decided: what failed in one of these does not stand.

        Raises:
            StoreError: Where the file cannot be read or an item is damaged.
        """
        fallen = self.fallen(after, decided)
        for item in self.items(kind):
            if (item.kind, item.name) not in fallen:
                yield item

    def fallen(self, steps: Collection[str], decided: Collection[str] = ()) -> set[tuple[str, str]]:
        """Return kind and name of what some steps dropped or merged, and of what stands on it.

        Args:
            steps: The names of the steps.
            decided: Those of them of which what failed counts as well.

        Raises:
            StoreError: Where the file cannot be read.
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
        """Return one item; None where there is none of that name.

        Raises:
            StoreError: Where the file cannot be read or the item is damaged.
        """
        query = f"SELECT {_ITEM} FROM items WHERE kind = ? AND name = ?"  # noqa: S608 - our own names
        for row in self._rows(query, (kind, name)):
            return _item(row)
        return None

    def ledger(self, step: str = "") -> Iterator[StepLine]:
        """Yield the lines of a step, or all.

        Raises:
            StoreError: Where the file cannot be read.
        """
        for row in self._rows(_LINES, (step,)):
            yield StepLine(*row)

    def funnel(self) -> list[FunnelCount]:
        """Return how many items each step kept, dropped, merged or failed on, by source.

        Raises:
            StoreError: Where the file cannot be read.
        """
        return [FunnelCount(*row) for row in self._rows(_FUNNEL, ())]

    def usage(self) -> dict[str, tuple[Usage, ...]]:
        """Return what each step consumed, by purpose and model.

        Raises:
            StoreError: Where the file cannot be read or a record is damaged.
        """
        used: dict[str, list[Usage]] = {}
        for step, data in self._rows("SELECT step, data FROM usage ORDER BY id", ()):
            try:
                used.setdefault(step, []).append(_USAGE_DECODER.decode(unsealed(data, step)))
            except (ValueError, *UNREADABLE) as error:
                raise StoreError(
                    f"{self.path}: the record of what {step} consumed is damaged ({error}): put a "
                    "copy of the file in its place"
                ) from error
        return {step: total_usage(each) for step, each in used.items()}

    def put(self, outcomes: Sequence[StepOutcome]) -> None:
        """Store what a step says of some items, all or nothing.

        What the step had made of these items before is replaced.

        Raises:
            StoreError: Where the file cannot be written, or two items would have one name.
        """
        with self._transaction():
            for outcome in outcomes:
                self._put(outcome)

    def put_anew(self, step: str, outcomes: Iterable[StepOutcome]) -> None:
        """Store what a step says of all items in the place of all that it said before, all or nothing.

        Args:
            step: The step's name.
            outcomes: Taken one by one, while the dataset is written; they may read it.

        Raises:
            StoreError: Where the file cannot be written, or two items would have one name.
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
        """Take back a step's lines of some items, by kind and name, and what it made of them.

        Raises:
            StoreError: Where the file cannot be written.
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
                    _made_of(line.kind, line.name),
                    content_key(msgspec.Raw(data)),
                    sealed(data, *key, source),
                ),
            )
            self._file.executemany(_PUT_SUPPORT, [(*key, *each) for each in made.stands_on])
        for used in outcome.usage:
            self._file.execute(
                "INSERT INTO usage (step, data) VALUES (?, ?)",
                (line.step, sealed(_encode(used), line.step)),
            )

    def _drop_made(self, step: str, kind: str, name: str) -> None:
        made_of = (step, _made_of(kind, name))
        query = "SELECT kind, name FROM items WHERE step = ? AND made_of = ?"
        for made in self._file.execute(query, made_of).fetchall():
            self._file.execute("DELETE FROM supports WHERE kind = ? AND name = ?", made)
        self._file.execute("DELETE FROM items WHERE step = ? AND made_of = ?", made_of)

    def _rows(self, query: str, values: Sequence[object]) -> Iterator[tuple[Any, ...]]:
        try:
            rows = self._file.execute(query, values)
            # `yield from` would close what it reads from, and the file may be closed before.
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
        except UNREADABLE as error:
            raise StoreError(f"{self.path}: a text cannot be stored ({error})") from error


def _made_of(kind: str, name: str) -> str:
    return f"{kind}/{name}"


def _item(row: tuple[object, ...]) -> StoredItem:
    kind, name, source, digest, data = row
    if not isinstance(data, bytes):
        raise StoreError(f"{kind} {name!r} is damaged (no bytes)")
    try:
        content = unsealed(data, kind, name, source)
    except ValueError as error:
        raise StoreError(f"{kind} {name!r} is damaged ({error})") from error
    return StoredItem(str(kind), str(name), str(source), str(digest), content)
