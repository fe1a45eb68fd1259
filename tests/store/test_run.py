import re
import sqlite3
from pathlib import Path

import msgspec
import pytest

from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.errors import StoreError
from dragoman.core.measures import reward_result
from dragoman.core.replies import text_reply
from dragoman.core.scores import Score, Scored, Unscored
from dragoman.core.tasks import Scenario, Task
from dragoman.core.usage import Usage
from dragoman.store.conversation_writes import StoredEpisode, StoredMeasure
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run, open_run

ONE, TWO = "0" * 31 + "1", "0" * 31 + "2"
CELLS = (
    StoredCell(TWO, "suite", PLAIN, "gold", "b", 0),
    StoredCell(ONE, "suite", PLAIN, "gold", "a", 0),
)
TASKS = {
    "a": Task("a", "suite", "d1", Scenario("Ask.")),
    "b": Task("b", "suite", "d2", Scenario("é")),
}
NEW = NewRun(b'{"config": 1}', CELLS, TASKS)


def episode(text: str = "hi", *, fault: bool = False) -> Episode:
    ending = Termination("infrastructure_error", "cut") if fault else Termination("user_stop")
    return Episode((Message("agent", text_reply(text)),), ending, 1, 0)


def score(value: float = 1.0, rules: str = "r1", judge: str = "none", metric: str = "m1") -> Score:
    return Score(rules, judge, Scored(value), (), metric)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "runs" / "mine"
    create_run(path, NEW).close()
    return path


def reopened(folder: Path) -> RunStore:
    return open_run(folder, write=False)


def written(folder: Path, *entries: StoredEpisode | StoredMeasure) -> None:
    with open_run(folder, write=True) as store:
        store.put(entries)


def test_a_new_run_is_read_back(folder: Path) -> None:
    with reopened(folder) as store:
        assert store.manifest() == b'{"config": 1}'
        assert store.cells() == CELLS
        assert store.tasks() == TASKS
        assert store.attempts() == {}
        assert store.episode(ONE) is None
        assert list(store.episodes()) == []
        assert store.scorings() == ()


def test_episodes_and_scores_are_read_back(folder: Path) -> None:
    written(
        folder,
        StoredEpisode(ONE, 0, episode("ä"), score()),
        StoredEpisode(TWO, 0, episode("b")),
    )
    with reopened(folder) as store:
        assert store.episode(ONE) == episode("ä")
        assert {key: read for key, _, read in store.episodes()} == {
            ONE: episode("ä"),
            TWO: episode("b"),
        }
        assert store.scores("r1", "none", "m1") == {ONE: score()}
        assert store.attempts() == {ONE: (0, False), TWO: (0, False)}


def test_heads_are_episodes_without_their_events(folder: Path) -> None:
    written(folder, StoredEpisode(ONE, 0, episode(), None))
    with reopened(folder) as store:
        ((_, _, head),) = store.episodes(heads_only=True)
    assert head == msgspec.structs.replace(episode(), events=())


def test_the_latest_attempt_is_the_one_that_counts(folder: Path) -> None:
    written(
        folder,
        StoredEpisode(ONE, 1, episode("second"), score(0.5)),
        StoredEpisode(ONE, 0, episode("first", fault=True), score(0.0)),
    )
    with reopened(folder) as store:
        assert store.episode(ONE) == episode("second")
        assert list(store.episodes()) == [(ONE, 1, episode("second"))]
        assert store.attempts() == {ONE: (1, False)}
        assert store.scores("r1", "none", "m1") == {ONE: score(0.5)}


def test_a_score_of_an_earlier_attempt_does_not_count(folder: Path) -> None:
    written(
        folder,
        StoredEpisode(ONE, 0, episode(fault=True), score(0.0)),
        StoredEpisode(ONE, 1, episode("second")),
    )
    with reopened(folder) as store:
        assert store.scores("r1", "none", "m1") == {}


def test_a_fault_is_remembered_with_its_attempt(folder: Path) -> None:
    written(folder, StoredEpisode(ONE, 0, episode(fault=True)))
    with reopened(folder) as store:
        assert store.attempts() == {ONE: (0, True)}


def test_attempts_that_were_completed_are_counted(folder: Path) -> None:
    written(
        folder,
        StoredEpisode(ONE, 0, episode()),
        StoredEpisode(ONE, 1, episode(fault=True)),
        StoredEpisode(ONE, 2, episode()),
        StoredEpisode(TWO, 0, episode(fault=True)),
    )
    with reopened(folder) as store:
        assert store.completed_attempts() == {ONE: 2}


