"""Merge of runs of one plan into a new run; no conversation is counted twice or lost."""

import hashlib
import heapq
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import msgspec

from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.errors import StoreError
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import METRIC_VERSION, Score
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_files import FOLDER, MOST_SOUND, audio_path
from dragoman.store.checksums import strip_checksum, with_checksum
from dragoman.store.record_codec import DAMAGE_ERRORS, EpisodeCodec
from dragoman.store.run_file import FORMAT, Lock, create_file, open_file, store_error
from dragoman.store.run_plan import PlanRow, begin_run, plan_digest, plan_rows
from dragoman.store.run_upgrade import count_conversations
from dragoman.store.run_verification import VerificationCounts, verify_run
from dragoman.store.safe_files import read_plain

Prefer = Literal["first", "last"]
"""The run whose conversation is kept if runs differ: the one named first, or last."""

Scoring = tuple[str, str, str]
"""Rules, judge and metric of a stored score or measure; rules are empty for measures."""

_WHOLE, _INVALID, _FAULT = 2, 1, 0

_CODEC = EpisodeCodec()


class Attempt(msgspec.Struct, frozen=True):
    """One stored attempt at a cell, with its episode, scores and measures in order."""

    fault: int
    data: bytes
    scores: dict[Scoring, bytes]


class ConflictError(Exception):
    """Runs have different conversations, or scores, for one cell."""


def merge_attempts(runs: Sequence[Sequence[Attempt]], prefer: Prefer | None) -> list[Attempt]:
    """Return the attempts at one cell of all runs, with the attempt that counts at the end.

    A whole conversation takes precedence over one whose simulated user failed, and that over one
    that was broken off. If two attempts are equal, one is kept, with the scores of both; a decided
    verdict replaces one that a judge left undecided. Attempts that do not count are kept before it,
    for their usage.

    Args:
        runs: The attempts of each run that has any, in their order.
        prefer: The run that decides if several differ; None to refuse.

    Raises:
        ConflictError: If several differ and no run is preferred.
    """
    if len(runs) == 1:
        return list(runs[0])
    ordered = list(runs) if prefer != "last" else list(reversed(runs))
    chosen = max(ordered, key=lambda attempts: _rank(attempts[-1]))
    strict = prefer is None
    if strict:
        _require_one(chosen[-1], ordered)
    kept = list(chosen)
    before: list[Attempt] = []
    for attempts in ordered:
        for attempt in () if attempts is chosen else attempts:
            if not _merge_into_kept(attempt, kept, strict=strict) and not _merge_into_kept(
                attempt, before, strict=strict
            ):
                before.append(attempt)
    return before + kept


def _require_one(last: Attempt, runs: Sequence[Sequence[Attempt]]) -> None:
    """Raise an error if another run has a different conversation of the same rank."""
    rank = _rank(last)
    if rank == _FAULT:
        return
    for attempts in runs:
        if _rank(attempts[-1]) == rank and not is_same(last, attempts[-1]):
            raise ConflictError("the conversations differ")


def _merge_into_kept(attempt: Attempt, kept: list[Attempt], *, strict: bool) -> bool:
    """Return whether an attempt equals a kept one; the kept one then gets its missing scores."""
    for place, own in enumerate(kept):
        if is_same(own, attempt):
            kept[place] = _merge_scores(own, attempt, strict=strict)
            return True
    return False


def _merge_scores(own: Attempt, other: Attempt, *, strict: bool) -> Attempt:
    scores = dict(own.scores)
    for scoring, data in other.scores.items():
        mine = scores.get(scoring)
        if mine is None or (mine != data and _is_open(mine, scoring)):
            scores[scoring] = data
        elif mine != data and strict and not _is_same_verdict(mine, data, scoring):
            rules, judge, metric = scoring
            by = " ".join(name for name in (rules, judge, metric) if name)
            raise ConflictError(f"the scores by {by} differ")
    return msgspec.structs.replace(own, scores=scores)


def _rank(attempt: Attempt) -> int:
    if attempt.fault:
        return _FAULT
    newest = [data for scoring, data in attempt.scores.items() if _is_reward(scoring)][-1:]
    is_invalid = any(_CODEC.decode_score(data).invalid for data in newest)
    return _INVALID if is_invalid else _WHOLE


def _is_reward(scoring: Scoring) -> bool:
    return bool(scoring[0]) and scoring[2] == METRIC_VERSION


def is_same(one: Attempt, other: Attempt) -> bool:
    """Return whether two attempts are one conversation.

    Two failed attempts are one only if their records are equal.
    """
    if one.data == other.data:
        return True
    if one.fault or other.fault:
        return False
    return _lasting(_CODEC.decode_episode(one.data)) == _lasting(_CODEC.decode_episode(other.data))


