"""Cost of another execution backend: one file, and the name under which it is found."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import dragoman
from dragoman.core.scores import METRIC_VERSION
from dragoman.ext.errors import UsageError
from dragoman.store.run_store import open_run

Cli = Callable[..., CompletedProcess[str]]

BACKEND = """
import asyncio
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from multiprocessing import get_context
from os import getpid
from pathlib import Path

import msgspec

from dragoman.ext.backends import CellSpec, PlayResult, RunSpec, remote_player
from dragoman.ext.conversations import Episode


class Processes:
    @asynccontextmanager
    async def open(self, source):
        loop = asyncio.get_running_loop()
        run = msgspec.json.encode(source.run)
        with ProcessPoolExecutor(2, get_context("spawn")) as pool:

            async def play(cell, earlier):
                wanted = msgspec.json.encode((cell, earlier))
                return decode(await loop.run_in_executor(pool, played, run, wanted), PlayResult)

            yield play


def played(run, wanted):
    cell, earlier = decode(wanted, tuple[CellSpec, tuple[Episode, ...]])
    finished = asyncio.run(play_alone(decode(run, RunSpec), cell, earlier))
    with Path("processes.txt").open("a") as file:
        file.write(f"{getpid()}\\n")
    return msgspec.json.encode(finished)


async def play_alone(run, cell, earlier):
    async with remote_player(run) as play:
        return await play(cell, earlier)


def decode(content, kind):
    return msgspec.json.decode(content, type=kind)
"""

AGENTS = """
from pathlib import Path


def polite(messages, tools):
    return {"content": "I cannot help you with that.", "usage": {"input_tokens": 5, "output_tokens": 2}}


def breaking(messages, tools):
    if Path("down").exists():
        raise ConnectionError("the wire was cut")
    return "Done."


def noting(messages, tools):
    if messages[-1]["role"] == "tool":
        return "Noted."
    note = {"key": f"noted_{len(messages)}", "value": str(messages[-1]["content"])[:40]}
    return {"tool_calls": [{"name": "core_memory_add", "arguments": note}]}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the installed backend is found."""
    (tmp_path / "own_backend.py").write_text(BACKEND, "utf-8")
    (tmp_path / "own_agents.py").write_text(AGENTS, "utf-8")
    about = tmp_path / "own_backend-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-backend\nVersion: 1\n")
    (about / "entry_points.txt").write_text(
        "[dragoman.backends]\nprocesses = own_backend:Processes\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def stored(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return by cell the stored conversation, without clock times."""
    with open_run(folder, write=False) as store:
        judge = dragoman.load(folder).judge
        scores = store.scores("dragoman-2", judge, METRIC_VERSION)
        return {
            key: (attempt, episode.events, episode.ending, episode.usage, scores[key].reward)
            for key, attempt, episode in store.episodes()
        }


def sounds(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("audio/*/*.wav")}


def played_twice(in_process: Cli, home: Path, *arguments: str, status: int = 0) -> Iterator[Path]:
    """Run one command in this process and by the other backend, and return both folders."""
    for backend in ("local", "processes"):
        folder = home / backend
        words = ("run", *arguments, "--backend", backend, "--out", folder, "--json")
        done = in_process(*words, cwd=home)
        assert done.returncode == status, done.stderr
        yield folder


@pytest.mark.slow
def test_a_backend_in_one_file_plays_what_this_process_plays(in_process: Cli, home: Path) -> None:
    agents = ("gold", "own_agents:polite", "own_agents:breaking")
    named = [word for agent in agents for word in ("--agent", agent)]

    here, there = played_twice(in_process, home, "sample:shop", *named, "--judge", "rule")

    assert len(stored(here)) == 5 * len(agents)
    assert stored(there) == stored(here)
    others = {int(line) for line in (home / "processes.txt").read_text().splitlines()}
    assert others
    assert os.getpid() not in others


@pytest.mark.slow
def test_what_was_spoken_elsewhere_is_kept_with_the_run(in_process: Cli, home: Path) -> None:
    spoken = ("--voice", "telephone", "--asr", "understood")

    here, there = played_twice(
        in_process, home, "courier:easy", "--agent", "literal", "--limit", "1", *spoken
    )

    assert stored(there) == stored(here)
    assert len(sounds(here)) > 2
    assert sounds(there) == sounds(here)


@pytest.mark.slow
def test_what_comes_after_others_is_told_what_they_left(
    in_process: Cli, home: Path, pulled_bfcl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))

    here, there = played_twice(
        in_process, home, "bfcl:memory_kv", "--agent", "own_agents:noting", "--limit", "1"
    )

    assert any("noted" in str(events) for _, events, *_ in stored(here).values())
    assert len(stored(here)) > 1
    assert stored(there) == stored(here)


@pytest.mark.slow
def test_a_run_may_be_gone_on_with_by_another_backend(in_process: Cli, home: Path) -> None:
    (home / "down").touch()
    agent = ("--agent", "own_agents:breaking", "--limit", "2")
    here, there = played_twice(in_process, home, "sample:shop", *agent, status=1)
    (home / "down").unlink()

    for folder, backend in ((here, "processes"), (there, "local")):
        done = in_process("resume", folder, "--backend", backend, cwd=home)
        assert done.returncode == 0, done.stderr

    assert [attempt for attempt, *_ in stored(here).values()] == [1, 1]
    assert stored(there) == stored(here)


def test_a_backend_is_listed_with_where_it_comes_from(in_process: Cli, home: Path) -> None:
    lines = in_process("list", "backends", cwd=home).stdout.splitlines()

    assert [line.split()[0] for line in lines] == ["local", "processes"]
    assert "own_backend:Processes" in lines[1]


def test_an_unknown_backend_is_named_with_those_that_exist(in_process: Cli, home: Path) -> None:
    words = ("run", "sample:shop", "--agent", "gold", "--out", "mine")

    done = in_process(*words, "--backend", "cloud", cwd=home)

    assert done.returncode == 2
    assert "unknown backend 'cloud': there is local, processes" in done.stderr
    assert not (home / "mine").exists()


@pytest.mark.slow
def test_an_agent_without_a_name_cannot_be_played_elsewhere(home: Path) -> None:
    def unnamed(messages: Any, tools: Any) -> str:  # noqa: ANN401, ARG001 - an agent's signature
        return "No."

    with pytest.raises(UsageError, match="unnamed"):
        dragoman.run("sample:shop", unnamed, backend="processes", limit=1, out=home / "mine")
