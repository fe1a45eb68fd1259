import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.episodes import Message
from dragoman.core.protocols import SessionInput, SessionStart
from dragoman.core.replies import Reply, TextReply, ToolCallReply, text_reply
from dragoman.core.tasks import Action, Criteria, Scenario, Task
from dragoman.core.tools import NO_TOOLS, ToolResult, Toolset, ToolSpec
from dragoman.simulation.participants.lexical import MAX_CALLS, MAX_QUESTIONS, LexicalAgent


def tool(name: str, description: str, **parameters: str) -> ToolSpec:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    schema: dict[str, object] = {"properties": properties, "required": list(parameters)}
    return ToolSpec(name, description, schema)


TOOLS = Toolset(
    (
        tool("get_parcel", "Show a parcel.", parcel_id="Such as 'P-100'."),
        tool("cancel_parcel", "Cancel a parcel.", parcel_id="Such as 'P-100'."),
        tool("list_depots", "List the depots of a town."),
        tool("transfer_to_human_agents", "Cancel a parcel elsewhere.", summary="A summary."),
    )
)
SOLO = Toolset((*TOOLS, tool("done", "End.")), must_call=True)


def replies(*turns: SessionInput, tools: Toolset = TOOLS, task: Task | None = None) -> list[Reply]:
    async def talk() -> list[Reply]:
        reported = task or Task("1", "s", "d", Scenario("secret"))
        session = await LexicalAgent().open(SessionStart(reported, "agent", 0))
        said = [(await session.reply([turn], tools)).reply for turn in turns]
        await session.close()
        return said

    return asyncio.run(talk())


def calls(said: list[Reply]) -> list[tuple[str, dict[str, object]]]:
    return [
        (c.name, c.arguments)
        for reply in said
        if isinstance(reply, ToolCallReply)
        for c in reply.calls
    ]


FOUND = ToolResult("1", "get_parcel", '{"parcel_id": "P-123", "status": "in transit"}')


def test_it_looks_up_what_was_named_and_says_what_it_found() -> None:
    said = replies(text_reply("Where is my parcel P-123?"), FOUND)
    assert calls(said) == [("get_parcel", {"parcel_id": "P-123"})]
    assert said[-1] == text_reply("This is what I found. parcel id: P-123; status: in transit.")


def test_it_asks_for_what_it_lacks() -> None:
    (question,) = replies(text_reply("Where is my parcel?"))
    assert question == text_reply("Please tell me: what is the parcel id (Such as 'P-100')?")


def test_it_changes_something_only_after_a_yes() -> None:
    wish = text_reply("Cancel parcel P-123!")
    done = ToolResult("2", "cancel_parcel", "cancelled")
    _, proposal = replies(wish, FOUND)
    assert proposal == text_reply(
        "I can do this for you: cancel parcel (parcel id P-123). Shall I go ahead?"
    )
    assert calls(replies(wish, FOUND, text_reply("Yes."), done))[1:] == [
        ("cancel_parcel", {"parcel_id": "P-123"})
    ]
    assert len(calls(replies(wish, FOUND, text_reply("No!")))) == 1


def test_it_changes_nothing_that_the_words_do_not_speak_of() -> None:
    said = replies(
        text_reply("Where is parcel P-123?"), FOUND, text_reply("Yes."), text_reply("Yes.")
    )
    assert [name for name, _ in calls(said)] == ["get_parcel"]


def test_it_never_looks_at_the_reference_plan() -> None:
    plan = Criteria(("DB",), actions=(Action("1", "cancel_parcel", {"parcel_id": "P-999"}),))
    known = Task("1", "s", "d", Scenario("My parcel is P-999."), plan, ticket="P-000")
    words = text_reply("Where is my parcel?")
    assert replies(words, task=known) == replies(
        words, task=Task("1", "s", "d", Scenario(""), ticket="P-000")
    )


def test_alone_it_works_from_the_ticket_and_ends_with_done() -> None:
    task = Task("1", "s", "d", Scenario(""), ticket="Cancel parcel P-123.")
    said = replies(
        text_reply("."), FOUND, ToolResult("2", "cancel_parcel", "ok"), tools=SOLO, task=task
    )
    assert [name for name, _ in calls(said)] == ["get_parcel", "cancel_parcel", "done"]


def test_history_was_heard_too() -> None:
    async def first() -> Reply:
        past = (Message("user", text_reply("My parcel is P-123.")),)
        opening = SessionStart(Task("1", "s", "d", Scenario("")), "agent", 0, history=past)
        session = await LexicalAgent().open(opening)
        return (await session.reply([text_reply("Where is it?")], TOOLS)).reply

    assert calls([asyncio.run(first())]) == [("get_parcel", {"parcel_id": "P-123"})]


def test_without_tools_it_says_that_it_cannot_help() -> None:
    assert replies(text_reply("Hello?"), tools=NO_TOOLS) == [
        text_reply("I am sorry, I found nothing that I can help you with.")
    ]


@settings(max_examples=settings().max_examples // 5)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=30), st.text(max_size=60))
def test_whatever_it_hears_its_calls_and_questions_are_bounded(
    words: list[str], content: str
) -> None:
    turns: list[SessionInput] = [
        part
        for text in words
        for part in (text_reply(text), ToolResult("1", "get_parcel", content))
    ]
    said = replies(*turns)
    assert len(calls(said)) <= MAX_CALLS + 1
    questions = [
        r for r in said if isinstance(r, TextReply) and r.text.startswith("Please tell me")
    ]
    assert len(questions) <= MAX_QUESTIONS
    assert said == replies(*turns)
