"""Requests that come close together are answered together, and each gets its own answer."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from dragoman.finetuning.local_models.batching import Batches


class Lengths:
    """A model that answers with the reversed text, and records its batches."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> list[str]:
        self.batches.append(list(texts))
        if "broken" in texts:
            raise RuntimeError("no memory")
        return [text[::-1] for text in texts]


def test_what_is_asked_together_is_answered_together_nearest_in_length_first() -> None:
    seen = Lengths()

    async def asked() -> list[str]:
        with ThreadPoolExecutor(1) as thread:
            batches = Batches(seen, len, 2, thread)
            made = await asyncio.gather(
                *(batches.ask(each) for each in ("ab", "longer", "cd", "long"))
            )
        return [each.answer for each in made]

    assert asyncio.run(asked()) == ["ba", "regnol", "dc", "gnol"]
    assert seen.batches == [["ab", "cd"], ["longer", "long"]]


def test_the_oldest_request_is_never_passed_over() -> None:
    seen = Lengths()

    async def asked() -> None:
        with ThreadPoolExecutor(1) as thread:
            batches = Batches(seen, len, 1, thread)
            await asyncio.gather(*(batches.ask(each) for each in ("a" * 9, "b", "c", "d")))

    asyncio.run(asked())

    assert seen.batches == [["a" * 9], ["b"], ["c"], ["d"]]


def test_what_breaks_a_batch_is_raised_where_it_was_asked_and_the_next_are_answered() -> None:
    async def asked() -> tuple[str, str]:
        with ThreadPoolExecutor(1) as thread:
            batches = Batches(Lengths(), len, 1, thread)
            broken, whole = await asyncio.gather(
                batches.ask("broken"), batches.ask("whole"), return_exceptions=True
            )
            later = await batches.ask("later")
        assert isinstance(broken, RuntimeError)
        assert not isinstance(whole, BaseException)
        return whole.answer, later.answer

    assert asyncio.run(asked()) == ("elohw", "retal")


def test_whoever_has_gone_is_not_answered() -> None:
    seen = Lengths()

    async def asked() -> None:
        with ThreadPoolExecutor(1) as thread:
            batches = Batches(seen, len, 4, thread)
            gone = asyncio.create_task(batches.ask("gone"))
            stays = asyncio.create_task(batches.ask("stays"))
            await asyncio.sleep(0)
            gone.cancel()
            await stays
            with pytest.raises(asyncio.CancelledError):
                await gone

    asyncio.run(asked())

    assert seen.batches == [["stays"]]
