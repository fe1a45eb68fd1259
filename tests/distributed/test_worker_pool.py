"""Worker pools: dead and hanging workers are replaced, and their tasks are done again."""

import asyncio

import pytest

from dragoman.config.run_config import RunConfig
from dragoman.core.errors import RunHalted
from dragoman.distributed.worker_pool import (
    KilledWorkersError,
    LostWorker,
    WorkerSpec,
    WorkerTimeouts,
    open_worker_pool,
)
from dragoman.runs.worker_backend import worker_timeouts

WORK = WorkerSpec("none:none", b"")
SOON = WorkerTimeouts(silence=0.04)


class Tame:
    """A worker in this process: each item states the behaviour of the worker."""

    spawned: "list[Tame]"

    def __init__(self) -> None:
        self.spawned.append(self)
        self.did: list[bytes] = []
        self.had: set[bytes] = set()
        self._gone = asyncio.Event()
        self._hangs = False

    async def begin(self, work: WorkerSpec) -> None:
        assert work is WORK

    async def do(self, item: bytes) -> bytes:
        self.had.add(item)
        if item.startswith(b"die"):
            self._gone.set()
        if item.startswith(b"hang"):
            self._hangs = True
        if self._hangs or item.startswith((b"slow", b"never")):
            await self._lost(0.03 if item.startswith(b"slow") and not self._hangs else None)
        if self._gone.is_set():
            raise LostWorker
        self.did.append(item)
        return item.upper()

    async def heartbeat(self) -> None:
        if self._hangs:
            await self._lost(None)
        if self._gone.is_set():
            raise LostWorker

    async def end(self) -> None:
        self._gone.set()

    async def _lost(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._gone.wait()
        except TimeoutError:
            return
        raise LostWorker


@pytest.fixture(autouse=True)
def spawned() -> list[Tame]:
    Tame.spawned = []
    return Tame.spawned


def answered(
    *items: bytes, count: int = 2, timeouts: WorkerTimeouts = SOON
) -> list[bytes | BaseException]:
    async def work() -> list[bytes | BaseException]:
        async with open_worker_pool(count, Tame, WORK, timeouts) as do:
            return await asyncio.gather(*map(do, items), return_exceptions=True)

    return asyncio.run(work())


def test_items_are_answered_by_whoever_has_least_to_do(spawned: list[Tame]) -> None:
    assert answered(b"a", b"b", b"c", b"d") == [b"A", b"B", b"C", b"D"]
    assert sorted(item for each in spawned for item in each.did) == [b"a", b"b", b"c", b"d"]


class Late(Tame):
    """All but the first come when that one has been ready for a while."""

    async def begin(self, work: WorkerSpec) -> None:
        await super().begin(work)
        if self is not self.spawned[0]:
            for _ in range(100):
                await asyncio.sleep(0)


def test_items_are_divided_among_all_though_one_is_ready_first(spawned: list[Tame]) -> None:
    async def work() -> None:
        async with open_worker_pool(2, Late, WORK, SOON) as do:
            await asyncio.gather(*map(do, (b"slow a", b"slow b", b"slow c", b"slow d")))

    asyncio.run(work())
    assert [len(each.did) for each in spawned] == [2, 2]


class Absent(Tame):
    """All but the first wait for something that never comes."""

    async def begin(self, work: WorkerSpec) -> None:
        await super().begin(work)
        if self is not self.spawned[0]:
            await self._lost(None)


@pytest.mark.slow
def test_whoever_is_ready_does_not_wait_for_one_that_never_is(spawned: list[Tame]) -> None:
    async def work() -> list[bytes]:
        async with open_worker_pool(2, Absent, WORK, SOON) as do:
            return [await do(b"a"), await do(b"b")]

    assert asyncio.run(work()) == [b"A", b"B"]
    assert [len(each.did) for each in spawned] == [2, 0]


def test_an_item_over_which_three_workers_died_is_given_up_and_the_others_are_done(
    spawned: list[Tame],
) -> None:
    found = answered(b"die", b"slow a", b"slow b")
    assert isinstance(found[0], KilledWorkersError)
    assert str(found[0]) == "3 worker processes died over it"
    assert found[1:] == [b"SLOW A", b"SLOW B"]
    assert sum(b"die" in each.had for each in spawned) == 3


def test_an_item_over_which_two_workers_hung_is_given_up_and_those_beside_it_are_done(
    spawned: list[Tame],
) -> None:
    beside = [f"slow {number}".encode() for number in range(6)]
    found = answered(b"hang", *beside)
    assert isinstance(found[0], KilledWorkersError)
    assert str(found[0]) == "2 worker processes hung over it"
    assert found[1:] == [item.upper() for item in beside]
    assert sum(b"hang" in each.had for each in spawned) == 2


def test_an_item_that_is_never_answered_by_workers_that_are_there_is_given_up(
    spawned: list[Tame],
) -> None:
    found = answered(b"never", b"a", timeouts=WorkerTimeouts(silence=5, item=0.02))
    assert isinstance(found[0], KilledWorkersError)
    assert str(found[0]) == "2 worker processes hung over it"
    assert found[1] == b"A"
    assert len(spawned) == 4


def test_items_that_kill_every_worker_end_the_run() -> None:
    async def work() -> None:
        async with open_worker_pool(1, Tame, WORK, SOON) as do:
            with pytest.raises(KilledWorkersError):
                await do(b"die")
            with pytest.raises(RunHalted, match="5 workers died one after another"):
                await do(b"die")

    asyncio.run(work())


def test_a_runs_own_limit_of_time_says_when_a_worker_hangs() -> None:
    config = RunConfig("sample:shop", ("gold",))
    assert worker_timeouts(config) == WorkerTimeouts(120.0, 21_600.0)
    timed = RunConfig("sample:shop", ("gold",), timeout=30.0)
    assert worker_timeouts(timed) == WorkerTimeouts(30.0, 630.0)
    short = RunConfig("sample:shop", ("gold",), timeout=0.5)
    assert worker_timeouts(short) == WorkerTimeouts(10.0, 600.5)
    waits = RunConfig("sample:shop", ("gold",), batches=("openai",))
    assert worker_timeouts(waits) == WorkerTimeouts(120.0, None)
