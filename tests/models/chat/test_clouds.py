"""Azure, Bedrock and Vertex through litellm itself, against a server that answers as each does."""

import asyncio
import json
import struct
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web

from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import ToolCallReply
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.models.chat.completions import decode_reply
from dragoman.models.http.transport import RetryPolicy, Timeouts
from dragoman.models.model_spec import parse_model_spec
from dragoman.registry.model_clients import ModelClients

pytest.importorskip("litellm", reason="the extra `litellm` is not installed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.extras,
    # Warnings of the library and its parts, at import and at their end, are their own.
    pytest.mark.filterwarnings("ignore"),
]

SECRET = "canary-of-a-key-0123456789"  # noqa: S105 - a canary
ARGUMENTS = {"order": 7}
AZURE = {
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "look", "arguments": json.dumps(ARGUMENTS)},
                    }
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14},
}
BEDROCK = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "t1", "name": "look", "input": ARGUMENTS}}],
        }
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 10, "outputTokens": 4, "totalTokens": 14},
    "metrics": {"latencyMs": 1},
}
Answers = Callable[[web.Request], Awaitable[web.StreamResponse]]
TOOLS = Toolset(
    (ToolSpec("look", "Looks.", {"type": "object", "properties": {"order": {"type": "integer"}}}),)
)

MODELS = {
    "azure": "azure/gpt-4.1-mini?base_url={base}&temperature=0&extra.api_version=2024-10-21",
    "bedrock": "bedrock/amazon.nova-lite-v1:0?base_url={base}&temperature=0",
    "vertex_ai": "vertex_ai/gemini-2.5-flash?base_url={base}&temperature=0",
}
ASKED_FOR_STREAMS = {"azure": "completions", "bedrock": "converse-stream"}
GOOD = {"azure": AZURE, "bedrock": BEDROCK}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_API_KEY", SECRET)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIA0000000000000000")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION_NAME", "us-east-1")
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)


async def asked(kind: str, answers: Answers, *, more: str = "") -> Completion:
    """Ask a cloud's model at a server that answers so; `more` are parameters of the model."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answers)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    connections = ModelClients(Timeouts(2.0, 0.4, 0.5), RetryPolicy(attempts=2, seconds=1.0))
    try:
        model = connections.chat_model(parse_model_spec(MODELS[kind].format(base=base) + more))
        request = ChatRequest([{"role": "user", "content": "Where is it?"}], TOOLS, 7, "task")
        return await model.complete(request, "agent")
    finally:
        await connections.close()
        await runner.cleanup()


def says(status: int, body: object, headers: dict[str, str] | None = None) -> Answers:
    async def answer(request: web.Request) -> web.StreamResponse:
        await request.read()
        return web.json_response(body, status=status, headers=headers)

    return answer


both = pytest.mark.parametrize("kind", ["azure", "bedrock"])


@both
def test_calls_and_tokens_come_back_as_from_any_endpoint(kind: str) -> None:
    completion = asyncio.run(asked(kind, says(200, GOOD[kind])))
    assert isinstance(completion.reply, ToolCallReply)
    assert [(call.name, call.arguments) for call in completion.reply.calls] == [("look", ARGUMENTS)]
    assert (completion.usage.input_tokens, completion.usage.output_tokens) == (10, 4)
    assert completion.usage.model.startswith(f"{kind}/")
    assert completion.usage.faults == {}


def event(kind: str, content: object) -> bytes:
    """Return an event of Amazon's streams: lengths, headers and checksums around JSON."""
    headers = b"".join(
        b"%c%b\x07%b%b" % (len(name), name, len(value).to_bytes(2, "big"), value)
        for name, value in (
            (b":message-type", b"event"),
            (b":event-type", kind.encode()),
            (b":content-type", b"application/json"),
        )
    )
    body = json.dumps(content).encode()
    lengths = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    before = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + body
    return before + struct.pack(">I", zlib.crc32(before))


AZURE_CHUNKS: list[dict[str, object]] = [
    {
        "choices": [
            {
                "index": 0,
                "delta": {
                    "role": "assistant",
                    "tool_calls": [
                        {
                            "index": 0,
                            "id": "c1",
                            "type": "function",
                            "function": {"name": "look", "arguments": '{"order"'},
                        }
                    ],
                },
            }
        ]
    },
    {
        "choices": [
            {"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": ": 7}"}}]}}
        ]
    },
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    {"choices": [], "usage": AZURE["usage"]},
]
BEDROCK_EVENTS: list[tuple[str, dict[str, object]]] = [
    ("messageStart", {"role": "assistant"}),
    (
        "contentBlockStart",
        {"start": {"toolUse": {"toolUseId": "t1", "name": "look"}}, "contentBlockIndex": 0},
    ),
    (
        "contentBlockDelta",
        {"delta": {"toolUse": {"input": '{"order"'}}, "contentBlockIndex": 0},
    ),
    ("contentBlockDelta", {"delta": {"toolUse": {"input": ": 7}"}}, "contentBlockIndex": 0}),
    ("contentBlockStop", {"contentBlockIndex": 0}),
    ("messageStop", {"stopReason": "tool_use"}),
    ("metadata", {"usage": BEDROCK["usage"], "metrics": {"latencyMs": 1}}),
]
STREAMS = {
    "azure": (
        "text/event-stream",
        [
            *(
                b"data: %b\n\n" % json.dumps({"id": "a", **chunk}).encode()
                for chunk in AZURE_CHUNKS
            ),
            b"data: [DONE]\n\n",
        ],
    ),
    "bedrock": (
        "application/vnd.amazon.eventstream",
        [event(kind, content) for kind, content in BEDROCK_EVENTS],
    ),
}


