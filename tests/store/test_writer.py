import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.errors import StoreError
from dragoman.core.measures import MeasureResult, reward_result
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored, Unscored
from dragoman.core.tools import ToolCall
from dragoman.core.usage import Usage
from dragoman.store.background_writer import CAPACITY, BackgroundWriter
from dragoman.store.conversation_writes import StoredEpisode, StoredMeasure
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run, open_run

PAID = Usage("agent", "m", 1, 10, 2)
EPISODE = Episode((), Termination("user_stop"), 1, 0)


def _called(arguments: dict[Any, object]) -> Message:
    return Message("agent", ToolCallReply((ToolCall("1", "f", arguments),)))


def entry(number: int) -> StoredEpisode:
    return StoredEpisode(f"{number:032x}", 0, EPISODE)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    cells = tuple(
        StoredCell(f"{number:032x}", "s", PLAIN, "a", "t", number) for number in range(500)
    )
    with create_run(tmp_path / "run", NewRun(b"{}", cells, {})) as run:
        yield run


async def put_all(store: RunStore, entries: Iterable[StoredEpisode | StoredMeasure]) -> None:
    async with BackgroundWriter(store) as writer:
        for each in entries:
            await writer.put(each)


@pytest.mark.parametrize("count", [0, 1, CAPACITY, 3 * CAPACITY + 5])
def test_leaving_stores_everything_that_was_put(store: RunStore, count: int) -> None:
    asyncio.run(put_all(store, map(entry, range(count))))
    with open_run(store.folder, write=False) as again:
        assert len(again.attempts()) == count


def test_many_tasks_may_put_at_once(store: RunStore) -> None:
    async def work() -> None:
        async with BackgroundWriter(store) as writer, asyncio.TaskGroup() as group:
            for number in range(500):
                group.create_task(writer.put(entry(number)))

    asyncio.run(work())
    assert len(store.attempts()) == 500


def test_what_was_put_before_an_error_of_the_caller_is_stored(store: RunStore) -> None:
    async def work() -> None:
        async with BackgroundWriter(store) as writer:
            await writer.put(entry(1))
            raise ValueError("of the caller")

    with pytest.raises(ValueError, match="of the caller"):
        asyncio.run(work())
    assert len(store.attempts()) == 1


def test_what_was_put_before_a_cancellation_is_stored(store: RunStore) -> None:
    was_put = asyncio.Event()

    async def work() -> None:
        async with BackgroundWriter(store) as writer:
            await writer.put(entry(1))
            was_put.set()
            await asyncio.sleep(3600)

    async def main() -> None:
        task = asyncio.create_task(work())
        await was_put.wait()
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
        async with BackgroundWriter(store) as writer:
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


ODD = [
    Episode(
        (Message("agent", text_reply("half a character: \ud800")),), Termination("user_stop"), 1, 0
    ),
    Episode((_called({(1, 2): 3}),), Termination("user_stop"), 1, 0),
    Episode((_called({"a": {None: 1}}),), Termination("user_stop"), 1, 0),
    Episode((_called({"a": 1j}),), Termination("user_stop"), 1, 0),
    Episode((_called({"a": 1 << 20_000}),), Termination("user_stop"), 1, 0),
]


@pytest.mark.parametrize("odd", ODD)
def test_a_conversation_that_cannot_be_written_is_a_fault_and_ends_no_other(
    store: RunStore, odd: Episode
) -> None:
    score = Score("r", "j", Scored(1.0), (), "m")
    entries = [
        StoredEpisode(f"{0:032x}", 0, msgspec.structs.replace(odd, usage=(PAID,)), score),
        StoredEpisode(f"{1:032x}", 0, EPISODE, score),
    ]

    asyncio.run(put_all(store, entries))

    assert store.attempts() == {f"{0:032x}": (0, True), f"{1:032x}": (0, False)}
    stored = store.episode(f"{0:032x}")
    assert stored is not None
    assert "cannot be stored" in stored.ending.detail
    assert stored.usage == (PAID,)
    scores = store.scores("r", "j", "m")
    assert isinstance(scores[f"{0:032x}"].reward, Unscored)
    assert scores[f"{1:032x}"] == score


def test_a_score_that_cannot_be_written_is_unscored_beside_its_conversation(
    store: RunStore,
) -> None:
    evidence = (Evidence("said", True, "\ud800"),)
    odd = Score("r", "j", Scored(1.0), (ComponentScore("CALLS", True, Scored(1.0), evidence),), "m")

    asyncio.run(
        put_all(store, [entry(1), StoredMeasure(f"{1:032x}", 0, reward_result(odd)), entry(2)])
    )

    assert store.episode(f"{1:032x}") == EPISODE
    assert isinstance(store.scores("r", "j", "m")[f"{1:032x}"].reward, Unscored)
    assert len(store.attempts()) == 2


def test_counts_that_cannot_be_written_are_unscored_beside_their_conversation(
    store: RunStore,
) -> None:
    odd = MeasureResult("words", "1", counts={"\ud800": 1})

    asyncio.run(put_all(store, [entry(1), StoredMeasure(f"{1:032x}", 0, odd), entry(2)]))

    ((stored,),) = store.measured().values()
    assert stored.counts == {}
    assert "cannot be stored" in stored.unscored
    assert len(store.attempts()) == 2
