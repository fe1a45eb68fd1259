"""Duplicate, late and unrequested answers reach no other request and no cache."""

import asyncio
import json
import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.models.endpoints.http.conftest import Play, Serving

from dragoman.config.event_loop import run_event_loop
from dragoman.core.protocols import ChatRequest
from dragoman.core.replies import text_reply
from dragoman.core.tools import NO_TOOLS
from dragoman.models.chat.cached_model import CachedModel
from dragoman.models.chat.openai import ChatEndpoint, OpenAIModel
from dragoman.models.endpoints.endpoint_client import EndpointClient
from dragoman.models.http import http_client
from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.http_connection import MOST_ANSWERS
from dragoman.models.http.transport import Timeouts
from dragoman.store.reply_cache import ReplyCache
from dragoman.testing.local_server import HOST

PATIENT = Timeouts(connect=20.0, read=20.0, total=20.0)
GAPS = (0.0, 0.0005, 0.002, 0.01, 0.05)
CONCURRENCIES = (1, 16, 64)
OF_ONE_CLIENT = 100

Reader = asyncio.StreamReader
Writer = asyncio.StreamWriter
Surplus = Callable[[bytes, int], bytes]


def http_answer(body: bytes, status: str = "200 OK") -> bytes:
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status.encode(), len(body), body)


def completion(number: int, draw: int = 0) -> bytes:
    """Return a model's answer to the question of a number; each draw has an id of its own."""
    message = {"role": "assistant", "content": f"answer {number}"}
    body = {"id": f"chatcmpl-{number}-{draw}", "choices": [{"message": message}]}
    return http_answer(json.dumps(body).encode())


async def asked_number(reader: Reader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    (length,) = (
        int(line.partition(b":")[2])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    )
    asked = json.loads(await reader.readexactly(length))
    return int(asked["messages"][-1]["content"].removeprefix("question "))


class Doubling:
    """A server that adds surplus bytes to one answer of each connection.

    Args:
        gap: Seconds between the answer and the surplus.
        surplus: Function that makes the surplus from the answer's bytes and the question's number.
        latest: Latest answer of a connection that gets the surplus.
        is_beside: Whether the next question is answered during the gap, or waits.
    """

    def __init__(
        self,
        gap: float,
        surplus: Surplus = lambda answer, _: answer,
        latest: int = 4,
        *,
        is_beside: bool = False,
    ) -> None:
        self.doubled = 0
        self.asked: Counter[int] = Counter()
        self._gap, self._surplus, self._latest = gap, surplus, latest
        self._is_beside = is_beside
        self._random = random.Random(7)  # noqa: S311 - no secret
        self._writing: set[asyncio.Task[None]] = set()

    async def __call__(self, reader: Reader, writer: Writer) -> None:
        position, chosen = 0, self._random.randint(1, self._latest)
        while True:
            number = await asked_number(reader)
            self.asked[number] += 1
            position += 1
            await asyncio.sleep(0.001)
            answer = completion(number, self.asked[number])
            writer.write(answer)
            if position == chosen:
                self.doubled += 1
                more = self._surplus(answer, number)
                if self._is_beside:
                    task = asyncio.create_task(self._late(writer, more))
                    self._writing.add(task)
                    task.add_done_callback(self._writing.discard)
                else:
                    await self._late(writer, more)

    async def _late(self, writer: Writer, more: bytes) -> None:
        if self._gap:
            await asyncio.sleep(self._gap)
        if not writer.is_closing():
            writer.write(more)


class Outcome(NamedTuple):
    """Result of many questions.

    Attributes:
        wrong: Replies that were the answer to another question.
        cached_wrong: Wrong replies that the cache holds afterwards.
        counted: Faults of all calls by kind.
    """

    asked: int
    wrong: int
    cached_wrong: int
    counted: Counter[str]


def question(number: int) -> ChatRequest:
    return ChatRequest([{"role": "user", "content": f"question {number}"}], NO_TOOLS, 7, "task")


async def answered(
    port: int, numbers: Sequence[int], concurrency: int, cache: ReplyCache
) -> Outcome:
    """Ask a model at a port, with a client that lives for these questions only."""
    http = HttpClient(PATIENT)
    endpoint = ChatEndpoint(f"http://{HOST}:{port}/v1", {}, "any", {})
    plain = OpenAIModel("openai/any", endpoint, EndpointClient.of("http://here", http))
    model = CachedModel(plain, cache, "any")
    left = iter(numbers)
    wrong, counted = 0, Counter[str]()

    async def work() -> None:
        nonlocal wrong
        for number in left:
            done = await model.complete(question(number), "agent")
            wrong += done.reply != text_reply(f"answer {number}")
            counted.update(done.usage.faults)

    await asyncio.gather(*(work() for _ in range(concurrency)))
    await http.close()
    cached = ((number, cache.get(model.key(question(number), "agent"))) for number in numbers)
    stale = sum(
        body is not None and f'"answer {number}"'.encode() not in body for number, body in cached
    )
    return Outcome(len(numbers), wrong, stale, counted)


async def attacked(
    server: Doubling, serving: Serving, concurrency: int, count: int, cache: ReplyCache
) -> Outcome:
    total = Outcome(0, 0, 0, Counter())
    async with serving(server) as port:
        for first in range(0, count, OF_ONE_CLIENT):
            numbers = range(first, min(first + OF_ONE_CLIENT, count))
            of_one = await answered(port, numbers, concurrency, cache)
            total = Outcome(
                total.asked + of_one.asked,
                total.wrong + of_one.wrong,
                total.cached_wrong + of_one.cached_wrong,
                total.counted + of_one.counted,
            )
    return total


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.message for one in caplog.records if one.levelno >= logging.WARNING]