def test_the_newest_score_of_the_last_attempt_is_told_whoever_gave_it(folder: Path) -> None:
    written(
        folder,
        StoredEpisode(ONE, 0, episode(), score(0.0)),
        StoredEpisode(ONE, 1, episode(), score(0.25)),
        StoredMeasure(ONE, 1, reward_result(score(0.5, judge="other"))),
        StoredMeasure(ONE, 0, reward_result(score(0.75, judge="late, of the first attempt"))),
        StoredMeasure(ONE, 1, reward_result(score(1.0, metric="m2"))),
        StoredEpisode(TWO, 0, episode()),
    )
    with reopened(folder) as store:
        assert store.newest_scores("m1") == {ONE: score(0.5, judge="other")}


def test_scores_of_other_rules_judges_and_metrics_stand_beside_each_other(folder: Path) -> None:
    others = [score(0.1, rules="r2"), score(0.2, judge="rule"), score(0.3, metric="m2")]
    written(folder, StoredEpisode(ONE, 0, episode(), score()))
    written(folder, *(StoredMeasure(ONE, 0, reward_result(other)) for other in others))
    with reopened(folder) as store:
        assert store.scores("r1", "none", "m1") == {ONE: score()}
        assert store.scores("r2", "none", "m1") == {ONE: others[0]}
        assert store.scores("r1", "rule", "m1") == {ONE: others[1]}
        assert store.scores("r1", "none", "m2") == {ONE: others[2]}
        assert set(store.scorings()) == {("r1", "none"), ("r2", "none"), ("r1", "rule")}


def test_a_score_is_replaced_by_one_of_the_same_key(folder: Path) -> None:
    written(folder, StoredEpisode(ONE, 0, episode(), Score("r1", "none", Unscored("x"), (), "m1")))
    written(folder, StoredMeasure(ONE, 0, reward_result(score(1.0))))
    with reopened(folder) as store:
        assert store.scores("r1", "none", "m1") == {ONE: score(1.0)}


def test_an_episode_is_never_replaced(folder: Path) -> None:
    written(folder, StoredEpisode(ONE, 0, episode("first")))
    with pytest.raises(StoreError, match="cannot write any more"):
        written(folder, StoredEpisode(ONE, 0, episode("other")))
    with reopened(folder) as store:
        assert store.episode(ONE) == episode("first")


def test_a_failed_transaction_stores_nothing_of_it(folder: Path) -> None:
    bad = [StoredEpisode(TWO, 0, episode()), StoredEpisode(TWO, 0, episode())]
    with pytest.raises(StoreError):
        written(folder, *bad)
    with reopened(folder) as store:
        assert store.attempts() == {}


def test_a_second_writer_is_told_to_wait_and_readers_are_not(folder: Path) -> None:
    with open_run(folder, write=True) as store:
        with pytest.raises(StoreError, match="another process is writing to this run"):
            open_run(folder, write=True)
        store.put([StoredEpisode(ONE, 0, episode())])
        with reopened(folder) as reader:
            assert reader.episode(ONE) == episode()
    open_run(folder, write=True).close()


def test_a_run_is_not_created_over_another(folder: Path) -> None:
    written(folder, StoredEpisode(ONE, 0, episode()))
    with pytest.raises(StoreError, match="holds a run already: resume it, or choose another --out"):
        create_run(folder, NEW)
    with reopened(folder) as store:
        assert store.episode(ONE) == episode()
    open_run(folder, write=True).close()


def test_a_run_may_be_created_in_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    create_run(tmp_path, NEW).close()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_run_cannot_be_created_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(StoreError, match="cannot create the run's folder"):
            create_run(place, NEW)


def test_a_plan_that_names_a_cell_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot create the run"):
        create_run(tmp_path / "run", msgspec.structs.replace(NEW, cells=(CELLS[0], CELLS[0])))


@pytest.mark.parametrize("write", [True, False])
def test_a_folder_without_a_run_is_named(tmp_path: Path, *, write: bool) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(StoreError, match=re.escape(f"{folder}: no run here")):
            open_run(folder, write=write)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [True, False])
