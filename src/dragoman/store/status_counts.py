"""Counts of a run's conversations by outcome status and cause, updated as they are written."""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from dragoman.core.episodes import Episode
from dragoman.core.scores import OutcomeStatus, Score, failure_causes, outcome_status
from dragoman.store.checksums import strip_checksum, with_checksum

SCHEMA = """
CREATE TABLE tallies (
    rules TEXT NOT NULL, judge TEXT NOT NULL, metric TEXT NOT NULL, suite TEXT NOT NULL,
    condition TEXT NOT NULL, agent TEXT NOT NULL, standing TEXT NOT NULL, cause TEXT NOT NULL,
    data BLOB NOT NULL, PRIMARY KEY (
        rules, judge, metric, suite, condition, agent, standing, cause
    )
) WITHOUT ROWID;
CREATE INDEX episodes_that_broke ON episodes (cell, attempt) WHERE fault;
"""

MAX_CAUSE = 200
"""Longest cause in characters; causes that differ only beyond it are counted together."""

UNSCORED = ("", "", "")
"""Rules, judge and metric of counts that do not depend on the scoring."""

_OF_GROUP = """
SELECT data FROM tallies WHERE rules = ? AND judge = ? AND metric = ? AND suite = ?
AND condition = ? AND agent = ? AND standing = ? AND cause = ?
"""
_PUT = "INSERT OR REPLACE INTO tallies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_DROP = """
DELETE FROM tallies WHERE rules = ? AND judge = ? AND metric = ? AND suite = ?
AND condition = ? AND agent = ? AND standing = ? AND cause = ?
"""
_PLANNED = "SELECT suite, condition, agent, count(*), max(id) FROM cells GROUP BY 1, 2, 3"

StatusCounts = OutcomeStatus | Literal["planned", "played"]


class StatusGroup(msgspec.Struct, frozen=True):
    """Key of a count.

    It consists of a scoring, a cell of the grid, and the status of conversations with its cause.
    Additional values of `status` with `UNSCORED` are `planned` and `played`.
    """

    rules: str
    judge: str
    metric: str
    suite: str
    condition: str
    agent: str
    status: StatusCounts
    cause: str

    @property
    def scoring(self) -> tuple[str, str, str]:
        """Rules, judge and metric version.

        `UNSCORED` if the count does not depend on the scoring.
        """
        return (self.rules, self.judge, self.metric)


class StatusCount(msgspec.Struct, frozen=True, array_like=True):
    """The number of conversations in a group, and the place of one of them."""

    count: int
    place: int


def groups_of(
    cell: tuple[str, str, str], episode: Episode, scores: Iterator[Score] | tuple[Score, ...]
) -> Iterator[StatusGroup]:
    """Yield the groups of a conversation of a cell (suite, condition and agent)."""
    if episode.is_fault:
        yield _group(UNSCORED, cell, episode, None)
        return
    suite, condition, agent = cell
    yield StatusGroup(*UNSCORED, suite, condition, agent, "played", "")
    for score in scores:
        yield score_group(cell, episode, score)


def score_group(cell: tuple[str, str, str], episode: Episode, score: Score) -> StatusGroup:
    """Return the group of a conversation under one of its scores."""
    return _group((score.rules, score.judge, score.metric), cell, episode, score)


def _group(
    scoring: tuple[str, str, str], cell: tuple[str, str, str], episode: Episode, score: Score | None
) -> StatusGroup:
    cause = " and ".join(failure_causes(episode, score))[:MAX_CAUSE]
    (suite, condition, agent), status = cell, outcome_status(episode, score)
    return StatusGroup(*scoring, suite, condition, agent, status, cause)


class StatusCounter:
    """Changes of counts within one transaction; `flush` writes each group once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._changes: dict[StatusGroup, StatusCount] = {}

    def add(self, group: StatusGroup, place: int, number: int = 1) -> None:
        """Add a conversation to a group, or remove it with -1."""
        before = self._changes.get(group, StatusCount(0, 0))
        newest = place if number > 0 else before.place
        self._changes[group] = StatusCount(before.count + number, newest)

    def counts(self) -> dict[StatusGroup, int]:
        """Return the changes since the last `flush`."""
        return {group: change.count for group, change in self._changes.items() if change.count}

    def flush(self) -> None:
        """Write the changes."""
        for group, change in self._changes.items():
            key = msgspec.structs.astuple(group)
            row = self._connection.execute(_OF_GROUP, key).fetchone()
            before = StatusCount(0, 0) if row is None else _read_count(row[0], key)
            count = before.count + change.count
            if count:
                data = msgspec.json.encode(StatusCount(count, change.place or before.place))
                self._connection.execute(_PUT, (*key, with_checksum(data, *key)))
            elif row is not None:
                self._connection.execute(_DROP, key)
        self._changes.clear()


def count_plan(connection: sqlite3.Connection) -> None:
    """Count the plan, which does not change."""
    counting = StatusCounter(connection)
    for suite, condition, agent, count, place in connection.execute(_PLANNED).fetchall():
        counting.add(StatusGroup(*UNSCORED, suite, condition, agent, "planned", ""), place, count)
    counting.flush()


def all_scored(
    status_counts: Iterable[tuple[StatusGroup, StatusCount]], scoring: tuple[str, str, str]
) -> bool:
    """Return whether every played conversation without a fault has a score of this scoring."""
    lacking = 0
    for group, status_count in status_counts:
        if group.status == "played":
            lacking += status_count.count
        elif group.scoring == scoring:
            lacking -= status_count.count
    return not lacking


def read_status_counts(connection: sqlite3.Connection) -> Iterator[tuple[StatusGroup, StatusCount]]:
    """Yield all groups with their counts.

    Raises:
        ValueError: If a count differs from what was written.
    """
    for *key, data in connection.execute("SELECT * FROM tallies"):
        yield _read_group(key), _read_count(data, tuple(key))


def _read_group(key: list[object]) -> StatusGroup:
    return msgspec.convert(dict(zip(StatusGroup.__struct_fields__, key, strict=True)), StatusGroup)


def _read_count(data: bytes, key: tuple[object, ...]) -> StatusCount:
    return msgspec.json.decode(strip_checksum(data, *key), type=StatusCount)
