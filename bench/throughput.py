"""Conversations per second when played, scored and stored, and when scored again.

It also prints the CPU time of each part.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.measuring import measured
from bench.scripted import Gold, scripted_setup

from dragoman.composition.setup import Setup, build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode
from dragoman.core.protocols import Suite
from dragoman.runs.conversation_player import Player
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import Job, start_job
from dragoman.runs.measure_runner import rescore
from dragoman.runs.plan import Cell, plan_cells
from dragoman.store.record_codec import EpisodeCodec

USUAL = 64
REFERENCE = {"tau2:airline": 1.05, "tau2:telecom": 7.1}
"""Conversations per second of the reference: quoted from a measurement elsewhere."""


def print_throughput(suite: Suite, gold: Gold, concurrency: int, conversations: int) -> None:
    trials = -(-conversations // len(suite.tasks))
    with tempfile.TemporaryDirectory() as folder:
        job = _started(scripted_setup(suite, gold, concurrency, trials), folder)
        with job.store:
            rewards, wall, cpu = _executed(job)
            print(
                f"  concurrency {concurrency:>5}: {len(rewards) / wall:5.0f} conversations/s, "
                f"{_each(cpu, len(rewards))} ({len(rewards)} conversations, "
                f"rewards {set(rewards)}){_quoted(suite.name, concurrency)}"
            )
            if concurrency == USUAL:
                _print_rescoring(job, len(rewards))


def print_whole_set(name: str) -> None:
    """Play all tasks with gold; the time includes loading the files."""
    with tempfile.TemporaryDirectory() as folder, measured() as spent:
        setup = build_setup(RunConfig(name, ("gold",), judge="assume-met", concurrency=USUAL))
        job = _started(setup, folder)
        with job.store:
            rewards, _, _ = _executed(job)
        wall, cpu = spent()
    print(
        f"{name} with gold, loaded, played, scored and stored: {wall:.1f} s, {cpu:.1f} s CPU "
        f"({len(rewards)} conversations, rewards {set(rewards)})"
    )


def print_breakdown(suite: Suite, gold: Gold) -> None:
    setup = scripted_setup(suite, gold, 1, 5)
    player = Player(setup)
    cells = plan_cells(setup)
    episodes: list[tuple[Cell, Episode]] = []

    async def simulate() -> None:
        episodes.extend([(cell, await player.converse(cell)) for cell in cells])

    async def judge() -> None:
        for cell, episode in episodes:
            await player.score(cell, episode)

    codec = EpisodeCodec()
    parts: list[tuple[str, Callable[[], object]]] = [
        ("conversation", lambda: asyncio.run(simulate())),
        ("scoring", lambda: asyncio.run(judge())),
        ("encoding, compression", lambda: [codec.encode_episode(e) for _, e in episodes]),
    ]
    for name, work in parts:
        with measured() as spent:
            work()
            _, cpu = spent()
        print(f"  {name:<22}{_each(cpu, len(cells))}")
    sizes = [len(codec.encode_episode(episode)) for _, episode in episodes]
    print(f"  stored size           {sum(sizes) / len(sizes):.0f} bytes on average")


def _started(setup: Setup, folder: str) -> Job:
    return start_job(setup, Path(folder) / "run", time.time())


def _executed(job: Job) -> tuple[list[float | None], float, float]:
    """Return the rewards, and the wall and CPU seconds."""
    rewards: list[float | None] = []
    waiting = pending_cells(job.cells, job.store)
    with measured() as spent:
        asyncio.run(
            execute(
                job.setup,
                waiting,
                job.store,
                lambda _cell, _episode, score: rewards.append(getattr(score.reward, "value", None)),
            )
        )
        return rewards, *spent()


def _print_rescoring(job: Job, count: int) -> None:
    with measured() as spent:
        asyncio.run(rescore(job.setup, job.store, lambda: None, choice="all"))
        wall, cpu = spent()
    print(f"  scored again      : {count / wall:5.0f} conversations/s, {_each(cpu, count)}")


def _each(seconds: float, count: int) -> str:
    return f"{seconds / count * 1e3:.3f} ms CPU each"


def _quoted(name: str, concurrency: int) -> str:
    if concurrency != USUAL or name not in REFERENCE:
        return ""
    return f"; reference {REFERENCE[name]}/s (quoted)"
