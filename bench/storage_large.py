"""Cost of a run at 0, 100,000 and 1,000,000 conversations.

Usage: `python -m bench.storage_large [ROWS]`. The run is one of courier that can be resumed. One
conversation of each task and agent is played, and stored for all trials in the order of playing.
The last three conversations are left to the command `resume`.
"""

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.measuring import measured

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode
from dragoman.core.scores import Score
from dragoman.runs.conversation_player import Player
from dragoman.runs.executor import Pending, pending_cells, sort_for_playing
from dragoman.runs.jobs import start_job
from dragoman.runs.plan import plan_cells
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_store import open_run

ROWS = 1_000_000
ROUND = 5_000
ROUNDS = 5
"""Timed rounds of writing at each number of conversations; the median is printed."""

BATCH = 32
"""Episodes per commit, as many as the writer commits together in a concurrent run."""

LEFT = 3
SUITE, AGENTS = "courier", ("gold", "literal", "silent")

Outcome = tuple[Episode, Score]


def main() -> None:
    """Fill one run; at several sizes, time writing and showing, and at last resuming."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        waiting = _started(run, rows + 3 * ROUNDS * ROUND + LEFT)
        outcomes = _outcomes()
        print(f"{'rows':>10} {'writes/s':>9} {'CPU us':>7} {'show s':>7} {'CPU s':>6} {'MB':>6}")
        done = 0
        for stop in sorted({0, min(100_000, rows), rows}):
            _store(run, waiting[done:stop], outcomes)
            begun = max(done, stop)
            done = begun + ROUNDS * ROUND
            wall, cpu = _timed(run, waiting[begun:done], outcomes)
            shown = _command("show", str(run))
            size = (run / "run.sqlite").stat().st_size / 1e6
            print(
                f"{begun:>10,} {ROUND / wall:>9,.0f} {cpu / ROUND * 1e6:>7.1f} "
                f"{shown.wall:>7.2f} {shown.cpu:>6.2f} {size:>6,.0f}"
            )
        _store(run, waiting[done:-LEFT], outcomes)
        _print_resumed(run, waiting[-LEFT:])
        started = _command("--version")
    print(f"start-up of the command, in each: {started.wall:.2f} s, {started.cpu:.2f} s of CPU")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


def _started(run: Path, least: int) -> list[Pending]:
    """Start a run of at least `least` conversations; return them in the order of playing."""
    tasks = len(build_setup(RunConfig(SUITE, AGENTS)).tasks)
    trials = -(-least // (tasks * len(AGENTS)))
    job = start_job(build_setup(RunConfig(SUITE, AGENTS, trials=trials)), run, time.time())
    with job.store:
        return sort_for_playing(pending_cells(job.cells, job.store))


def _outcomes() -> dict[tuple[str, str], Outcome]:
    """Return one conversation and its score for each task and agent."""
    setup = build_setup(RunConfig(SUITE, AGENTS))
    player = Player(setup)

    async def played() -> dict[tuple[str, str], Outcome]:
        return {
            (cell.task.id, cell.agent.name): await player.play(cell) for cell in plan_cells(setup)
        }

    return asyncio.run(played())


def _entries(
    waiting: Sequence[Pending], outcomes: dict[tuple[str, str], Outcome]
) -> Iterator[StoredEpisode]:
    for entry in waiting:
        cell = entry.cell
        yield StoredEpisode(cell.key, 0, *outcomes[cell.task.id, cell.agent.name])


def _timed(
    run: Path, waiting: Sequence[Pending], outcomes: dict[tuple[str, str], Outcome]
) -> tuple[float, float]:
    """Store rounds of conversations; return the median wall and CPU seconds of a round."""
    # The filled-in rows must not be written to the disk during the measurement.
    os.sync()
    rounds = [
        _store(run, waiting[first : first + ROUND], outcomes)
        for first in range(0, len(waiting), ROUND)
    ]
    return median(wall for wall, _ in rounds), median(cpu for _, cpu in rounds)


def _store(
    run: Path, waiting: Sequence[Pending], outcomes: dict[tuple[str, str], Outcome]
) -> tuple[float, float]:
    """Store conversations; return the wall and CPU seconds."""
    with open_run(run, write=True) as store, measured() as spent:
        for first in range(0, len(waiting), BATCH):
            store.put(_entries(waiting[first : first + BATCH], outcomes))
        return spent()


class _Took(NamedTuple):
    """Wall and CPU seconds of a command."""

    wall: float
    cpu: float


def _command(*words: str) -> _Took:
    """Run a command in a separate process."""
    began, before = time.perf_counter(), _of_children()
    subprocess.run([sys.executable, "-m", "dragoman", *words], check=True, capture_output=True)
    return _Took(time.perf_counter() - began, _of_children() - before)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _print_resumed(run: Path, left: Sequence[Pending]) -> None:
    began = time.time()
    took = _command("resume", str(run), "--quiet")
    with open_run(run, write=False) as store:
        played = [store.episode(entry.cell.key) for entry in left]
    first = min(each.started + each.seconds for each in played if each is not None)
    print(
        f"resumed with {len(left)} left: {first - began:.2f} s to the end of the first, "
        f"{took.wall:.2f} s to the end of the command, {took.cpu:.2f} s of CPU"
    )


if __name__ == "__main__":
    main()
