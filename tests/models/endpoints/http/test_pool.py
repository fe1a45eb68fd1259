"""Connections that are used again, and those that must not be."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.models.endpoints.http.conftest import Behaving, Play, Serving

from dragoman.models.http import http_client
from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.transport import HttpResponse, Timeouts, TransportError
from dragoman.testing.local_server import HOST

PATIENT = Timeouts(connect=20.0, read=20.0, total=20.0)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
NUMBERED = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d"


class Counting:
    """Answers every request, says how many connections came, and does something after each answer.

    A `%d` in the answer is the number of the request, so that no two answers are equal.
    """

    def __init__(
        self, answer: bytes = NUMBERED, after: Callable[[asyncio.StreamWriter], Any] = bool
    ) -> None:
        self.opened = self.asked = 0
        self._answer = answer
        self._after = after

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        while await reader.readuntil(b"{}"):
            self.asked += 1
            writer.write(self._answer.replace(b"%d", b"%d" % self.asked))
            await writer.drain()
            self._after(writer)


async def posts(serving: Serving, behave: Behaving, pause: float = 0.0) -> list[HttpResponse]:
    """Post three times, one after the other."""
    http = HttpClient(PATIENT)
    answers = []
    async with serving(behave) as port:
        for _ in range(3):
            answers.append(await http.post(f"http://{HOST}:{port}/", {}, b"{}"))
            await asyncio.sleep(pause)
        await http.close()
    return answers


def test_a_connection_carries_one_call_after_the_other(play: Play[Any], serving: Serving) -> None:
    server = Counting()
    assert [answer.body for answer in play(posts(serving, server))] == [b"1", b"2", b"3"]
    assert server.opened == 1


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno",
        ANSWER + b"\0",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
def test_one_that_brings_more_or_wants_to_end_carries_no_other(
    play: Play[Any], serving: Serving, answer: bytes
) -> None:
    server = Counting(answer)
    assert [answer.body for answer in play(posts(serving, server))] == [b"{}"] * 3
    assert server.opened == 3


def test_what_comes_unasked_is_no_answer_to_the_next_call(
    play: Play[Any], serving: Serving
) -> None:
    async def later(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.02)
        if not writer.is_closing():
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno")

    tasks = []
    server = Counting(after=lambda writer: tasks.append(asyncio.create_task(later(writer))))
    answers = play(posts(serving, server, pause=0.1))
    assert [answer.body for answer in answers] == [b"1", b"2", b"3"]
    assert server.opened == 3


def test_one_that_the_server_closed_meanwhile_is_replaced(
    play: Play[Any], serving: Serving
) -> None:
    server = Counting(after=lambda writer: writer.close())
    assert len(play(posts(serving, server, pause=0.05))) == 3
    assert server.opened == 3


def test_one_that_carried_nothing_for_long_is_replaced(
    play: Play[Any], serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "KEPT_SECONDS", 0.01)
    server = Counting()
    assert len(play(posts(serving, server, pause=0.05))) == 3
    assert server.opened == 3


def test_each_server_has_its_own(play: Play[Any], serving: Serving) -> None:
    async def go() -> list[bytes]:
        http = HttpClient(PATIENT)
        first = Counting(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na%d")
        second = Counting(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nb%d")
        async with serving(first) as one, serving(second) as two:
            urls = [f"http://{HOST}:{port}/" for port in (one, two, one, two)]
            bodies = [(await http.post(url, {}, b"{}")).body for url in urls]
            await http.close()
        assert (first.opened, second.opened) == (1, 1)
        return bodies

    assert play(go()) == [b"a1", b"b1", b"a2", b"b2"]


def test_another_event_loop_has_its_own(serving: Serving) -> None:
    server, http = Counting(), HttpClient(PATIENT)

    async def go() -> bytes:
        async with serving(server) as port:
            answer = await http.post(f"http://{HOST}:{port}/", {}, b"{}")
            await http.close()
        return answer.body

    assert [asyncio.run(go()), asyncio.run(go())] == [b"1", b"2"]
    assert server.opened == 2


def test_closing_ends_the_calls_that_are_under_way(play: Play[Any], serving: Serving) -> None:
    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read(-1)

    async def go() -> list[object]:
        http = HttpClient(PATIENT)
        async with serving(silent) as port:
            url = f"http://{HOST}:{port}/"
            calls = [asyncio.create_task(http.post(url, {}, b"{}")) for _ in range(3)]
            await asyncio.sleep(0.1)
            await http.close()
            return list(await asyncio.gather(*calls, return_exceptions=True))

    ended = play(go())
    assert [(type(end), str(end)) for end in ended] == [
        (TransportError, "the connection was cut")
    ] * 3


def test_a_body_that_is_taken_slowly_is_not_late(play: Play[Any], serving: Serving) -> None:
    size = 40_000_000

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for _ in range(10):
            await reader.readexactly(1_000_000)
            await asyncio.sleep(0.1)
        await reader.readexactly(size - 10_000_000)
        writer.write(ANSWER)

    async def go() -> tuple[HttpResponse, float]:
        http = HttpClient(Timeouts(connect=20.0, read=0.6, total=20.0))
        async with serving(slow) as port:
            began = time.monotonic()
            answer = await http.post(f"http://{HOST}:{port}/", {}, b"x" * size)
            took = time.monotonic() - began
            await http.close()
        return answer, took

    answer, took = play(go())
    assert answer.body == b"{}"
    assert took > 0.6


def test_silence_after_others_were_answered_is_still_noticed(
    play: Play[Any], serving: Serving
) -> None:
    async def then_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for number in range(3):
            await reader.readuntil(b"{}")
            writer.write(NUMBERED % number)
        await reader.read(-1)

    async def go() -> None:
        http = HttpClient(Timeouts(connect=20.0, read=0.2, total=20.0))
        async with serving(then_silent) as port:
            for _ in range(4):
                await http.post(f"http://{HOST}:{port}/", {}, b"{}")
                await asyncio.sleep(0.08)

    with pytest.raises(TransportError, match="no answer in time"):
        play(go())
