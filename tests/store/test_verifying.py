"""A run is checked from end to end, no matter who made it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from dragoman.core.audio import Audio
from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.replies import TextReply, Utterance
from dragoman.core.scores import ComponentScore, Score, Scored
from dragoman.store.audio_files import AudioFiles, audio_path
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_file import FILE
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import create_run
from dragoman.store.run_verification import RunProblem, VerificationCounts, verify_run

CELLS = tuple(StoredCell(f"{n:032x}", "suite", Condition(), "gold", "a", n) for n in range(6))
SOUND = Audio(b"\1\0" * 800, 8_000)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of six conversations, of which one is spoken."""
    folder = tmp_path / "run"
    with create_run(folder, NewRun(b"{}", CELLS, {})) as store:
        reference = AudioFiles(folder).keep(SOUND)
        for cell in CELLS:
            said = TextReply(Utterance("hi", "hi", audio=reference if cell is CELLS[0] else None))
            episode = Episode((Message("user", said),), Termination("user_stop"), 1, 0)
            part = ComponentScore("DB", True, Scored(1.0))
            store.put(
                [StoredEpisode(cell.key, 0, episode, Score("r", "none", Scored(1.0), (part,)))]
            )
    return folder


def problems(folder: Path) -> list[RunProblem]:
    return list(verify_run(folder, VerificationCounts(), lambda: None))


def changed(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / FILE)) as file, file:
        file.execute(statement)


def test_a_sound_run_has_no_problem_and_all_of_it_is_checked(run: Path) -> None:
    checked = VerificationCounts()
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}
    assert list(verify_run(run, checked, lambda: None)) == []
    assert checked == VerificationCounts(cells=1, planned=6, episodes=6, scores=6, sounds=1)
    assert {path: path.stat().st_mtime_ns for path in before} == before


CHANGES = {
    "UPDATE episodes SET data = x'00' WHERE id = 3": ("episode 3", "damaged"),
    "UPDATE episodes SET fault = 1 WHERE id = 2": ("episode 2", "damaged"),
    "UPDATE scores SET data = x'7b7d' WHERE id = 4": ("score 4", "damaged"),
    "UPDATE scores SET cell = 99 WHERE id = 5": ("score 5", "no cell of the plan"),
    "UPDATE scores SET attempt = 7 WHERE id = 6": ("score 6", "of an attempt that does not exist"),
    "DELETE FROM episodes WHERE id = 1": ("episodes", "1 of 6 rows are missing"),
    "DELETE FROM meta WHERE name = 'tasks'": ("tasks", "missing"),
    "UPDATE cells SET agent = 'other' WHERE id = 1": ("plan", "not the one that was written"),
    "DELETE FROM tallies WHERE standing = 'pass'": ("counts", "not those of the conversations"),
    "UPDATE tallies SET data = x'00'": ("counts", "damaged"),
}


@pytest.mark.parametrize("statement", CHANGES)
def test_what_was_changed_is_named(run: Path, statement: str) -> None:
    changed(run, statement)
    where, what = CHANGES[statement]
    assert any(each.where.startswith(where) and what in each.what for each in problems(run))


def _rewritten(path: Path) -> None:
    path.write_bytes(b"RIFF")


def _linked(path: Path) -> None:
    elsewhere = path.parents[3] / "elsewhere.wav"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


@pytest.mark.parametrize(
    ("change", "what"),
    [(Path.unlink, "missing"), (_rewritten, "not the bytes"), (_linked, "leads elsewhere")],
)
def test_a_sound_that_is_not_its_own_is_named(
    run: Path, change: Callable[[Path], None], what: str
) -> None:
    change(run / audio_path(SOUND.reference().sha256))
    (found,) = problems(run)
    assert what in found.what
