"""Embeddings over real connections to a server that misbehaves on demand."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.usage import Usage
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.chat.openai import ChatEndpoint
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.models.embeddings import EmbeddingModel
from dragoman.models.endpoints.endpoint_client import EndpointClient
from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.transport import RetryPolicy, Timeouts
from dragoman.testing.chat_requests import Checks
from dragoman.testing.fault_injection import (
    Cut,
    EmptyBody,
    Faults,
    MalformedJson,
    RateLimited,
    ServerError,
    TransportFault,
)
from dragoman.testing.responses import word_vector
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import ServerConfig

Vectors = list[list[float]]
Behaving = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]
RawServer = Callable[[Behaving], AbstractAsyncContextManager[str]]

KEY = "sk-canary-1618033988"
ANSWERS = RuleAnswers([Rule(ScriptedReply("unused"))])
TEXTS = ("a red lamp", "a lamp", "")


async def embedded(url: str, texts: Sequence[str], budget: Budget | None) -> tuple[Vectors, Usage]:
    http = HttpClient(Timeouts(connect=2, read=2, total=20))
    client = EndpointClient.of(
        "http://here", http, (KEY,), retry_policy=RetryPolicy(attempts=2, seconds=5, outage=5)
    )
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    endpoint = ChatEndpoint(f"{url}/embeddings", headers, "small", {})
    try:
        return await EmbeddingModel("openai/small", endpoint, client, budget).embed(texts)
    finally:
        await http.close()


def embed(
    behaviour: ServerConfig, texts: Sequence[str] = TEXTS, budget: Budget | None = None
) -> tuple[Vectors, Usage]:
    async def go() -> tuple[Vectors, Usage]:
        async with ModelServer(ANSWERS, behaviour) as server:
            return await embedded(server.url, texts, budget)

    return asyncio.run(go())


def test_every_text_has_its_vector_in_the_order_asked() -> None:
    vectors, usage = embed(ServerConfig())
    assert vectors == [word_vector(text) for text in TEXTS]
    assert (usage.purpose, usage.model, usage.calls) == ("embedding", "openai/small", 1)
    assert usage.input_tokens
    assert usage.output_tokens == 0


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (RateLimited(1, retry_after=0), "rate_limited"),
        (ServerError(1, statuses=(500,)), "server_error"),
        (Cut(1), "cut"),
        (MalformedJson(1), "malformed"),
        (EmptyBody(1), "malformed"),
    ],
)
def test_what_breaks_on_the_way_is_tried_again_and_counted(
    fault: TransportFault, kind: str
) -> None:
    vectors, usage = embed(ServerConfig(Faults((fault,), most_in_a_row=1)))
    assert len(vectors) == 3
    assert usage.faults == {kind: 1}


def test_what_always_breaks_is_a_fault_with_its_attempts() -> None:
    with pytest.raises(ParticipantError) as raised:
        embed(ServerConfig(Faults((ServerError(1, statuses=(500,)),), most_in_a_row=50)))
    assert raised.value.usage.faults == {"server_error": 2}
    assert raised.value.usage.calls == 0


@pytest.mark.parametrize(
    ("checks", "why"),
    [
        (Checks(models=("large",)), r"status 404: .*no model 'small' here"),
        (Checks(api_key="another"), "status 401"),
    ],
)
def test_who_refuses_whatever_it_is_asked_ends_the_run(checks: Checks, why: str) -> None:
    with pytest.raises(RunHalted, match=why) as raised:
        embed(ServerConfig(checks=checks))
    assert KEY not in str(raised.value)


def test_embeddings_count_against_a_budget() -> None:
    budget = Budget(parse_spend_limit("1 token"), lambda _: None)
    embed(ServerConfig(), budget=budget)
    with pytest.raises(RunHalted):
        embed(ServerConfig(), budget=budget)


@pytest.mark.parametrize(
    "data",
    [
        b"[]",
        b'[{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]',
        b'[{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]',
        b'[{"index": 0, "embedding": ["a"]}, {"index": 1, "embedding": [1]}]',
        b"null",
    ],
)
def test_an_answer_that_does_not_fit_the_texts_is_a_fault(data: bytes, serving: RawServer) -> None:
    body = b'{"data": %s}' % data

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        await writer.drain()

    async def go() -> None:
        async with serving(behave) as url:
            await embedded(url, ("a", "b"), None)

    with pytest.raises(ParticipantError, match="malformed 2"):
        asyncio.run(go())
