"""Conversations and scores per second, and utterances per minute, by worker processes.

The runs use one and two worker processes. The rates exclude the start-up. They also exclude the end
of a run, when fewer conversations are left than are played at a time: text is counted from the
first result on, and speech without as many first and last results as there are concurrent
conversations, because these end together. The CPU time is that of all processes, user and system,
with start-up and end: on a machine that does other work at the same time, it says more than the
wall time. Two processes are twice as fast if two cores have no other work.
"""

import asyncio
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode
from dragoman.core.replies import TextReply
from dragoman.core.scores import Score
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import start_job
from dragoman.runs.plan import Cell
from dragoman.runs.runner import MeasureRequest, score

WORKERS = (1, 2)
FAST = RunConfig("tau2:retail", ("gold",), judge="assume-met", trials=20, concurrency=64)
SLOW = RunConfig(
    "tau2:retail",
    ("bench.spreading.slow_gold:Slow",),
    user="gold",
    judge="assume-met",
    trials=20,
    concurrency=256,
)
SPOKEN_AT_ONCE = 8
SPOKEN = RunConfig(
    "courier:easy",
    ("literal",),
    voices=("telephone",),
    trials=4,
    concurrency=SPOKEN_AT_ONCE,
    cache=False,
)


class Counted:
    """Times of the results, and the number of utterances in each."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.spoken: list[int] = []

    def on_played(self, _cell: Cell, episode: Episode, _score: Score) -> None:
        self.on_done()
        self.spoken.append(
            sum(isinstance(getattr(event, "reply", None), TextReply) for event in episode.events)
        )

    def on_done(self) -> None:
        self.times.append(time.perf_counter())

    @property
    def seconds(self) -> float:
        return self.times[-1] - self.times[0]

    @property
    def conversations_per_second(self) -> float:
        return (len(self.times) - 1) / self.seconds

    @property
    def utterances_per_minute(self) -> float:
        first, last = SPOKEN_AT_ONCE, len(self.times) - SPOKEN_AT_ONCE
        spoken = sum(self.spoken[first + 1 : last + 1])
        return 60 * spoken / (self.times[last] - self.times[first])


def print_workers() -> None:
    _print_text("an agent that answers at once", FAST)
    _print_text("an agent that answers in 100 ms", SLOW)
    _print_scores()
    _print_voice()


def _print_text(title: str, config: RunConfig) -> None:
    print(f"{config.suite}, {title}")
    for workers in WORKERS:
        with tempfile.TemporaryDirectory() as folder, _spent() as spent:
            counted = _played(config, workers, Path(folder) / "run")
            print(
                f"  {_of(workers)}: {counted.conversations_per_second:6.0f} conversations/s{spent()}"
            )


def _print_scores() -> None:
    print("scored again by other rules")
    for workers in WORKERS:
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            _played(FAST, 1, run)
            with _spent() as spent:
                counted = Counted()
                changes = {"rules": "tau2-1.0.1", "workers": workers}
                score(run, MeasureRequest(changes), counted.on_done)
                print(
                    f"  {_of(workers)}: {counted.conversations_per_second:6.0f} conversations/s{spent()}"
                )


def _print_voice() -> None:
    """Compare one process with half the cores, one with all cores, and two with half each."""
    print(f"courier by telephone, embedded voices, {os.cpu_count()} cores")
    for title, workers, sharers in (
        ("1 worker, one share of two", 1, 2),
        ("1 worker, all cores", 1, 1),
        ("2 workers", 2, 2),
    ):
        with tempfile.TemporaryDirectory() as folder, _spent() as spent:
            counted = _played(SPOKEN, workers, Path(folder) / "run", sharers)
            print(f"  {title:<26}: {counted.utterances_per_minute:6.0f} utterances/min{spent()}")


def _played(config: RunConfig, workers: int, folder: Path, sharers: int = 1) -> Counted:
    """Play a run with speech engines that are sized for a number of sharing processes.

    The engines of this process get the share of cores that one of `sharers` processes gets.
    """
    made = build_setup(msgspec.structs.replace(config, workers=sharers))
    setup = msgspec.structs.replace(made, config=msgspec.structs.replace(config, workers=workers))
    counted = Counted()

    async def work() -> None:
        job = start_job(setup, folder, time.time())
        with job.store:
            try:
                waiting = pending_cells(job.cells, job.store)
                await execute(setup, waiting, job.store, counted.on_played)
            finally:
                await setup.close()

    asyncio.run(work())
    return counted


@contextmanager
def _spent() -> Iterator[Callable[[], str]]:
    started, user, system = time.perf_counter(), *_cpu()

    def said() -> str:
        wall = time.perf_counter() - started
        now_user, now_system = _cpu()
        return f" ({wall:.1f} s in all, {now_user - user:.1f} s user, {now_system - system:.1f} s system)"

    yield said


def _cpu() -> tuple[float, float]:
    """Return user and system seconds of this process and of its ended children."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime for each in both), sum(each.ru_stime for each in both)


def _of(workers: int) -> str:
    return f"{workers} worker{'s' if workers > 1 else ' '}"
