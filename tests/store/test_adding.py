"""Entries that are written together: as if they came one by one."""

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode, Message, Termination, TerminationReason
from dragoman.core.errors import StoreError
from dragoman.core.measures import MeasureResult, reward_result
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.scores import Score, Scored, Unscored, Verdict
from dragoman.core.tools import ToolCall
from dragoman.store.conversation_writes import (
    MOST_HELD,
    MOST_TOGETHER,
    RunEntry,
    StoredEpisode,
    StoredMeasure,
)
from dragoman.store.run_file import FILE
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import create_run

CELLS = tuple(
    StoredCell(f"{number:032x}", "suite", Condition(), "gold", "task", number)
    for number in range(3 * MOST_TOGETHER)
)
ENDINGS: tuple[TerminationReason, ...] = ("user_stop", "infrastructure_error")
VERDICTS: tuple[Verdict, ...] = (Scored(1.0), Scored(0.0), Unscored("why"))
UNWRITABLE = Message("agent", ToolCallReply((ToolCall("1", "f", {"a": "\ud83d"}),)))


def played(
    cell: int, attempt: int, ending: TerminationReason, score: Score | None
) -> StoredEpisode:
    episode = Episode((), Termination(ending), 1, 0, seconds=float(attempt))
    return StoredEpisode(CELLS[cell].key, attempt, episode, score)


def rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(folder / FILE)) as file:
        return {
            table: file.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - literals
            for table in ("episodes", "scores", "tallies")
        }


@st.composite
def sequences(draw: st.DrawFn) -> list[RunEntry]:
    attempts = dict.fromkeys(range(4), 0)
    entries: list[RunEntry] = []
    for _ in range(draw(st.integers(1, 12))):
        cell = draw(st.integers(0, 3))
        reward = draw(st.sampled_from(VERDICTS))
        score = Score(draw(st.sampled_from(["r1", "r2"])), "none", reward, (), "m1")
        kind = draw(st.sampled_from(["episode", "reward", "counts"]))
        if kind == "episode" or not attempts[cell]:
            given_score = score if draw(st.booleans()) else None
            ending = draw(st.sampled_from(ENDINGS))
            entries.append(played(cell, attempts[cell], ending, given_score))
            attempts[cell] += 1
            continue
        measured = (
            reward_result(score)
            if kind == "reward"
            else MeasureResult("words", "1", counts={"said": draw(st.integers(0, 9))})
        )
        entries.append(StoredMeasure(CELLS[cell].key, attempts[cell] - 1, measured))
    return entries


@pytest.mark.slow
@given(sequences())
def test_what_is_put_together_is_stored_as_what_is_put_one_by_one(entries: list[RunEntry]) -> None:
    with TemporaryDirectory() as name:
        together, apart = Path(name, "together"), Path(name, "apart")
        with create_run(together, NewRun(b"{}", CELLS, {})) as store:
            store.put(entries)
        with create_run(apart, NewRun(b"{}", CELLS, {})) as store:
            for entry in entries:
                store.put([entry])
        assert rows(together) == rows(apart)


def test_more_than_one_statement_takes_are_stored_in_their_order(tmp_path: Path) -> None:
    score = Score("r1", "none", Scored(1.0), (), "m1")
    with create_run(tmp_path, NewRun(b"{}", CELLS, {})) as store:
        store.put(played(number, 0, "user_stop", score) for number in reversed(range(len(CELLS))))
    stored = rows(tmp_path)
    backwards = list(range(len(CELLS), 0, -1))
    assert [row[1] for row in stored["episodes"]] == backwards
    assert [row[1] for row in stored["scores"]] == backwards


def test_long_conversations_are_stored_among_others(tmp_path: Path) -> None:
    words = "a" * (MOST_HELD // 2 + 1)
    spoken = Episode((Message("user", text_reply(words)),), Termination("user_stop"), 1, 0)
    with create_run(tmp_path, NewRun(b"{}", CELLS, {})) as store:
        store.put(
            StoredEpisode(CELLS[number].key, 0, spoken if number % 2 else _short(number))
            for number in range(6)
        )
        assert [store.episode(CELLS[number].key) for number in range(6)] == [
            spoken if number % 2 else _short(number) for number in range(6)
        ]


def test_one_that_cannot_be_written_takes_no_other_with_it(tmp_path: Path) -> None:
    score = Score("r1", "none", Scored(1.0), (), "m1")
    broken = Episode((UNWRITABLE,), Termination("user_stop"), 1, 0)
    with create_run(tmp_path, NewRun(b"{}", CELLS, {})) as store:
        store.put(
            [
                played(0, 0, "user_stop", score),
                StoredEpisode(CELLS[1].key, 0, broken, score),
                played(2, 0, "user_stop", score),
            ]
        )
        endings = [found.ending.reason for cell in CELLS[:3] if (found := store.episode(cell.key))]
    assert endings == ["user_stop", "infrastructure_error", "user_stop"]


def test_a_cell_that_is_not_planned_is_named_and_nothing_of_its_batch_is_stored(
    tmp_path: Path,
) -> None:
    stranger = StoredEpisode("f" * 32, 0, _short(0))
    with create_run(tmp_path, NewRun(b"{}", CELLS, {})) as store:
        with pytest.raises(StoreError, match=f"{'f' * 32} is not a cell of this run's plan"):
            store.put([played(0, 0, "user_stop", None), stranger])
        assert store.attempts() == {}


def _short(number: int) -> Episode:
    return Episode((), Termination("user_stop"), number, 0)
