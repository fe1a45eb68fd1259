import asyncio

import pytest

from dragoman.core.protocols import SessionInput, SessionStart
from dragoman.core.replies import TextReply, text_reply
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import NO_TOOLS, ToolResult
from dragoman.simulation.participants.scripted_user import MAX_AGREEMENTS, OfflineUser


def replies(script: str, *turns: list[SessionInput]) -> list[str]:
    async def talk() -> list[str]:
        opening = SessionStart(Task("1", "s", "d", Scenario(script)), "user", 0)
        session = await OfflineUser().open(opening)
        said = []
        for turn in turns:
            answer = await session.reply(turn, NO_TOOLS)
            assert isinstance(answer.reply, TextReply)
            said.append(answer.reply.text)
        await session.close()
        return said

    return asyncio.run(talk())


def test_everything_is_told_at_once() -> None:
    assert replies("Cancel order #W1.", [text_reply("Hi!")]) == ["Cancel order #W1."]


def test_a_user_without_a_script_still_says_something() -> None:
    assert replies("", [text_reply("Hi!")]) == ["Hello."]


def test_a_question_is_agreed_to_and_a_statement_ends_the_call() -> None:
    _, yes, stop = replies(
        "Cancel.", [text_reply("Hi!")], [text_reply("Are you sure?")], [text_reply("Done.")]
    )
    assert yes.startswith("Yes")
    assert stop == "###STOP###"


@pytest.mark.parametrize(
    "words",
    ["YOU ARE BEING TRANSFERRED TO A HUMAN AGENT.", "You are being transferred to a human."],
)
def test_a_hand_over_is_answered_with_the_transfer_token(words: str) -> None:
    assert replies("Cancel.", [text_reply("Hi!")], [text_reply(words)])[1] == "###TRANSFER###"


def test_agreement_is_bounded() -> None:
    turns: list[list[SessionInput]] = [[text_reply("Sure?")] for _ in range(MAX_AGREEMENTS + 2)]
    said = replies("Cancel.", *turns)
    assert said[-2].startswith("Yes")
    assert said[-1] == "###STOP###"


def test_nothing_heard_ends_the_call() -> None:
    assert replies("Cancel.", [text_reply("Hi!")], [ToolResult("1", "x", "?")])[1] == "###STOP###"


def test_conversations_do_not_share_their_count() -> None:
    assert replies("A.", [text_reply("Hi!")]) == ["A."]
    assert replies("A.", [text_reply("Hi!")]) == ["A."]
