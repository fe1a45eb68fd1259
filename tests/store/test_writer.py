import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from dragoman.core.episodes import Ending, Episode, Move
from dragoman.core.errors import StoreError
from dragoman.core.speech import say
from dragoman.store.run import (
    NewRun,
    RunStore,
    StoredCell,
    StoredEpisode,
    StoredMeasure,
    create_run,
    open_run,
)
from dragoman.store.writer import CAPACITY, Writer

EPISODE = Episode((), Ending("user_stop"), 1, 0)


def entry(number: int) -> StoredEpisode:
    return StoredEpisode(f"{number:032x}", 0, EPISODE)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    cells = tuple(StoredCell(f"{number:032x}", "s", "c", "a", "t", number) for number in range(500))
    with create_run(tmp_path / "run", NewRun(b"{}", cells, {})) as run:
        yield run


async def put_all(store: RunStore, entries: Iterable[StoredEpisode | StoredMeasure]) -> None:
    async with Writer(store) as writer:
        for each in entries:
            await writer.put(each)


@pytest.mark.parametrize("count", [0, 1, CAPACITY, 3 * CAPACITY + 5])
def test_leaving_stores_everything_that_was_put(store: RunStore, count: int) -> None:
    asyncio.run(put_all(store, map(entry, range(count))))
    with open_run(store.folder, write=False) as again:
        assert len(again.attempts()) == count


def test_many_tasks_may_put_at_once(store: RunStore) -> None:
    async def work() -> None:
        async with Writer(store) as writer, asyncio.TaskGroup() as group:
            for number in range(500):
                group.create_task(writer.put(entry(number)))

    asyncio.run(work())
    assert len(store.attempts()) == 500


def test_what_was_put_before_an_error_of_the_caller_is_stored(store: RunStore) -> None:
    async def work() -> None:
        async with Writer(store) as writer:
            await writer.put(entry(1))
            raise ValueError("of the caller")

    with pytest.raises(ValueError, match="of the caller"):
        asyncio.run(work())
    assert len(store.attempts()) == 1


def test_what_was_put_before_a_cancellation_is_stored(store: RunStore) -> None:
    async def work() -> None:
        async with Writer(store) as writer:
            await writer.put(entry(1))
            await asyncio.sleep(3600)

    async def main() -> None:
        task = asyncio.create_task(work())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert len(store.attempts()) == 1


def test_a_failed_write_is_told_on_leaving(store: RunStore) -> None:
    with pytest.raises(StoreError, match="cannot write any more"):
        asyncio.run(put_all(store, [entry(1), entry(1)]))


def test_a_failed_write_is_told_by_the_next_put(store: RunStore) -> None:
    async def work() -> None:
        async with Writer(store) as writer:
            await writer.put(entry(1))
            await writer.put(entry(1))
            for number in range(2, 10_000):
                await asyncio.sleep(0.001)
                await writer.put(entry(number))
            raise AssertionError("ten seconds of puts that nobody stores")

    with pytest.raises(StoreError, match="cannot write any more"):
        asyncio.run(work())


def test_a_failed_write_never_leaves_a_caller_waiting(store: RunStore) -> None:
    async def work() -> None:
        async with asyncio.timeout(30):
            await put_all(store, [entry(1)] * (4 * CAPACITY))

    with pytest.raises(StoreError):
        asyncio.run(work())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("text", ["half a character: \ud800"])
def test_an_entry_that_cannot_be_encoded_is_told(store: RunStore, text: str) -> None:
    bad = Episode((Move("agent", say(text)),), Ending("user_stop"), 1, 0)
    with pytest.raises(StoreError):
        asyncio.run(put_all(store, [StoredEpisode("0" * 32, 0, bad), entry(1)]))