def _lasting(episode: Episode) -> Episode:
    """Return an episode without clock times, providers' ids and cache data."""
    return msgspec.structs.replace(
        episode, events=tuple(_describe_cell(episode)), usage=(), started=0.0, seconds=0.0
    )


def _describe_cell(episode: Episode) -> Iterator[Event]:
    for event in episode.events:
        if isinstance(event, Message):
            yield msgspec.structs.replace(event, raw=msgspec.UNSET, latency=None)
        else:
            yield event


def _is_open(data: bytes, scoring: Scoring) -> bool:
    return _read(data, scoring).is_open


def _is_same_verdict(one: bytes, other: bytes, scoring: Scoring) -> bool:
    """Return whether two scores agree, whatever their usage."""
    if scoring[0]:
        first, second = _CODEC.decode_score(one), _CODEC.decode_score(other)
        return _verdict(first) == _verdict(second)
    counted, again = _CODEC.decode_measured(one), _CODEC.decode_measured(other)
    replace = msgspec.structs.replace
    return replace(counted, usage=None) == replace(again, usage=None)


def _verdict(score: Score) -> Score:
    return msgspec.structs.replace(score, usage=None, simulator_usage=None)


def _read(data: bytes, scoring: Scoring) -> Score | MeasureResult:
    return _CODEC.decode_score(data) if scoring[0] else _CODEC.decode_measured(data)


_ATTEMPTS = """
SELECT cell, lower(hex(key)), attempt, fault, data
FROM episodes JOIN cells ON cells.id = cell ORDER BY cell, attempt
"""
_FOUND = "SELECT rules, judge, metric, data FROM scores WHERE cell = ? AND attempt = ? ORDER BY id"
_SCORINGS = "SELECT rules, judge, metric FROM scores GROUP BY 1, 2, 3 ORDER BY max(id)"
_DECLARED = "SELECT name, value FROM meta WHERE name LIKE 'measure %'"
_TASKS = "SELECT value FROM meta WHERE name = 'tasks'"

CellAttempts = tuple[int, str, list[Attempt]]
"""A cell's place in the plan, its key, and the attempts at it in their order."""


class RunPart:
    """One of the runs, opened as a snapshot."""

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
            StoreError: If the file has an older format.
        """
        if self._file.format != FORMAT:
            raise StoreError(
                f"{self.folder}: of format {self._file.format}: first `dragoman upgrade "
                f"{self.folder}`"
            )
        return plan_digest(self._connection)

    def plan_rows(self) -> list[PlanRow]:
        """Return the plan, in its order."""
        return plan_rows(self._connection)

    def tasks(self) -> bytes:
        """Return the tasks in their stored form."""
        row = self._connection.execute(_TASKS).fetchone()
        return b"" if row is None else strip_checksum(row[0], "tasks")

    def declared(self) -> dict[str, bytes]:
        """Return the metrics that measures declare, by name and in their stored form."""
        rows = self._connection.execute(_DECLARED).fetchall()
        return {name: strip_checksum(value, name) for name, value in rows}

    def scorings(self) -> list[Scoring]:
        """Return the scorings of the run's scores and measures, the newest last."""
        return [
            (rules, judge, metric) for rules, judge, metric in self._connection.execute(_SCORINGS)
        ]

    def cells(self) -> Iterator[CellAttempts]:
        """Yield the cells with attempts, in the plan's order.

        Raises:
            StoreError: If a record is damaged.
        """
        try:
            rows = groupby(self._connection.execute(_ATTEMPTS), key=lambda row: (row[0], row[1]))
            for (place, key), own in rows:
                yield place, key, [self._attempt(place, key, *row[2:]) for row in own]
        except sqlite3.Error as error:
            raise store_error(self.folder, "read", error) from error
        except DAMAGE_ERRORS as error:
            raise StoreError(
                f"{self.folder}: a stored record is damaged ({error}): `dragoman verify` names all"
            ) from error

    def _attempt(self, place: int, key: str, number: int, fault: int, data: bytes) -> Attempt:
        scores = {
            (rules, judge, metric): strip_checksum(score, key, number, rules, judge, metric)
            for rules, judge, metric, score in self._connection.execute(_FOUND, (place, number))
        }
        return Attempt(fault, strip_checksum(data, key, number, fault), scores)

    def copy_sounds(self, to: Path) -> Iterator[str]:
        """Copy the missing audio files; yield the name of each.

        Raises:
            StoreError: If a file's content does not match its name, or it cannot be read or
                written.
        """
        # A link may lead anywhere, and the run may come from anybody.
        if (self.folder / FOLDER).is_symlink():
            raise StoreError(
                f"{self.folder / FOLDER}: a link: sounds are files of the run's folder"
            )
        for path in sorted((self.folder / FOLDER).glob("??/*.wav")):
            target = to / audio_path(path.stem)
            if target.exists():
                continue
            atomic_write(target, self._sound(path))
            yield path.stem

    def _sound(self, path: Path) -> bytes:
        if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
            raise StoreError(f"{path}: no file of the run's folder")
        with TranslatedErrors(StoreError, f"{path}: cannot read audio"):
            content = read_plain(path, MOST_SOUND)
        if hashlib.sha256(content).hexdigest() != path.stem:
            raise StoreError(f"{path}: not the bytes of its name: `dragoman verify {self.folder}`")
        return content


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
    """A cell with conflicting records in the runs, and the difference."""

    key: str
    what: str