def test_a_file_that_is_no_run_is_refused_and_left_as_it_is(folder: Path, *, write: bool) -> None:
    content = b"not a database at all, but text" * 50
    (folder / "run.sqlite").write_bytes(content)
    with pytest.raises(StoreError, match=re.escape(str(folder))):
        open_run(folder, write=write)
    assert (folder / "run.sqlite").read_bytes() == content


@pytest.mark.parametrize("write", [True, False])
def test_an_empty_file_is_no_run(folder: Path, *, write: bool) -> None:
    (folder / "run.sqlite").write_bytes(b"")
    with pytest.raises(StoreError, match=re.escape(str(folder))):
        open_run(folder, write=write)


def test_a_run_of_another_format_is_refused(folder: Path) -> None:
    changed(folder, "UPDATE meta SET value = '99' WHERE name = 'format'")
    with pytest.raises(StoreError, match="run format 99, this version reads 1, 2, 3"):
        open_run(folder, write=False)
    with pytest.raises(StoreError, match="run format 99"):
        open_run(folder, write=True)


def changed(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / "run.sqlite")
    with connection:
        connection.execute(statement)
    connection.close()


def test_a_run_without_a_manifest_was_never_started(folder: Path) -> None:
    changed(folder, "DELETE FROM meta WHERE name = 'manifest'")
    with reopened(folder) as store, pytest.raises(StoreError, match="never started"):
        store.manifest()


def test_a_damaged_score_is_one_line(folder: Path) -> None:
    written(folder, StoredEpisode(ONE, 0, episode(), score()))
    changed(folder, "UPDATE scores SET data = x'7b7d'")
    with reopened(folder) as store, pytest.raises(StoreError, match="a stored record is damaged"):
        store.scores("r1", "none", "m1")


def test_a_truncated_file_is_one_line(folder: Path) -> None:
    cells = tuple(msgspec.structs.replace(CELLS[0], key=f"{n:032x}", trial=n) for n in range(200))
    folder = folder.with_name("larger")
    with create_run(folder, msgspec.structs.replace(NEW, cells=cells)) as store:
        store.put(StoredEpisode(cell.key, 0, episode("x" * 500)) for cell in cells)
    path = folder / "run.sqlite"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    def read() -> None:
        with reopened(folder) as store:
            list(store.episodes())

    with pytest.raises(StoreError, match=re.escape(str(folder))):
        read()


def test_names_of_folders_are_taken_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "a b?mode=ro#x%20é"
    create_run(folder, NEW).close()
    written(folder, StoredEpisode(ONE, 0, episode()))
    with reopened(folder) as store:
        assert store.episode(ONE) == episode()


def test_a_damaged_episode_is_one_line(folder: Path) -> None:
    written(folder, StoredEpisode(ONE, 0, episode()))
    changed(folder, "UPDATE episodes SET data = x'00112233'")
    with reopened(folder) as store, pytest.raises(StoreError, match="damaged"):
        store.episode(ONE)


def test_a_score_without_an_episode_is_left_out(folder: Path) -> None:
    written(folder, StoredMeasure(ONE, 0, reward_result(score())))
    with reopened(folder) as store:
        assert store.scores("r1", "none", "m1") == {}


def test_what_earlier_attempts_and_their_judges_consumed_is_kept(folder: Path) -> None:
    def used(purpose: str, calls: int) -> Usage:
        return Usage(purpose, "m", calls)

    def attempt(number: int, *, fault: bool = False) -> StoredEpisode:
        usage = (used("agent", number + 1),)
        played = msgspec.structs.replace(episode(fault=fault), usage=usage)
        judged = msgspec.structs.replace(score(), usage=used("judge", 10 * (number + 1)))
        return StoredEpisode(ONE, number, played, None if fault else judged)

    other = msgspec.structs.replace(score(rules="r2"), usage=used("judge", 100))
    written(
        folder,
        attempt(0, fault=True),
        attempt(1),
        StoredMeasure(ONE, 1, reward_result(other)),
        attempt(2),
    )
    written(folder, StoredEpisode(TWO, 0, episode()))
    with reopened(folder) as store:
        assert store.earlier_usage("r1", "none", "m1") == {
            ONE: (used("agent", 1), used("agent", 2), used("judge", 20))
        }
        assert store.earlier_usage("r1", "other", "m1") == {
            ONE: (used("agent", 1), used("agent", 2))
        }