def streams(kind: str, paths: list[str], most: int | None = None) -> Answers:
    """Answer by a stream; with `most`, only by its first pieces."""
    content_type, pieces = STREAMS[kind]

    async def answer(request: web.Request) -> web.StreamResponse:
        await request.read()
        paths.append(request.path)
        response = web.StreamResponse(headers={"Content-Type": content_type})
        await response.prepare(request)
        for piece in pieces[:most]:
            await response.write(piece)
        return response

    return answer


@both
def test_a_stream_is_read_as_the_answer_that_it_stands_for(kind: str) -> None:
    paths: list[str] = []
    completion = asyncio.run(asked(kind, streams(kind, paths), more="&stream=on"))
    assert isinstance(completion.reply, ToolCallReply)
    assert [(call.name, call.arguments) for call in completion.reply.calls] == [("look", ARGUMENTS)]
    assert (completion.usage.input_tokens, completion.usage.output_tokens) == (10, 4)
    assert completion.usage.faults == {}
    assert [path.rpartition("/")[2] for path in paths] == [ASKED_FOR_STREAMS[kind]]


@both
@pytest.mark.parametrize("most", [1, 2])
def test_a_stream_without_its_end_is_cut(kind: str, most: int) -> None:
    with pytest.raises(ParticipantError, match=r"the stream stopped before its end.*cut 2"):
        asyncio.run(asked(kind, streams(kind, [], most), more="&stream=on"))


UNREADABLE = {"azure": b"data: {no JSON\n\n", "bedrock": b"\x00\x00\x00\x20" + bytes(28)}


@both
def test_a_stream_with_a_part_that_cannot_be_read_is_malformed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content_type, pieces = STREAMS[kind]
    broken = (content_type, [*pieces[:2], UNREADABLE[kind], *pieces[2:]])
    monkeypatch.setitem(STREAMS, kind, broken)
    with pytest.raises(ParticipantError, match=r"not understood by litellm.*malformed 2"):
        asyncio.run(asked(kind, streams(kind, []), more="&stream=on"))


@pytest.mark.parametrize(("kind", "most"), [("azure", 3), ("bedrock", 6)])
def test_tokens_of_a_stream_that_tells_none_are_unknown(kind: str, most: int) -> None:
    completion = asyncio.run(asked(kind, streams(kind, [], most), more="&stream=on"))
    assert isinstance(completion.reply, ToolCallReply)
    assert completion.usage.input_tokens is None
    assert completion.usage.output_tokens is None


def test_tokens_of_an_answer_that_tells_none_are_unknown() -> None:
    answers = says(200, {"choices": AZURE["choices"]})
    completion = asyncio.run(asked("azure", answers))
    assert isinstance(completion.reply, ToolCallReply)
    assert completion.usage.input_tokens is None
    assert completion.usage.output_tokens is None


