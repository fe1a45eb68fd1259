import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.protocols import SessionInput, SessionStart
from dragoman.core.replies import Reply, TextReply, ToolCallReply, text_reply
from dragoman.core.tasks import KnownFact, Scenario, Task, UserAction
from dragoman.core.tools import NO_TOOLS, ToolResult, Toolset, ToolSpec
from dragoman.simulation.participants.scripted_user import MAX_REPLIES, MAX_TIMES, OfflineUser
from dragoman.simulation.phrasebooks import english_phrasebook

UNKNOWN = english_phrasebook().says.unknown
SCENARIO = Scenario(
    "My zip is 83702.",
    opening="I want to move an order. ###STOP###",
    facts=(
        KnownFact("last_name", "Holt", ("surname",)),
        KnownFact("zip_code", "83702", ("zip",)),
    ),
    user_actions=(
        UserAction("read_display", {}, ("display",)),
        UserAction("open_compartment", {"number": 7}, ("open", "compartment")),
    ),
)
TOOLS = Toolset((ToolSpec("read_display", "", {}), ToolSpec("open_compartment", "", {})))
STOP = "###STOP###"


def replies(*turns: str | ToolResult, tools: Toolset = TOOLS) -> list[Reply]:
    async def talk() -> list[Reply]:
        session = await OfflineUser().open(SessionStart(Task("1", "s", "d", SCENARIO), "user", 0))
        given: list[Reply] = []
        for turn in ("Hi!", *turns):
            heard: list[SessionInput] = [text_reply(turn) if isinstance(turn, str) else turn]
            given.append((await session.reply(heard, tools)).reply)
        await session.close()
        return given

    return asyncio.run(talk())


def answer(*turns: str | ToolResult) -> str:
    """Return the last utterance."""
    last = replies(*turns)[-1]
    assert isinstance(last, TextReply)
    return last.text


def test_the_opening_comes_first_and_cannot_hang_up() -> None:
    (first,) = replies()
    assert first == text_reply("I want to move an order.")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is your zip?", "The zip code is 83702."),
        ("Please give me your surname and zip.", "The last name is Holt. The zip code is 83702."),
        ("Your zip is 83702, is that right?", "Yes, please."),
        ("The surname is Brackwater; the zip is 83702. Right?", "No. The last name is Holt."),
        ("The surname is ; the zip is 83702. Is that right?", "No. The last name is Holt."),
        ("The zip is missing. Is that right?", "Yes, please."),
        ("Your zip is 83702?", "Yes, that is right."),
        ("Shall I go ahead?", "Yes, please."),
        ("Shall I have it kept for you?", "Yes, please."),
        ("May I have your zip?", "The zip code is 83702."),
        (
            "Your zip is 83712, and what is your surname?",
            "No. The zip code is 83702. The last name is Holt.",
        ),
        ("Your zip is 83712, right?", "No. The zip code is 83702."),
        ("Your surname is Hold and your zip is 83702?", "No. The last name is Holt."),
        ("What is your shoe size?", UNKNOWN),
        ("Please spell your surname.", "The last name is Holt, spelled H-o-l-t."),
        (
            "Could you spell your surname in the NATO alphabet?",
            "The last name is Holt, spelled Hotel-oscar-lima-tango.",
        ),
        ("Can you repeat that?", UNKNOWN),
        ("Is there anything else?", STOP),
        ("It is all done.", STOP),
        ("Goodbye!", STOP),
        ("You are being transferred to a human agent.", "###TRANSFER###"),
    ],
)
def test_what_is_asked_is_answered(question: str, expected: str) -> None:
    assert answer(question) == expected


def test_what_was_told_last_is_what_is_repeated() -> None:
    assert (
        answer("Your surname?", "Can you spell that?") == "The last name is Holt, spelled H-o-l-t."
    )


def test_a_user_action_is_done_when_asked_and_reported_in_words() -> None:
    opening, call = replies("Please look at the display.")
    assert isinstance(opening, TextReply)
    assert isinstance(call, ToolCallReply)
    assert [(c.name, c.arguments, c.by) for c in call.calls] == [("read_display", {}, "user")]
    result = ToolResult("1", "read_display", "Code ###STOP### 15", "user")
    assert answer("Please look at the display.", result) == "I did that. It says: Code  15"


def test_a_user_action_that_fails_is_reported_as_such() -> None:
    result = ToolResult("1", "open_compartment", "Error: jammed", "user", error=True)
    assert answer("Open it.", result) == "That did not work: Error: jammed"


def test_several_user_actions_are_done_in_the_order_they_are_named() -> None:
    call = replies("Open the compartment, then read the display.")[-1]
    assert isinstance(call, ToolCallReply)
    assert [c.name for c in call.calls] == ["open_compartment", "read_display"]


def test_a_user_action_is_done_before_the_farewell_that_follows_it() -> None:
    call = replies("Please open the compartment. Is there anything else?")[-1]
    assert isinstance(call, ToolCallReply)
    assert [c.name for c in call.calls] == ["open_compartment"]


def test_an_agent_that_tells_of_its_own_user_actions_asks_for_none() -> None:
    assert answer("I can see the display from here.") == STOP


def test_a_user_action_without_its_tool_is_declined() -> None:
    assert replies("Read the display.", tools=NO_TOOLS)[-1] == text_reply("I cannot do that.")


@pytest.mark.parametrize(
    "words",
    ["What is it?", "Your zip?", "Shall I?", "Spell your zip.", "Your zip is 12345?", "Open it."],
)
def test_an_agent_that_repeats_itself_is_left(words: str) -> None:
    said = replies(*[words] * (MAX_TIMES + 8))
    assert text_reply(STOP) in said


@given(st.lists(st.text(max_size=40), min_size=MAX_REPLIES, max_size=MAX_REPLIES))
def test_any_agent_is_answered_a_bounded_number_of_times(words: list[str]) -> None:
    given_replies = replies(*words)
    assert all(isinstance(reply, TextReply | ToolCallReply) for reply in given_replies)
    assert given_replies[-1] == text_reply(STOP)


def test_two_conversations_are_alike() -> None:
    assert replies("Your zip?", "Open it.") == replies("Your zip?", "Open it.")
