"""Requests in batches: no paid answer is lost, and a halt stops further requests."""

import asyncio
from collections.abc import Mapping

from dragoman.core.errors import RunHalted
from dragoman.curation.concurrency import AT_ONCE, BatchedAnswers, map_in_batches

ITEMS = {f"item {number}": number for number in range(100)}


async def doubled(batch: Mapping[str, int]) -> BatchedAnswers[int]:
    await asyncio.sleep(0)
    return BatchedAnswers({name: 2 * number for name, number in batch.items()})


def test_every_item_is_asked_for_once_in_batches_of_that_size() -> None:
    sizes: list[int] = []
    answers = asyncio.run(map_in_batches(ITEMS, 7, doubled, sizes.append))
    assert answers.found == {name: 2 * number for name, number in ITEMS.items()}
    assert sorted(sizes) == [2, *[7] * 14]
    assert answers.halt is None


def test_after_a_halt_what_is_under_way_is_kept_and_nothing_more_is_begun() -> None:
    halt, begun = RunHalted("the budget is spent"), []

    async def ask(batch: Mapping[str, int]) -> BatchedAnswers[int]:
        begun.append(batch)
        if len(begun) == 1:
            await asyncio.sleep(0)  # until the others that may be under way have begun
            raise halt
        return await doubled(batch)

    answers = asyncio.run(map_in_batches(ITEMS, 1, ask))
    assert answers.halt is halt
    assert len(answers.found) == len(begun) - 1 == AT_ONCE - 1