def test_azure_is_asked_at_its_deployment_with_the_key_and_all_that_was_set() -> None:
    seen: list[tuple[str, str, dict[str, object]]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        seen.append((request.path_qs, request.headers["api-key"], await request.json()))
        return web.json_response(AZURE)

    asyncio.run(asked("azure", answer))
    ((address, key, body),) = seen
    assert address == ("/openai/deployments/gpt-4.1-mini/chat/completions?api-version=2024-10-21")
    assert (key, body["seed"], body["temperature"]) == (SECRET, 7, 0)


def test_bedrock_is_asked_at_the_address_that_was_signed() -> None:
    seen: list[tuple[str, str]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        seen.append((request.raw_path, request.headers["Authorization"].partition(" ")[0]))
        return web.json_response(BEDROCK)

    asyncio.run(asked("bedrock", answer))
    assert seen == [("/model/amazon.nova-lite-v1%3A0/converse", "AWS4-HMAC-SHA256")]


@both
@pytest.mark.parametrize(
    ("status", "body", "fault"),
    [(503, {}, "overloaded"), (500, {}, "server_error"), (200, "no answer", "malformed")],
)
def test_what_may_pass_is_tried_again_and_counted_by_its_kind(
    kind: str, status: int, body: object, fault: str
) -> None:
    first = [says(status, body)]

    async def answer(request: web.Request) -> web.StreamResponse:
        return await (first.pop() if first else says(200, GOOD[kind]))(request)

    completion = asyncio.run(asked(kind, answer))
    assert completion.usage.faults == {fault: 1}


async def hangs(request: web.Request) -> web.StreamResponse:
    await request.read()
    await asyncio.sleep(3)
    return web.json_response({})


async def cuts(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def floods(request: web.Request) -> web.StreamResponse:
    await request.read()
    return web.Response(body=b" " * (9 * 1024 * 1024), content_type="application/json")


@both
@pytest.mark.parametrize(
    ("answers", "fault"), [(hangs, "timeout"), (cuts, "cut"), (floods, "oversized")]
)
def test_no_answer_is_a_fault_of_its_own_kind(kind: str, answers: Answers, fault: str) -> None:
    with pytest.raises(ParticipantError) as caught:
        asyncio.run(asked(kind, answers))
    assert fault in str(caught.value)


@both
def test_a_refusal_ends_the_run_and_shows_no_key(
    kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    refusal = says(401, {"error": {"message": f"who is {SECRET}?"}})
    with pytest.raises(RunHalted, match=r"401.*who is \*\*\*\?") as caught:
        asyncio.run(asked(kind, refusal))
    assert SECRET not in str(caught.value) + "".join(capfd.readouterr())


@both
def test_a_redirect_is_not_followed(kind: str) -> None:
    paths: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        paths.append(request.path)
        return web.Response(status=302, headers={"Location": "/elsewhere"})

    with pytest.raises(RunHalted, match="points elsewhere"):
        asyncio.run(asked(kind, answer))
    assert len(paths) == 1
    assert "/elsewhere" not in paths


@both
def test_a_call_that_is_given_up_ends_at_once(kind: str) -> None:
    async def given_up() -> None:
        async with asyncio.timeout(0.3):
            await asked(kind, hangs)

    with pytest.raises(TimeoutError):
        asyncio.run(given_up())


def service_account(token_uri: str) -> str:
    """Return the file of an account that signs in there."""
    rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
    forms = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    key = rsa.generate_private_key(65537, 2048).private_bytes(
        forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()
    )
    account = {
        "type": "service_account",
        "project_id": "p",
        "private_key_id": "a",
        "private_key": key.decode(),
        "client_email": "a@p.example",
        "client_id": "1",
        "token_uri": token_uri,
    }
    return json.dumps(account)


def test_vertex_is_asked_with_what_its_sign_in_gave(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "account.json"
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    monkeypatch.setenv("VERTEXAI_PROJECT", "p")
    monkeypatch.setenv("VERTEXAI_LOCATION", "us-central1")
    seen: list[tuple[str, str]] = []
    call = {"functionCall": {"name": "look", "args": ARGUMENTS}}
    reply = {
        "candidates": [
            {"content": {"role": "model", "parts": [call]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": 10,
            "candidatesTokenCount": 4,
            "totalTokenCount": 14,
        },
    }

    async def sign_in(request: web.Request) -> web.StreamResponse:
        await request.read()
        return web.json_response({"access_token": SECRET, "expires_in": 3600})

    async def answer(request: web.Request) -> web.StreamResponse:
        seen.append((request.path, request.headers["Authorization"]))
        return web.json_response(reply)

    async def signed_in() -> Completion:
        app = web.Application()
        app.router.add_post("/token", sign_in)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        file.write_text(service_account(f"http://127.0.0.1:{runner.addresses[0][1]}/token"))
        try:
            return await asked("vertex_ai", answer)
        finally:
            await runner.cleanup()

    completion = asyncio.run(signed_in())
    place = "/v1/projects/p/locations/us-central1/publishers/google/models/"
    assert seen == [(f"{place}gemini-2.5-flash:generateContent", f"Bearer {SECRET}")]
    assert isinstance(completion.reply, ToolCallReply)
    assert [(each.name, each.arguments) for each in completion.reply.calls] == [("look", ARGUMENTS)]
    assert (completion.usage.input_tokens, completion.usage.output_tokens) == (10, 4)


def call(name: str, arguments: str) -> dict[str, object]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    "message",
    [
        {"content": "<think>They ask where.</think>\nIt is at Aldermoor."},
        {"content": "They ask where.</think>It is at Aldermoor."},
        {"content": "It is at Aldermoor.", "reasoning_content": "They ask where."},
        {"content": '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'},
        {"content": "Thank you. ### STOP###"},
        {"content": "<think>I look.</think>", "tool_calls": [call("look", '{"order": 7}')]},
        {"content": None, "tool_calls": [call("look", '{"order": ')]},
        {"content": None, "tool_calls": [call("functions.look", '{"order": 7}')]},
    ],
)
def test_a_reply_by_way_of_litellm_is_read_as_the_same_reply_over_the_wire(
    message: dict[str, object],
) -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    body = {"id": "x", "object": "chat.completion", "model": "x", "choices": [choice]}
    wire = decode_reply(json.dumps(body).encode(), "m")
    completion = asyncio.run(asked("azure", says(200, body)))
    assert (completion.reply, completion.reasoning) == (wire.reply, wire.reasoning)
