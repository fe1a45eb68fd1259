import asyncio
import copy
import json
from collections.abc import Sequence
from typing import Any

import msgspec

from dragoman.core.episodes import Event, Message
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import (
    ChatRequest,
    Completion,
    SessionInput,
    SessionReply,
    SessionStart,
)
from dragoman.core.replies import (
    Latency,
    Reply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
    text_reply,
)
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import NO_TOOLS, Role, ToolCall, ToolResult, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.simulation.participants.llm import LlmParticipant
from dragoman.simulation.prompts import default_prompts, user_prompt

PROMPTS = PromptSet("test", "Work.", "Play.")
TASK = Task("7", "suite", "digest", Scenario("Cancel it."))
GREETING = Message("agent", text_reply("Hi!"), scripted=True)
TOOK = Latency(2.0, 0.5)
TOOLS = Toolset((ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),))


class Recorder:
    """A chat model that keeps its requests and gives its replies in turn."""

    name = "recorder"

    def __init__(self, *replies: Reply) -> None:
        self.requests: list[ChatRequest] = []
        self.purposes: list[str] = []
        self._replies = iter(replies)

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        messages = copy.deepcopy(list(request.messages))
        self.requests.append(msgspec.structs.replace(request, messages=messages))
        self.purposes.append(purpose)
        return Completion(next(self._replies), msgspec.Raw(b"{}"), Usage(purpose, self.name), TOOK)


def talk(
    model: Recorder, side: Role, turns: Sequence[tuple[Sequence[SessionInput], Toolset]]
) -> list[SessionReply]:
    async def conversation() -> list[SessionReply]:
        history: tuple[Event, ...] = (GREETING,)
        opening = SessionStart(TASK, side, 5, "Be fair.", history, "c1")
        session = await LlmParticipant(model, PROMPTS).open(opening)
        answers = [await session.reply(heard, tools) for heard, tools in turns]
        await session.close()
        return answers

    return asyncio.run(conversation())


def wire_call(call_id: str, name: str, arguments: str) -> dict[str, object]:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def test_the_agent_sees_policy_greeting_words_calls_and_results() -> None:
    model = Recorder(
        ToolCallReply((ToolCall("1", "look", {"a": 1}), ToolCall("2", "look", {})), "Wait."),
        text_reply("Found."),
    )
    results = [ToolResult("1", "look", "one"), ToolResult("2", "look", "two", shown="dos")]
    talk(model, "agent", [([text_reply("Cancel it.")], TOOLS), (results, TOOLS)])
    first: list[dict[str, Any]] = [
        {
            "role": "system",
            "content": "<instructions>\nWork.\n</instructions>\n<policy>\nBe fair.\n</policy>",
        },
        {"role": "assistant", "content": "Hi!"},
        {"role": "user", "content": "Cancel it."},
    ]
    assert model.requests[0].messages == first
    assert model.requests[1].messages == [
        *first,
        {
            "role": "assistant",
            "content": "Wait.",
            "tool_calls": [wire_call("1", "look", '{"a":1}'), wire_call("2", "look", "{}")],
        },
        {"role": "tool", "tool_call_id": "1", "content": "one"},
        {"role": "tool", "tool_call_id": "2", "content": "dos"},
    ]
    assert model.purposes == ["agent", "agent"]


def test_the_user_sees_its_scenario_and_the_agent_as_the_other_side() -> None:
    model = Recorder(text_reply("Cancel it."), text_reply("###STOP###"))
    talk(model, "user", [([text_reply("Hi!")], NO_TOOLS), ([text_reply("Done.")], NO_TOOLS)])
    assert model.requests[1].messages == [
        {
            "role": "system",
            "content": "Play.\n\n<scenario>\nInstructions:\n\tCancel it.\n</scenario>",
        },
        {"role": "user", "content": "Hi!"},
        {"role": "assistant", "content": "Cancel it."},
        {"role": "user", "content": "Done."},
    ]
    assert model.purposes == ["user", "user"]


def test_an_answer_took_as_long_as_the_models_reply() -> None:
    (answer,) = talk(Recorder(text_reply("Hello!")), "agent", [((text_reply("Hi"),), TOOLS)])
    assert answer.latency == TOOK


def test_both_sides_are_told_which_language_they_speak() -> None:
    def system(side: Role, tools: Toolset) -> object:
        model = Recorder(text_reply("a"))

        async def conversation() -> None:
            opening = SessionStart(
                TASK, side, 5, "Be fair.", (GREETING,), instructions="Speak Thai."
            )
            session = await LlmParticipant(model, PROMPTS).open(opening)
            await session.reply([], tools)

        asyncio.run(conversation())
        return model.requests[0].messages[0]["content"]

    assert system("agent", TOOLS) == (
        "<instructions>\nWork.\n</instructions>\n<policy>\nBe fair.\n</policy>\n"
        "<language>\nSpeak Thai.\n</language>"
    )
    assert system("user", NO_TOOLS) == (
        "Play.\n\n<scenario>\nInstructions:\n\tCancel it.\n</scenario>\n"
        "<language>\nSpeak Thai.\n</language>"
    )


