"""Folders without a run, with a damaged or foreign run, or without space for one."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

RUN = ("run", "sample:shop", "--agent", "gold")
READERS = (("show", "mine", "too-late"), ("report", "mine"), ("score", "mine"), ("resume", "mine"))


@pytest.fixture
def mine(finished: Path, folder: Path) -> Path:
    """The file of a finished run of one's own."""
    shutil.copytree(finished, folder / "mine")
    return folder / "mine" / "run.sqlite"


def test_a_folder_that_holds_a_run_takes_no_second_one(
    refused: Refused, dragoman: Cli, mine: Path
) -> None:
    before = mine.read_bytes()

    line = refused(*RUN, "--out", "mine", status=1)

    assert "mine" in line
    assert "resume" in line
    assert "--out" in line
    assert mine.read_bytes() == before
    assert dragoman("show", "mine", "too-late").returncode == 0


@pytest.mark.parametrize("out", ["file", "file/below", "/dev/null/run", "/proc/run"])
def test_a_folder_that_cannot_be_made_is_named(refused: Refused, folder: Path, out: str) -> None:
    (folder / "file").write_text("in the way")

    assert out in refused(*RUN, "--out", out, status=1)


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("kind", ["absent", "empty folder", "file"])
def test_what_is_no_run_is_named_by_every_command(
    refused: Refused, folder: Path, kind: str, command: tuple[str, ...]
) -> None:
    if kind == "empty folder":
        (folder / "mine").mkdir()
    elif kind == "file":
        (folder / "mine").write_text("no run")

    line = refused(*command, status=1)

    assert "mine" in line
    assert "no run here" in line


def test_a_conversation_that_is_not_in_the_run_is_named(refused: Refused, mine: Path) -> None:
    assert mine.is_file()
    assert "'999'" in refused("show", "mine", "999", status=2)
    assert "trial 7" in refused("show", "mine", "too-late", "--trial", 7, status=2)
    assert "'silent'" in refused("show", "mine", "too-late", "--agent", "silent", status=2)


def _noise(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 200)


def _cut(path: Path) -> None:
    os.truncate(path, 20_000)


def _stump(path: Path) -> None:
    os.truncate(path, 100)


def _garble(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for position in range(5_000, len(content), 97):
        content[position] ^= 0xFF
    path.write_bytes(content)


def _foreign(path: Path) -> None:
    path.unlink()
    _change(path, "CREATE TABLE people (name TEXT)")


def _newer(path: Path) -> None:
    _change(path, "UPDATE meta SET value = '999' WHERE name = 'format'")


def _no_episodes(path: Path) -> None:
    _change(path, "DROP TABLE episodes")


def _change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    "damage",
    [_noise, _cut, _stump, _garble, _foreign, _newer, _no_episodes],
    ids=lambda it: it.__name__,
)
def test_a_damaged_run_is_named_by_every_command(
    refused: Refused, mine: Path, damage: Callable[[Path], None], command: tuple[str, ...]
) -> None:
    damage(mine)

    assert "mine" in refused(*command, status=1)


@pytest.mark.parametrize("command", READERS)
def test_a_damaged_conversation_is_named_by_every_command(
    refused: Refused, mine: Path, command: tuple[str, ...]
) -> None:
    _change(mine, "UPDATE episodes SET data = x'00112233'")

    line = refused(*command, status=1)

    assert "mine" in line
    assert "damaged" in line


def test_a_damaged_score_is_named(refused: Refused, mine: Path) -> None:
    _change(mine, "UPDATE scores SET data = x'ff00'")

    assert "damaged" in refused("show", "mine", "too-late", status=1)


def test_damaged_tasks_of_a_run_are_named(refused: Refused, mine: Path) -> None:
    _change(mine, "UPDATE meta SET value = x'00' WHERE name = 'tasks'")

    assert "damaged" in refused("show", "mine", "too-late", status=1)


def test_a_damaged_manifest_is_named(refused: Refused, mine: Path) -> None:
    _change(mine, "UPDATE meta SET value = x'7b7d' WHERE name = 'manifest'")

    assert "damaged" in refused("resume", "mine", status=1)


def test_a_run_cut_off_while_it_was_made_can_be_started_again(
    run_json: RunJson, refused: Refused, mine: Path
) -> None:
    mine.write_bytes(b"")

    line = refused("resume", "mine", status=1)
    assert "never started" in line
    assert run_json(*RUN, "--out", "mine")["cells"]


def test_an_agent_that_changed_since_the_run_began_is_not_mixed_in(
    run_json: RunJson, refused: Refused, folder: Path
) -> None:
    source = folder / "own.py"
    source.write_text("def agent(messages, tools):\n    return 'No.'\n")
    run_json("run", "sample:shop", "--agent", "own:agent", "--out", "mine")
    source.write_text("def agent(messages, tools):\n    return 'Yes.'\n")

    line = refused("resume", "mine", status=1)

    assert "changed" in line
    assert "start a new one" in line
    assert run_json("score", "mine", "--judge", "rule")["cells"]


def test_an_agent_that_is_gone_does_not_keep_a_run_from_being_scored_and_read(
    dragoman: Cli, run_json: RunJson, refused: Refused, folder: Path
) -> None:
    (folder / "own.py").write_text("def agent(messages, tools):\n    return 'No.'\n")
    run_json("run", "sample:shop", "--agent", "own:agent", "--out", "mine")
    (folder / "own.py").unlink()

    assert "own" in refused("resume", "mine", status=2)
    assert run_json("score", "mine", "--judge", "rule")["cells"]
    assert dragoman("report", "mine").returncode == 0


SLOW = """
import asyncio
import pathlib


async def agent(messages, tools):
    while not pathlib.Path("go").exists():
        await asyncio.sleep(0.02)
    return "No."
"""


@pytest.fixture
def under_way(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that another process plays until the file `go` appears."""
    (folder / "slow.py").write_text(SLOW)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "dragoman", "run", "sample:shop"),
            *("--agent", "slow:agent", "--out", "mine", "--json"),
        ],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not _is_made(folder / "mine" / "run.sqlite"):
        time.sleep(0.02)
    yield process
    process.kill()
    process.communicate()


def _is_made(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        count = connection.execute("SELECT count(*) FROM cells").fetchone()[0]
        connection.close()
    except sqlite3.Error:
        return False
    return bool(count)


@pytest.mark.slow
def test_two_processes_do_not_write_to_one_run(
    refused: Refused, run_json: RunJson, folder: Path, under_way: subprocess.Popen[str]
) -> None:
    for command in (("resume", "mine"), ("score", "mine"), (*RUN, "--out", "mine")):
        line = refused(*command, status=1)
        assert "mine" in line
        assert "another process" in line
    (folder / "go").touch()
    output, errors = under_way.communicate(timeout=60)

    assert under_way.returncode == 0, errors
    assert '"user_stop":5' in output
    assert run_json("resume", "mine")["cells"][0]["endings"] == {"user_stop": 5}


@pytest.mark.slow
def test_a_run_under_way_can_be_read(
    dragoman: Cli, folder: Path, under_way: subprocess.Popen[str]
) -> None:
    shown = dragoman("show", "mine", "too-late")
    reported = dragoman("report", "mine")
    (folder / "go").touch()
    _, errors = under_way.communicate(timeout=60)

    assert shown.returncode == 0, shown.stderr
    assert "not run" in shown.stdout
    assert reported.returncode == 0, reported.stderr
    assert under_way.returncode == 0, errors
