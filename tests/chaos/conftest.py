"""Killed, cut and filled runs; their remains are compared with an unbroken run."""

import os
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.core.scores import METRIC_VERSION
from dragoman.store.run_file import FILE
from dragoman.store.run_store import open_run

AGENT = '''
"""The gold agent with random pauses: what it does is fixed, when it does it is not."""

import asyncio
import random

from dragoman.simulation.participants.oracle import GoldAgent

pauses = random.Random()


class Slow:
    name = "slow"

    async def open(self, opening):
        return Session(await GoldAgent().open(opening))


class Session:
    def __init__(self, gold):
        self.gold = gold

    async def reply(self, heard, tools):
        await asyncio.sleep(pauses.uniform(0, 0.05))
        return await self.gold.reply(heard, tools)

    async def close(self):
        await self.gold.close()
'''

Content = dict[str, tuple[Any, Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a slow agent of one's own."""
    (tmp_path / "own.py").write_text(AGENT)
    return tmp_path


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment without a cache."""
    return {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "no-cache")}


@pytest.fixture
def command() -> Callable[..., list[str]]:
    """Return the command line of a process that runs dragoman."""
    return lambda *arguments: [sys.executable, "-m", "dragoman", *map(str, arguments)]


@pytest.fixture
def content() -> Callable[[Path], Content]:
    """Return a function that reads a run's content, without the differences of equal runs."""

    def read(folder: Path) -> Content:
        with open_run(folder, write=False) as store:
            scores = store.scores("dragoman-2", "rule-1", METRIC_VERSION)
            episodes = {key: (attempt, episode) for key, attempt, episode in store.episodes()}
            assert {cell.key for cell in store.cells()} == set(episodes) == set(scores)
        stored = {}
        for key, (attempt, episode) in episodes.items():
            assert attempt == 0
            timeless = msgspec.structs.replace(episode, started=0.0, seconds=0.0)
            stored[key] = (msgspec.to_builtins(timeless), msgspec.to_builtins(scores[key]))
        return stored

    return read


@pytest.fixture
def counts() -> Callable[[Path], tuple[int, int, int]]:
    """Count the cells, episodes and scores of a run that a process may be writing to."""

    def read(folder: Path) -> tuple[int, int, int]:
        if not (folder / FILE).is_file():
            return 0, 0, 0
        try:
            connection = sqlite3.connect(f"{(folder / FILE).as_uri()}?mode=ro", uri=True)
            try:
                cells, episodes, scores = (
                    connection.execute(query).fetchone()[0]
                    for query in (
                        "SELECT count(*) FROM cells",
                        "SELECT count(*) FROM episodes",
                        "SELECT count(*) FROM scores",
                    )
                )
            finally:
                connection.close()
        except sqlite3.Error:
            # The tables are being made.
            return 0, 0, 0
        return cells, episodes, scores

    return read
