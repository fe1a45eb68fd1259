import asyncio
import functools
import threading
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.speech import Called, Said, Unparsed, say
from dragoman.core.tools import ToolCall, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.simulation.callables import AgentFunction, CallableModel, read_answer

TOOLS = Toolset((ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),))
REQUEST = ChatRequest([{"role": "user", "content": "hi"}], TOOLS, 0, "7")


def ask(function: AgentFunction, times: int = 1) -> Completion:
    async def talk() -> Completion:
        model = CallableModel("mine", function)
        for _ in range(times - 1):
            await model.complete(REQUEST, "agent")
        return await model.complete(REQUEST, "agent")

    return asyncio.run(talk())


def test_a_plain_function_is_given_messages_and_tools() -> None:
    given_to: list[object] = []

    def agent(messages: list[dict[str, object]], tools: list[dict[str, object]]) -> str:
        given_to.extend([messages, tools])
        return "hello"

    completion = ask(agent)
    assert completion.reply == say("hello")
    assert completion.usage == Usage("agent", "mine")
    assert bytes(completion.raw) == b'"hello"'
    assert given_to == [
        [{"role": "user", "content": "hi"}],
        [
            {
                "type": "function",
                "function": {
                    "name": "look",
                    "description": "Looks.",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
    ]


def test_a_plain_function_runs_beside_the_event_loop() -> None:
    threads: list[int] = []

    def agent(messages: object, tools: object) -> str:  # noqa: ARG001 - an agent's signature
        threads.append(threading.get_ident())
        return "x"

    ask(agent)
    assert threads != [threading.get_ident()]


async def answer_later(messages: object, tools: object) -> str:  # noqa: ARG001 - an agent's signature
    await asyncio.sleep(0)
    return "later"


class Waiter:
    async def __call__(self, messages: object, tools: object) -> str:
        return await answer_later(messages, tools)


@pytest.mark.parametrize("agent", [answer_later, Waiter(), functools.partial(answer_later)])
def test_an_async_function_is_awaited(agent: AgentFunction) -> None:
    assert ask(agent).reply == say("later")


def test_a_function_that_raises_is_a_broken_participant() -> None:
    def agent(messages: object, tools: object) -> str:  # noqa: ARG001 - an agent's signature
        raise KeyError("no such thing")

    with pytest.raises(ParticipantError, match="mine raised KeyError: 'no such thing'"):
        ask(agent)


def test_an_async_function_that_raises_is_a_broken_participant() -> None:
    async def agent(messages: object, tools: object) -> str:  # noqa: ARG001 - an agent's signature
        raise OSError("gone")

    with pytest.raises(ParticipantError, match="mine raised OSError: gone"):
        ask(agent)


def test_a_function_may_change_the_messages_it_is_given() -> None:
    def agent(messages: list[dict[str, object]], tools: object) -> str:  # noqa: ARG001 - an agent's signature
        messages[0]["content"] = "changed"
        messages.append({"role": "user"})
        return str(len(messages))

    assert ask(agent, times=2).reply == say("2")
    assert REQUEST.messages == [{"role": "user", "content": "hi"}]


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
    ],
)
def test_calls_are_read_from_objects_of_several_kinds(answer: object) -> None:
    assert read_answer(answer, 3) == Called((ToolCall("a", "look", {"x": 1}),), "hm")


def test_calls_without_ids_get_their_own() -> None:
    answer = {"tool_calls": [{"name": "look"}, {"name": "look"}]}
    assert read_answer(answer, 3) == Called(
        (ToolCall("call_3_0", "look", {}), ToolCall("call_3_1", "look", {}))
    )


@pytest.mark.parametrize("text", ["{", "", "[1]", "null", '"x"', "[" * 5_000])
def test_argument_text_that_is_no_object_is_a_malformed_call(text: str) -> None:
    reply = read_answer({"tool_calls": [{"id": "a", "name": "look", "arguments": text}]}, 0)
    assert isinstance(reply, Called)
    (call,) = reply.calls
    assert (call.arguments, call.raw) == ({}, text)
    assert call.malformed


@pytest.mark.parametrize(
    "answer",
    [
        None,
        42,
        b"bytes",
        ["hello"],
        {"content": 5},
        {"tool_calls": "look"},
        {"tool_calls": [{"arguments": {}}]},
        {"tool_calls": [{"name": "look", "arguments": [1]}]},
    ],
)
def test_an_answer_of_another_kind_is_the_agents_mistake(answer: object) -> None:
    reply = ask(lambda messages, tools: answer).reply  # noqa: ARG005 - an agent's signature
    assert isinstance(reply, Unparsed)


def test_what_is_wrong_with_an_answer_is_kept() -> None:
    reply = read_answer(42, 0)
    assert isinstance(reply, Unparsed)
    assert (reply.raw, reply.error) == ("42", "Expected `object`, got `int`")


@pytest.mark.parametrize("answer", ["", {}, {"content": None}, {"content": "", "tool_calls": []}])
def test_an_empty_answer_has_no_words(answer: object) -> None:
    assert read_answer(answer, 0) == say("")


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content", "tool_calls", "name", "arguments", "id"]), inner
        )
        | st.tuples(inner)
        | st.frozensets(st.integers(), max_size=2)
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_any_answer_is_read_as_some_reply(answer: object) -> None:
    assert isinstance(read_answer(answer, 0), Said | Called | Unparsed)


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
    reply = read_answer({"tool_calls": [{"name": "look", "arguments": {"x": value}}]}, 0)
    assert isinstance(reply, Called)
    assert reply.calls[0].malformed
    assert msgspec.json.decode(msgspec.json.encode(reply), type=Called) == reply


def test_a_function_may_change_the_tools_it_is_given() -> None:
    def agent(messages: object, tools: list[dict[str, object]]) -> str:  # noqa: ARG001 - an agent's signature
        tools.append({})
        return str(len(tools))

    assert ask(agent, times=2).reply == say("2")


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_a_plain_function_may_return_an_awaitable() -> None:
    assert ask(lambda messages, tools: answer_later(messages, tools)).reply == say("later")  # noqa: PLW0108 - a plain function around an async one
