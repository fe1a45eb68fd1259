"""Counts that are kept while a run is written, and upgrades of older formats to them."""

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis.strategies import integers, sets

from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode, Termination, TerminationReason
from dragoman.core.measures import reward_result
from dragoman.core.scores import ComponentScore, Score, Scored, Unscored, Verdict
from dragoman.store.conversation_writes import StoredEpisode, StoredMeasure
from dragoman.store.run_file import FILE
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run, open_run
from dragoman.store.run_upgrade import upgrade_run

CELLS = tuple(
    StoredCell(f"{n:032x}", "suite", Condition(), ("gold", "silent")[n % 2], "a", n)
    for n in range(12)
)
NEW = NewRun(b"{}", CELLS, {})
VERDICTS: tuple[Verdict, ...] = (Scored(1.0), Scored(0.0), Unscored("the judge failed"))


def score(verdict: Verdict, rules: str = "r1") -> Score:
    return Score(rules, "none", verdict, (ComponentScore("DB", True, verdict),), "m1")


def played(
    cell: int, attempt: int = 0, ending: TerminationReason = "user_stop", given: Score | None = None
) -> StoredEpisode:
    episode = Episode(
        (), Termination(ending, "why" if ending == "infrastructure_error" else ""), 1, 0
    )
    return StoredEpisode(CELLS[cell].key, attempt, episode, given)


def counted(store: RunStore) -> dict[tuple[str, str, str, str], int]:
    """Return the counts by rules, agent, standing and cause."""
    status_counts = store.status_counts()
    assert status_counts is not None
    return {
        (group.rules, group.agent, group.status, group.cause): status_count.count
        for group, status_count in status_counts.items()
    }


def as_before(folder: Path) -> None:
    """Make a run one of the format that counted nothing."""
    with closing(sqlite3.connect(folder / FILE)) as file, file:
        file.execute("DROP TABLE tallies")
        file.execute("DROP INDEX episodes_that_broke")
        file.execute("UPDATE meta SET value = '3' WHERE name = 'format'")


def without_seals(folder: Path) -> None:
    """Make a run of that format one of the first."""
    with closing(sqlite3.connect(folder / FILE)) as file, file:
        file.execute("UPDATE meta SET value = '1' WHERE name = 'format'")
        file.execute("DELETE FROM meta WHERE name = 'plan'")
        for table, column in (("meta", "value"), ("episodes", "data"), ("scores", "data")):
            file.execute(
                f"UPDATE {table} SET {column} = substr({column}, 1, length({column}) - 4) "  # noqa: S608 - literals
                f"WHERE typeof({column}) = 'blob'"
            )


def test_how_conversations_stand_is_counted_by_cause_and_cell_of_the_grid(tmp_path: Path) -> None:
    with create_run(tmp_path, NEW) as store:
        store.put(
            [
                played(0, given=score(Scored(1.0))),
                played(2, given=score(Scored(0.0))),
                played(4, given=score(Scored(0.0))),
                played(1, ending="infrastructure_error", given=score(Unscored("why"))),
                played(3, given=score(Unscored("the judge failed"))),
                played(5),
            ]
        )
        assert counted(store) == {
            ("", "gold", "planned", ""): 6,
            ("", "silent", "planned", ""): 6,
            ("", "gold", "played", ""): 3,
            ("", "silent", "played", ""): 2,
            ("", "silent", "infrastructure", "why"): 1,
            ("r1", "gold", "pass", ""): 1,
            ("r1", "gold", "fail", "DB"): 2,
            ("r1", "silent", "unscored", "the judge failed"): 1,
        }


def test_a_further_attempt_takes_the_place_of_the_last(tmp_path: Path) -> None:
    with create_run(tmp_path, NEW) as store:
        store.put([played(0, ending="infrastructure_error")])
        store.put([played(0, 1, given=score(Scored(0.0)))])
        store.put([played(0, 2, given=score(Scored(1.0)))])
        assert counted(store) == {
            ("", "gold", "planned", ""): 6,
            ("", "silent", "planned", ""): 6,
            ("", "gold", "played", ""): 1,
            ("r1", "gold", "pass", ""): 1,
        }


