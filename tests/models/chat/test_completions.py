import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import Completion
from dragoman.core.replies import ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tools import ToolCall
from dragoman.core.usage import Usage
from dragoman.models.chat.completions import decode_completion
from dragoman.models.chat.message_parsing import MAX_ARGUMENT_CHARS


def body(message: object, **more: object) -> bytes:
    return json.dumps({"id": "x", "choices": [{"index": 0, "message": message}], **more}).encode()


def decoded(content: bytes) -> Completion:
    return decode_completion(content, "m", "agent")


def calling(*functions: dict[str, Any], content: str | None = None) -> bytes:
    calls = [{"id": f"c{n}", "type": "function", "function": f} for n, f in enumerate(functions)]
    return body({"role": "assistant", "content": content, "tool_calls": calls})


def test_words_are_words() -> None:
    assert decoded(body({"role": "assistant", "content": " hello "})).reply == text_reply(" hello ")


def test_calls_keep_their_order_ids_and_text() -> None:
    content = calling(
        {"name": "a", "arguments": '{"x": 1}'}, {"name": "b", "arguments": ""}, content="wait"
    )
    assert decoded(content).reply == ToolCallReply(
        (ToolCall("c0", "a", {"x": 1}), ToolCall("c1", "b", {})), "wait"
    )


def test_calls_without_ids_get_their_own() -> None:
    content = body({"tool_calls": [{"function": {"name": "a"}}, {"function": {"name": "a"}}]})
    assert decoded(content).reply == ToolCallReply(
        (ToolCall("call_0", "a", {}), ToolCall("call_1", "a", {}))
    )


@pytest.mark.parametrize(
    "call",
    [
        {"function": {"name": None, "arguments": "{}"}},
        {"function": {"name": 7}},
        {"function": {}},
        {"function": None},
        {"id": None, "type": "function"},
    ],
)
def test_a_call_without_a_name_is_the_models_mistake(call: object) -> None:
    assert decoded(body({"tool_calls": [call]})).reply == ToolCallReply(
        (ToolCall("call_0", "", {}),)
    )


@pytest.mark.parametrize(("given_as", "kept_as"), [(None, "call_0"), ("", "call_0"), (7, "7")])
def test_an_id_that_is_missing_is_made_and_a_number_is_one(given_as: object, kept_as: str) -> None:
    call = {"id": given_as, "function": {"name": "a"}}
    assert decoded(body({"tool_calls": [call]})).reply == ToolCallReply(
        (ToolCall(kept_as, "a", {}),)
    )


def test_the_body_is_kept_to_the_byte() -> None:
    content = b' {"choices" : [{"message":{"content":"hi"}}],\n "extra": 1.50 } '
    assert bytes(decoded(content).raw) == content


def test_tokens_are_counted_where_the_provider_tells() -> None:
    reported = decoded(
        body(
            {"content": "x"}, usage={"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        )
    )
    assert reported.usage == Usage("agent", "m", 1, input_tokens=5, output_tokens=2)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}])
def test_tokens_are_unknown_where_the_provider_does_not_tell(usage: object) -> None:
    reported = decoded(body({"content": "x"}, usage=usage)).usage
    assert (reported.input_tokens, reported.output_tokens) == (None, None)


@pytest.mark.parametrize(
    "arguments",
    ["{", '{"x": }', "[1]", '"x"', "x=1", "{'x': 1}", '{"x": NaN}', "[" * 9_999],
)
def test_arguments_that_are_no_object_are_the_models_mistake(arguments: str) -> None:
    reply = decoded(calling({"name": "a", "arguments": arguments})).reply
    assert isinstance(reply, ToolCallReply)
    (call,) = reply.calls
    assert (call.arguments, call.raw) == ({}, arguments)
    assert call.malformed


def test_one_malformed_call_leaves_the_others_as_they_are() -> None:
    reply = decoded(
        calling({"name": "a", "arguments": "{"}, {"name": "b", "arguments": '{"x": 1}'})
    ).reply
    assert isinstance(reply, ToolCallReply)
    assert [bool(call.malformed) for call in reply.calls] == [True, False]


def test_arguments_beyond_all_measure_are_cut() -> None:
    arguments = json.dumps({"x": "y" * MAX_ARGUMENT_CHARS})
    reply = decoded(calling({"name": "a", "arguments": arguments})).reply
    assert isinstance(reply, ToolCallReply)
    assert len(reply.calls[0].raw) == MAX_ARGUMENT_CHARS
    assert reply.calls[0].malformed == "the arguments are too long"


