"""Cost of storing an episode in an empty run and in a large one."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measuring import measured
from bench.scripted import Gold

from dragoman.core.conditions import PLAIN
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run

STORED = 100_000
ROUNDS = 10
ROUND = 1_000


def print_storage(gold: Gold) -> None:
    """Store alternately into an empty run and into one with 100,000; commit each episode.

    The rounds alternate because the speed of a machine varies more over a minute than the costs
    differ.
    """
    episodes = list(gold.values())
    empty, full = 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        with _new_run(Path(folder) / "full", STORED + ROUNDS * ROUND) as store:
            store.put(_entries(episodes, 0, STORED))
            for turn in range(ROUNDS):
                with _new_run(Path(folder) / f"empty-{turn}", ROUND) as fresh:
                    empty += _store_singly(fresh, _entries(episodes, 0, ROUND))
                start = STORED + turn * ROUND
                full += _store_singly(store, _entries(episodes, start, start + ROUND))
        size = (Path(folder) / "full" / "run.sqlite").stat().st_size / 1e6
    count = ROUNDS * ROUND
    print(
        f"ms CPU per stored episode: {empty / count * 1e3:.3f} from the first on, "
        f"{full / count * 1e3:.3f} from the {STORED:,}th on, {full / empty:.2f} times ({size:.0f} MB)"
    )


def _new_run(folder: Path, count: int) -> RunStore:
    cells = tuple(
        StoredCell(content_key(index), "suite", PLAIN, "agent", "task", 0) for index in range(count)
    )
    return create_run(folder, NewRun(b"{}", cells, {}))


def _entries(episodes: list[Episode], start: int, end: int) -> Iterator[StoredEpisode]:
    for index in range(start, end):
        yield StoredEpisode(content_key(index), 0, episodes[index % len(episodes)])


def _store_singly(store: RunStore, entries: Iterator[StoredEpisode]) -> float:
    with measured() as spent:
        for entry in entries:
            store.put([entry])
        return spent()[1]
