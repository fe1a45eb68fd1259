"""Writes of conversations and measure results into a run's file within one transaction.

Conversations that arrive together are written with few statements: each statement releases Python's
lock and waits for it again while an event loop keeps it busy. That waiting costs more than the
write. A record that JSON cannot represent is replaced by a placeholder, so that the records written
with it are not lost.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain

import msgspec

from dragoman.core.episodes import Episode, Termination
from dragoman.core.errors import StoreError
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Unscored
from dragoman.core.texts.decoding import (
    SERIALIZATION_ERRORS,
    escape_surrogates,
    why_not_serializable,
)
from dragoman.store.checksums import strip_checksum, with_checksum
from dragoman.store.record_codec import EpisodeCodec
from dragoman.store.run_file import OpenFile
from dragoman.store.status_counts import StatusCounter, groups_of, score_group


class StoredEpisode(msgspec.Struct, frozen=True):
    """One conversation to be stored: its cell, its attempt, and its score if it has one."""

    cell: str
    attempt: int
    episode: Episode
    score: Score | None = None


class StoredMeasure(msgspec.Struct, frozen=True):
    """The result of a measure for a stored episode."""

    cell: str
    attempt: int
    measured: MeasureResult


RunEntry = StoredEpisode | StoredMeasure


def placeholder_episode(episode: Episode, error: Exception) -> Episode:
    """Return the placeholder of an episode that cannot be written: an infrastructure fault."""
    return Episode(
        (),
        Termination("infrastructure_error", _why("conversation", error)),
        episode.steps,
        episode.errors,
        usage=() if why_not_serializable(episode.usage) else episode.usage,
        started=episode.started,
        seconds=episode.seconds,
    )


def placeholder_score(score: Score, error: Exception) -> Score:
    """Return the placeholder of a score that cannot be written, or whose conversation cannot."""
    return msgspec.structs.replace(
        score,
        reward=Unscored(_why("record", error)),
        components=(),
        note="",
        simulator=(),
    )


def placeholder_result(entry: MeasureResult, error: Exception) -> MeasureResult:
    """Return the placeholder of counts that cannot be written."""
    return msgspec.structs.replace(entry, counts={}, evidence=(), unscored=_why("record", error))


def _why(what: str, error: Exception) -> str:
    return escape_surrogates(f"the {what} cannot be stored: {error}"[:500])


OWN_LAST = "SELECT attempt, fault, data FROM episodes WHERE cell = ? ORDER BY attempt DESC LIMIT 1"
FOUND = "SELECT rules, judge, metric, data FROM scores WHERE cell = ? AND attempt = ? ORDER BY id"

_ONE_SCORE = (
    "SELECT data FROM scores "
    "WHERE cell = ? AND attempt = ? AND rules = ? AND judge = ? AND metric = ?"
)
# One row with all places, because each further row costs another step of the statement.
_PLACES = """
SELECT json_group_array(json_array(
    lower(hex(key)), id, EXISTS (SELECT 1 FROM episodes WHERE cell = cells.id), suite, condition,
    agent
)) FROM cells WHERE key IN {}
"""
_PUT_EPISODES = "INSERT INTO episodes (cell, attempt, fault, data) VALUES {}"
_PUT_COUNTED = "INSERT OR REPLACE INTO scores (cell, attempt, rules, judge, metric, data) VALUES {}"
_EPISODE_COLUMNS, _COUNTED_COLUMNS = 4, 6

MOST_TOGETHER = 64
"""Largest number of conversations in one statement: every version of SQLite takes 999 values."""

MOST_HELD = 4 * 2**20
"""Bytes of encoded episodes that are held until they are compressed together."""

Columns = tuple[object, ...]


class _StoredPlace(msgspec.Struct, frozen=True, array_like=True):
    """A cell's number, whether it was played, and its suite, condition and agent."""

    key: str
    id: int
    is_played: bool
    suite: str
    condition: str
    agent: str

    @property
    def of_grid(self) -> tuple[str, str, str]:
        return (self.suite, self.condition, self.agent)


_read_places = msgspec.json.Decoder(list[_StoredPlace], strict=False).decode


