"""Two conversations side by side: aligned by the user's turns, split at differences."""

from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.costs import no_price
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.replies import TextReply, ToolCallReply, Utterance, text_reply
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import StoredConversation
from dragoman.viewer.conversation_view import ConversationView, conversation_view
from dragoman.viewer.side_by_side import side_by_side

GREETING = Message("agent", text_reply("Hi!"), scripted=True)
THAI = PLAIN.with_axes(language="th", scenario="domain")


def view(*events: Event, condition: Condition = PLAIN) -> ConversationView:
    cell = StoredCell("00", "sample:shop", condition, "good", "t1", 0)
    played = Episode((GREETING, *events), Termination("user_stop"), 3, 0)
    return conversation_view(StoredConversation(cell, played, (), ()), None, no_price)


def user(text: str) -> Message:
    return Message("user", text_reply(text))


def called(name: str, result: str, **arguments: object) -> tuple[Event, Event]:
    call = Message("agent", ToolCallReply((ToolCall("1", name, arguments),)))
    return call, ToolResult("1", name, result)


def test_it_opens_at_the_first_turn_that_differs() -> None:
    a = view(user("Hello"), user("Send it"), *called("send", "ok", to="A"), user("Bye"))
    b = view(user("Hello"), user("Send it"), *called("send", "ok", to="B"), user("Bye"))

    both = side_by_side(a, b)

    assert [step.number for step in both.alike] == [0, 1]
    assert [step.differences for step in both.parted] == [("calls",), ()]
    assert both.firsts == ((2, "calls"),)
    assert both.parted[0].a[1].calls[0].is_other


def test_calls_that_both_made_are_not_marked_though_one_side_made_more() -> None:
    a = view(user("Hello"), *called("find", "1"), *called("send", "ok"))
    b = view(user("Hello"), *called("send", "ok"))

    (step,) = side_by_side(a, b).parted

    assert [call.is_other for turn in step.a for call in turn.calls] == [True, False]
    assert [call.is_other for turn in step.b for call in turn.calls] == [False]


def test_the_same_call_in_two_languages_is_the_same_and_words_are_not_compared() -> None:
    english = view(user("Hello"), *called("book", "ok", kind="economy"))
    call = Message("agent", ToolCallReply((ToolCall("1", "book", {"kind": "ประหยัด"}),)))
    result = ToolResult("1", "book", "ok", executed={"kind": "economy"}, shown="ตกลง")
    thai = view(user("สวัสดี"), call, result, condition=THAI)

    both = side_by_side(english, thai)

    assert not both.are_words_compared
    assert both.parted == ()


def test_what_was_heard_otherwise_and_what_came_back_are_told_apart() -> None:
    spoken = Message("user", TextReply(Utterance("Send B7", "send bee seven", "send v 7")))
    a = view(user("Send B7"), *called("send", "ok"))
    b = view(spoken, *called("send", "no"))

    (step,) = side_by_side(a, b).parted

    assert step.differences == ("heard", "results")


def test_a_conversation_that_ended_before_says_so() -> None:
    both = side_by_side(view(user("Hello"), user("Bye")), view(user("Hello")))

    assert both.parted[0].differences == ("length",)
    assert both.parted[0].b == ()
