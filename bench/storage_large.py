"""What a run costs at 0, 100,000 and 1,000,000 conversations: `python -m bench.storage_large [ROWS]`."""

import contextlib
import io
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from dragoman.cli.losing.first_page import print_first_page
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Ending, Episode
from dragoman.core.keys import content_key
from dragoman.core.scores import METRIC_VERSION, ComponentScore, Score, Scored
from dragoman.store.run import NewRun, StoredCell, StoredEpisode, create_run, open_run

ROWS = 1_000_000
ROUND = 5_000
BATCH = 32
"""As many as the writer commits together where many are played at once."""


def main() -> None:
    """Fill one run with small conversations; by how many it has, time writing, showing, resuming."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    cells = tuple(_cell(number) for number in range(rows + ROUND))
    print(f"{'rows':>10} {'writes/s':>9} {'CPU us':>7} {'show s':>7} {'to first s':>10} {'MB':>6}")
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        create_run(run, NewRun(b"{}", cells, {})).close()
        done = 0
        for stop in sorted({0, min(100_000, rows), rows}):
            _store(run, cells, done, stop)
            rate, cpu = _store(run, cells, stop, stop + ROUND)
            done = stop + ROUND
            shown, resumed = _shown(run), _resumed(run, cells)
            size = (run / "run.sqlite").stat().st_size / 1e6
            print(
                f"{stop:>10,} {rate:>9,.0f} {cpu:>7.1f} {shown:>7.3f} {resumed:>10.2f} {size:>6,.0f}"
            )
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


def _cell(number: int) -> StoredCell:
    key = content_key(number)
    return StoredCell(
        key, "suite", PLAIN, f"agent{number % 5}", f"task{number % 100}", number // 500
    )


def _entries(cells: tuple[StoredCell, ...]) -> Iterator[StoredEpisode]:
    episode = Episode((), Ending("user_stop"), 10, 0, started=1.7e9, seconds=3.0)
    for cell in cells:
        value = Scored(float(cell.trial % 3 > 0))
        parts = (ComponentScore("DB", True, value),)
        score = Score("dragoman-1", "none", value, parts, METRIC_VERSION)
        yield StoredEpisode(cell.key, 0, episode, score)


def _store(run: Path, cells: tuple[StoredCell, ...], start: int, stop: int) -> tuple[float, float]:
    """Store conversations; return how many a second, and microseconds of CPU of each."""
    with open_run(run, write=True) as store:
        began, cpu = time.perf_counter(), time.process_time()
        for first in range(start, stop, BATCH):
            store.put(_entries(cells[first : min(first + BATCH, stop)]))
        spent, used = time.perf_counter() - began, time.process_time() - cpu
    count = max(1, stop - start)
    return count / spent, used / count * 1e6


def _shown(run: Path) -> float:
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        print_first_page(run, None, None, (None, None))
    return time.perf_counter() - began


def _resumed(run: Path, cells: tuple[StoredCell, ...]) -> float:
    """Open a run, compare its plan and find what is left, without making the plan itself."""
    began = time.perf_counter()
    with open_run(run, write=True) as store:
        if not store.has_plan(cells):
            raise ValueError("another plan")
        store.unplayed(), store.broken()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
