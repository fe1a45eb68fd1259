"""A disk that is full or cannot be written: one line, nothing lost, and room makes it go on."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from tests.conftest import without_progress

from dragoman.store.reply_cache import ReplyCache

pytestmark = pytest.mark.nightly

Command = Callable[..., list[str]]
Content = Callable[[Path], dict[str, Any]]
Counts = Callable[[Path], tuple[int, int, int]]
Disk = Callable[[str], Path]
Cli = Callable[..., CompletedProcess[str]]

GRID = ("run", "sample:shop", "--agent", "gold", "--judge", "rule", "--trials", 200)
CELLS = 5 * 200


@pytest.fixture
def dragoman(folder: Path, environment: dict[str, str], command: Command) -> Cli:
    """Run a command, after words that start it if there are any."""

    def call(*arguments: object, before: tuple[str, ...] = ()) -> CompletedProcess[str]:
        return subprocess.run(
            [*before, *command(*arguments)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


@pytest.fixture
def unbroken(in_process: Cli, folder: Path, content: Content) -> dict[str, Any]:
    """Content of a run that had enough space."""
    done = in_process(*GRID, "--out", "unbroken", cwd=folder)
    assert done.returncode == 0, done.stderr
    return content(folder / "unbroken")


@pytest.fixture
def disk(folder: Path) -> Iterator[Disk]:
    """A small disk of one's own, which may be mounted again with other options."""
    place = folder / "disk"
    place.mkdir()
    mounted = []

    def mount(options: str) -> Path:
        words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        except OSError as error:
            pytest.skip(f"no disk can be mounted here: {error}")
        if done.returncode:
            pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
        mounted.append(place)
        return place

    yield mount
    if mounted:
        subprocess.run(["umount", str(place)], check=True)


def _one_line(done: CompletedProcess[str]) -> str:
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    (line,) = without_progress(done.stderr)
    assert line.startswith("dragoman: ")
    return line


def test_a_full_disk_stops_a_run_that_goes_on_once_there_is_room(
    dragoman: Cli,
    disk: Disk,
    content: Content,
    counts: Counts,
    unbroken: dict[str, Any],
) -> None:
    run = disk("size=600k") / "mine"

    for arguments in ((*GRID, "--out", "disk/mine"), ("resume", "disk/mine")):
        line = _one_line(dragoman(*arguments))
        assert "the disk is full" in line
        assert "dragoman resume disk/mine" in line
    _, episodes, scores = counts(run)
    assert 0 < episodes == scores < CELLS
    shown = dragoman("show", "disk/mine", "larger-jacket")
    assert shown.returncode == 0, shown.stderr
    assert "DB (counts): 1" in shown.stdout
    disk("remount,size=20m")
    done = dragoman("resume", "disk/mine")

    assert done.returncode == 0, done.stderr
    assert content(run) == unbroken


def test_a_disk_too_small_for_the_plan_leaves_nothing_that_stands_in_the_way(
    dragoman: Cli, disk: Disk
) -> None:
    disk("size=60k")

    run = ("run", "sample:shop", "--agent", "gold", "--out", "disk/mine")
    refused = dragoman(*run)
    _one_line(refused)
    disk("remount,size=20m")
    # Cut off while it was made, it is started again; cut off later, it says to resume.
    is_begun = "dragoman resume" in refused.stderr
    done = dragoman("resume", "disk/mine") if is_begun else dragoman(*run)

    assert done.returncode == 0, done.stderr


def test_a_report_that_finds_no_room_leaves_no_half_of_one(
    dragoman: Cli, folder: Path, disk: Disk
) -> None:
    run = ("run", "sample:shop", "--agent", "gold", "--out", "mine")
    assert dragoman(*run).returncode == 0
    disk("size=16k")

    line = _one_line(dragoman("report", "mine", "--out", "disk/report.html"))

    assert "disk/report.html" in line
    assert list((folder / "disk").iterdir()) == []


