"""Worker processes for speech: free cores, replacement, abandoned tasks, and the end."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from dragoman.core.audio import Audio
from dragoman.core.errors import ParticipantError, UsageError
from dragoman.speech.embedded.worker_messages import DecoderFiles, HearJob, SpeakJob, frame_message
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

JOB = SpeakJob("Order twelve for Tom.", "en-us", 160, 1)
LONG = SpeakJob("please send the blue one " * 100, "en-us", 160, 1)


def children_of(parent: int) -> set[int]:
    """Return the processes that a process started and that still run."""
    found: set[int] = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, mother = status.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(mother) == parent and state != "Z":
            found.add(int(status.parent.name))
    return found


def test_no_more_processes_run_than_there_may_be() -> None:
    async def work() -> int:
        before = children_of(os.getpid())
        async with SpeechWorkerPool(2) as workers:
            await asyncio.gather(*(workers.do(JOB, Audio) for _ in range(12)))
            return len(children_of(os.getpid()) - before)

    assert asyncio.run(work()) == 2


def test_a_worker_that_dies_between_jobs_is_replaced() -> None:
    async def work() -> tuple[Audio, Audio]:
        before = children_of(os.getpid())
        async with SpeechWorkerPool(1) as workers:
            first = await workers.do(JOB, Audio)
            (worker,) = children_of(os.getpid()) - before
            os.kill(worker, signal.SIGKILL)
            return first, await workers.do(JOB, Audio)

    first, second = asyncio.run(work())
    assert first == second


@pytest.mark.slow
def test_a_worker_that_dies_in_the_middle_has_its_work_done_again() -> None:
    async def work() -> tuple[Audio, Audio]:
        before = children_of(os.getpid())
        async with SpeechWorkerPool(1) as workers:
            whole = await workers.do(LONG, Audio)
            (worker,) = children_of(os.getpid()) - before
            again = asyncio.create_task(workers.do(LONG, Audio))
            while not children_of(worker):  # noqa: ASYNC110 - no event tells of another process
                await asyncio.sleep(0.01)
            os.kill(worker, signal.SIGKILL)
            return whole, await again

    whole, again = asyncio.run(work())
    assert whole == again


def test_a_cancelled_job_ends_its_worker_and_the_next_job_has_another() -> None:
    async def work() -> tuple[set[int], Audio]:
        before = children_of(os.getpid())
        async with SpeechWorkerPool(1) as workers:
            await workers.do(JOB, Audio)
            first = children_of(os.getpid()) - before
            task = asyncio.create_task(workers.do(LONG, Audio))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            audio = await workers.do(JOB, Audio)
            return first & children_of(os.getpid()), audio

    survivors, audio = asyncio.run(work())
    assert survivors == set()
    assert audio.seconds > 1


def test_closing_leaves_no_process_and_takes_no_job() -> None:
    async def work() -> set[int]:
        before = children_of(os.getpid())
        workers = SpeechWorkerPool(2)
        await asyncio.gather(*(workers.do(JOB, Audio) for _ in range(4)))
        await workers.close()
        with pytest.raises(ParticipantError, match="closed"):
            await workers.do(JOB, Audio)
        return children_of(os.getpid()) - before

    assert asyncio.run(work()) == set()


def test_closing_ends_a_job_that_is_under_way() -> None:
    async def work() -> set[int]:
        before = children_of(os.getpid())
        workers = SpeechWorkerPool(1)
        await workers.do(JOB, Audio)
        task = asyncio.create_task(workers.do(LONG, Audio))
        await asyncio.sleep(0.05)
        await workers.close()
        with pytest.raises(ParticipantError, match="closed"):
            await task
        return children_of(os.getpid()) - before

    assert asyncio.run(work()) == set()


def test_the_event_loop_goes_on_while_somebody_speaks() -> None:
    async def work() -> int:
        turns = 0
        async with SpeechWorkerPool(1) as workers:
            speaking = asyncio.create_task(workers.do(LONG, Audio))
            while not speaking.done():
                turns += 1
                await asyncio.sleep(0.001)
        return turns

    assert asyncio.run(work()) > 10


def test_an_engine_that_breaks_breaks_one_job_only() -> None:
    async def work() -> Audio:
        async with SpeechWorkerPool(1) as workers:
            with pytest.raises(ParticipantError, match="no voice 'en-us-nowhere'"):
                await workers.do(SpeakJob("hello", "en-us-nowhere", 160, 1), Audio)
            missing = DecoderFiles("absent.arpa", "absent.dict", "")
            with pytest.raises(ParticipantError, match=r"cannot read absent\.arpa"):
                await workers.do(HearJob(Audio(b"\0\0", 16_000), missing), str)
            return await workers.do(JOB, Audio)

    assert asyncio.run(work()).seconds > 1


def test_no_workers_are_refused() -> None:
    with pytest.raises(UsageError, match="0 speech workers"):
        SpeechWorkerPool(0)


def test_a_worker_whose_master_was_ended_says_nothing() -> None:
    """Killed or hung up on: nobody closes what the worker still answers to."""
    words = [sys.executable, "-P", "-m", "dragoman.speech.embedded.worker"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stderr is not None
        worker.stdout.close()
        worker.stdin.write(frame_message(msgspec.msgpack.encode(JOB)))
        worker.stdin.flush()
        assert worker.stderr.read() == b""
