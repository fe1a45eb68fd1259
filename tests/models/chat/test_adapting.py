"""A server that refuses our history gets it again in the form that it wants."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.models.chat.test_openai import model_at

from dragoman.core.chat_messages import ChatHistory
from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import UnparsedReply, text_reply
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.models.history_format import HistoryFormat

Refuses = Callable[[dict[str, Any]], str]
"""Function that returns the reason for a refusal of a request; "" to accept it."""

SAFE = HistoryFormat()
LOOK = Toolset((ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),))
HISTORY: list[dict[str, object]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "assistant", "content": "How can I help?"},
    {"role": "user", "content": "Where is it?"},
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": "I look.",
        "tool_calls": [
            {"id": "call_0", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "call_0", "content": ""},
]


async def _answers(
    refuses: Refuses, status: int, form: HistoryFormat, times: int, *, streams: bool
) -> tuple[list[Completion], list[dict[str, Any]]]:
    asked: list[dict[str, Any]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                (length,) = (
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                )
                request = json.loads(await reader.readexactly(length))
                asked.append(request)
                why = refuses(request)
                body = json.dumps(
                    {"error": {"message": why}}
                    if why
                    else {"id": len(asked), "choices": [{"message": {"content": "Here."}}]}
                ).encode()
                code = status if why else 200
                writer.write(
                    b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%b" % (code, len(body), body)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with (
        server,
        model_at(f"http://127.0.0.1:{port}/v1", history=form, streams=streams) as model,
    ):
        request = ChatRequest(ChatHistory(HISTORY), LOOK, 7, "task")
        return [await model.complete(request, "agent") for _ in range(times)], asked


def answers(
    refuses: Refuses,
    status: int = 400,
    form: HistoryFormat = SAFE,
    times: int = 1,
    *,
    streams: bool = False,
) -> tuple[list[Completion], list[dict[str, Any]]]:
    """Return the replies of a server that refuses some requests, and the requests."""
    return asyncio.run(_answers(refuses, status, form, times, streams=streams))


def roles(request: dict[str, Any]) -> list[str]:
    return [message["role"] for message in request["messages"]]


def has(field: str) -> Callable[[dict[str, Any]], bool]:
    return lambda request: any(message.get(field) for message in request["messages"])


@pytest.mark.parametrize(
    ("is_refused", "why", "remark", "form"),
    [
        (
            lambda request: roles(request)[1] == "assistant",
            "Conversation roles must alternate user/assistant/user/assistant/...",
            "alternating_roles",
            HistoryFormat(),
        ),
        (
            lambda request: "system" in roles(request),
            "System role not supported",
            "system_as_user",
            HistoryFormat(),
        ),
        (
            has("reasoning_content"),
            "property 'messages.3.assistant.reasoning_content' is unsupported",
            "reasoning_left_out",
            HistoryFormat(),
        ),
        (
            lambda request: not has("reasoning_content")(request),
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            "reasoning_returned",
            HistoryFormat(reasoning="never"),
        ),
        (
            lambda request: any(message["content"] == "" for message in request["messages"]),
            "messages: text content blocks must be non-empty",
            "empty_content_replaced",
            HistoryFormat(takes_empty=True),
        ),
        (
            lambda request: "call_0" in json.dumps(request),
            "Tool call id was call_0 but must be a-z, A-Z, 0-9, with a length of 9.",
            "ids_replaced",
            HistoryFormat(keeps_ids=True),
        ),
        (
            lambda request: any(message["content"] is None for message in request["messages"]),
            "Invalid 'content': 'content' field must be a string or an array of objects.",
            "null_content_replaced",
            HistoryFormat(),
        ),
        (
            lambda request: any(not message["content"] for message in request["messages"]),
            "messages.3: content must not be empty",
            "empty_calls_filled",
            HistoryFormat(),
        ),
        (
            lambda request: not request["messages"][-1].get("name"),
            "'name' is required for messages with role 'tool'",
            "results_named",
            HistoryFormat(),
        ),
        (
            lambda request: (
                not all(
                    message.get("reasoning_content")
                    for message in request["messages"]
                    if message["role"] == "assistant"
                )
            ),
            "assistant message must include reasoning_content",
            "reasoning_filled",
            HistoryFormat(reasoning="always"),
        ),
        (
            has("reasoning_content"),
            "Unrecognized request argument supplied in messages",
            "reasoning_left_out",
            HistoryFormat(),
        ),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_refused_history_goes_out_in_the_form_that_is_asked_for(
    is_refused: Callable[[dict[str, Any]], bool],
    why: str,
    remark: str,
    form: HistoryFormat,
    status: int,
) -> None:
    replies, asked = answers(lambda request: why if is_refused(request) else "", status, form, 2)
    assert [reply.reply for reply in replies] == [text_reply("Here.")] * 2
    assert [reply.usage.remarks for reply in replies] == [{remark: 1}, {}]
    assert len(asked) == 3


def test_two_things_that_are_wrong_are_mended_one_after_the_other() -> None:
    def refuses(request: dict[str, Any]) -> str:
        if has("reasoning_content")(request):
            return "Extra inputs are not permitted, field: 'messages[3].reasoning_content'"
        is_begun_by_agent = roles(request)[1] == "assistant"
        return "roles must alternate" if is_begun_by_agent else ""

    ((reply,), asked) = answers(refuses)
    assert reply.usage.remarks == {"reasoning_left_out": 1, "alternating_roles": 1}
    assert len(asked) == 3


@pytest.mark.parametrize("why", ["Jinja Exception: Conversation roles must alternate", "upstream"])
def test_a_template_that_fails_in_the_server_is_a_refusal_of_the_history(why: str) -> None:
    def refuses(request: dict[str, Any]) -> str:
        return "roles must alternate: " + why if roles(request)[1] == "assistant" else ""

    ((reply,), asked) = answers(refuses, 500)
    assert reply.usage.remarks == {"alternating_roles": 1}
    assert not any(request.get("stream") for request in asked)


def test_words_that_are_moderated_do_not_end_the_run() -> None:
    with pytest.raises(ParticipantError, match="content management policy"):
        answers(lambda _: "filtered by the content management policy")


def test_a_server_that_refuses_every_form_is_asked_a_few_times() -> None:
    with pytest.raises(RunHalted, match="roles must alternate"):
        answers(lambda _: "roles must alternate")


def test_a_refusal_after_an_answer_is_the_endpoints() -> None:
    seen: list[int] = []

    def refuses(_: dict[str, Any]) -> str:
        seen.append(1)
        return "the weather is bad" if len(seen) > 1 else ""

    with pytest.raises(ParticipantError, match=r"refuses \(status 400\): the weather is bad"):
        answers(refuses, times=2)


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(
    ("why", "kind"),
    [
        ("error parsing tool call: raw='{' err=unexpected end of JSON input", "failed_call"),
        ("the request exceeds the available context size", "context"),
    ],
)
def test_what_the_model_did_is_its_unusable_reply_whatever_the_status(
    status: int, why: str, kind: str
) -> None:
    ((reply,), asked) = answers(lambda _: why, status)
    assert isinstance(reply.reply, UnparsedReply)
    assert reply.reply.error.endswith(why)
    assert reply.usage.faults == {kind: 1}
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("parameter", "why", "remarks"),
    [
        ("tool_choice", "Unknown parameter: 'tool_choice'.", {"tool_choice_left_out": 1}),
        ("tool_choice", "extra_forbidden: body tool_choice", {"tool_choice_left_out": 1}),
        ("stream_options", "Unknown parameter: 'stream_options'.", {}),
        ("stream", "This model doesn't support tool use in streaming mode.", {}),
    ],
)
def test_a_parameter_of_ours_that_is_refused_is_left_out(
    parameter: str, why: str, remarks: dict[str, int]
) -> None:
    ((reply,), asked) = answers(lambda request: why if request.get(parameter) else "", streams=True)
    assert reply.reply == text_reply("Here.")
    assert reply.usage.remarks == remarks
    assert [parameter in request for request in asked] == [True, False]