@pytest.mark.parametrize(
    "message", [{}, {"content": None}, {"content": ""}, {"content": " \n", "tool_calls": []}]
)
def test_neither_words_nor_calls_is_the_models_mistake(message: dict[str, Any]) -> None:
    reply = decoded(body(message)).reply
    assert reply == UnparsedReply(
        message.get("content") or "", "the reply has neither words nor calls"
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>Bad gateway</html>",
        b"null",
        b"[]",
        b"{}",
        b'{"error": {"message": "overloaded"}}',
        b'{"choices": null}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": "Hello."}]}',
        b'{"choices": [{"message": {"content": "hel',
        b"[" * 100_000,
    ],
)
def test_a_body_that_is_no_completion_is_the_providers_fault(content: bytes) -> None:
    with pytest.raises(ParticipantError, match="m: the reply is not a chat completion"):
        decoded(content)


def test_a_body_without_choices_is_the_providers_fault() -> None:
    with pytest.raises(ParticipantError, match="m: the reply has no choices"):
        decoded(b'{"choices": []}')


@given(st.text(max_size=40).map(str.encode))
def test_any_text_is_decoded_or_the_providers_fault(content: bytes) -> None:
    with pytest.raises(ParticipantError):
        decoded(content)


WHOLE = calling({"name": "a", "arguments": '{"x": [1, "é"]}'}, content="ü")


@given(st.integers(0, len(WHOLE) - 1), st.sampled_from([b"", b"\x00", b'"', b"{", b"9", b"\\"]))
def test_a_completion_damaged_anywhere_is_decoded_or_the_providers_fault(
    at: int, put: bytes
) -> None:
    for damaged in (WHOLE[:at], WHOLE[:at] + put + WHOLE[at + 1 :]):
        try:
            completion = decoded(damaged)
        except ParticipantError:
            continue
        assert bytes(completion.raw) == damaged


def test_bytes_that_are_no_text_are_the_providers_fault() -> None:
    with pytest.raises(ParticipantError):
        decoded(b'{"choices": [{"message": {"content": "\xff"}}]}')


def test_a_raw_body_can_always_be_shown() -> None:
    content = b'{"id": "\xff", "choices": [{"message": {"content": "x"}}]}'
    try:
        raw = bytes(decoded(content).raw)
    except ParticipantError:
        return
    assert raw.decode()


@pytest.mark.parametrize("arguments", [None, {"x": 1}])
def test_arguments_of_another_type_are_never_the_infrastructures_fault(arguments: object) -> None:
    assert isinstance(decoded(calling({"name": "a", "arguments": arguments})).reply, ToolCallReply)


def finished(message: object, reason: str) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": reason}]}).encode()


def test_words_that_the_limit_cut_off_are_the_models_words() -> None:
    assert decoded(finished({"content": "so lo"}, "length")).reply == text_reply("so lo")


def test_why_nothing_came_is_told() -> None:
    reply = decoded(finished({"content": None}, "length")).reply
    why = "the reply has neither words nor calls (finish_reason: length)"
    assert reply == UnparsedReply("", why)


def test_a_reply_that_the_provider_broke_off_is_its_fault() -> None:
    with pytest.raises(ParticipantError, match="m: the reply broke off"):
        decoded(finished({"content": "so lo"}, "error"))


def test_words_in_parts_are_words_and_thoughts_are_not() -> None:
    parts = [{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "hi"}]
    assert decoded(body({"content": parts})).reply == text_reply("hi")


@pytest.mark.parametrize("count", [-1, 2**60, 1.5, "5", True, []])
def test_a_count_that_makes_no_sense_is_unknown_and_the_reply_stands(count: object) -> None:
    reported = decoded(
        body({"content": "x"}, usage={"prompt_tokens": count, "completion_tokens": 2})
    )
    assert reported.reply == text_reply("x")
    assert (reported.usage.input_tokens, reported.usage.output_tokens) == (None, None)


def test_arguments_nested_beyond_measure_are_the_models_mistake() -> None:
    deep = '{"x":' * 500 + "1" + "}" * 500
    wide = json.dumps({"x": [[]] * 500, "y": "[{" * 500})
    reply = decoded(calling({"name": "a", "arguments": deep}, {"name": "a", "arguments": wide}))
    assert isinstance(reply.reply, ToolCallReply)
    assert [call.malformed for call in reply.reply.calls] == [
        "the arguments are nested too deeply",
        "",
    ]


def test_no_call_is_lost_where_ids_come_twice() -> None:
    ids = ["a", "a_2", "a", "a"]
    calls = [
        {"id": call_id, "function": {"name": "f", "arguments": f'{{"x": {at}}}'}}
        for at, call_id in enumerate(ids)
    ]
    reply = decoded(body({"tool_calls": calls})).reply
    assert isinstance(reply, ToolCallReply)
    assert [call.arguments["x"] for call in reply.calls] == [0, 1, 2, 3]
    assert len({call.id for call in reply.calls}) == 4


def test_an_empty_name_of_a_tool_is_the_models_mistake() -> None:
    reply = decoded(calling({"name": "", "arguments": "{}"})).reply
    assert reply == ToolCallReply((ToolCall("c0", "", {}),))
