import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.episodes import Move
from dragoman.core.protocols import Heard, Opening
from dragoman.core.speech import Called, Reply, Said, say
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


def replies(*turns: Heard, tools: Toolset = TOOLS, task: Task | None = None) -> list[Reply]:
    async def talk() -> list[Reply]:
        told = task or Task("1", "s", "d", Scenario("secret"))
        session = await LexicalAgent().open(Opening(told, "agent", 0))
        said = [(await session.reply([turn], tools)).reply for turn in turns]
        await session.close()
        return said

    return asyncio.run(talk())


def calls(said: list[Reply]) -> list[tuple[str, dict[str, object]]]:
    return [
        (c.name, c.arguments) for reply in said if isinstance(reply, Called) for c in reply.calls
    ]


FOUND = ToolResult("1", "get_parcel", '{"parcel_id": "P-123", "status": "in transit"}')


def test_it_looks_up_what_was_named_and_says_what_it_found() -> None:
    said = replies(say("Where is my parcel P-123?"), FOUND)
    assert calls(said) == [("get_parcel", {"parcel_id": "P-123"})]
    assert said[-1] == say("This is what I found. parcel id: P-123; status: in transit.")


def test_it_asks_for_what_it_lacks() -> None:
    (question,) = replies(say("Where is my parcel?"))
    assert question == say("Please tell me: what is the parcel id (Such as 'P-100')?")


def test_it_changes_something_only_after_a_yes() -> None:
    wish = say("Cancel parcel P-123!")
    done = ToolResult("2", "cancel_parcel", "cancelled")
    _, proposal = replies(wish, FOUND)
    assert proposal == say(
        "I can do this for you: cancel parcel (parcel id P-123). Shall I go ahead?"
    )
    assert calls(replies(wish, FOUND, say("Yes."), done))[1:] == [
        ("cancel_parcel", {"parcel_id": "P-123"})
    ]
    assert len(calls(replies(wish, FOUND, say("No!")))) == 1


def test_it_changes_nothing_that_the_words_do_not_speak_of() -> None:
    said = replies(say("Where is parcel P-123?"), FOUND, say("Yes."), say("Yes."))
    assert [name for name, _ in calls(said)] == ["get_parcel"]


def test_it_never_looks_at_the_reference_plan() -> None:
    plan = Criteria(("DB",), actions=(Action("1", "cancel_parcel", {"parcel_id": "P-999"}),))
    known = Task("1", "s", "d", Scenario("My parcel is P-999."), plan, ticket="P-000")
    words = say("Where is my parcel?")
    assert replies(words, task=known) == replies(
        words, task=Task("1", "s", "d", Scenario(""), ticket="P-000")
    )


def test_alone_it_works_from_the_ticket_and_ends_with_done() -> None:
    task = Task("1", "s", "d", Scenario(""), ticket="Cancel parcel P-123.")
    said = replies(say("."), FOUND, ToolResult("2", "cancel_parcel", "ok"), tools=SOLO, task=task)
    assert [name for name, _ in calls(said)] == ["get_parcel", "cancel_parcel", "done"]


def test_history_was_heard_too() -> None:
    async def first() -> Reply:
        past = (Move("user", say("My parcel is P-123.")),)
        opening = Opening(Task("1", "s", "d", Scenario("")), "agent", 0, history=past)
        session = await LexicalAgent().open(opening)
        return (await session.reply([say("Where is it?")], TOOLS)).reply

    assert calls([asyncio.run(first())]) == [("get_parcel", {"parcel_id": "P-123"})]


def test_without_tools_it_says_that_it_cannot_help() -> None:
    assert replies(say("Hello?"), tools=NO_TOOLS) == [
        say("I am sorry, I found nothing that I can help you with.")
    ]


@settings(max_examples=settings().max_examples // 5)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=30), st.text(max_size=60))
def test_whatever_it_hears_its_calls_and_questions_are_bounded(
    words: list[str], content: str
) -> None:
    turns: list[Heard] = [
        part for text in words for part in (say(text), ToolResult("1", "get_parcel", content))
    ]
    said = replies(*turns)
    assert len(calls(said)) <= MAX_CALLS + 1
    questions = [r for r in said if isinstance(r, Said) and r.text.startswith("Please tell me")]
    assert len(questions) <= MAX_QUESTIONS
    assert said == replies(*turns)
