"""A run's file is whole, ours and unchanged, and readable where writing is forbidden."""

import os
import random
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.errors import StoreError
from dragoman.core.measures import reward_result
from dragoman.core.replies import text_reply
from dragoman.core.scores import Score, Scored
from dragoman.core.tasks import Scenario, Task
from dragoman.store.conversation_writes import StoredEpisode, StoredMeasure
from dragoman.store.run_file import FILE
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run, open_run

ENDLESS = """
CREATE VIEW episodes AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)
SELECT i AS id, 1 AS cell, 0 AS attempt, 0 AS fault, x'00' AS data FROM n
"""
NOBODY = 65_534
CELLS = tuple(StoredCell(f"{n:032x}", "suite", Condition(), "gold", "a", n) for n in range(40))
NEW = NewRun(b'{"config": 1}', CELLS, {"a": Task("a", "suite", "d1", Scenario("Ask."))})


def played(number: int, words: str = "hi") -> StoredEpisode:
    episode = Episode(
        (Message("agent", text_reply(f"{words} {number}")),), Termination("user_stop"), 1, 0
    )
    return StoredEpisode(f"{number:032x}", 0, episode, Score("r1", "none", Scored(1.0), (), "m1"))


def everything(folder: Path) -> object:
    """Return the whole content of a run."""
    with open_run(folder, write=False) as store:
        return (
            store.manifest(),
            store.cells(),
            store.tasks(),
            list(store.episodes()),
            store.attempts(),
            store.completed_attempts(),
            store.scores("r1", "none", "m1"),
            store.newest_scores("m1"),
            store.scorings(),
            store.measured(),
            [store.episode(cell.key) for cell in CELLS],
        )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of forty conversations."""
    path = tmp_path / "run"
    with create_run(path, NEW) as store:
        store.put(map(played, range(len(CELLS))))
    return path


def changed(folder: Path, *statements: str) -> None:
    connection = sqlite3.connect(folder / FILE)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE episodes SET attempt = 1 WHERE id = 3",
        "UPDATE episodes SET fault = 1 WHERE id = 3",
        "UPDATE episodes SET cell = 41, attempt = 1 WHERE id = 3",
        "UPDATE episodes SET data = (SELECT data FROM episodes WHERE id = 4) WHERE id = 3",
        "DELETE FROM episodes WHERE id = 3",
        "UPDATE scores SET rules = 'r2' WHERE id = 3",
        "UPDATE scores SET judge = 'me' WHERE id = 3",
        "UPDATE scores SET cell = 41 WHERE id = 3",
        "UPDATE scores SET data = CAST(replace(data, '1.0', '0.0') AS BLOB) WHERE id = 3",
        "UPDATE scores SET data = (SELECT data FROM scores WHERE id = 4) WHERE id = 3",
        "UPDATE cells SET agent = 'mine' WHERE id = 3",
        "DELETE FROM cells WHERE id = 40",
        "UPDATE meta SET value = CAST(replace(value, '1', '2') AS BLOB) WHERE name = 'manifest'",
        "UPDATE meta SET value = x'' WHERE name = 'tasks'",
        "DELETE FROM meta WHERE name = 'plan'",
    ],
)
def test_whatever_is_changed_in_a_run_is_told(folder: Path, statement: str) -> None:
    changed(folder, statement)
    with pytest.raises(StoreError, match=r"damaged|missing|not a run"):
        everything(folder)


def test_a_bit_that_changed_is_told_or_changes_nothing(folder: Path) -> None:
    whole = everything(folder)
    path = folder / FILE
    content = path.read_bytes()
    draws = random.Random(7)  # noqa: S311 - the changed bits are not a secret
    reported = 0
    for _ in range(120):
        place, bit = draws.randrange(len(content)), 1 << draws.randrange(8)
        path.write_bytes(content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :])
        try:
            found = everything(folder)
        except StoreError:
            reported += 1
        else:
            assert found == whole, (place, bit)
    assert reported > 20


@pytest.mark.parametrize(
    "statements",
    [
        (
            "ALTER TABLE episodes RENAME TO real",
            ENDLESS,
        ),
        ("CREATE TRIGGER mine AFTER INSERT ON scores BEGIN DELETE FROM episodes; END",),
        ("CREATE TABLE more (a)",),
        ("DROP INDEX scores_by_key",),
        ("DROP TABLE scores",),
        ("ALTER TABLE cells ADD COLUMN extra",),
    ],
)
@pytest.mark.parametrize("write", [True, False])
def test_a_file_with_other_tables_than_a_runs_is_refused(
    folder: Path, statements: tuple[str, ...], *, write: bool
) -> None:
    changed(folder, *statements)
    with pytest.raises(
        StoreError, match=r"damaged or not a run file \(its \w+ \w+ is not a run's\)"
    ):
        open_run(folder, write=write)


@pytest.mark.parametrize(
    "value",
    ["key = 'text'", "key = 7", "trial = 'x'", "agent = x'ff'", "agent = CAST(x'ff' AS TEXT)"],
)
def test_a_plan_of_other_types_is_one_line(folder: Path, value: str) -> None:
    unchecked(folder)
    changed(folder, f"UPDATE cells SET {value} WHERE id = 3")  # noqa: S608 - literals of this file
    with pytest.raises(StoreError, match=r"damaged|cannot read the run"):
        everything(folder)


def test_a_run_without_checksums_is_read_played_on_and_scored(folder: Path) -> None:
    with open_run(folder, write=False) as store:
        cells, episodes = store.cells(), list(store.episodes())
        scores = store.scores("r1", "none", "m1")
    unchecked(folder)

    with open_run(folder, write=True) as store:
        assert (store.cells(), list(store.episodes())) == (cells, episodes)
        assert store.scores("r1", "none", "m1") == scores
        other = Score("r2", "none", Scored(0.5), (), "m1")
        store.put([StoredMeasure(CELLS[0].key, 0, reward_result(other))])
        store.put([msgspec.structs.replace(played(1, "again"), attempt=1)])
    with open_run(folder, write=False) as store:
        assert store.scores("r2", "none", "m1") == {CELLS[0].key: other}
        assert store.episode(CELLS[1].key) == played(1, "again").episode
        assert store.manifest() == b'{"config": 1}'
        assert store.tasks() == NEW.tasks


def unchecked(folder: Path) -> None:
    """Make a run one of the format that had no checksums."""
    changed(
        folder,
        "UPDATE meta SET value = '1' WHERE name = 'format'",
        "DELETE FROM meta WHERE name = 'plan'",
        "UPDATE meta SET value = substr(value, 1, length(value) - 4) WHERE name != 'format'",
        "UPDATE episodes SET data = substr(data, 1, length(data) - 4)",
        "UPDATE scores SET data = substr(data, 1, length(data) - 4)",
    )


@pytest.fixture
def locked_away() -> Iterator[Callable[[Path], Path]]:
    """Return a function that copies a run to a folder where nobody can write.

    If the tests run as root, this process then continues as another user.
    """
    place = Path(tempfile.mkdtemp(prefix="dragoman-test-"))
    is_root = os.geteuid() == 0

    def copy(folder: Path) -> Path:
        away = place / "run"
        away.mkdir()
        for name in (FILE, f"{FILE}-wal"):
            shutil.copyfile(folder / name, away / name)
            (away / name).chmod(0o444)
        away.chmod(0o555)
        place.chmod(0o755)
        if is_root:
            os.seteuid(NOBODY)
        return away

    yield copy
    if is_root:
        os.seteuid(0)
    for path in (place, *place.iterdir()):
        path.chmod(stat.S_IRWXU)
    shutil.rmtree(place)


def test_what_a_killed_run_left_is_read_where_nobody_can_write(
    tmp_path: Path, locked_away: Callable[[Path], Path]
) -> None:
    with create_run(tmp_path / "run", NEW) as store:
        store.put(map(played, range(7)))
        # A killed process leaves a log that was not merged into the file.
        away = locked_away(tmp_path / "run")
        with open_run(away, write=False) as read:
            assert len(read.attempts()) == 7
            assert len(read.scores("r1", "none", "m1")) == 7
        assert sorted(path.name for path in away.iterdir()) == [FILE, f"{FILE}-wal"]


def test_a_run_that_cannot_be_filled_is_none(tmp_path: Path) -> None:
    def broken() -> Iterator[StoredEpisode]:
        yield played(0)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        create_run(tmp_path / "run", NEW, broken())
    with pytest.raises(StoreError, match="no run here"):
        open_run(tmp_path / "run", write=False)
    with create_run(tmp_path / "run", NEW, map(played, range(3))) as store:
        assert len(store.attempts()) == 3


def test_what_a_killed_creation_left_is_in_nobodys_way(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for name in (f"{FILE}.new", f"{FILE}.new-journal", f"{FILE}.new-wal"):
        (folder / name).write_bytes(os.urandom(4_096))

    with create_run(folder, NEW, [played(0)]) as store:
        assert len(store.attempts()) == 1
    assert not list(folder.glob("*.new*"))


def test_a_creation_that_dies_leaves_no_run(tmp_path: Path) -> None:
    """Killed at any moment before it is whole: the same as a process that ends there."""
    folder = tmp_path / "run"
    child = os.fork()
    if child == 0:

        def dying() -> Iterator[StoredEpisode]:
            yield from map(played, range(20))
            os._exit(9)

        create_run(folder, NEW, dying())
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 9
    with pytest.raises(StoreError, match="no run here"):
        open_run(folder, write=False)
    with create_run(folder, NEW, map(played, range(40))) as store:
        assert isinstance(store, RunStore)
        assert len(store.attempts()) == 40
