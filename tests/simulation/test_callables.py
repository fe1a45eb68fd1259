import asyncio
import functools
import threading

import pytest

from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import UnparsedReply, text_reply
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.simulation.participants.python_function import AgentFunction, FunctionModel

TOOLS = Toolset((ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),))
REQUEST = ChatRequest([{"role": "user", "content": "hi"}], TOOLS, 0, "7")


def ask(function: AgentFunction, times: int = 1) -> Completion:
    async def talk() -> Completion:
        model = FunctionModel("mine", function)
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
    assert completion.reply == text_reply("hello")
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


def test_a_functions_latency_is_the_time_that_it_took() -> None:
    async def agent(messages: object, tools: object) -> str:  # noqa: ARG001 - an agent's signature
        await asyncio.sleep(0)
        return "hello"

    latency = ask(agent).latency
    assert latency is not None
    assert latency.seconds is not None
    assert 0 < latency.seconds < 60
    assert (latency.first_word, latency.is_stated) == (None, False)


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
    assert ask(agent).reply == text_reply("later")


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

    assert ask(agent, times=2).reply == text_reply("2")
    assert REQUEST.messages == [{"role": "user", "content": "hi"}]


def test_tokens_that_make_no_sense_are_unknown_and_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    usage = {"input_tokens": -1, "output_tokens": 2}
    completion = ask(lambda messages, tools: {"content": "hello", "usage": usage}, times=3)  # noqa: ARG005 - an agent's signature
    assert (completion.reply, completion.usage) == (text_reply("hello"), Usage("agent", "mine"))
    (line,) = caplog.messages
    assert line.startswith("mine: the tokens it tells make no sense: ")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        42,
        b"bytes",
        ["hello"],
        {"content": 5},
        {"tool_calls": "look"},
        {"tool_calls": ["look"]},
    ],
)
def test_an_answer_of_another_kind_is_the_agents_mistake(answer: object) -> None:
    reply = ask(lambda messages, tools: answer).reply  # noqa: ARG005 - an agent's signature
    assert isinstance(reply, UnparsedReply)


def test_a_function_may_change_the_tools_it_is_given() -> None:
    def agent(messages: object, tools: list[dict[str, object]]) -> str:  # noqa: ARG001 - an agent's signature
        tools.append({})
        return str(len(tools))

    assert ask(agent, times=2).reply == text_reply("2")


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_a_plain_function_may_return_an_awaitable() -> None:
    assert ask(lambda messages, tools: answer_later(messages, tools)).reply == text_reply("later")  # noqa: PLW0108 - a plain function around an async one


def test_tokens_that_a_function_tells_are_its_usage() -> None:
    answer = {"content": "hello", "usage": {"input_tokens": 7, "output_tokens": 2}}
    usage = ask(lambda messages, tools: answer).usage  # noqa: ARG005 - an agent's signature
    assert usage == Usage("agent", "mine", 1, input_tokens=7, output_tokens=2)
