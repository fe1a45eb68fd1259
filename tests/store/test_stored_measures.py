"""Counts of measures, stored in addition to the scores of the reward."""

from pathlib import Path

import pytest

from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.measures import (
    CountedItem,
    DeclaredMetrics,
    MeasureResult,
    Rate,
    Total,
    Trend,
    reward_result,
)
from dragoman.core.replies import text_reply
from dragoman.core.scores import Score, Scored
from dragoman.core.usage import Usage
from dragoman.store.conversation_writes import StoredEpisode, StoredMeasure
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run, open_run

ONE, TWO = "0" * 31 + "1", "0" * 31 + "2"
EPISODE = Episode((Message("agent", text_reply("hi")),), Termination("user_stop"), 1, 0)
HEARD = MeasureResult(
    "hearing", "1", counts={"words": 9, "word errors": 2}, evidence=(CountedItem({"words": 9}, 0),)
)
ASKED = MeasureResult("asks", "1", "m@1", counts={"asks": 3}, usage=Usage("measure", "m", 2))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cells = tuple(StoredCell(key, "suite", PLAIN, "gold", key[-1], 0) for key in (ONE, TWO))
    create_run(tmp_path / "run", NewRun(b"{}", cells, {})).close()
    return tmp_path / "run"


def put(folder: Path, *entries: StoredEpisode | StoredMeasure) -> None:
    with open_run(folder, write=True) as store:
        store.put(entries)


def read(folder: Path) -> RunStore:
    return open_run(folder, write=False)


def test_what_was_counted_comes_back_as_it_was(folder: Path) -> None:
    put(folder, StoredEpisode(ONE, 0, EPISODE), StoredEpisode(TWO, 0, EPISODE))
    put(folder, StoredMeasure(ONE, 0, HEARD), StoredMeasure(ONE, 0, ASKED))
    put(folder, StoredMeasure(TWO, 0, HEARD))
    with read(folder) as store:
        assert store.measured() == {ONE: (HEARD, ASKED), TWO: (HEARD,)}


def test_measures_are_no_scorings_and_scores_are_not_among_measures(folder: Path) -> None:
    score = Score("r1", "none", Scored(1.0), ())
    put(folder, StoredEpisode(ONE, 0, EPISODE, score), StoredMeasure(ONE, 0, HEARD))
    with read(folder) as store:
        assert store.scorings() == (("r1", "none"),)
        assert store.scores("r1", "none", "reward-1") == {ONE: score}
        assert store.newest_scores("reward-1") == {ONE: score}
        assert store.measured() == {ONE: (HEARD,)}


def test_a_reward_taken_as_a_measure_is_stored_as_the_score_it_is(folder: Path) -> None:
    score = Score("r1", "none", Scored(0.5), ())
    put(folder, StoredEpisode(ONE, 0, EPISODE))
    put(folder, StoredMeasure(ONE, 0, reward_result(score)))
    with read(folder) as store:
        assert store.scores("r1", "none", "reward-1") == {ONE: score}
        assert store.measured() == {}


def test_only_the_last_attempt_counts_and_what_judges_of_earlier_ones_used_is_kept(
    folder: Path,
) -> None:
    put(folder, StoredEpisode(ONE, 0, EPISODE), StoredMeasure(ONE, 0, ASKED))
    put(folder, StoredEpisode(ONE, 1, EPISODE))
    with read(folder) as store:
        assert store.measured() == {}
        assert store.earlier_usage("r1", "none", "reward-1") == {ONE: (Usage("measure", "m", 2),)}


def test_one_measure_is_stored_once_for_each_version_and_judge(folder: Path) -> None:
    again = MeasureResult("asks", "1", "m@1", counts={"asks": 4})
    newer = MeasureResult("asks", "2", "m@1", counts={"asks": 5})
    other = MeasureResult("asks", "1", "other@1", counts={"asks": 6})
    put(folder, StoredEpisode(ONE, 0, EPISODE))
    put(folder, *(StoredMeasure(ONE, 0, entry) for entry in (ASKED, again, newer, other)))
    with read(folder) as store:
        assert store.measured() == {ONE: (again, newer, other)}


def test_declared_figures_come_back_and_newer_ones_replace_them(folder: Path) -> None:
    rate = Rate("word errors", ("word errors",), ("words",), reads="percent")
    first = DeclaredMetrics("hearing", "1", (Total("words", ("words",)),))
    then = DeclaredMetrics("hearing", "1", (rate, Trend("drift r", ("word errors",), ("words",))))
    with open_run(folder, write=True) as store:
        store.declare([first])
        store.declare([then])
    with read(folder) as store:
        assert store.declared() == {"hearing-1": then}
