"""Work is done concurrently and reported in order."""

import asyncio

import pytest

from dragoman.core.errors import ParticipantError
from dragoman.curation.concurrency import map_in_order


def test_results_come_in_order_and_only_so_many_are_under_way() -> None:
    under_way = most = 0
    reported: list[tuple[int, str]] = []

    async def work(number: int) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(10 - number):
            await asyncio.sleep(0)
        under_way -= 1
        return str(number)

    asyncio.run(
        map_in_order(range(10), work, 3, lambda item, result: reported.append((item, result)))
    )
    assert reported == [(number, str(number)) for number in range(10)]
    assert most == 3


def test_what_stands_before_a_failure_is_told_and_what_is_under_way_is_waited_for() -> None:
    reported: list[int] = []
    done: list[int] = []

    async def work(number: int) -> None:
        if number == 2:
            raise ParticipantError("broke")
        for _ in range(number):
            await asyncio.sleep(0)
        done.append(number)

    with pytest.raises(ParticipantError, match="broke"):
        asyncio.run(map_in_order(range(10), work, 4, lambda item, _: reported.append(item)))
    assert reported == [0, 1]
    assert sorted(done) == [0, 1, 3, 4, 5]


def test_who_is_cut_off_leaves_nothing_under_way() -> None:
    cut: list[int] = []

    async def work(number: int) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cut.append(number)
            raise

    async def cut_off() -> None:
        task = asyncio.ensure_future(map_in_order(range(10), work, 3, lambda *_: None))
        for _ in range(3):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert sorted(cut) == [0, 1, 2]

    asyncio.run(cut_off())