class ConversationWrites:
    """Writes entries into a run's file.

    Args:
        where: The run's name in messages.
        file: The run's file.
        codec: Codec of the records.
    """

    def __init__(self, where: str, file: OpenFile, codec: EpisodeCodec) -> None:
        self._where = where
        self._file = file
        self._connection = file.connection
        self._codec = codec

    def add(self, entries: Iterable[RunEntry]) -> None:
        """Write entries in their order, within a transaction of the caller.

        Raises:
            StoreError: If an entry belongs to no cell of the plan.
        """
        counting = StatusCounter(self._connection)
        for together in _batches(entries):
            places = self._places(together)
            conversations = [each for each in together if isinstance(each, StoredEpisode)]
            if conversations:
                self._put_conversations(places, conversations, counting)
            for each in together:
                if isinstance(each, StoredMeasure):
                    self._put_measured(places[each.cell], each, counting)
        counting.flush()

    def _places(self, entries: Sequence[RunEntry]) -> Mapping[str, _StoredPlace]:
        keys = [bytes.fromhex(entry.cell) for entry in entries]
        (found,) = self._connection.execute(_for_rows(_PLACES, len(keys), 1), keys).fetchone()
        places = {place.key: place for place in _read_places(found)}
        for entry in entries:
            if entry.cell not in places:
                raise StoreError(f"{self._where}: {entry.cell} is not a cell of this run's plan")
        return places

    def _put_conversations(
        self,
        places: Mapping[str, _StoredPlace],
        entries: Sequence[StoredEpisode],
        counting: StatusCounter,
    ) -> None:
        """Write conversations of different cells."""
        episodes = _EpisodeRows(self._codec, self._with_checksum)
        counted: list[Columns] = []
        for entry in entries:
            place = places[entry.cell]
            counts = self._file.is_counted and self._takes_the_place(place, entry, counting)
            episode, refused, written = self._written(entry.episode)
            episodes.add(place.id, entry, episode.is_fault, written)
            scores: tuple[Score, ...] = ()
            if entry.score is not None:
                score = placeholder_score(entry.score, refused) if refused else entry.score
                score, row = self._score_row(place.id, entry.cell, entry.attempt, score)
                scores = (score,)
                counted.append(row)
            if counts:
                for group in groups_of(place.of_grid, episode, scores):
                    counting.add(group, place.id)
        self._insert(_PUT_EPISODES, _EPISODE_COLUMNS, episodes.finished())
        self._insert(_PUT_COUNTED, _COUNTED_COLUMNS, counted)

    def _insert(self, statement: str, width: int, rows: Sequence[Columns]) -> None:
        if rows:
            self._connection.execute(
                _for_rows(statement, width, len(rows)), tuple(chain.from_iterable(rows))
            )

    def _takes_the_place(
        self, cell: _StoredPlace, entry: StoredEpisode, counting: StatusCounter
    ) -> bool:
        """Subtract the last attempt from the counts and return whether a new one replaces it."""
        if not cell.is_played:
            return True
        attempt, fault, data = self._connection.execute(OWN_LAST, (cell.id,)).fetchone()
        if attempt > entry.attempt:
            return False
        episode = self._codec.decode_head(self._verified(data, entry.cell, attempt, fault))
        rows = self._connection.execute(FOUND, (cell.id, attempt)).fetchall()
        scores = tuple(self._score(data, entry.cell, attempt, *of) for *of, data in rows if of[0])
        for group in groups_of(cell.of_grid, episode, scores):
            counting.add(group, cell.id, -1)
        return True

    def _written(self, episode: Episode) -> tuple[Episode, Exception | None, bytes]:
        """Return an episode or its placeholder, the error if it is a placeholder, and its JSON."""
        try:
            return episode, None, self._codec.written_episode(episode)
        except SERIALIZATION_ERRORS as error:
            fault = placeholder_episode(episode, error)
            return fault, error, self._codec.written_episode(fault)

    def _score_row(
        self, place: int, cell: str, attempt: int, score: Score
    ) -> tuple[Score, Columns]:
        """Return a score, or its placeholder, and its columns."""
        score, data = self._writable(score)
        key = (attempt, score.rules, score.judge, score.metric)
        return score, (place, *key, self._with_checksum(data, cell, *key))

    def _writable(self, score: Score) -> tuple[Score, bytes]:
        try:
            return score, self._codec.encode_score(score)
        except SERIALIZATION_ERRORS as error:
            other = placeholder_score(score, error)
            return other, self._codec.encode_score(other)

    def _put_measured(
        self, cell: _StoredPlace, entry: StoredMeasure, counting: StatusCounter
    ) -> None:
        measured = entry.measured
        if measured.score is not None:
            score, row = self._score_row(cell.id, entry.cell, entry.attempt, measured.score)
            if self._file.is_counted:
                self._count_score(cell, entry, score, counting)
        else:
            try:
                data = self._codec.encode_measured(measured)
            except SERIALIZATION_ERRORS as error:
                data = self._codec.encode_measured(placeholder_result(measured, error))
            key = (entry.attempt, measured.rules, measured.judge, measured.metric)
            row = (cell.id, *key, self._with_checksum(data, entry.cell, *key))
        self._insert(_PUT_COUNTED, _COUNTED_COLUMNS, [row])

    def _count_score(
        self, cell: _StoredPlace, entry: StoredMeasure, score: Score, counting: StatusCounter
    ) -> None:
        """Count a score, and subtract the score that it replaces."""
        last = self._connection.execute(OWN_LAST, (cell.id,)).fetchone()
        if last is None or last[0] != entry.attempt:
            return
        attempt, fault, data = last
        if fault:
            return
        episode = self._codec.decode_head(self._verified(data, entry.cell, attempt, fault))
        columns = (attempt, score.rules, score.judge, score.metric)
        row = self._connection.execute(_ONE_SCORE, (cell.id, *columns)).fetchone()
        if row is not None:
            before = self._score(row[0], entry.cell, *columns)
            counting.add(score_group(cell.of_grid, episode, before), cell.id, -1)
        counting.add(score_group(cell.of_grid, episode, score), cell.id)

    def _score(self, data: bytes, cell: str, *columns: object) -> Score:
        return self._codec.decode_score(self._verified(data, cell, *columns))

    def _with_checksum(self, data: bytes, *key: object) -> bytes:
        return with_checksum(data, *key) if self._file.has_checksum else data

    def _verified(self, data: bytes, *key: object) -> bytes:
        return strip_checksum(data, *key) if self._file.has_checksum else data