class MergeResult(msgspec.Struct):
    """Result of a merge: the numbers of merged records, or the conflicts.

    Attributes:
        conversations: Number of cells that were played in any run.
        in_several: Number of cells that were played in several runs.
        left: Number of cells that are still to be played: in none of the runs, or ended by
            infrastructure in all.
        sounds: Number of audio files.
        conflicts: Cells with conflicting records; if there are any, nothing was written.
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
) -> MergeResult:
    """Write runs of one plan as one; nothing is written if they contradict each other.

    The run is made next to its place, verified, and then moved there. A killed merge leaves no run,
    and its remains are replaced by the next merge into that folder.

    Args:
        folders: The runs; they must have the same plan.
        out: The new folder; an existing folder has to be empty.
        manifest: The manifest of the new run.
        prefer: The run whose conversation is kept if they differ; None to return the conflicts.
        on_record: Function that is called after each conversation and audio file.

    Raises:
        StoreError: If a run cannot be read, their plans differ, or the folder cannot be written.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir())):
        raise StoreError(f"{out}: is there already: choose another --out")
    work = out.absolute().with_name(f".{out.absolute().name}.merging")
    draft = work / out.name
    with TranslatedErrors(StoreError, f"{out}: cannot be written"):
        work.mkdir(parents=True, exist_ok=True)
    lock = Lock(work)
    try:
        shutil.rmtree(draft, ignore_errors=True)
        with ExitStack() as opened:
            parts = [opened.enter_context(RunPart(folder)) for folder in folders]
            _require_one_plan(parts)
            merging = _RunMerger(parts, prefer, on_record)
            merging.write(draft, manifest)
        if not merging.merged.conflicts:
            _require_sound(draft)
            with TranslatedErrors(StoreError, f"{out}: cannot be written"):
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
    for problem in verify_run(draft, VerificationCounts(), lambda: None):
        raise StoreError(
            f"the merged runs are damaged ({problem.where}: {problem.what}): nothing was written; "
            "`dragoman verify` shows the problems of each run"
        )


class _RunMerger:
    """Runs while they are merged."""

    def __init__(
        self, parts: Sequence[RunPart], prefer: Prefer | None, on_record: Callable[[], None]
    ) -> None:
        self._parts = parts
        self._prefer = prefer
        self._on_record = on_record
        # Each run in its own order, which shows the newest scoring.
        every = (scoring for part in parts for scoring in part.scorings())
        self._scorings = list(dict.fromkeys(every))
        self._numbers = {scoring: number for number, scoring in enumerate(self._scorings)}
        self.merged = MergeResult()

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
                attempts = merge_attempts(runs, self._prefer)
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
            row = (name, with_checksum(content, name))
            connection.execute("INSERT INTO meta VALUES (?, ?)", row)
        try:
            count_conversations(connection, lambda: None)
        except DAMAGE_ERRORS as error:
            folders = ", ".join(str(part.folder) for part in self._parts)
            raise StoreError(
                f"{folders}: a stored record is damaged ({error}): `dragoman verify` names all"
            ) from error

    def _cells(self) -> Iterator[tuple[int, str, list[list[Attempt]]]]:
        """Yield the cells of any run, each with the attempts of the runs that have it."""
        streams = (part.cells() for part in self._parts)
        # Of equal ones, the run that is named first comes first.
        rows = heapq.merge(*streams, key=itemgetter(0))
        for (place, key), own in groupby(rows, key=itemgetter(0, 1)):
            yield place, key, [attempts for _, _, attempts in own]

    def _put(
        self, connection: sqlite3.Connection, where: tuple[int, str, int], attempt: Attempt
    ) -> None:
        place, key, number = where
        data = with_checksum(attempt.data, key, number, attempt.fault)
        connection.execute(_PUT_EPISODE, (place, number, attempt.fault, data))
        for scoring, score in attempt.scores.items():
            content = with_checksum(score, key, number, *scoring)
            connection.execute(_PUT_ASIDE, (self._numbers[scoring], place, number, content))
