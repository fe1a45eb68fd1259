"""Whole replies in the forms of several servers are read as words and calls."""

import json
from typing import Any

import pytest

from dragoman.core.errors import ParticipantError
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply, text_reply
from dragoman.models.chat.completions import DecodedReply, decode_reply

ARGUMENTS = '{"id": "KV155"}'
CALLED = [("track", {"id": "KV155"})]


def read(message: dict[str, Any], finish: object = "stop", **more: Any) -> DecodedReply:  # noqa: ANN401 - fields of a body
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return decode_reply(json.dumps({"choices": [choice], **more}).encode(), "m")


def calls_of(reply: object) -> list[tuple[str, dict[str, object]]]:
    assert isinstance(reply, ToolCallReply)
    return [(call.name, call.arguments) for call in reply.calls]


def function(arguments: object = ARGUMENTS, **more: object) -> dict[str, object]:
    return {
        "id": "a",
        "type": "function",
        "function": {"name": "track", "arguments": arguments},
        **more,
    }


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": [function()]},
        {"tool_calls": function()},
        {"tool_calls": [function({"id": "KV155"})]},
        {"tool_calls": [function(json.dumps(ARGUMENTS))]},
        {"tool_calls": [{"id": "a", "type": "function", "name": "track", "arguments": ARGUMENTS}]},
        {
            "tool_calls": [
                {"id": "a", "type": "custom", "custom": {"name": "track", "input": ARGUMENTS}}
            ]
        },
        {"tool_calls": [{"id": 7, "function": {"name": " track\n", "arguments": ARGUMENTS}}]},
        {"tool_calls": None, "function_call": {"name": "track", "arguments": ARGUMENTS}},
        {"content": "", "tool_calls": [function()]},
    ],
)
def test_a_call_in_any_form_is_the_call(message: dict[str, Any]) -> None:
    assert calls_of(read(message).reply) == CALLED


@pytest.mark.parametrize("arguments", ["", " ", "null", " null ", None])
def test_nothing_as_arguments_is_no_argument(arguments: object) -> None:
    reply = read({"tool_calls": [function(arguments)]}).reply
    assert isinstance(reply, ToolCallReply)
    assert [(call.arguments, call.malformed) for call in reply.calls] == [({}, "")]


@pytest.mark.parametrize(
    "arguments",
    [
        '{"id": "KV155"',
        '{"id": "KV155"}}',
        '{"id": "KV155"}""',
        f"[{ARGUMENTS}]",
        f"```json\n{ARGUMENTS}\n```",
    ],
)
def test_arguments_that_are_no_object_stay_the_models_mistake(arguments: str) -> None:
    reply = read({"tool_calls": [function(arguments)]}).reply
    assert isinstance(reply, ToolCallReply)
    assert [(call.raw, bool(call.malformed)) for call in reply.calls] == [(arguments, True)]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"content": "Hello there."}, "Hello there."),
        ({"content": ["Hello ", "there."]}, "Hello there."),
        (
            {"content": [{"type": "text", "text": "Hello "}, {"type": "text", "text": "there."}]},
            "Hello there.",
        ),
        (
            {"content": [{"type": "image_url", "text": None}, {"type": "text", "text": "Hello."}]},
            "Hello.",
        ),
        ({"content": {"text": "Hello there."}}, "Hello there."),
        ({"content": 42}, "42"),
        ({"content": None, "refusal": "I cannot help with that."}, "I cannot help with that."),
        ({"content": "Hi.", "refusal": ""}, "Hi."),
        ({"content": "Hello there.", "tool_calls": None, "function_call": None}, "Hello there."),
    ],
)
def test_words_in_any_form_are_the_words(message: dict[str, Any], words: str) -> None:
    reply = read(message).reply
    assert isinstance(reply, TextReply)
    assert reply.text == words


@pytest.mark.parametrize(
    "message",
    [
        {"content": "Hi.", "reasoning_content": "They greet."},
        {"content": "Hi.", "reasoning": "They greet."},
        {"content": "Hi.", "reasoning": {"text": "They greet."}},
        {
            "content": "Hi.",
            "reasoning_details": [{"type": "reasoning.text", "text": "They greet."}],
        },
        {
            "content": "Hi.",
            "reasoning_details": [{"type": "reasoning.summary", "summary": "They greet."}],
        },
        {
            "content": [
                {"type": "thinking", "thinking": "They greet."},
                {"type": "text", "text": "Hi."},
            ]
        },
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "They greet."}]},
                "Hi.",
            ]
        },
        {"content": "<think>They greet.</think>Hi."},
        {"content": "They greet.</think>Hi."},
    ],
)
def test_reasoning_in_any_form_stands_beside_the_words(message: dict[str, Any]) -> None:
    found = read(message)
    assert isinstance(found.reply, TextReply)
    assert (found.reply.text, found.reasoning) == ("Hi.", "They greet.")