def test_the_policy_never_reaches_the_user_nor_the_scenario_the_agent() -> None:
    agent, user = Recorder(text_reply("a")), Recorder(text_reply("b"))
    talk(agent, "agent", [([], TOOLS)])
    talk(user, "user", [([], NO_TOOLS)])
    assert "Cancel it." not in str(agent.requests[0].messages)
    assert "Be fair." not in str(user.requests[0].messages)


def test_a_request_carries_tools_seed_label_and_conversation() -> None:
    model = Recorder(text_reply("a"))
    talk(model, "agent", [([], TOOLS)])
    request = model.requests[0]
    assert request.tools is TOOLS
    assert (request.seed, request.label, request.session) == (5, "7", "c1")


def test_the_users_calls_are_the_users() -> None:
    model = Recorder(ToolCallReply((ToolCall("1", "reboot", {}),)))
    (answer,) = talk(model, "user", [([text_reply("Hi!")], TOOLS)])
    assert answer.reply == ToolCallReply((ToolCall("1", "reboot", {}),)), (
        "whose call it is, the loop says"
    )


def test_what_was_heard_is_sent_and_not_what_was_meant() -> None:
    model = Recorder(text_reply("a"))
    heard = msgspec.structs.replace(text_reply(""), utterance=Utterance("five", heard="nine"))
    talk(model, "agent", [([heard], TOOLS)])
    assert model.requests[0].messages[-1] == {"role": "user", "content": "nine"}


def test_malformed_arguments_are_sent_back_as_they_came() -> None:
    model = Recorder(
        ToolCallReply((ToolCall("1", "look", {}, raw="{a:", malformed="bad"),)), text_reply("b")
    )
    talk(model, "agent", [([], TOOLS), ([ToolResult("1", "look", "Error", error=True)], TOOLS)])
    assert model.requests[1].messages[2]["tool_calls"] == [wire_call("1", "look", "{a:")]


def test_a_reply_that_cannot_be_read_is_answered_and_kept() -> None:
    reply = UnparsedReply("<<<", "neither words nor calls")
    (answer,) = talk(Recorder(reply), "agent", [([], TOOLS)])
    assert answer.reply == reply
    assert answer.usage == Usage("agent", "recorder")


def test_each_side_sees_its_own_part_of_a_history() -> None:
    look = ToolCall("h1", "look", {})
    history: tuple[Event, ...] = (
        GREETING,
        Message("user", text_reply("Look.")),
        Message("agent", ToolCallReply((look,), "Wait.")),
        ToolResult("h1", "look", "one"),
        Message("agent", text_reply("It is one.")),
        Message("user", text_reply("Look again.")),
    )
    seen: dict[Role, list[object]] = {}
    heard_by: dict[Role, str] = {"agent": "Look again.", "user": "Here."}
    for side, heard in heard_by.items():
        model = Recorder(text_reply("a"))
        opening = SessionStart(TASK, side, 5, "Be fair.", history, "c1")
        ask_once(model, opening, [text_reply(heard)])
        messages = [dict(message) for message in model.requests[0].messages[1:]]
        seen[side] = [(m["role"], m["content"]) for m in messages]
    assert seen["agent"] == [
        ("assistant", "Hi!"),
        ("user", "Look."),
        ("assistant", "Wait."),
        ("tool", "one"),
        ("assistant", "It is one."),
        ("user", "Look again."),
    ]
    assert seen["user"] == [
        ("user", "Hi!"),
        ("assistant", "Look."),
        ("user", "It is one."),
        ("assistant", "Look again."),
        ("user", "Here."),
    ]


def ask_once(model: Recorder, opening: SessionStart, heard: Sequence[SessionInput]) -> None:
    async def conversation() -> None:
        session = await LlmParticipant(model, PROMPTS).open(opening)
        await session.reply(heard, TOOLS)

    asyncio.run(conversation())


def test_messages_are_plain_json() -> None:
    model = Recorder(ToolCallReply((ToolCall("1", "look", {"a": "é"}),)), text_reply("b"))
    talk(model, "agent", [([text_reply("Olá")], TOOLS), ([ToolResult("1", "look", "é")], TOOLS)])
    messages = list(model.requests[1].messages)
    assert json.loads(json.dumps(messages)) == messages


def test_the_default_prompts_have_a_digest_of_their_texts() -> None:
    prompts = default_prompts()
    changed = msgspec.structs.replace(prompts, user=prompts.user + " ")
    assert prompts.digest != changed.digest
    assert "###STOP###" in prompts.user


def test_a_user_with_tools_is_told_how_to_use_them() -> None:
    prompts = default_prompts()
    with_tools = user_prompt(prompts, "Cancel it.", has_tools=True)
    without = user_prompt(prompts, "Cancel it.", has_tools=False)
    assert "your tools" in with_tools
    assert "tool" not in without
    assert all(token in with_tools for token in ("###STOP###", "###TRANSFER###"))
