import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.agent_replies import ParsedAgentReply
from dragoman.core.errors import DataError
from dragoman.core.protocols import ChatRequest
from dragoman.core.replies import ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tools import NO_TOOLS, ToolCall, Toolset, ToolSpec
from dragoman.core.version import VERSION
from dragoman.models.http.transport import MalformedResponse, UnexpectedResponse
from dragoman.models.http_agent import (
    MOST_ANSWER_BYTES,
    decode_answer,
    decode_request,
    encode_answer,
    encode_request,
    offered_tools,
)

LOOK = ToolSpec("look", "Looks.", {"type": "object", "properties": {}})
LOOK_SCHEMA = {
    "type": "function",
    "function": {"name": "look", "description": "Looks.", "parameters": LOOK.parameters},
}
MESSAGES: list[dict[str, object]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "user", "content": "Où est mon colis ? 包裹在哪里"},
]


def answered(**fields: object) -> ParsedAgentReply:
    return decode_answer(json.dumps(fields).encode(), 4)


def calls_in(body: bytes) -> tuple[ToolCall, ...]:
    reply = decode_answer(body, 4).reply
    assert isinstance(reply, ToolCallReply)
    return reply.calls


def test_a_request_has_the_conversation_and_nothing_that_names_the_task() -> None:
    tools = Toolset((LOOK,), must_call=True)
    request = ChatRequest(MESSAGES, tools, 7, label="task-42", session="s1", draw="task-42/0")

    body = encode_request(request)

    assert json.loads(body) == {
        "session": "s1",
        "messages": MESSAGES,
        "tools": [LOOK_SCHEMA],
        "metadata": {"seed": 7, "dragoman": VERSION, "must_call": True},
    }
    assert b"task-42" not in body


def test_a_request_comes_back_as_it_was_sent() -> None:
    request = decode_request(encode_request(ChatRequest(MESSAGES, Toolset((LOOK,)), 7, "", "s1")))

    assert (request.session, request.messages, request.metadata.seed) == ("s1", MESSAGES, 7)
    assert offered_tools(request) == [LOOK_SCHEMA]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b'{"session":"s","messages":[],"tools":[]}',
        b'{"session":"s","messages":["x"],"tools":[],"metadata":{"seed":0,"dragoman":"","must_call":false}}',
        b'{"session":"s","messages":[],"tools":[1],"metadata":{"seed":0,"dragoman":"","must_call":false}}',
        b'{"session":' + b"[" * 100_000,
    ],
)
def test_what_is_no_request_is_refused(body: bytes) -> None:
    with pytest.raises(DataError, match="not a request for a reply"):
        decode_request(body)


def test_words_are_an_answer() -> None:
    assert answered(content="Bonjour ✓") == ParsedAgentReply(text_reply("Bonjour ✓"))


@pytest.mark.parametrize(
    "call",
    [
        {"id": "a", "name": "look", "arguments": {"x": "é"}},
        {"id": "a", "name": "look", "arguments": '{"x": "é"}'},
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": {"x": "é"}}},
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"x": "é"}'}},
    ],
)
def test_calls_are_an_answer_flat_or_nested(call: object) -> None:
    expected = ToolCallReply((ToolCall("a", "look", {"x": "é"}),), "hm")
    assert answered(content="hm", tool_calls=[call]).reply == expected


def test_calls_without_ids_are_named_by_their_place() -> None:
    answer = answered(tool_calls=[{"name": "look", "arguments": {}}, {"id": None, "name": "look"}])
    assert answer.reply == ToolCallReply(
        (ToolCall("call_4_0", "look", {}), ToolCall("call_4_1", "look", {}))
    )


def test_tokens_are_counted_where_they_are_told() -> None:
    usage = {"input_tokens": 12, "output_tokens": 3, "model": "mine"}
    assert answered(content="x", usage=usage) == ParsedAgentReply(text_reply("x"), 12, 3)
    assert answered(content="x", usage=None) == ParsedAgentReply(text_reply("x"))


@pytest.mark.parametrize("usage", [{"input_tokens": "many"}, {"output_tokens": -1}, 7])
def test_tokens_that_make_no_sense_are_unknown_and_the_reply_stands(usage: object) -> None:
    whole = answered(content="x", usage=usage)
    assert (whole.reply, whole.input_tokens, whole.output_tokens) == (text_reply("x"), None, None)
    assert whole.odd_usage


@pytest.mark.parametrize("call", [{"arguments": {}}, {"name": None}, {"function": {"name": None}}])
def test_a_call_without_a_name_is_the_agents_mistake(call: object) -> None:
    assert answered(tool_calls=[call]).reply == ToolCallReply((ToolCall("call_4_0", "", {}),))


@pytest.mark.parametrize("content", [None, "", "  "])
def test_an_answer_without_words_or_calls_is_the_agents_own(content: str | None) -> None:
    assert answered(content=content, tool_calls=None).reply == text_reply(content or "")


