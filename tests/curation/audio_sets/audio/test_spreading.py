"""Utterances in worker processes: mismatches are refused, and deaths are reported."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest

from dragoman.core.errors import ParticipantError, RunHalted, UsageError
from dragoman.core.usage import Usage
from dragoman.curation.audio_sets.engines import (
    AudioRequest,
    SpeechFailure,
    SpeechJob,
    SpeechTaskResult,
    performed_there,
    remote_speech,
)
from dragoman.distributed.worker_pool import KilledWorkersError, OpenPool, TaskFn, WorkerSpec
from dragoman.models.budget import Budget, parse_spend_limit

WORK = SpeechJob(("courier:easy",), AudioRequest(asr=("simulated:15",)), "en", 1, 1, "another")
SPENT = Usage("voice", "synthesis", 1, 10, 10)


def pool_that(do: TaskFn) -> OpenPool:
    @asynccontextmanager
    async def opened(_: WorkerSpec) -> AsyncIterator[TaskFn]:
        yield do

    return opened


def test_a_worker_with_other_data_or_engines_refuses_the_work() -> None:
    async def tried() -> None:
        with pytest.raises(UsageError, match="data or engines of courier:easy differ there"):
            async with performed_there(msgspec.msgpack.encode(WORK)):
                pass

    asyncio.run(tried())


def test_an_utterance_over_which_workers_died_is_an_engine_that_broke() -> None:
    async def tried() -> None:
        async def dying(_: bytes) -> bytes:
            raise KilledWorkersError("3 worker processes died over it")

        async with remote_speech(pool_that(dying), WORK, None) as performers:
            with pytest.raises(ParticipantError, match="3 worker processes died over it"):
                await performers.say("hello")

    asyncio.run(tried())


@pytest.mark.parametrize("kind", [ParticipantError, RunHalted, UsageError])
def test_what_a_worker_refuses_is_the_same_error_here(kind: type[Exception]) -> None:
    async def tried() -> None:
        async def refusing(_: bytes) -> bytes:
            return msgspec.msgpack.encode(
                SpeechTaskResult(refusal=SpeechFailure(kind.__name__, "no such words"))
            )

        async with remote_speech(pool_that(refusing), WORK, None) as performers:
            with pytest.raises(kind, match="no such words"):
                await performers.hear("simulated:15", "hello")

    asyncio.run(tried())


def test_nothing_more_is_sent_once_what_workers_spent_reaches_the_budget() -> None:
    async def tried() -> None:
        sent = []

        async def spending(item: bytes) -> bytes:
            sent.append(item)
            return msgspec.msgpack.encode(
                SpeechTaskResult(
                    refusal=SpeechFailure("ParticipantError", "silence"), spent=(SPENT,)
                )
            )

        budget = Budget(parse_spend_limit("30 tokens"), lambda _: None)
        async with remote_speech(pool_that(spending), WORK, budget) as performers:
            for _ in range(2):
                with pytest.raises(ParticipantError, match="silence"):
                    await performers.say("hello")
            with pytest.raises(RunHalted, match="the budget of 30 tokens is spent"):
                await performers.say("hello")
        assert len(sent) == 2

    asyncio.run(tried())
