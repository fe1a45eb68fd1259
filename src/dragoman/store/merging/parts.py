"""The runs that are to become one: their rows cell by cell, and their sounds."""

import hashlib
import sqlite3
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Self

from dragoman.core.errors import StoreError
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.store.audio_files import FOLDER, MOST_SOUND, audio_path
from dragoman.store.foreign_files import read_plain
from dragoman.store.merging.attempts import Attempt, Scoring
from dragoman.store.run import DAMAGED, PlanRow, plan_digest, plan_rows
from dragoman.store.run_file import FORMAT, open_file, store_error
from dragoman.store.seals import unsealed
from dragoman.store.whole_files import write_whole

_ATTEMPTS = """
SELECT cell, lower(hex(key)), attempt, fault, data
FROM episodes JOIN cells ON cells.id = cell ORDER BY cell, attempt
"""
_FOUND = "SELECT rules, judge, metric, data FROM scores WHERE cell = ? AND attempt = ? ORDER BY id"
_SCORINGS = "SELECT rules, judge, metric FROM scores GROUP BY 1, 2, 3 ORDER BY max(id)"
_DECLARED = "SELECT name, value FROM meta WHERE name LIKE 'measure %'"
_TASKS = "SELECT value FROM meta WHERE name = 'tasks'"

OfCell = tuple[int, str, list[Attempt]]
"""A cell's place in the plan, its key, and the attempts at it in their order."""


class RunPart:
    """One of the runs, open to be read as it is at one moment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = open_file(folder, write=False)
        self._connection = self._file.connection

    def __enter__(self) -> Self:
        try:
            self._connection.execute("BEGIN")
        except sqlite3.Error as error:
            raise store_error(self.folder, "read", error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def plan(self) -> bytes:
        """Return the hash of the plan.

        Raises:
            StoreError: Where the file is of an older format.
        """
        if self._file.format != FORMAT:
            raise StoreError(
                f"{self.folder}: of format {self._file.format}: first `dragoman upgrade {self.folder}`"
            )
        return plan_digest(self._connection)

    def plan_rows(self) -> list[PlanRow]:
        """Return the plan, in its order."""
        return plan_rows(self._connection)

    def tasks(self) -> bytes:
        """Return the tasks as they are stored."""
        row = self._connection.execute(_TASKS).fetchone()
        return b"" if row is None else unsealed(row[0], "tasks")

    def declared(self) -> dict[str, bytes]:
        """Return by name what measures declare, as it is stored."""
        rows = self._connection.execute(_DECLARED).fetchall()
        return {name: unsealed(value, name) for name, value in rows}

    def scorings(self) -> list[Scoring]:
        """Return what the run was scored and measured by, the newest last."""
        return [
            (rules, judge, metric) for rules, judge, metric in self._connection.execute(_SCORINGS)
        ]

    def cells(self) -> Iterator[OfCell]:
        """Yield the cells at which an attempt was made, in the plan's order.

        Raises:
            StoreError: Where a record is damaged.
        """
        try:
            rows = groupby(self._connection.execute(_ATTEMPTS), key=lambda row: (row[0], row[1]))
            for (place, key), own in rows:
                yield place, key, [self._attempt(place, key, *row[2:]) for row in own]
        except sqlite3.Error as error:
            raise store_error(self.folder, "read", error) from error
        except DAMAGED as error:
            raise StoreError(
                f"{self.folder}: a stored record is damaged ({error}): `dragoman verify` names all"
            ) from error

    def _attempt(self, place: int, key: str, number: int, fault: int, data: bytes) -> Attempt:
        scores = {
            (rules, judge, metric): unsealed(score, key, number, rules, judge, metric)
            for rules, judge, metric, score in self._connection.execute(_FOUND, (place, number))
        }
        return Attempt(fault, unsealed(data, key, number, fault), scores)

    def copy_sounds(self, to: Path) -> Iterator[str]:
        """Copy the sounds that are not there yet; yield the name of each.

        Raises:
            StoreError: Where one is not the bytes of its name, or cannot be read or written.
        """
        # A link may lead anywhere: a run may come from anybody.
        if (self.folder / FOLDER).is_symlink():
            raise StoreError(
                f"{self.folder / FOLDER}: a link: sounds are files of the run's folder"
            )
        for path in sorted((self.folder / FOLDER).glob("??/*.wav")):
            target = to / audio_path(path.stem)
            if target.exists():
                continue
            write_whole(target, [self._sound(path)])
            yield path.stem

    def _sound(self, path: Path) -> bytes:
        if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
            raise StoreError(f"{path}: no file of the run's folder")
        with OutsideErrors(StoreError, f"{path}: cannot read audio"):
            content = read_plain(path, MOST_SOUND)
        if hashlib.sha256(content).hexdigest() != path.stem:
            raise StoreError(f"{path}: not the bytes of its name: `dragoman verify {self.folder}`")
        return content
