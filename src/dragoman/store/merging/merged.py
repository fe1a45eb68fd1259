"""Runs of one plan are written as one, into a new folder that is there whole or not at all."""

import heapq
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import msgspec

from dragoman.core.errors import StoreError
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.store.merging.attempts import Attempt, ConflictError, Prefer, joined
from dragoman.store.merging.parts import RunPart
from dragoman.store.run import DAMAGED, begin_run
from dragoman.store.run_file import Lock, create_file
from dragoman.store.seals import sealed
from dragoman.store.upgrading import count_conversations
from dragoman.store.verifying import Verified, verify_run

_SET_ASIDE = """
CREATE TEMP TABLE found (scoring INTEGER, cell INTEGER, attempt INTEGER, data BLOB)
"""
_PUT_ASIDE = "INSERT INTO temp.found VALUES (?, ?, ?, ?)"
_IN_ORDER = "SELECT scoring, cell, attempt, data FROM temp.found ORDER BY scoring, rowid"
_PUT_EPISODE = "INSERT INTO episodes (cell, attempt, fault, data) VALUES (?, ?, ?, ?)"
_PUT_SCORE = (
    "INSERT INTO scores (cell, attempt, rules, judge, metric, data) VALUES (?, ?, ?, ?, ?, ?)"
)


class Contradiction(msgspec.Struct, frozen=True):
    """A cell of which runs have more than one account, and what differs."""

    key: str
    what: str


class Merged(msgspec.Struct):
    """What became of the runs: how much was taken, or why nothing was written.

    Attributes:
        conversations: Cells that were played in any of them.
        in_several: Cells that were played in several.
        left: Cells that are still to be played: in none of them, or ended by infrastructure in all.
        sounds: Sounds.
        conflicts: Cells of which they have different accounts: with any, nothing was written.
    """

    conversations: int = 0
    in_several: int = 0
    left: int = 0
    sounds: int = 0
    conflicts: list[Contradiction] = []


def merge_parts(
    folders: Sequence[Path],
    out: Path,
    manifest: bytes,
    prefer: Prefer | None,
    on_record: Callable[[], None],
) -> Merged:
    """Write runs of one plan as one; nothing is written where they contradict each other.

    It is made beside its place and moved there when it is whole and was verified: whoever is killed
    leaves no run, and what is left is replaced by the next merge into that folder.

    Args:
        folders: The runs; they must have the same plan.
        out: The new folder; one that is there has to be empty.
        manifest: The manifest of the run that is written.
        prefer: Whose conversation stays where they differ; None to return the conflicts.
        on_record: Called after each conversation and sound.

    Raises:
        StoreError: Where one cannot be read, they are of different plans, or the folder cannot be written.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir())):
        raise StoreError(f"{out}: is there already: choose another --out")
    work = out.absolute().with_name(f".{out.absolute().name}.merging")
    draft = work / out.name
    with OutsideErrors(StoreError, f"{out}: cannot be written"):
        work.mkdir(parents=True, exist_ok=True)
    lock = Lock(work)
    try:
        shutil.rmtree(draft, ignore_errors=True)
        with ExitStack() as opened:
            parts = [opened.enter_context(RunPart(folder)) for folder in folders]
            _require_one_plan(parts)
            merging = _Merging(parts, prefer, on_record)
            merging.write(draft, manifest)
        if not merging.merged.conflicts:
            _require_sound(draft)
            with OutsideErrors(StoreError, f"{out}: cannot be written"):
                draft.replace(out)
        return merging.merged
    finally:
        shutil.rmtree(work, ignore_errors=True)
        lock.release()


def _require_one_plan(parts: Sequence[RunPart]) -> None:
    first, *others = parts
    plan, declared = first.plan(), first.declared()
    for other in others:
        if other.plan() != plan:
            raise StoreError(f"{other.folder}: another plan than that of {first.folder}")
        for name, content in other.declared().items():
            if declared.setdefault(name, content) != content:
                raise StoreError(f"{other.folder}: its {name} counts other figures than elsewhere")


def _require_sound(draft: Path) -> None:
    for problem in verify_run(draft, Verified(), lambda: None):
        raise StoreError(
            f"what the runs have is not whole ({problem.where}: {problem.what}): nothing was written; "
            "`dragoman verify` tells of each run what is wrong"
        )


class _Merging:
    """Runs while they are written as one."""

    def __init__(
        self, parts: Sequence[RunPart], prefer: Prefer | None, on_record: Callable[[], None]
    ) -> None:
        self._parts = parts
        self._prefer = prefer
        self._on_record = on_record
        # Of each run in its own order: which scoring is the newest is told by that.
        every = (scoring for part in parts for scoring in part.scorings())
        self._scorings = list(dict.fromkeys(every))
        self._numbers = {scoring: number for number, scoring in enumerate(self._scorings)}
        self.merged = Merged()

    def write(self, draft: Path, manifest: bytes) -> None:
        first = self._parts[0]

        def fill(connection: sqlite3.Connection) -> None:
            begin_run(connection, manifest, first.tasks(), first.plan_rows())
            self._write_rows(connection)

        create_file(draft, fill).close()
        if not self.merged.conflicts:
            for part in self._parts:
                for _ in part.copy_sounds(draft):
                    self.merged.sounds += 1
                    self._on_record()

    def _write_rows(self, connection: sqlite3.Connection) -> None:
        connection.execute(_SET_ASIDE)
        [(self.merged.left,)] = connection.execute("SELECT count(*) FROM cells")
        for place, key, runs in self._cells():
            self.merged.conversations += 1
            self.merged.in_several += len(runs) > 1
            self._on_record()
            try:
                attempts = joined(runs, self._prefer)
            except ConflictError as conflict:
                self.merged.conflicts.append(Contradiction(key, str(conflict)))
                continue
            self.merged.left -= not attempts[-1].fault
            for number, attempt in enumerate(attempts):
                self._put(connection, (place, key, number), attempt)
        for number, *row, data in connection.execute(_IN_ORDER):
            connection.execute(_PUT_SCORE, (*row, *self._scorings[number], data))
        declared = {name: each for part in self._parts for name, each in part.declared().items()}
        for name, content in declared.items():
            row = (name, sealed(content, name))
            connection.execute("INSERT INTO meta VALUES (?, ?)", row)
        try:
            count_conversations(connection, lambda: None)
        except DAMAGED as error:
            folders = ", ".join(str(part.folder) for part in self._parts)
            raise StoreError(
                f"{folders}: a stored record is damaged ({error}): `dragoman verify` names all"
            ) from error

    def _cells(self) -> Iterator[tuple[int, str, list[list[Attempt]]]]:
        """Yield the cells that any run has, each with the attempts of those that have it."""
        streams = (part.cells() for part in self._parts)
        # Of equal ones those of the run come first that is named first.
        rows = heapq.merge(*streams, key=itemgetter(0))
        for (place, key), own in groupby(rows, key=itemgetter(0, 1)):
            yield place, key, [attempts for _, _, attempts in own]

    def _put(
        self, connection: sqlite3.Connection, where: tuple[int, str, int], attempt: Attempt
    ) -> None:
        place, key, number = where
        data = sealed(attempt.data, key, number, attempt.fault)
        connection.execute(_PUT_EPISODE, (place, number, attempt.fault, data))
        for scoring, score in attempt.scores.items():
            content = sealed(score, key, number, *scoring)
            connection.execute(_PUT_ASIDE, (self._numbers[scoring], place, number, content))
