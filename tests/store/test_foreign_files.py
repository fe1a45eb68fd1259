"""Folders from strangers: a replaced file causes no write elsewhere, and no wait."""

import os
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from dragoman.core.audio import Audio
from dragoman.core.conditions import Condition
from dragoman.core.errors import DataError, StoreError
from dragoman.core.tasks import Scenario, Task
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_files import AudioFiles, audio_path
from dragoman.store.audio_set import AudioSetFiles, read_settings
from dragoman.store.audio_set_format import SETTINGS
from dragoman.store.dataset import Dataset
from dragoman.store.run_file import FILE, LOCK
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import create_run, open_run
from dragoman.store.safe_files import read_plain

BEEP = Audio(b"\x00\x01" * 800, 8_000)
MAGIC = bytes.fromhex("d9d505f920a163d7")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    cells = (StoredCell("0" * 32, "suite", Condition(), "gold", "a", 0),)
    tasks = {"a": Task("a", "suite", "d1", Scenario("Ask."))}
    create_run(tmp_path / "run", NewRun(b"{}", cells, tasks)).close()
    return tmp_path / "run"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    Dataset(tmp_path / "set").close()
    return tmp_path / "set"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim"
    path.write_text("precious")
    return path


def journal_that_removes(database: Path, file: Path) -> None:
    """Write a journal as of a transaction over several databases, whose list `file` would be."""
    size = 4096
    pages = database.stat().st_size // size
    head = MAGIC + struct.pack(">5I", 0, 1234, pages, 512, size)
    name = os.fsencode(file)
    total = sum(struct.unpack(f"{len(name)}b", name)) & 0xFFFFFFFF
    end = struct.pack(">I", 2**30 // size + 1) + name + struct.pack(">II", len(name), total) + MAGIC
    database.with_name(f"{database.name}-journal").write_bytes(head.ljust(512, b"\0") + end)


def test_sqlite_itself_removes_what_a_journal_names(run: Path, victim: Path) -> None:
    journal_that_removes(run / FILE, victim)
    with closing(sqlite3.connect(run / FILE)) as file:
        file.execute("SELECT * FROM meta").fetchall()
    assert not victim.exists()


@pytest.mark.parametrize("write", [True, False])
def test_a_run_removes_no_file_that_its_journal_names(
    run: Path, victim: Path, *, write: bool
) -> None:
    journal_that_removes(run / FILE, victim)
    with pytest.raises(StoreError, match="its journal names another file"):
        open_run(run, write=write)
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("write", [True, False])
def test_a_dataset_removes_no_file_that_its_journal_names(
    dataset: Path, victim: Path, *, write: bool
) -> None:
    journal_that_removes(dataset / "dataset.sqlite", victim)
    with pytest.raises(StoreError, match="its journal names another file"):
        Dataset(dataset, write=write)
    assert victim.read_text() == "precious"


def test_what_a_killed_transaction_left_is_played_back(run: Path) -> None:
    with closing(sqlite3.connect(run / FILE)) as file:
        file.execute("PRAGMA journal_mode = DELETE")
        file.execute("PRAGMA cache_size = 1")
        file.execute("BEGIN")
        for number in range(500):
            file.execute("INSERT INTO meta VALUES (?, ?)", (str(number), bytes(2000)))
        shutil.copytree(run, run.with_name("killed"))
    killed = run.with_name("killed")
    assert (killed / f"{FILE}-journal").stat().st_size > 0

    with open_run(killed, write=True) as store:
        assert store.manifest() == b"{}"


@pytest.mark.parametrize("name", [f"{FILE}-journal", f"{FILE}-wal", f"{FILE}-shm"])
@pytest.mark.parametrize("write", [True, False])
def test_a_pipe_beside_a_run_is_waited_for_by_nobody(run: Path, name: str, *, write: bool) -> None:
    os.mkfifo(run / name)
    with pytest.raises(StoreError, match=f"{name} is not a plain file"):
        open_run(run, write=write)


@pytest.mark.parametrize("name", [FILE, f"{FILE}-wal"])
def test_a_run_that_is_a_link_is_not_opened(run: Path, name: str) -> None:
    (run / name).touch()
    (run / name).rename(run / "other")
    (run / name).symlink_to("other")
    with pytest.raises(StoreError, match=f"{name} is a link: put the file itself there"):
        open_run(run, write=False)


def test_a_lock_that_is_a_link_makes_no_file_elsewhere(run: Path, tmp_path: Path) -> None:
    (run / LOCK).unlink(missing_ok=True)
    (run / LOCK).symlink_to(tmp_path / "made")
    with pytest.raises(StoreError, match="cannot write to the run's folder"):
        open_run(run, write=True)
    assert not (tmp_path / "made").exists()


def test_a_lock_that_is_a_pipe_is_waited_for_by_nobody(run: Path) -> None:
    (run / LOCK).unlink(missing_ok=True)
    os.mkfifo(run / LOCK)
    with pytest.raises(StoreError, match="cannot write to the run's folder"):
        open_run(run, write=True)


@pytest.mark.parametrize("place", ["audio", "audio/{first}"])
def test_sounds_are_written_into_no_folder_that_a_link_leads_to(tmp_path: Path, place: str) -> None:
    name = audio_path(BEEP.reference().sha256)
    link = tmp_path / "run" / place.format(first=Path(name).parent.name)
    link.parent.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    link.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StoreError, match="a link leads out of the folder"):
        AudioFiles(tmp_path / "run").keep(BEEP)
    with pytest.raises(DataError, match="a link leads out of the folder"):
        AudioSetFiles(tmp_path / "run").keep(BEEP)
    assert not any((tmp_path / "elsewhere").iterdir())


def test_a_link_at_the_name_of_a_draft_is_not_written_through(
    victim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.urandom", bytes)
    (tmp_path / f".card.json.{os.getpid()}-{'0' * 16}.part").symlink_to(victim)
    with pytest.raises(StoreError, match=r"card\.json: cannot be written \(File exists\)"):
        atomic_write(tmp_path / "card.json", b"{}")
    assert victim.read_text() == "precious"


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "settings of a set": (SETTINGS, read_settings),
    "a sound of a run": (
        audio_path("ab" * 32),
        lambda folder: AudioFiles(folder).read("ab" * 32),
    ),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["pipe", "device", "endless"])
def test_what_never_ends_is_not_read(tmp_path: Path, name: str, kind: str) -> None:
    file, read = READERS[name]
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.touch()
        os.truncate(path, 2**40)
    with pytest.raises((DataError, StoreError), match=r"not a plain file|more than"):
        read(tmp_path)


def test_a_link_to_a_plain_file_is_read(victim: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(victim)
    assert read_plain(tmp_path / "link", 8) == b"precious"