@pytest.mark.nightly
def test_an_audio_set_that_finds_no_room_goes_on_once_there_is_some(
    dragoman: Cli, folder: Path, disk: Disk
) -> None:
    speak = ("speak", "courier", "--asr", "simulated:15", "--out")
    assert dragoman(*speak, "unbroken").returncode == 0
    disk("size=48k")

    line = _one_line(dragoman(*speak, "disk"))

    assert "cannot be written" in line
    disk("remount,size=20m")
    assert dragoman(*speak, "disk").returncode == 0
    for path in (folder / "unbroken").rglob("*.json*"):
        made = folder / "disk" / path.relative_to(folder / "unbroken")
        assert made.read_bytes() == path.read_bytes()


def test_tables_that_find_no_room_are_one_line_and_leave_nothing(
    dragoman: Cli, folder: Path, disk: Disk
) -> None:
    run = ("run", "sample:shop", "--agent", "gold", "--out", "mine")
    assert dragoman(*run).returncode == 0
    disk("size=4k")

    for kind in ("parquet", "csv", "jsonl", "inspect"):
        line = _one_line(dragoman("export", "mine", "--to", kind, "--out", "disk"))
        assert line.endswith(
            "cannot be written (No space left on device): choose another folder or make room"
        )
    assert [path for path in (folder / "disk").iterdir() if path.name.startswith(".")] == []


def test_a_run_on_a_disk_that_cannot_be_written_can_be_read(dragoman: Cli, disk: Disk) -> None:
    disk("size=20m")
    run = ("run", "sample:shop", "--agent", "gold", "--out")
    assert dragoman(*run, "disk/mine").returncode == 0
    disk("remount,ro")

    shown = dragoman("show", "disk/mine", "too-late")
    assert shown.returncode == 0, shown.stderr
    assert dragoman("report", "disk/mine", "--out", "report.html").returncode == 0
    for arguments in (("resume", "disk/mine"), ("score", "disk/mine"), (*run, "disk/new")):
        assert "disk/" in _one_line(dragoman(*arguments))
    assert "--out" in _one_line(dragoman("report", "disk/mine"))
    disk("remount,rw")


LIMITED = (
    "import os, resource, sys;"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY));"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


def test_a_write_that_fails_is_told_with_the_command_that_goes_on(dragoman: Cli) -> None:
    done = dragoman(*GRID, "--out", "mine", before=(sys.executable, "-c", LIMITED))

    assert "dragoman resume mine" in _one_line(done)


def test_a_file_that_may_not_grow_stops_a_run_that_goes_on_once_it_may(
    dragoman: Cli,
    folder: Path,
    content: Content,
    counts: Counts,
    unbroken: dict[str, Any],
) -> None:
    done = dragoman(*GRID, "--out", "mine", before=(sys.executable, "-c", LIMITED))

    assert "mine" in _one_line(done)
    _, episodes, scores = counts(folder / "mine")
    assert 0 < episodes == scores < CELLS
    again = dragoman("resume", "mine")
    assert again.returncode == 0, again.stderr
    assert content(folder / "mine") == unbroken


def test_remembered_replies_that_find_no_room_never_reach_a_conversation(
    disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    path = disk("size=300k") / "replies.sqlite"
    bodies = {b"%016d" % number: b"x" * 3_000 for number in range(500)}

    with ReplyCache(path, 1 << 30) as cache:
        for key, body in bodies.items():
            cache.begin(key)
            assert cache.get(key) is None
            cache.put(key, body)
            cache.flush()

    (reported,) = caplog.messages
    assert "full" in reported
    assert "going on without them" in reported
    disk("remount,size=20m")
    with ReplyCache(path, 1 << 30) as cache:
        got = [cache.get(key) for key in bodies]
    assert b"x" * 3_000 in got
    assert set(got) == {None, b"x" * 3_000}
