"""Chat models over real connections to a server that misbehaves on demand."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import Latency, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tools import NO_TOOLS, Toolset, ToolSpec
from dragoman.models.chat.openai import ChatEndpoint, OpenAIModel
from dragoman.models.chat.scripted import ScriptedCall, ScriptedReply
from dragoman.models.endpoints.endpoint_client import EndpointClient
from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.transport import HttpResponse, RetryPolicy, Timeouts
from dragoman.testing.chat_requests import Checks
from dragoman.testing.fault_injection import (
    Cut,
    DuplicateReply,
    EmptyBody,
    Faults,
    Hang,
    HugeBody,
    InvalidArguments,
    MalformedJson,
    RateLimited,
    Reset,
    ServerError,
    Slow,
    TransportFault,
    WrongContentType,
)
from dragoman.testing.scripted_answers import Rule, RuleAnswers, When
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import Capacity, ServerConfig

Behaving = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]
RawServer = Callable[[Behaving], AbstractAsyncContextManager[str]]

CANARY = "sk-canary-2718281828459045"
LOOK = Toolset((ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),))
ANSWERS = RuleAnswers(
    [
        Rule(
            ScriptedReply(None, (ScriptedCall("look", {"q": "é"}), ScriptedCall("look", {"q": 2}))),
            When(contains="look"),
        ),
        Rule(ScriptedReply("Grüße ✓ from a reply that is long enough for chunks")),
    ]
)
WORDS = text_reply("Grüße ✓ from a reply that is long enough for chunks")


def asking(text: str = "hello", **more: Any) -> ChatRequest:  # noqa: ANN401 - fields of the request
    return ChatRequest([{"role": "user", "content": text}], LOOK, 7, "task", **more)


@asynccontextmanager
async def model_at(url: str, **more: Any) -> AsyncIterator[OpenAIModel]:  # noqa: ANN401 - fields of the endpoint
    http = HttpClient(Timeouts(connect=20, read=more.pop("read", 20), total=20))
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {CANARY}"}
    settings = more.pop("settings", {})
    retry_policy = more.pop("retry_policy", RetryPolicy(attempts=5, seconds=30, outage=30))
    endpoint = ChatEndpoint(f"{url}/chat/completions", headers, "any", settings, CANARY, **more)
    client = EndpointClient.of("http://here", http, (CANARY,), retry_policy=retry_policy)
    try:
        yield OpenAIModel("openai/any", endpoint, client)
    finally:
        await http.close()


def ask(
    behaviour: ServerConfig,
    *requests: ChatRequest,
    **more: Any,  # noqa: ANN401 - fields of the endpoint
) -> tuple[list[Completion], Mapping[str, int]]:
    async def go() -> tuple[list[Completion], Mapping[str, int]]:
        async with ModelServer(ANSWERS, behaviour) as server, model_at(server.url, **more) as model:
            done = await asyncio.gather(*(model.complete(one, "agent") for one in requests))
            return done, server.log.outcomes

    return asyncio.run(go())


@pytest.mark.parametrize("streams", [False, True])
def test_words_and_parallel_calls_come_back(*, streams: bool) -> None:
    (words, calls), _ = ask(ServerConfig(), asking(), asking("look"), streams=streams)
    assert words.reply == WORDS
    assert isinstance(calls.reply, ToolCallReply)
    assert [(call.name, call.arguments) for call in calls.reply.calls] == [
        ("look", {"q": "é"}),
        ("look", {"q": 2}),
    ]
    assert words.usage.purpose == "agent"
    assert words.usage.input_tokens
    assert words.usage.output_tokens


FAULTS: list[tuple[TransportFault, str]] = [
    (RateLimited(1, retry_after=0), "rate_limited"),
    (ServerError(1, statuses=(500,)), "server_error"),
    (ServerError(1, statuses=(502,)), "server_error"),
    (ServerError(1, statuses=(503,)), "overloaded"),
    (Cut(1), "cut"),
    (Reset(1), "cut"),
    (MalformedJson(1), "malformed"),
    (WrongContentType(1), "malformed"),
    (EmptyBody(1), "malformed"),
    (HugeBody(1), "oversized"),
    (Hang(1, seconds=2), "timeout"),
]


@pytest.mark.slow
@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(("fault", "kind"), FAULTS)
def test_every_fault_of_the_wire_is_tried_again_and_counted(
    fault: TransportFault, kind: str, *, streams: bool
) -> None:
    behaviour = ServerConfig(Faults((fault,), most_in_a_row=2))
    read = 0.5 if kind == "timeout" else 20
    (completion,), outcomes = ask(behaviour, asking(), streams=streams, read=read)
    assert completion.reply == WORDS
    assert completion.usage.faults == {kind: 2}
    assert outcomes["ok"] == 1


def test_an_error_in_a_stream_is_the_wires_fault() -> None:
    behaviour = ServerConfig(Faults((ServerError(1, in_stream=True),), most_in_a_row=1))
    (completion,), _ = ask(behaviour, asking(), streams=True)
    assert (completion.reply, completion.usage.faults) == (WORDS, {"malformed": 1})


def test_a_body_that_dribbles_in_is_an_answer() -> None:
    (completion,), _ = ask(ServerConfig(Faults((Slow(1, seconds=1),))), asking(), read=0.5)
    assert (completion.reply, completion.usage.faults) == (WORDS, {})


@pytest.mark.parametrize("streams", [False, True])
def test_broken_arguments_are_the_agents_mistake_and_are_not_asked_again(*, streams: bool) -> None:
    behaviour = ServerConfig(Faults(agent=(InvalidArguments(1),)))
    (completion,), outcomes = ask(behaviour, asking("look"), streams=streams)
    assert isinstance(completion.reply, ToolCallReply)
    assert [call.raw for call in completion.reply.calls] == ['{"q":"é"', '{"q":2']
    assert all(call.malformed for call in completion.reply.calls)
    assert (completion.usage.faults, outcomes) == ({}, {"invalid_arguments": 1})


@pytest.mark.parametrize("text", ["hello", "look"])
def test_what_comes_twice_is_said_and_called_once(text: str) -> None:
    behaviour = ServerConfig(Faults(agent=(DuplicateReply(1),)))
    (twice,), _ = ask(behaviour, asking(text))
    (once,), _ = ask(ServerConfig(), asking(text))
    assert twice.reply == once.reply


def test_an_endpoint_that_only_streams_is_found_out_by_many_calls_at_once() -> None:
    requests = [asking(f"hello {at}") for at in range(40)]
    done, outcomes = ask(ServerConfig(checks=Checks(only_streams=True)), *requests)
    assert [one.reply for one in done] == [WORDS] * 40
    assert outcomes["ok"] == 40


@pytest.mark.slow
def test_more_calls_than_a_server_takes_are_all_answered() -> None:
    requests = [asking(f"hello {at}") for at in range(60)]
    capacity = Capacity(most_concurrent=8, latency_seconds=0.05)
    done, outcomes = ask(ServerConfig(capacity=capacity), *requests)
    assert [one.reply for one in done] == [WORDS] * 60
    assert outcomes["ok"] == 60


def refused(behaviour: ServerConfig, **more: Any) -> str:  # noqa: ANN401 - fields of the endpoint
    with pytest.raises(RunHalted) as caught:
        ask(behaviour, asking(reply_schema={"type": "object"}), **more)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("parameter", "advice"),
    [
        ("seed", "add seed=off to the model's parameters"),
        ("response_format", "add schema=off to the model's parameters"),
        ("temperature", "leave 'temperature' out or set another value"),
    ],
)
def test_a_parameter_that_the_endpoint_refuses_ends_the_run_with_advice(
    parameter: str, advice: str
) -> None:
    said = refused(ServerConfig(checks=Checks(refuses=(parameter,))), settings={"temperature": 0})
    assert said == (
        f"openai/any: the endpoint refuses (status 400): unknown parameter: '{parameter}': {advice}"
    )


def test_a_wrong_key_and_a_wrong_model_end_the_run() -> None:
    assert "check the key in the environment" in refused(
        ServerConfig(checks=Checks(api_key="other"))
    )
    assert "check the model's name" in refused(ServerConfig(checks=Checks(models=("other",))))


def test_the_right_key_is_sent() -> None:
    (completion,), _ = ask(ServerConfig(checks=Checks(api_key=CANARY)), asking())
    assert completion.reply == WORDS


def test_what_is_refused_of_one_conversation_leaves_the_run_alone() -> None:
    async def go() -> None:
        async with ModelServer(ANSWERS) as server, model_at(server.url) as model:
            await model.complete(asking(), "agent")
            broken = ChatRequest([{"role": "tool", "content": "x"}], NO_TOOLS, 7, "task")
            with pytest.raises(ParticipantError, match="answers no call"):
                await model.complete(broken, "agent")

    asyncio.run(go())


def exchange(
    serving: RawServer,
    answer: bytes,
    request: ChatRequest | None = None,
    code: int = 200,
    **more: Any,  # noqa: ANN401 - fields of the endpoint
) -> tuple[Completion, dict[str, Any]]:
    """Send a request to a server with one answer; return its reply and the request."""
    sent: list[bytes] = []

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = next(
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            sent.append(await reader.readexactly(length))
            writer.write(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n" % (code, len(answer)))
            writer.write(answer)

    async def go() -> Completion:
        async with serving(behave) as url, model_at(url, **more) as model:
            return await model.complete(request or asking(), "agent")

    completion = asyncio.run(go())
    return completion, json.loads(sent[0])


FINE = b'{"choices": [{"message": {"content": "hi"}}]}'


def test_a_request_holds_what_was_asked_for(serving: RawServer) -> None:
    request = asking(reply_schema={"type": "object"})
    _, body = exchange(serving, FINE, request, settings={"temperature": 0})
    assert body == {
        "model": "any",
        "temperature": 0,
        "tools": json.loads(bytes(LOOK.encoded)),
        "tool_choice": "auto",
        "seed": 7,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": {"type": "object"}},
        },
        "messages": [{"role": "user", "content": "hello"}],
    }


def test_what_a_provider_does_not_take_is_left_out_as_the_table_says(serving: RawServer) -> None:
    request = asking(reply_schema={"type": "object"})
    _, body = exchange(serving, FINE, request, seeds=False, schemas=False)
    assert {"seed", "response_format"} & set(body) == set()


def test_a_call_may_be_demanded_and_tools_may_be_none(serving: RawServer) -> None:
    must = Toolset(LOOK.tools, must_call=True)
    _, body = exchange(serving, FINE, ChatRequest([], must, 7, "task"))
    assert body["tool_choice"] == "required"
    _, body = exchange(serving, FINE, ChatRequest([], NO_TOOLS, 7, "task"))
    assert {"tools", "tool_choice"} & set(body) == set()


def test_a_byte_order_mark_is_no_part_of_an_answer(serving: RawServer) -> None:
    completion, _ = exchange(serving, b"\xef\xbb\xbf" + FINE)
    assert completion.reply == text_reply("hi")


def test_a_conversation_that_outgrew_the_context_is_an_unusable_reply(serving: RawServer) -> None:
    answer = b'{"error": {"message": "too long", "code": "context_length_exceeded"}}'
    completion, _ = exchange(serving, answer, code=400)
    assert isinstance(completion.reply, UnparsedReply)
    assert completion.reply.error == "the conversation is longer than the model's context: too long"
    assert (completion.usage.calls, completion.usage.faults) == (0, {"context": 1})


@pytest.mark.parametrize(
    ("code", "advice"),
    [(302, "it points elsewhere, which is not followed"), (402, "no"), (429, "no")],
)
def test_a_refusal_of_everything_ends_the_run(serving: RawServer, code: int, advice: str) -> None:
    with pytest.raises(RunHalted, match=rf"the endpoint refuses \(status {code}\): .*{advice}"):
        exchange(serving, b'{"error": {"message": "no", "code": "insufficient_quota"}}', code=code)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b'{"error": {"message": "boom", "code": 502}}', "an error in a good answer: boom"),
        (b'{"error": "boom"}', "an error in a good answer: boom"),
        (b'{"choices": []}', "the reply has no choices"),
        (b"[" * 100_000, "the reply is not a chat completion"),
        (b"\xff\xfe", "the reply is not a chat completion"),
    ],
)
def test_a_good_status_with_no_completion_is_the_wires_fault(
    serving: RawServer, answer: bytes, why: str
) -> None:
    with pytest.raises(ParticipantError, match=f"{why}.*gave up after 2 attempts: malformed 2"):
        exchange(serving, answer, retry_policy=RetryPolicy(attempts=2))


def in_pieces(text: str) -> bytes:
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": text[at : at + 5]}}]}
        for at in range(0, len(text), 5)
    ]
    events = b"".join(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks)
    return events + b"data: [DONE]\n\n"


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"choices": [{"message": {"content": f"<{CANARY}>"}}]}).encode(),
        in_pieces(f"<{CANARY}>"),
    ],
)
def test_a_key_that_comes_back_in_a_reply_is_taken_out(
    serving: RawServer, caplog: pytest.LogCaptureFixture, answer: bytes
) -> None:
    with caplog.at_level(logging.DEBUG):
        completion, _ = exchange(serving, answer)
    assert completion.reply == text_reply("<***>")
    assert b"canary" not in bytes(completion.raw)
    assert "canary" not in repr(completion) + caplog.text


@pytest.mark.parametrize("code", [200, 400, 401, 404, 500])
def test_a_key_that_comes_back_in_an_error_is_taken_out(
    serving: RawServer, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    answer = json.dumps({"error": {"message": f"no such key: {CANARY}", "param": CANARY}}).encode()
    with (
        caplog.at_level(logging.DEBUG),
        pytest.raises((ParticipantError, RunHalted)) as caught,
    ):
        exchange(serving, answer, code=code, retry_policy=RetryPolicy(attempts=2))
    assert "no such key: ***" in str(caught.value)
    assert "canary" not in str(caught.getrepr(style="native")) + caplog.text


class Timed:
    """A transport whose answers take two seconds; `pieces` came at these of them."""

    def __init__(self, *pieces: tuple[float, bytes]) -> None:
        self._pieces = pieces

    async def post(
        self,
        url: str,  # noqa: ARG002 - goes nowhere
        headers: Mapping[str, str],  # noqa: ARG002 - goes nowhere
        body: bytes,  # noqa: ARG002 - goes nowhere
        proxy: str | None = None,  # noqa: ARG002 - goes nowhere
        most_bytes: int = 0,  # noqa: ARG002 - goes nowhere
    ) -> HttpResponse:
        began = asyncio.get_running_loop().time()
        await asyncio.sleep(2.0)
        come, arrivals = b"", []
        for after, piece in self._pieces:
            come += piece
            arrivals.append((len(come), began + after))
        return HttpResponse(200, {}, come, arrivals)

    async def close(self) -> None:
        """Nothing to release."""


ROLE = b'data: {"choices": [{"delta": {"role": "assistant", "content": ""}}]}\n\n'
YES = b'data: {"choices": [{"delta": {"content": "Yes"}}]}\n\n'
SIR = b'data: {"choices": [{"delta": {"content": ", sir."}}]}\n\n'
LOOKS = b'data: {"choices": [{"delta": {"tool_calls": [{"function": {"name": "look"}}]}}]}\n\n'
DONE = b"data: [DONE]\n\n"
COMPLETE = b'{"choices": [{"message": {"content": "Yes, sir."}}]}'


@pytest.mark.parametrize(
    ("pieces", "latency"),
    [
        (((0.25, ROLE), (0.5, YES[:20]), (0.75, YES[20:]), (2.0, SIR + DONE)), Latency(2.0, 0.75)),
        (((0.25, ROLE), (1.0, LOOKS), (2.0, DONE)), Latency(2.0)),
        (((2.0, ROLE + YES + SIR + DONE),), Latency(2.0)),
        (((0.5, COMPLETE[:20]), (2.0, COMPLETE[20:])), Latency(2.0)),
    ],
    ids=["words", "calls", "one piece", "no stream"],
)
def test_a_reply_took_as_long_as_its_first_word_where_it_was_seen_to_come(
    in_virtual_time: Callable[..., Completion],
    pieces: tuple[tuple[float, bytes], ...],
    latency: Latency,
) -> None:
    endpoint = ChatEndpoint("http://here", {}, "any", {}, streams=True)
    model = OpenAIModel("openai/any", endpoint, EndpointClient.of("http://here", Timed(*pieces)))
    assert in_virtual_time(model.complete(asking(), "agent")).latency == latency