class _EpisodeRows:
    """Columns of episodes, which are compressed together up to `MOST_HELD` bytes."""

    def __init__(self, codec: EpisodeCodec, checksum: Callable[..., bytes]) -> None:
        self._codec = codec
        self._seal = checksum
        self._rows: list[Columns] = []
        self._waiting: list[tuple[int, str, int, int]] = []
        self._written: list[bytes] = []
        self._bytes = 0

    def add(self, place: int, entry: StoredEpisode, is_fault: bool, written: bytes) -> None:
        """Add an encoded episode."""
        self._waiting.append((place, entry.cell, entry.attempt, int(is_fault)))
        self._written.append(written)
        self._bytes += len(written)
        if self._bytes > MOST_HELD:
            self._compress()

    def finished(self) -> Sequence[Columns]:
        """Return the columns of all episodes."""
        self._compress()
        return self._rows

    def _compress(self) -> None:
        if self._written:
            frames = self._codec.compressed(self._written)
            for (place, *key), data in zip(self._waiting, frames, strict=True):
                _cell, attempt, fault = key
                self._rows.append((place, attempt, fault, self._seal(data, *key)))
        self._waiting, self._written, self._bytes = [], [], 0


def _batches(entries: Iterable[RunEntry]) -> Iterator[list[RunEntry]]:
    """Yield batches of entries of one kind, in their order.

    The conversations of a batch are of different cells.
    """
    batch: list[RunEntry] = []
    cells: set[str] = set()
    for entry in entries:
        is_conversation = isinstance(entry, StoredEpisode)
        is_other = bool(batch) and is_conversation is not isinstance(batch[0], StoredEpisode)
        is_again = is_conversation and entry.cell in cells
        if is_other or is_again or len(batch) == MOST_TOGETHER:
            yield batch
            batch, cells = [], set()
        batch.append(entry)
        cells.add(entry.cell)
    if batch:
        yield batch


@cache
def _for_rows(statement: str, width: int, count: int) -> str:
    row = f"({','.join('?' * width)})"
    return statement.format(",".join([row] * count))