class Attack(NamedTuple):
    """Questions with surplus answers: delay in seconds, concurrency, and total number."""

    gap: float
    concurrency: int
    questions: int


SMALL = [Attack(gap, at_once, 40) for gap in GAPS for at_once in CONCURRENCIES]
WHOLE = [
    pytest.param(attack._replace(questions=1_334), marks=[pytest.mark.nightly, pytest.mark.slow])
    for attack in SMALL
]


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    with ReplyCache(tmp_path / "replies.sqlite", 1 << 30) as opened:
        yield opened


@pytest.mark.parametrize("attack", [*SMALL, *WHOLE], ids=str)
def test_an_answer_that_comes_twice_reaches_no_other_request(
    serving: Serving, cache: ReplyCache, caplog: pytest.LogCaptureFixture, attack: Attack
) -> None:
    server = Doubling(attack.gap)
    found = run_event_loop(attacked(server, serving, attack.concurrency, attack.questions, cache))
    assert (found.asked, found.wrong, found.cached_wrong) == (attack.questions, 0, 0)
    reported = warnings(caplog)
    assert all("sent bytes that no request asked for" in line for line in reported)
    assert bool(found.counted["surplus"]) <= bool(reported)
    assert len(reported) <= -(-attack.questions // OF_ONE_CLIENT)


@pytest.mark.parametrize(
    "attack", [one for one in (*SMALL, *WHOLE) if "gap=0.01" in str(one)], ids=str
)
def test_nor_does_one_that_comes_when_others_were_answered_meanwhile(
    serving: Serving, cache: ReplyCache, attack: Attack
) -> None:
    server = Doubling(attack.gap, is_beside=True)
    found = run_event_loop(attacked(server, serving, attack.concurrency, attack.questions, cache))
    assert (found.asked, found.wrong, found.cached_wrong) == (attack.questions, 0, 0)


@pytest.mark.parametrize("gap", [0.0, 0.005])
def test_another_answer_to_the_same_question_is_noticed_and_nothing_stays_remembered(
    serving: Serving, cache: ReplyCache, caplog: pytest.LogCaptureFixture, gap: float
) -> None:
    """It equals nothing that came before: only what it leaves behind tells that all are out of step."""
    server = Doubling(gap, lambda _, number: completion(number, draw=99), latest=1)
    found = run_event_loop(attacked(server, serving, 1, 40, cache))
    assert found.cached_wrong == 0
    assert len(warnings(caplog)) == 1


class Raw:
    """Answers each question with its number, and then writes something more on the first connection."""

    def __init__(self, more: bytes, gap: float, status: str = "200 OK") -> None:
        self.opened = 0
        self.came = asyncio.Event()
        self._more, self._gap, self._status = more, gap, status

    async def __call__(self, reader: Reader, writer: Writer) -> None:
        self.opened += 1
        self.came.set()
        is_first = self.opened == 1
        while True:
            number = await asked_number(reader)
            body = b'{"number":%d}' % number
            if not (is_first and self._gap == 0):
                writer.write(http_answer(body, self._status if is_first else "200 OK"))
                await writer.drain()
                await asyncio.sleep(self._gap)
                if is_first:
                    writer.write(self._more)
            else:
                writer.write(http_answer(body, self._status) + self._more)
            is_first = False


def body_of(number: int) -> bytes:
    return json.dumps({"messages": [{"content": f"question {number}"}]}).encode()


async def three_posts(server: Raw, serving: Serving, pause: float) -> list[tuple[int, bytes, int]]:
    """Return of three calls one after the other the status, the body and the surplus that is counted."""
    http, answers = HttpClient(PATIENT), []
    async with serving(server) as port:
        for number in range(3):
            answers.append(await http.post(f"http://{HOST}:{port}/", {}, body_of(number)))
            await asyncio.sleep(pause)
        await http.close()
    return [(one.status, one.body, one.faults.get("surplus", 0)) for one in answers]


@pytest.mark.parametrize("gap", [0.0, 0.02])
@pytest.mark.parametrize(
    "more",
    [
        pytest.param(http_answer(b'{"number":7}'), id="an answer"),
        pytest.param(http_answer(b"", "504 Gateway Timeout"), id="an error"),
        pytest.param(b"x", id="a byte"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-", id="half a head"),
        pytest.param(b"HTTP/1.1 102 Processing\r\n\r\n", id="an interim answer"),
    ],
)
def test_one_surplus_byte_ends_the_reuse_of_connections(
    play: Play[Any], serving: Serving, caplog: pytest.LogCaptureFixture, more: bytes, gap: float
) -> None:
    server = Raw(more, gap)
    answers = play(three_posts(server, serving, pause=0.1))
    assert [body for _, body, _ in answers] == [b'{"number":%d}' % number for number in range(3)]
    assert sum(count for *_, count in answers) == 1
    assert server.opened == 3
    assert len(warnings(caplog)) == 1


def test_a_late_answer_after_an_error_page_meets_a_closed_connection(
    play: Play[Any], serving: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    server = Raw(http_answer(b'{"number":7}'), 0.02, "504 Gateway Timeout")
    answers = play(three_posts(server, serving, pause=0.0))
    assert answers == [
        (504, b'{"number":0}', 0),
        (200, b'{"number":1}', 0),
        (200, b'{"number":2}', 0),
    ]
    assert server.opened == 2
    assert warnings(caplog) == []


def test_a_farewell_to_an_idle_connection_is_no_surplus(
    play: Play[Any], serving: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    server = Raw(http_answer(b"", "408 Request Timeout"), 0.02)
    answers = play(three_posts(server, serving, pause=0.1))
    assert [count for *_, count in answers] == [0, 0, 0]
    assert server.opened == 2
    assert warnings(caplog) == []


def test_a_call_that_was_cut_off_closes_its_connection(play: Play[Any], serving: Serving) -> None:
    server = Raw(b"", 0.0)

    async def go() -> bytes:
        http = HttpClient(PATIENT)
        async with serving(server) as port:
            url = f"http://{HOST}:{port}/"
            call = asyncio.create_task(http.post(url, {}, body_of(1)))
            await server.came.wait()
            call.cancel()
            await asyncio.wait([call])
            answer = await http.post(url, {}, body_of(2))
            await http.close()
        return answer.body

    assert play(go()) == b'{"number":2}'
    assert server.opened == 2


class Constant:
    """Gives the same answer to every question, and means it."""

    def __init__(self) -> None:
        self.opened = self.asked = 0

    async def __call__(self, reader: Reader, writer: Writer) -> None:
        self.opened += 1
        while True:
            await asked_number(reader)
            self.asked += 1
            writer.write(http_answer(b'{"text":"yes"}'))


async def constant_posts(server: Constant, serving: Serving, bodies: Sequence[bytes]) -> int:
    """Return how many requests were sent more than once."""
    http, again = HttpClient(PATIENT), 0
    async with serving(server) as port:
        for body in bodies:
            answer = await http.post(f"http://{HOST}:{port}/", {}, body)
            assert answer.body == b'{"text":"yes"}'
            again += answer.faults.get("asked_again", 0)
        await http.close()
    return again


def test_a_server_that_gives_equal_answers_is_believed_and_seldom_asked_again(
    play: Play[Any], serving: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    server = Constant()
    bodies = [body_of(number) for number in range(200)]
    again = play(constant_posts(server, serving, bodies))
    assert again <= 8 + 200 // 32 + 1
    assert server.asked == 200 + again
    assert warnings(caplog) == []


def test_an_equal_answer_to_the_same_call_sent_again_is_its_answer(
    play: Play[Any], serving: Serving
) -> None:
    server, body = Constant(), body_of(1)
    assert play(constant_posts(server, serving, [body] * 6)) == 0
    assert server.asked == 6


def test_a_connection_is_not_used_for_ever(play: Play[Any], serving: Serving) -> None:
    server = Raw(b"", 0.0)

    async def go() -> None:
        http = HttpClient(PATIENT)
        async with serving(server) as port:
            for number in range(MOST_ANSWERS + 1):
                await http.post(f"http://{HOST}:{port}/", {}, body_of(number))
            await http.close()

    play(go())
    assert server.opened == 2


def test_connections_that_are_only_listened_to_are_few(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "MOST_LISTENED_TO", 2)
    server = Constant()
    assert run_event_loop(constant_posts(server, serving, [body_of(n) for n in range(20)])) > 2