def test_reasoning_that_was_between_the_words_is_remarked() -> None:
    assert read({"content": "<think>a</think>b"}).remarks == {"separated_reasoning": 1}
    assert read({"content": "b", "reasoning_content": "a"}).remarks == {}


def test_reasoning_beside_calls_is_kept() -> None:
    found = read({"content": "<think>a</think>", "tool_calls": [function()]})
    assert calls_of(found.reply) == CALLED
    assert found.reasoning == "a"


@pytest.mark.parametrize(
    "message", [{"content": "<think>a</think>"}, {"content": None, "reasoning_content": "a"}]
)
def test_reasoning_alone_is_no_reply(message: dict[str, Any]) -> None:
    found = read(message)
    assert isinstance(found.reply, UnparsedReply)
    assert found.reply.error.startswith("the reply has reasoning alone, neither words nor calls")
    assert found.reply.raw == ""


def test_the_choice_of_index_0_is_the_reply() -> None:
    choices = [
        {"index": 1, "message": {"content": "second"}},
        {"index": 0, "message": {"content": "first"}},
    ]
    reply = decode_reply(json.dumps({"choices": choices}).encode(), "m").reply
    assert isinstance(reply, TextReply)
    assert reply.text == "first"


def test_calls_in_a_choice_of_their_own_belong_to_the_words() -> None:
    choices = [
        {"index": 0, "message": {"content": "Let me look."}, "finish_reason": "tool_calls"},
        {
            "index": 1,
            "message": {"content": None, "tool_calls": [function()]},
            "finish_reason": "tool_calls",
        },
    ]
    reply = decode_reply(json.dumps({"choices": choices}).encode(), "m").reply
    assert calls_of(reply) == CALLED
    assert isinstance(reply, ToolCallReply)
    assert reply.text == "Let me look."


def test_a_text_completion_is_read_as_words() -> None:
    reply = decode_reply(b'{"choices": [{"text": "Hello there."}]}', "m").reply
    assert isinstance(reply, TextReply)
    assert reply.text == "Hello there."


def test_half_a_character_becomes_a_replacement_character() -> None:
    reply = decode_reply(rb'{"choices": [{"message": {"content": "Hi \ud83d there"}}]}', "m").reply
    assert isinstance(reply, TextReply)
    assert reply.text == "Hi \ufffd there"


@pytest.mark.parametrize("finish", [None, 1, "stop", "length", {"type": "stop"}])
def test_any_reason_to_finish_leaves_the_words(finish: object) -> None:
    reply = read({"content": "Hi."}, finish).reply
    assert isinstance(reply, TextReply)


def test_arguments_under_another_name_are_not_lost() -> None:
    call = {"id": "a", "function": {"name": "track", "parameters": {"id": "KV155"}}}
    assert calls_of(read({"tool_calls": [call]}).reply) == CALLED


@pytest.mark.parametrize(
    "finish", ["abort", "network_error", "insufficient_system_resource", "error", "Cancelled"]
)
def test_a_reply_that_its_server_broke_off_is_the_servers(finish: str) -> None:
    with pytest.raises(ParticipantError, match="the reply broke off"):
        read({"content": "Hello th"}, finish)


@pytest.mark.parametrize(
    "finish", ["content_filter", "function_call_filter: MALFORMED_FUNCTION_CALL", "length"]
)
def test_a_model_that_ends_without_a_message_gave_no_usable_reply(finish: str) -> None:
    body = {"choices": [{"index": 0, "message": None, "finish_reason": finish}]}
    assert isinstance(decode_reply(json.dumps(body).encode(), "m").reply, UnparsedReply)


@pytest.mark.parametrize(
    ("content", "reasoning"),
    [
        ([{"type": "text", "text": {"value": "Hello."}}], ""),
        (
            [
                {"type": "text", "text": "Who is it?", "thought": True},
                {"type": "text", "text": "Hello."},
            ],
            "Who is it?",
        ),
    ],
)
def test_parts_of_other_servers_are_words_or_reasoning(content: object, reasoning: str) -> None:
    found = read({"content": content})
    assert isinstance(found.reply, TextReply)
    assert (found.reply.text, found.reasoning) == ("Hello.", reasoning)


def test_a_whole_reply_in_the_shape_of_a_piece_is_read() -> None:
    body = {"choices": [{"delta": {"content": "Hello."}, "finish_reason": "stop"}]}
    reply = decode_reply(json.dumps(body).encode(), "m").reply
    assert isinstance(reply, TextReply)
    assert reply.text == "Hello."


@pytest.mark.parametrize("number", ["NaN", "-Infinity"])
def test_a_number_that_json_does_not_have_costs_no_reply(number: str) -> None:
    body = b'{"choices": [{"message": {"content": "Hello."}, "logprobs": %b}]}' % number.encode()
    assert decode_reply(body, "m").reply == text_reply("Hello.")


def test_a_part_that_refuses_is_words() -> None:
    found = read({"content": [{"type": "refusal", "refusal": "I cannot."}]})
    assert found.reply == text_reply("I cannot.")