def test_counts_are_those_of_counting_anew_whatever_was_written_in_which_order(
    tmp_path: Path,
) -> None:
    draw = random.Random(7)  # noqa: S311 - a test's own draws
    attempts = dict.fromkeys(range(len(CELLS)), 0)
    with create_run(tmp_path, NEW) as store:
        for _ in range(200):
            cell, given = draw.randrange(len(CELLS)), score(draw.choice(VERDICTS))
            if attempts[cell] and draw.random() < 0.6:
                attempt = draw.randrange(attempts[cell])
                other = score(draw.choice(VERDICTS), draw.choice(("r1", "r2")))
                store.put([StoredMeasure(CELLS[cell].key, attempt, reward_result(other))])
            else:
                ending: TerminationReason = draw.choice(
                    ("user_stop", "max_steps", "infrastructure_error")
                )
                store.put([played(cell, attempts[cell], ending, draw.choice((given, None)))])
                attempts[cell] += 1
        written = counted(store)
    as_before(tmp_path)
    with open_run(tmp_path, write=False) as store:
        assert store.status_counts() is None

    assert upgrade_run(tmp_path, lambda: None) == "3"

    with open_run(tmp_path, write=False) as store:
        assert counted(store) == written


def test_cells_that_wait_are_found_without_reading_conversations(tmp_path: Path) -> None:
    with create_run(tmp_path, NEW) as store:
        store.put([played(0), played(1, ending="infrastructure_error")])
        store.put([played(2, ending="infrastructure_error"), played(2, 1)])
        assert store.broken() == {2: CELLS[1].key}
        assert store.unplayed() == {n + 1: CELLS[n].key for n in range(3, len(CELLS))}
        assert [store.tries(cell.key) for cell in CELLS[:4]] == [(1, 1), (1, 0), (2, 1), (0, 0)]
        assert store.has_plan(CELLS)
        assert not store.has_plan(CELLS[:-1])
        assert not store.has_plan((*CELLS, CELLS[0]))
        assert store.conditions() == (Condition(),)


def test_the_first_format_is_upgraded_with_checksums_and_counts(tmp_path: Path) -> None:
    with create_run(tmp_path, NEW) as store:
        store.put([played(0, given=score(Scored(1.0))), played(1, given=score(Scored(0.0)))])
        written, scores = counted(store), store.scores("r1", "none", "m1")
    as_before(tmp_path)
    without_seals(tmp_path)

    assert upgrade_run(tmp_path, lambda: None) == "1"

    with open_run(tmp_path, write=True) as store:
        assert counted(store) == written
        assert store.cells() == CELLS
        assert store.manifest() == b"{}"
        assert store.scores("r1", "none", "m1") == scores
        store.put([played(2, given=score(Scored(1.0)))])
    with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
        file.execute("UPDATE episodes SET attempt = 4 WHERE id = 2")
    with open_run(tmp_path, write=False) as store, pytest.raises(Exception, match="checksum"):
        list(store.episodes())


def test_an_upgrade_that_dies_leaves_the_run_as_it_was(tmp_path: Path) -> None:
    with create_run(tmp_path, NEW) as store:
        store.put([played(n, given=score(Scored(1.0))) for n in range(6)])
        written = counted(store)
    as_before(tmp_path)
    child = os.fork()
    if child == 0:
        upgrade_run(tmp_path, lambda: os._exit(9))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 9
    with open_run(tmp_path, write=False) as store:
        assert store.status_counts() is None
        assert len(store.attempts()) == 6
    assert upgrade_run(tmp_path, lambda: None) == "3"
    with open_run(tmp_path, write=False) as store:
        assert counted(store) == written


def test_what_lacks_a_score_is_found_by_the_counts(tmp_path: Path) -> None:
    scoring = ("r1", "none", "m1")
    with create_run(tmp_path / "run", NEW) as store:
        assert not store.has_unscored(*scoring)
        store.put([played(0, given=score(Scored(1.0)))])
        assert not store.has_unscored(*scoring)
        assert store.has_unscored("r2", "none", "m1")

        store.put([played(1)])
        assert store.has_unscored(*scoring)
        measured = reward_result(score(Scored(0.0)))
        store.put([StoredMeasure(CELLS[1].key, 0, measured)])
        assert not store.has_unscored(*scoring)

        store.put([played(2, ending="infrastructure_error")])
        assert store.has_unscored(*scoring)
        store.put([played(2, attempt=1, given=score(Scored(1.0)))])
        assert not store.has_unscored(*scoring)


@given(played_cells=sets(integers(0, len(CELLS) - 1)))
def test_what_was_not_played_is_found_between_what_was(played_cells: set[int]) -> None:
    with TemporaryDirectory() as folder, create_run(Path(folder), NEW) as store:
        store.put([played(number) for number in sorted(played_cells)])
        left = [number for number in range(len(CELLS)) if number not in played_cells]

        assert list(store.unplayed().items()) == [(n + 1, CELLS[n].key) for n in left]
