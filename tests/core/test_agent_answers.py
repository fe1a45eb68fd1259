from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.agent_replies import ParsedAgentReply, parse_agent_reply
from dragoman.core.replies import Reply, TextReply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tools import ToolCall

FIELDS = ["content", "tool_calls", "name", "arguments", "id", "function", "usage", "input_tokens"]


def read(answer: object, position: int) -> Reply:
    return parse_agent_reply(answer, position).reply


def nested(function: object) -> dict[str, object]:
    call = {"id": "a", "type": "function", "function": function}
    return {"role": "assistant", "content": "hm", "tool_calls": [call]}


@dataclass
class Call:
    name: str
    arguments: object = field(default_factory=dict)
    id: str = ""


@dataclass
class Message:
    content: str | None = None
    tool_calls: list[Call] | None = None


@pytest.mark.parametrize(
    "answer",
    [
        {"content": "hm", "tool_calls": [{"id": "a", "name": "look", "arguments": {"x": 1}}]},
        {"content": "hm", "tool_calls": [{"id": "a", "name": "look", "arguments": '{"x": 1}'}]},
        Message("hm", [Call("look", {"x": 1}, "a")]),
        nested({"name": "look", "arguments": {"x": 1}}),
        nested({"name": "look", "arguments": '{"x": 1}'}),
    ],
)
def test_calls_are_read_from_objects_of_several_kinds(answer: object) -> None:
    assert read(answer, 3) == ToolCallReply((ToolCall("a", "look", {"x": 1}),), "hm")


def test_calls_without_ids_get_their_own() -> None:
    answer = {"tool_calls": [{"name": "look"}, {"name": "look"}]}
    assert read(answer, 3) == ToolCallReply(
        (ToolCall("call_3_0", "look", {}), ToolCall("call_3_1", "look", {}))
    )


@pytest.mark.parametrize("text", ["{", "", "[1]", "null", '"x"', "[" * 5_000])
def test_argument_text_that_is_no_object_is_a_malformed_call(text: str) -> None:
    reply = read({"tool_calls": [{"id": "a", "name": "look", "arguments": text}]}, 0)
    assert isinstance(reply, ToolCallReply)
    (call,) = reply.calls
    assert (call.arguments, call.raw) == ({}, text)
    assert call.malformed


def test_what_is_wrong_with_an_answer_is_kept() -> None:
    reply = read(42, 0)
    assert isinstance(reply, UnparsedReply)
    assert (reply.raw, reply.error) == ("42", "Expected `object`, got `int`")


@pytest.mark.parametrize("answer", ["", {}, {"content": None}, {"content": "", "tool_calls": []}])
def test_an_empty_answer_has_no_words(answer: object) -> None:
    assert read(answer, 0) == text_reply("")


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(FIELDS), inner)
        | st.tuples(inner)
        | st.frozensets(st.integers(), max_size=2)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_any_answer_is_read_as_some_reply(answer: object) -> None:
    assert isinstance(read(answer, 0), TextReply | ToolCallReply | UnparsedReply)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({1, 2}, id="a set"),
        pytest.param(object(), id="an object"),
        pytest.param("\ud800", id="half a character"),
        pytest.param(float("nan"), id="not a number"),
    ],
)
def test_arguments_that_json_cannot_carry_are_a_malformed_call(value: object) -> None:
    reply = read({"tool_calls": [{"name": "look", "arguments": {"x": value}}]}, 0)
    assert isinstance(reply, ToolCallReply)
    assert reply.calls[0].malformed
    assert msgspec.json.decode(msgspec.json.encode(reply), type=ToolCallReply) == reply


@pytest.mark.parametrize("given_as", [[1], None, 7, {1}, object()])
def test_arguments_that_are_no_object_are_a_malformed_call(given_as: object) -> None:
    reply = read({"tool_calls": [{"name": "look", "arguments": given_as}]}, 0)
    assert isinstance(reply, ToolCallReply)
    assert (reply.calls[0].name, reply.calls[0].arguments) == ("look", {})
    assert reply.calls[0].malformed


@pytest.mark.parametrize("call", [{"name": "look", "function": {"name": "look"}}, "look"])
def test_a_call_has_one_name(call: object) -> None:
    assert isinstance(read({"tool_calls": [call]}, 0), UnparsedReply)


@pytest.mark.parametrize(
    "call", [{}, {"name": None}, {"name": 7}, {"function": {}}, {"function": {"name": None}}]
)
def test_a_call_without_a_name_is_a_call_of_no_tool(call: dict[str, object]) -> None:
    answer = {"tool_calls": [{"id": "a", **call}]}
    assert read(answer, 0) == ToolCallReply((ToolCall("a", "", {}),))


def test_a_number_is_an_id() -> None:
    answer = {"tool_calls": [{"id": 7, "name": "look"}]}
    assert read(answer, 0) == ToolCallReply((ToolCall("7", "look", {}),))


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"input_tokens": 12, "output_tokens": 3}, (12, 3)),
        ({"output_tokens": 0}, (None, 0)),
        ({"input_tokens": None}, (None, None)),
        (None, (None, None)),
    ],
)
def test_tokens_are_unknown_where_the_agent_does_not_tell_them(
    usage: object, tokens: tuple[int | None, int | None]
) -> None:
    read_whole = parse_agent_reply({"content": "hello", "usage": usage}, 0)
    assert read_whole == ParsedAgentReply(text_reply("hello"), *tokens)


@pytest.mark.parametrize("tokens", [-1, 1.5, "7", 10**30])
def test_tokens_that_are_no_count_are_unknown_and_the_reply_stands(tokens: object) -> None:
    usage = {"input_tokens": tokens, "output_tokens": 3}
    whole = parse_agent_reply({"content": "x", "usage": usage}, 0)
    assert (whole.reply, whole.input_tokens, whole.output_tokens) == (text_reply("x"), None, None)
    assert "`$.input_tokens`" in whole.odd_usage


@pytest.mark.parametrize("usage", ["much", [], 7])
def test_usage_of_another_shape_is_unknown_and_the_reply_stands(usage: object) -> None:
    whole = parse_agent_reply({"content": "x", "usage": usage}, 0)
    assert (whole.reply, whole.input_tokens) == (text_reply("x"), None)
    assert whole.odd_usage


class Text(str):
    """A framework's own kind of string."""

    __slots__ = ()


@pytest.mark.parametrize(
    "answer",
    [
        Text("hello"),
        {"content": Text("hello")},
        {"tool_calls": [{"id": Text("a"), "name": Text("look"), "arguments": Text("{}")}]},
        {"tool_calls": [{"name": "look", "arguments": {Text("x"): Text("y")}}]},
        {"tool_calls": [{"name": "look", "arguments": Text("{oops")}]},
    ],
)
def test_what_is_read_can_be_stored_whatever_kind_of_string_it_was(answer: object) -> None:
    whole = parse_agent_reply(answer, 0)
    assert not isinstance(whole.reply, UnparsedReply)
    assert msgspec.json.decode(msgspec.json.encode(whole), type=ParsedAgentReply) == whole
