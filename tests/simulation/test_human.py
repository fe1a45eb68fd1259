import asyncio

import pytest

from dragoman.core.episodes import Message
from dragoman.core.errors import RunHalted
from dragoman.core.protocols import SessionInput, SessionStart
from dragoman.core.replies import Reply, TextReply, ToolCallReply, Utterance, text_reply
from dragoman.core.tasks import Action, Criteria, Scenario, Task
from dragoman.core.tools import Role, ToolCall, ToolResult, Toolset, ToolSpec
from dragoman.simulation.participants.human import Human

TOOLS = Toolset((ToolSpec("get_order", "Show an order.", {"properties": {"id": {}}}),))
SOLO = Toolset(tuple(TOOLS), must_call=True)
TASK = Task(
    "secret-id",
    "s",
    "d",
    Scenario("Cancel order 5."),
    Criteria(("DB",), actions=(Action("1", "get_order", {"id": "planned"}),)),
    ticket="Order 5 is late.",
)


class TypedConsole:
    """A console with given input lines; it records its output."""

    def __init__(self, *lines: str) -> None:
        self._lines = iter(lines)
        self.shown: list[str] = []

    async def read(self, prompt: str) -> str | None:
        self.shown.append(prompt)
        return next(self._lines, None)

    def show(self, text: str) -> None:
        self.shown.append(text)


def answered(
    console: TypedConsole,
    *heard: SessionInput,
    side: Role = "agent",
    tools: Toolset = TOOLS,
    history: tuple[Message | ToolResult, ...] = (),
) -> Reply:
    async def talk() -> Reply:
        opening = SessionStart(TASK, side, 0, "Be kind.", history)
        session = await Human(console).open(opening)
        reply = (await session.reply(heard, tools)).reply
        await session.close()
        return reply

    return asyncio.run(talk())


def test_typed_words_are_said() -> None:
    console = TypedConsole("", "  Good morning. ")
    assert answered(console, text_reply("Hello!")) == text_reply("Good morning.")
    assert "user: Hello!" in console.shown


@pytest.mark.parametrize("line", ["get_order id=5", 'get_order {"id": "5"}'])
def test_a_typed_call_is_made(line: str) -> None:
    reply = answered(TypedConsole(line))
    assert reply == ToolCallReply((ToolCall("typed_1", "get_order", {"id": "5"}, "agent"),))


def test_a_line_that_cannot_be_read_is_explained_and_not_sent() -> None:
    console = TypedConsole("get_order 5", "get_ordr id=5", "/nothing", "/say", "/stop", "done")
    assert answered(console) == text_reply("done")
    explained = [text for text in console.shown if text.startswith("not sent: ")]
    assert len(explained) == 5


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("/help", "/policy"),
        ("/policy", "Be kind."),
        ("/tools", "get_order(id)\n    Show an order."),
        ("/tool get_order", '"properties"'),
        ("/tool nothing", "unknown tool 'nothing'"),
        ("/log", "user: Hello!"),
    ],
)
def test_commands_show_and_send_nothing(command: str, shown: str) -> None:
    console = TypedConsole(command, "done")
    assert answered(console, text_reply("Hello!")) == text_reply("done")
    assert any(shown in text for text in console.shown)


def test_words_that_look_like_a_call_can_be_said() -> None:
    assert answered(TypedConsole("/say get_order id=5")) == text_reply("get_order id=5")


def test_the_agent_never_sees_what_only_the_user_and_the_scoring_know() -> None:
    console = TypedConsole(
        "/help", "/scenario", "/policy", "/tools", "/tool get_order", "/log", "x"
    )
    answered(console, text_reply("Hello!"))
    for hidden in ("Cancel order 5", "planned", "secret-id"):
        assert hidden not in "\n".join(console.shown)


def test_the_user_sees_its_scenario_and_can_end_the_conversation() -> None:
    console = TypedConsole("/policy", "/scenario", "/stop")
    assert answered(console, text_reply("Hi!"), side="user") == text_reply("###STOP###")
    assert "Instructions:\n\tCancel order 5." in console.shown
    assert "agent: Hi!" in console.shown
    assert "Be kind." not in console.shown


@pytest.mark.parametrize("lines", [(), ("/quit",), ("/help", "/quit", "too late")])
def test_quitting_or_the_end_of_input_stops_the_run(lines: tuple[str, ...]) -> None:
    with pytest.raises(RunHalted, match="dragoman resume"):
        answered(TypedConsole(*lines))


def test_results_and_errors_are_shown() -> None:
    console = TypedConsole("ok")
    right = ToolResult("1", "get_order", "paid", shown="bezahlt")
    answered(console, right, ToolResult("2", "get_order", "Error: none", error=True))
    assert "result of get_order: bezahlt" in console.shown
    assert "error of get_order: Error: none" in console.shown


def test_sound_alone_is_said_to_be_sound() -> None:
    console = TypedConsole("ok")
    answered(console, TextReply(Utterance("Hello", heard=None)))
    assert "user: (audio only)" in console.shown


def test_alone_only_calls_are_taken_and_the_ticket_is_shown() -> None:
    console = TypedConsole("Hello?", "get_order id=5")
    assert isinstance(answered(console, tools=SOLO), ToolCallReply)
    assert "ticket: Order 5 is late." in console.shown
    assert any(text.startswith("not sent: every reply must be a call") for text in console.shown)


def test_the_log_begins_with_the_history_as_this_side_saw_it() -> None:
    call = ToolCall("1", "get_order", {"id": "5"}, "user")
    history = (
        Message("user", text_reply("I am Maren.")),
        Message("user", ToolCallReply((call,))),
        ToolResult("1", "get_order", "private", "user"),
        Message("agent", text_reply("One moment.")),
    )
    console = TypedConsole("/log", "ok")
    answered(console, history=history)
    assert "user: I am Maren.\nagent: One moment." in console.shown
