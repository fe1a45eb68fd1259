"""The agent `lexical` with fixed turns: one call, with the values of the query."""

import asyncio

from dragoman.core.apis.metrics import KIND_LABEL
from dragoman.core.protocols import SessionStart
from dragoman.core.replies import Reply, TextReply, ToolCallReply, text_reply
from dragoman.core.tasks import FixedTurn, Scenario, Task
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.simulation.participants.lexical import LexicalAgent, LexicalQuerySession


def tool(
    name: str, about: str, required: bool = True, /, **parameters: dict[str, object]
) -> ToolSpec:
    schema: dict[str, object] = {
        "type": "object", "properties": parameters, "required": list(parameters) if required else [],
    }  # fmt: skip
    return ToolSpec(name, about, schema)


TOOLS = Toolset((
    tool("postcode", "Street of a postcode.", code={"type": "string", "pattern": "^(?:\\d{8})$"}),
    tool("password", "Make a password of some length.", length={"type": "integer"}),
    tool("convert", "Convert kilometres, miles and feet.", value={"type": "number"}, to={"type": "string", "enum": ["miles", "feet"]}),
    tool("country", "Capital of a country.", False, name={"type": "string"}),
))  # fmt: skip


def replies(*said: str) -> list[Reply]:
    task = Task(
        "1",
        "itc:test",
        "d",
        Scenario(said[0]),
        turns=(FixedTurn(said),),
        labels={KIND_LABEL: "single"},
    )

    async def play() -> list[Reply]:
        session = await LexicalAgent().open(SessionStart(task, "agent", 0))
        assert isinstance(session, LexicalQuerySession)
        return [(await session.reply([text_reply(words)], TOOLS)).reply for words in said]

    return asyncio.run(play())


def called(query: str) -> tuple[str, dict[str, object]] | None:
    (reply,) = replies(query)
    return (
        (reply.calls[0].name, reply.calls[0].arguments)
        if isinstance(reply, ToolCallReply)
        else None
    )


def test_values_have_the_form_that_a_tool_wants() -> None:
    assert called("Which street has the postcode 01310-930?") == ("postcode", {"code": "01310930"})
    assert called("Make a password, its length is to be 12.") == ("password", {"length": 12})
    assert called("Convert 26.2 kilometres, please, to miles.") == (
        "convert",
        {"value": 26.2, "to": "miles"},
    )


def test_of_a_tool_that_requires_nothing_the_first_parameter_is_filled() -> None:
    assert called("What is the capital of the country Paraguay?") == (
        "country",
        {"name": "Paraguay"},
    )


def test_a_query_that_shares_no_word_with_any_tool_is_answered_in_words() -> None:
    assert called("Zzz?") is None
    first, second = replies("Make a password.", "And another one.")
    assert isinstance(first, ToolCallReply)
    assert isinstance(second, TextReply)
