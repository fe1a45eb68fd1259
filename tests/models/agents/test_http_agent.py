"""An agent's server as a chat model, over real connections."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import aiohttp
import msgspec
import pytest
from aiohttp import web

from dragoman.core.errors import DragomanError, ParticipantError, RunHalted
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import Latency, ToolCallReply, text_reply
from dragoman.core.tools import ToolCall, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.models.endpoints.endpoint_client import EndpointClient
from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.transport import (
    Attempts,
    CallContext,
    MalformedResponse,
    RequestRejected,
    RetryPolicy,
    Sender,
    Timeouts,
)
from dragoman.models.http_agent import MOST_ANSWER_BYTES, HttpAgent
from dragoman.testing.local_server import HOST

T = TypeVar("T")
TOKEN = "tok-3141592653"  # noqa: S105 - no secret outside this test
TOOLS = Toolset((ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),))
REQUEST = ChatRequest(
    [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "où ? 在哪里 🙂"}],
    TOOLS,
    7,
    label="task-42",
    session="s1",
)


class PlainSender:
    """Sends once and counts nothing."""

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[bytes], T],
        call_context: CallContext,
    ) -> tuple[T, Attempts]:
        async with (
            aiohttp.ClientSession() as client,
            client.post(url, data=body, headers=headers) as response,
        ):
            content = await response.read()
        if response.status != 200:
            raise RequestRejected(response.status, content)
        try:
            return read(content), Attempts({"cut": 1}, 0.25)
        except MalformedResponse as error:
            raise ParticipantError(
                f"{call_context.purpose} {call_context.model}: {error}"
            ) from error

    def settle(self, sent: int, tokens: int) -> None:
        """Nothing is rationed."""


class Answering:
    """A server that gives its answers in turn, the last one repeatedly.

    It records its requests.
    """

    def __init__(self, *answers: bytes | int) -> None:
        self._answers = list(answers)
        self.bodies: list[Any] = []
        self.headers: list[Mapping[str, str]] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.bodies.append(json.loads(await request.read()))
        self.headers.append(request.headers)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, int):
            said = f"the model is out {request.headers.get('Authorization')}"
            return web.Response(status=answer, text=said)
        return web.Response(body=answer, content_type="application/json")


@asynccontextmanager
async def served(answers: Answering) -> AsyncIterator[str]:
    application = web.Application()
    application.router.add_post("/agent", answers.answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, 0).start()
        yield f"http://{HOST}:{runner.addresses[0][1]}/agent"
    finally:
        await runner.cleanup()


async def asked(answers: Answering, sender: Sender, token: str = "") -> Completion:
    async with served(answers) as url:
        return await HttpAgent("mine", url, sender, token).complete(REQUEST, "agent")


def ask(*answers: bytes | int) -> Completion:
    return asyncio.run(asked(Answering(*answers), PlainSender()))


def test_a_server_is_sent_the_conversation_as_json() -> None:
    answers = Answering(b'{"content": "x"}')
    asyncio.run(asked(answers, PlainSender()))

    (body,) = answers.bodies
    assert set(body) == {"session", "messages", "tools", "metadata"}
    assert (body["session"], body["messages"]) == ("s1", REQUEST.messages)
    assert answers.headers[0]["Content-Type"] == "application/json"
    assert "Authorization" not in answers.headers[0]


def test_words_calls_and_tokens_come_back() -> None:
    body = json.dumps(
        {
            "content": "Je regarde ✓",
            "tool_calls": [
                {"name": "look", "arguments": {"q": "é"}},
                {"id": "b", "type": "function", "function": {"name": "look", "arguments": "{}"}},
            ],
            "usage": {"input_tokens": 11, "output_tokens": 4},
        }
    ).encode()

    completion = ask(body)

    calls = (ToolCall("call_2_0", "look", {"q": "é"}), ToolCall("b", "look", {}))
    assert completion.reply == ToolCallReply(calls, "Je regarde ✓")
    assert bytes(completion.raw) == body
    assert completion.latency == Latency(0.25)
    assert completion.usage == Usage("agent", "mine", 1, 11, 4, faults={"cut": 1}, seconds=0.25)


def test_malformed_arguments_are_the_agents_mistake() -> None:
    reply = ask(b'{"tool_calls": [{"name": "look", "arguments": "{oops"}]}').reply
    assert isinstance(reply, ToolCallReply)
    assert (reply.calls[0].raw, bool(reply.calls[0].malformed)) == ("{oops", True)


@pytest.mark.parametrize(
    "body",
    [b"", b'{"error": "x"}', b'{"content": "\xff"}', b'{"content": "hel', b"[" * 100_000],
)
def test_a_body_that_is_no_answer_is_an_infrastructure_fault(body: bytes) -> None:
    with pytest.raises(ParticipantError, match="agent mine: not an agent's answer"):
        ask(body)


CHOICES = b'{"choices": [{"message": {"content": "hello"}}]}'


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (CHOICES, "it has `choices`, and neither `content` nor `tool_calls`"),
        (b"{}", "it has neither `content` nor `tool_calls`"),
        (b"\n<!DOCTYPE html><p>hello", "it is a web page"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"content": 5}', "Expected `str | null`, got `int` - at `$.content`"),
    ],
)
def test_a_first_answer_of_another_shape_ends_the_run_at_once(body: bytes, why: str) -> None:
    answers = Answering(body)
    with pytest.raises(RunHalted) as caught:
        asyncio.run(through_a_client(answers))
    line = f"mine: not an agent's answer ({why}): docs/reference/agents.md says what it must be"
    assert str(caught.value) == line
    assert len(answers.bodies) == 1


def test_a_later_answer_of_another_shape_ends_its_conversation_and_is_not_asked_for_again() -> None:
    answers = Answering(b'{"content": "hello"}', CHOICES)

    async def go() -> None:
        async with served(answers) as url:
            http = HttpClient(Timeouts())
            agent = HttpAgent("mine", url, EndpointClient.of("mine", http))
            await agent.complete(REQUEST, "agent")
            try:
                await agent.complete(REQUEST, "agent")
            finally:
                await http.close()

    with pytest.raises(ParticipantError, match="it has `choices`") as caught:
        asyncio.run(go())
    assert caught.value.usage == Usage("agent", "mine", 0, faults={"malformed": 1})
    assert len(answers.bodies) == 2


def test_a_huge_body_is_an_infrastructure_fault() -> None:
    with pytest.raises(ParticipantError, match="bytes, read are 4,194,304"):
        ask(b'{"content": "' + b"x" * MOST_ANSWER_BYTES + b'"}')


def test_a_request_that_is_refused_is_told_with_what_the_server_said() -> None:
    with pytest.raises(
        ParticipantError, match=r"mine: refused with status 422: .*the model is out"
    ):
        ask(422)


@pytest.mark.parametrize(("status", "advice"), [(401, "token"), (403, "token"), (404, "path")])
def test_a_server_that_refuses_everybody_ends_the_run(status: int, advice: str) -> None:
    with pytest.raises(
        RunHalted, match=f"mine: refused with status {status}: .*: check .*{advice}"
    ):
        ask(status)


async def through_a_client(answers: Answering) -> Completion:
    http = HttpClient(Timeouts())
    try:
        client = EndpointClient.of("mine", http, (TOKEN,), retry_policy=RetryPolicy(attempts=3))
        return await asked(answers, client, TOKEN)
    finally:
        await http.close()


def test_what_broke_on_the_way_is_asked_again_word_for_word() -> None:
    answers = Answering(500, b'{"content": "hel', b'{"content": "hello"}')

    completion = asyncio.run(through_a_client(answers))

    assert completion.reply == text_reply("hello")
    assert completion.usage.faults == {"server_error": 1, "malformed": 1}
    assert answers.bodies[0] == answers.bodies[1] == answers.bodies[2]


def test_a_server_that_stays_broken_is_told_with_its_own_words() -> None:
    with pytest.raises(ParticipantError, match=r"status 500: .*the model is out") as reported:
        asyncio.run(through_a_client(Answering(500)))
    assert reported.value.usage == Usage("agent", "mine", 0, faults={"server_error": 3})


def test_a_token_is_sent_in_a_header_and_nowhere_else() -> None:
    answers = Answering(b'{"content": "x", "echo": "%s"}' % TOKEN.encode())

    completion = asyncio.run(through_a_client(answers))

    assert answers.headers[0]["Authorization"] == f"Bearer {TOKEN}"
    assert TOKEN not in json.dumps(answers.bodies)
    assert TOKEN.encode() not in msgspec.json.encode(completion)


@pytest.mark.parametrize("status", [401, 422, 500])
def test_a_token_that_a_server_repeats_is_in_no_error(status: int) -> None:
    with pytest.raises(DragomanError, match=r"the model is out Bearer \*\*\*") as reported:
        asyncio.run(through_a_client(Answering(status)))
    assert TOKEN not in str(reported.value)
