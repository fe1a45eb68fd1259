"""Verification of a stored run: every record, reference, count and audio file.

It reads only the run's folder, which may come from anybody. It executes, changes and downloads
nothing, and does not follow a link that leads out of the folder.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from dragoman.core.conditions import condition_from
from dragoman.core.episodes import Episode, Message
from dragoman.core.replies import TextReply
from dragoman.store.audio_files import FOLDER, MOST_SOUND, audio_path
from dragoman.store.checksums import strip_checksum
from dragoman.store.record_codec import DAMAGE_ERRORS, EpisodeCodec
from dragoman.store.run_file import OpenFile, open_file, store_error
from dragoman.store.run_plan import plan_digest
from dragoman.store.safe_files import read_plain
from dragoman.store.status_counts import StatusCounter, groups_of, read_status_counts

_MOST_OF_PAGES = 20
_HEX = frozenset("0123456789abcdef")
_SHA256 = 64

_EPISODES = """
SELECT e.id, e.cell, lower(hex(key)), attempt, fault, data
FROM episodes AS e NOT INDEXED LEFT JOIN cells ON cells.id = e.cell
"""
_SCORES = """
SELECT s.id, s.cell, lower(hex(key)), s.attempt, rules, judge, metric, s.data
FROM scores AS s NOT INDEXED LEFT JOIN cells ON cells.id = s.cell
"""
_TWICE = "SELECT cell, attempt FROM episodes NOT INDEXED GROUP BY 1, 2 HAVING count(*) > 1"
_WITHOUT_ATTEMPT = """
SELECT id FROM scores WHERE NOT EXISTS (
    SELECT 1 FROM episodes WHERE episodes.cell = scores.cell AND episodes.attempt = scores.attempt
)
"""
_COUNT = "SELECT count(*), coalesce(max(id), 0) FROM {table} NOT INDEXED"
_LAST = """
SELECT cells.id, lower(hex(key)), suite, condition, agent, attempt, fault, data
FROM cells JOIN episodes ON cells.id = episodes.cell
WHERE attempt = (SELECT max(attempt) FROM episodes AS every WHERE every.cell = cells.id)
"""
_FOUND = (
    "SELECT attempt, rules, judge, metric, data FROM scores WHERE cell = ? AND attempt = ? "
    "AND rules != ''"
)


class RunProblem(msgspec.Struct, frozen=True):
    """A place where the run differs from what was written, and the difference."""

    where: str
    what: str


class VerificationCounts(msgspec.Struct):
    """Numbers of checked records.

    Attributes:
        cells: Cells of the grid: a suite, a condition and an agent.
        planned: Planned conversations.
        episodes: Recorded conversations, with all attempts.
        scores: Scores.
        sounds: Audio files.
    """

    cells: int = 0
    planned: int = 0
    episodes: int = 0
    scores: int = 0
    sounds: int = 0


def verify_run(
    folder: Path, checked: VerificationCounts, on_record: Callable[[], None]
) -> Iterator[RunProblem]:
    """Yield the problems of a run; none if everything is as it was written.

    Args:
        folder: The run's folder.
        checked: Counter of the checked records.
        on_record: Function that is called after each record and audio file.

    Raises:
        StoreError: If the folder has no run, or its file cannot be read at all.
    """
    with closing(open_file(folder, write=False)) as file:
        try:
            yield from _RunVerifier(folder, file, checked, on_record).problems()
        except sqlite3.Error as error:
            raise store_error(folder, "read", error) from error


class _RunVerifier:
    """Verifier of one run."""

    def __init__(
        self,
        folder: Path,
        file: OpenFile,
        checked: VerificationCounts,
        on_record: Callable[[], None],
    ) -> None:
        self._folder = folder
        self._file = file
        self._connection = file.connection
        self._checked = checked
        self._on_record = on_record
        self._codec = EpisodeCodec()
        self._sounds: dict[str, int] = {}
        self._is_sound = True

    def problems(self) -> Iterator[RunProblem]:
        for check in (
            *(self._pages, self._meta, self._plan, self._episodes, self._scores),
            *(self._belonging, self._counts, self._audio),
        ):
            for problem in check():
                self._is_sound = False
                yield problem

    def _content(self, data: bytes, *key: object) -> bytes:
        return strip_checksum(data, *key) if self._file.has_checksum else data

    def _pages(self) -> Iterator[RunProblem]:
        for (reported,) in self._connection.execute(f"PRAGMA integrity_check({_MOST_OF_PAGES})"):
            if reported != "ok":
                yield RunProblem("run.sqlite", str(reported))

    def _meta(self) -> Iterator[RunProblem]:
        rows = self._connection.execute("SELECT name, value FROM meta WHERE name != 'format'")
        names = set()
        for name, value in rows.fetchall():
            names.add(name)
            try:
                content = self._content(value, name)
                if name == "tasks":
                    self._codec.decode_tasks(content)
                elif name == "plan":
                    if content != plan_digest(self._connection):
                        yield RunProblem("plan", "it is not the one that was written")
                else:
                    msgspec.json.decode(content)
            except DAMAGE_ERRORS as error:
                yield RunProblem(f"{name!s:.60}", f"damaged ({error})")
        for name in {"manifest", "tasks", *(["plan"] if self._file.has_checksum else [])} - names:
            yield RunProblem(name, "missing")

    def _plan(self) -> Iterator[RunProblem]:
        yield from self._gaps("cells")
        grid = set()
        query = "SELECT id, suite, condition, agent FROM cells"
        for number, suite, condition, agent in self._connection.execute(query):
            self._checked.planned += 1
            grid.add((suite, condition, agent))
            self._checked.cells = len(grid)
            try:
                condition_from(condition)
            except DAMAGE_ERRORS as error:
                yield RunProblem(f"cell {number}", f"its condition cannot be read ({error})")

    def _gaps(self, table: str) -> Iterator[RunProblem]:
        count, last = self._connection.execute(_COUNT.format(table=table)).fetchone()
        if count != last:
            yield RunProblem(table, f"{last - count:,} of {last:,} rows are missing")

    def _episodes(self) -> Iterator[RunProblem]:
        yield from self._gaps("episodes")
        for number, cell, key, attempt, fault, data in self._connection.execute(_EPISODES):
            self._checked.episodes += 1
            self._on_record()
            where = f"episode {number} (cell {key or cell}, attempt {attempt})"
            if not key:
                yield RunProblem(where, "no cell of the plan")
                continue
            try:
                episode = self._codec.decode_episode(self._content(data, key, attempt, fault))
            except DAMAGE_ERRORS as error:
                yield RunProblem(where, f"damaged ({error})")
                continue
            if bool(fault) != episode.is_fault:
                yield RunProblem(where, "its ending is not the one that it is listed with")
            for name in audio_of_episode(episode):
                self._sounds.setdefault(name, number)

    def _scores(self) -> Iterator[RunProblem]:
        for number, cell, key, *columns, data in self._connection.execute(_SCORES):
            self._checked.scores += 1
            self._on_record()
            where = f"score {number} (cell {key or cell}, attempt {columns[0]})"
            if not key:
                yield RunProblem(where, "no cell of the plan")
                continue
            try:
                content = self._content(data, key, *columns)
                if columns[1]:
                    score = self._codec.decode_score(content)
                    own = (score.rules, score.judge, score.metric)
                else:
                    measured = self._codec.decode_measured(content)
                    own = (measured.rules, measured.judge, measured.metric)
            except DAMAGE_ERRORS as error:
                yield RunProblem(where, f"damaged ({error})")
                continue
            if own != tuple(columns[1:]):
                yield RunProblem(where, "its scoring is not the one that it is listed with")

    def _belonging(self) -> Iterator[RunProblem]:
        for cell, attempt in self._connection.execute(_TWICE):
            yield RunProblem(f"cell {cell}", f"attempt {attempt} is stored twice")
        for (number,) in self._connection.execute(_WITHOUT_ATTEMPT):
            yield RunProblem(f"score {number}", "of an attempt that does not exist")

    def _counts(self) -> Iterator[RunProblem]:
        """Compare the stored counts with a new count, if all counted records can be read."""
        if not (self._file.is_counted and self._is_sound):
            return
        counting = StatusCounter(self._connection)
        for place, key, suite, condition, agent, *last, data in self._connection.execute(_LAST):
            episode = self._codec.decode_head(self._content(data, key, *last))
            rows = self._connection.execute(_FOUND, (place, last[0])).fetchall()
            scores = tuple(
                self._codec.decode_score(self._content(score, key, *columns))
                for *columns, score in rows
            )
            for group in groups_of((suite, condition, agent), episode, scores):
                counting.add(group, place)
        try:
            written = {
                group: status_count.count
                for group, status_count in read_status_counts(self._connection)
                if group.status != "planned"
            }
        except DAMAGE_ERRORS as error:
            yield RunProblem("counts", f"damaged ({error})")
            return
        if written != counting.counts():
            yield RunProblem("counts", "they are not those of the conversations")

    def _audio(self) -> Iterator[RunProblem]:
        for name, number in self._sounds.items():
            self._checked.sounds += 1
            self._on_record()
            what = self._why_no_sound(name)
            if what:
                yield RunProblem(f"sound {name!r:.70} of episode {number}", what)

    def _why_no_sound(self, name: str) -> str:
        if len(name) != _SHA256 or not _HEX.issuperset(name):
            return "no name of a sound"
        path = self._folder / audio_path(name)
        try:
            if not path.resolve().is_relative_to((self._folder / FOLDER).resolve()):
                return "a link that leads elsewhere"
            if not path.is_file():
                return "missing"
            if path.stat().st_size > MOST_SOUND:
                return "too long"
            found = hashlib.sha256(read_plain(path, MOST_SOUND)).hexdigest()
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        return "" if found == name else "not the bytes of its name"


def audio_of_episode(episode: Episode) -> Iterator[str]:
    """Yield the names of a conversation's audio files."""
    for event in episode.events:
        if isinstance(event, Message) and isinstance(event.reply, TextReply):
            for audio in (event.reply.utterance.audio, event.reply.utterance.clean_audio):
                if audio is not None:
                    yield audio.sha256
