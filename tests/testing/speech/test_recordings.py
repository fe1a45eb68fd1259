from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.testing.chat_requests import Call, ChatBody, ChatMessage, Function
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import (
    RecordedAnswers,
    RecordedConversation,
    Unanswered,
    history_key,
)

HELLO = ChatMessage("assistant", "Hi!")
LOOK = Call("a", Function("look", '{"x": 1, "y": 2}'))


def user(content: str) -> ChatMessage:
    return ChatMessage("user", content)


def says(content: str) -> ChatMessage:
    return ChatMessage("assistant", content)


FOUND = RecordedConversation(
    "found",
    (
        ChatMessage("system", "Work."),
        HELLO,
        user("Cancel it."),
        ChatMessage("assistant", "Wait.", (LOOK,)),
        ChatMessage("tool", "one", tool_call_id="a"),
        says("Done."),
    ),
)


def answer(
    recordings: Sequence[RecordedConversation], *messages: ChatMessage
) -> CannedReply | Unanswered:
    return RecordedAnswers(recordings)(ChatBody("m", messages))


def test_every_recorded_history_gets_what_followed() -> None:
    assert answer([FOUND], *FOUND.messages[:3]) == CannedReply("Wait.", (LOOK,))
    assert answer([FOUND], *FOUND.messages[:5]) == CannedReply("Done.")


def test_ids_system_messages_and_the_spelling_of_arguments_do_not_count() -> None:
    called = ChatMessage("assistant", "Wait.", (Call("z", Function("look", '{"y":2,"x":1}')),))
    history = (HELLO, user("Cancel it."), called, ChatMessage("tool", "one", tool_call_id="z"))
    assert answer([FOUND], *history) == CannedReply("Done.")


@pytest.mark.parametrize(
    "messages",
    [
        (HELLO, user("Cancel that.")),
        (user("Cancel it."),),
        (HELLO, says("Cancel it.")),
        (HELLO, user("Cancel it."), says("Wait."), user("one")),
        (
            HELLO,
            user("Cancel it."),
            ChatMessage("assistant", "Wait.", (Call("a", Function("look", '{"x": 1}')),)),
            ChatMessage("tool", "one", tool_call_id="a"),
        ),
    ],
)
def test_a_history_that_was_not_recorded_is_not_answered(messages: tuple[ChatMessage, ...]) -> None:
    said = {
        1: "no recorded conversation begins with this message",
        2: "no recorded conversation begins with these 2 messages",
        4: "no recorded conversation begins with these 4 messages",
    }
    assert answer([FOUND], *messages) == Unanswered(said[len(messages)])


def test_conversations_that_go_on_differently_are_ambiguous_from_there_on() -> None:
    recordings = [
        RecordedConversation("one", (user("a"), says("b"), user("c"), says("d"))),
        RecordedConversation("two", (user("a"), says("b"), user("c"), says("e"))),
    ]
    assert answer(recordings, user("a")) == CannedReply("b")
    assert answer(recordings, user("a"), says("b"), user("c")) == Unanswered(
        "the recorded conversations 'one' and 'two' begin with these messages but go on differently"
    )


def test_the_system_message_tells_conversations_apart_that_begin_alike() -> None:
    recordings = [
        RecordedConversation("one", (ChatMessage("system", "1"), user("a"), says("b"))),
        RecordedConversation("two", (ChatMessage("system", "2"), user("a"), says("c"))),
    ]
    assert answer(recordings, ChatMessage("system", "1"), user("a")) == CannedReply("b")
    assert answer(recordings, ChatMessage("system", "2"), user("a")) == CannedReply("c")
    assert isinstance(answer(recordings, ChatMessage("system", "3"), user("a")), Unanswered)


def test_a_request_may_name_its_conversation() -> None:
    answers = RecordedAnswers(
        [
            RecordedConversation("one", (user("a"), says("b"))),
            RecordedConversation("two", (user("a"), says("c"))),
        ]
    )
    assert answers(ChatBody("m", (user("a"),), user="one")) == CannedReply("b")
    assert answers(ChatBody("m", (user("a"),), user="two")) == CannedReply("c")
    assert isinstance(answers(ChatBody("m", (user("a"),), user="three")), Unanswered)


def test_replies_that_differ_in_ids_only_are_one_reply() -> None:
    other = Call("b", Function("look", '{"y": 2, "x": 1}'))
    recordings = [
        RecordedConversation("one", (user("a"), ChatMessage("assistant", None, (LOOK,)))),
        RecordedConversation("two", (user("a"), ChatMessage("assistant", None, (other,)))),
    ]
    assert answer(recordings, user("a")) == CannedReply(None, (LOOK,))


def test_arguments_that_are_no_object_are_compared_as_text() -> None:
    def calling(arguments: str) -> ChatMessage:
        return ChatMessage("assistant", None, (Call("a", Function("look", arguments)),))

    assert history_key([calling("{a:")]) != history_key([calling("{b:")])
    assert history_key([calling("{a:")]) == history_key([calling("{a:")])


texts = st.text(st.characters(codec="utf-8"), max_size=20)
messages = st.builds(ChatMessage, st.sampled_from(["user", "assistant"]), texts)


@given(st.lists(messages, max_size=8))
def test_a_recording_answers_each_of_its_own_histories(spoken: list[ChatMessage]) -> None:
    answers = RecordedAnswers([RecordedConversation("all", tuple(spoken))])
    for index, message in enumerate(spoken):
        if message.role == "assistant":
            reply = answers(ChatBody("m", tuple(spoken[:index])))
            assert reply == CannedReply(message.text)


@given(st.lists(messages, max_size=4), st.lists(messages, max_size=4))
def test_only_equal_histories_have_equal_keys(
    one: list[ChatMessage], other: list[ChatMessage]
) -> None:
    are_equal = msgspec.json.encode(one) == msgspec.json.encode(other)
    assert (history_key(one) == history_key(other)) == are_equal