@pytest.mark.parametrize(
    ("sent", "raw"),
    [
        ('"{broken"', "{broken"),
        ('""', ""),
        ("[1, 2]", "[1, 2]"),
        ("null", "null"),
        ('"[1]"', "[1]"),
        ("1e999", "1e999"),
        ('{"x": 1e999}', '{"x": 1e999}'),
        ('"{\\"x\\": NaN}"', '{"x": NaN}'),
    ],
)
def test_arguments_that_are_no_object_are_the_agents_mistake_and_kept(sent: str, raw: str) -> None:
    (call, other) = calls_in(
        b'{"tool_calls": [{"name": "look", "arguments": %s}, {"name": "look", "arguments": {}}]}'
        % sent.encode()
    )
    assert (call.name, call.arguments, call.raw) == ("look", {}, raw)
    assert call.malformed
    assert not other.malformed


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'{"error": "overloaded"}',
        b'{"content": "hel',
        b'{"content": "\xff"}',
        b'{"content": "x", "note": "\xff"}',
        b'{"content": "x", "score": NaN}',
        b'{"tool_calls": [{"name": "look", "arguments": ' + b"[" * 200_000,
        b'{"tool_calls": [{"name": "a", "arguments": ' + b"[" * 99_999 + b"]" * 99_999 + b"}]}",
    ],
)
def test_a_damaged_body_is_the_servers_fault(body: bytes) -> None:
    with pytest.raises(MalformedResponse, match="not an agent's answer"):
        decode_answer(body, 0)


@pytest.mark.parametrize(
    "body",
    [
        b"null",
        b'"hello"',
        b"[]",
        b"{}",
        b"<html>Bad gateway</html>",
        b'{"choices": []}',
        b'{"content": 5}',
        b'{"content": [{"type": "text", "text": "x"}]}',
        b'{"tool_calls": {}}',
        b'{"tool_calls": ["look"]}',
        b'{"tool_calls": [{"name": "a", "function": {"name": "a"}}]}',
    ],
)
def test_a_whole_body_that_is_no_answer_is_of_another_shape(body: bytes) -> None:
    with pytest.raises(UnexpectedResponse, match="not an agent's answer"):
        decode_answer(body, 0)


def test_an_answer_beyond_all_measure_is_refused_unread() -> None:
    body = b'{"content": "' + b"x" * MOST_ANSWER_BYTES + b'"}'
    with pytest.raises(MalformedResponse, match=r"4,194,\d+ bytes, read are 4,194,304"):
        decode_answer(body, 0)


def test_a_broken_body_is_told_without_what_it_holds() -> None:
    with pytest.raises(UnexpectedResponse) as reported:
        decode_answer(b'{"content": 5, "secret": "hunter2"}', 0)
    assert "hunter2" not in str(reported.value)


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
CALLS = st.builds(
    ToolCall,
    st.text(min_size=1, max_size=8),
    st.text(max_size=8),
    st.dictionaries(st.text(max_size=4), VALUES, max_size=3),
)
REPLIES = st.builds(text_reply, st.text(max_size=20)) | st.builds(
    ToolCallReply,
    st.lists(CALLS, min_size=1, max_size=3).map(tuple),
    st.none() | st.text(max_size=8),
)
TOKENS = st.none() | st.integers(0, 2**40)


@given(st.builds(ParsedAgentReply, REPLIES, TOKENS, TOKENS))
def test_an_answer_comes_back_as_it_was_sent(answer: ParsedAgentReply) -> None:
    assert decode_answer(encode_answer(answer), 0) == answer


@pytest.mark.parametrize("raw", ["{broken", "", "[1]", "{'x': nan}"])
def test_a_malformed_call_is_one_on_the_other_side_too(raw: str) -> None:
    sent = ParsedAgentReply(
        ToolCallReply((ToolCall("a", "look", {}, raw=raw, malformed="no JSON"),))
    )
    (call,) = calls_in(encode_answer(sent))
    assert (call.name, call.arguments, call.raw) == ("look", {}, raw)
    assert call.malformed


def test_an_unusable_answer_is_sent_as_one_that_says_nothing() -> None:
    body = encode_answer(ParsedAgentReply(UnparsedReply("42", "no answer")))
    assert decode_answer(body, 0) == ParsedAgentReply(text_reply(""))


WHOLE = (
    b'{"content":"\xc3\xbc","tool_calls":[{"id":"a","name":"b","arguments":{"x":[1,"\xc3\xa9"]}}]}'
)


@given(st.integers(0, len(WHOLE) - 1), st.sampled_from([b"", b"\x00", b'"', b"{", b"9", b"\\"]))
def test_an_answer_damaged_anywhere_is_read_or_the_servers_fault(at: int, put: bytes) -> None:
    for damaged in (WHOLE[:at], WHOLE[:at] + put + WHOLE[at + 1 :]):
        try:
            answer = decode_answer(damaged, 0)
        except (MalformedResponse, UnexpectedResponse):
            continue
        assert msgspec.json.decode(msgspec.json.encode(answer), type=ParsedAgentReply) == answer


def test_no_tools_are_an_empty_list() -> None:
    assert json.loads(encode_request(ChatRequest(MESSAGES, NO_TOOLS, 0, "")))["tools"] == []


def test_what_is_known_of_the_user_is_in_the_metadata_and_left_out_where_it_is_nothing() -> None:
    def metadata(user: dict[str, object]) -> object:
        body = encode_request(ChatRequest(MESSAGES, NO_TOOLS, 0, "", user=user))
        assert decode_request(body).metadata.user == user
        return json.loads(body)["metadata"].get("user")

    assert metadata({}) is None
    assert metadata({"exposure": 1, "expertise": "novice"}) == {
        "exposure": 1,
        "expertise": "novice",
    }
