"""Endlessly nested values: the text of a model counts as its own, with its words."""

import pytest

from dragoman.core.agent_replies import parse_agent_reply
from dragoman.core.replies import ToolCallReply, UnparsedReply
from dragoman.core.texts.decoding import MOST_DEPTH, is_nested_too_deeply
from dragoman.models.chat.message_parsing import parse_tool_call

DEEP = 100_000


def nested(depth: int, *, lists: bool = False) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value] if lists else {"a": value}
    return value


ARGUMENTS = {
    "objects": {"a": nested(DEEP)},
    "lists": {"a": nested(DEEP, lists=True)},
    "text of objects": '{"a":' * 20_000 + "1" + "}" * 20_000,
    "text of lists": '{"a":' + "[" * 50_000 + "]" * 50_000 + "}",
    "less deep": {"a": nested(500)},
    "just too deep": {"a": nested(MOST_DEPTH, lists=True)},
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_that_are_nested_too_deeply_are_the_agents_malformed_call(name: str) -> None:
    read = parse_agent_reply({"tool_calls": [{"name": "look", "arguments": ARGUMENTS[name]}]}, 1)
    assert isinstance(read.reply, ToolCallReply)
    assert read.reply.calls[0].malformed == "the arguments are nested too deeply"


@pytest.mark.parametrize("name", ["text of objects", "text of lists"])
def test_a_models_arguments_are_read_alike(name: str) -> None:
    call = parse_tool_call("c", "look", ARGUMENTS[name], 0)
    assert call.malformed == "the arguments are nested too deeply"


def test_arguments_of_the_depth_that_is_allowed_are_read() -> None:
    arguments = {"a": nested(MOST_DEPTH - 2)}
    read = parse_agent_reply({"tool_calls": [{"name": "look", "arguments": arguments}]}, 1)
    assert isinstance(read.reply, ToolCallReply)
    assert read.reply.calls[0].arguments == arguments


@pytest.mark.parametrize(
    "answer",
    [
        nested(DEEP, lists=True),
        {"content": nested(DEEP, lists=True)},
        {"tool_calls": nested(DEEP, lists=True)},
    ],
    ids=["all of it", "its content", "its calls"],
)
def test_an_answer_that_is_nested_without_end_is_unusable_and_shown_short(answer: object) -> None:
    reply = parse_agent_reply(answer, 1).reply
    assert isinstance(reply, UnparsedReply)
    assert len(reply.raw) < 1_000


def test_tokens_that_are_nested_without_end_are_unknown() -> None:
    read = parse_agent_reply({"content": "hello", "usage": nested(DEEP)}, 1)
    assert (read.input_tokens, read.output_tokens) == (None, None)


class Shy:
    """An object that refuses to be shown."""

    def __repr__(self) -> str:
        raise ValueError("not me")


def test_an_object_that_refuses_to_be_shown_is_named_by_its_kind() -> None:
    call = parse_agent_reply({"tool_calls": [{"name": "look", "arguments": Shy()}]}, 1).reply
    assert isinstance(call, ToolCallReply)
    assert call.calls[0].raw == "a Shy that cannot be shown: ValueError"


def test_depth_is_that_of_lists_and_objects_together() -> None:
    assert not is_nested_too_deeply(nested(MOST_DEPTH - 1))
    assert is_nested_too_deeply(nested(MOST_DEPTH, lists=True))
