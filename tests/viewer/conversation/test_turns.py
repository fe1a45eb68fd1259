"""A conversation as turns: the turn that each event belongs to."""

from dragoman.core.clarifications import Clarification
from dragoman.core.conditions import PLAIN
from dragoman.core.costs import no_price
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.measures import CountedItem, MeasureResult, ReportedError
from dragoman.core.replies import (
    AudioRef,
    Latency,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
    text_reply,
)
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored
from dragoman.core.tools import Change, ToolCall, ToolResult
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import StoredConversation
from dragoman.viewer.conversation_view import ConversationView, conversation_view

SOUND = AudioRef("a" * 64, 1.0, 8_000)


def shown(
    *events: Event,
    score: Score | None = None,
    measures: tuple[MeasureResult, ...] = (),
    decided: tuple[Clarification, ...] = (),
) -> ConversationView:
    played = Episode(events, Termination("user_stop"), 3, 0, clarifications=decided)
    cell = StoredCell("00", "sample:shop", PLAIN, "good", "t1", 0)
    scores = () if score is None else (score,)
    stored = StoredConversation(cell, played, scores, measures)
    return conversation_view(stored, None, no_price)


def called(*calls: ToolCall) -> Message:
    return Message("agent", ToolCallReply(calls))


def test_results_stand_with_their_calls_by_id_whatever_their_order() -> None:
    view = shown(
        Message("user", text_reply("Hello")),
        called(ToolCall("1", "find", {"name": "Ana"}), ToolCall("2", "count", {})),
        ToolResult("2", "count", "7"),
        ToolResult("1", "find", "Ana Li", changes=(Change(("users", 3, "seen"), "set", True),)),
        ToolResult("9", "stray", "?"),
        Message("agent", text_reply("Seven.")),
    )

    assert [turn.number for turn in view.turns] == [1, 2, 3]
    find, count, stray = view.turns[1].calls
    assert (find.name, find.result) == ("find", "Ana Li")
    assert (count.name, count.result) == ("count", "7")
    assert (stray.name, stray.result, stray.arguments) == ("stray", "?", "")
    assert find.changes[0].path == "users / 3 / seen"
    assert find.changes[0].value == "true"


def test_a_localized_call_has_both_forms_and_another_has_one() -> None:
    localized = ToolResult("1", "book", "ok", shown="ตกลง", executed={"class": "economy"})
    view = shown(
        called(ToolCall("1", "book", {"class": "ชั้นประหยัด"}), ToolCall("2", "pay", {"usd": 5})),
        localized,
        ToolResult("2", "pay", "paid", executed={"usd": 5}, shown="paid"),
    )

    book, pay = view.turns[0].calls
    assert "ชั้นประหยัด" in book.arguments
    assert "economy" in book.executed
    assert (book.result, book.shown) == ("ok", "ตกลง")
    assert book.is_localized
    assert not pay.is_localized


def test_a_call_that_could_not_be_read_and_one_without_an_answer_say_so() -> None:
    view = shown(
        called(
            ToolCall("1", "pay", {}, raw="{usd:", malformed="no JSON"), ToolCall("2", "end", {})
        ),
        ToolResult("1", "pay", "bad arguments", error=True),
        Message("agent", UnparsedReply("<call", "unclosed")),
    )

    pay, end = view.turns[0].calls
    assert (pay.malformed, pay.written, pay.is_error) == ("no JSON", "{usd:", True)
    assert end.result is None
    assert (view.turns[1].unusable, view.turns[1].raw) == ("unclosed", "<call")


def test_reasoning_stands_beside_what_was_said() -> None:
    view = shown(Message("agent", text_reply("In Kloster."), reasoning="Where is it?"))

    assert view.turns[0].reasoning == "Where is it?"
    assert view.turns[0].near_token == ""
    assert view.turns[0].texts is not None
    assert [span.text for span in view.turns[0].texts.intended] == ["In Kloster."]


def test_of_a_sign_alone_there_is_nothing_to_hear() -> None:
    view = shown(
        Message("user", TextReply(Utterance("Thanks", "thanks", "thanks", SOUND, SOUND))),
        Message("user", TextReply(Utterance("###STOP###", "", "", SOUND, SOUND))),
    )

    assert [sound.has_arrived for sound in view.turns[0].sounds] == [True, False]
    assert view.turns[1].sounds == ()
    assert view.turns[1].is_silent


def test_what_measures_and_judges_found_stands_at_the_turn_and_links_to_it() -> None:
    found = MeasureResult(
        "hearing", "3", evidence=(CountedItem({"values": 1}, 3, why="not heard: B7"),)
    )
    judged = MeasureResult(
        "errors@1",
        "1",
        "errors-1:m",
        errors=(ReportedError("agent", "critical", ("HALL",), 1, "invents a fee", "costs 5"),),
    )
    view = shown(
        Message("user", text_reply("Hi")),
        called(ToolCall("1", "find", {})),
        ToolResult("1", "find", "x"),
        Message("user", text_reply("B7")),
        measures=(found, judged),
    )

    (error,) = view.turns[1].notes
    (lost,) = view.turns[2].notes
    assert (error.judge, error.is_error) == ("errors-1:m", True)
    assert "HALL" in error.subject
    assert "costs 5" in error.why
    assert (lost.source, lost.judge, lost.why) == ("hearing", "", "not heard: B7")
    assert view.measures[0].found[0].turn == 3


def test_evidence_leads_to_the_turns_that_it_concerns() -> None:
    parts = (
        ComponentScore(
            "DB", True, Scored(0), (Evidence("users/3", False), Evidence("users/33", False))
        ),
        ComponentScore(
            "ACTION", True, Scored(1), (Evidence("a1 find", True), Evidence("a2 pay", False))
        ),
        ComponentScore("COMMUNICATE", True, Scored(1), (Evidence("Seven", True),)),
    )
    view = shown(
        Message("user", text_reply("seven")),
        called(ToolCall("1", "find", {})),
        ToolResult("1", "find", "x", changes=(Change(("users", 3, "seen"), "set", True),)),
        Message("agent", text_reply("It is seven.")),
        score=Score("dragoman-1", "none", Scored(0), parts),
    )

    state, action, words = view.components
    assert [each.turns for each in state.evidence] == [(2,), ()]
    assert [each.turns for each in action.evidence] == [(2,), ()]
    assert [each.turns for each in words.evidence] == [(3,)]


def test_decisions_and_times_stand_at_their_turns() -> None:
    decided = Clarification(1, "outside", "rule-1")
    view = shown(
        Message("user", text_reply("Hi")),
        Message("agent", text_reply("How is that spelled?"), latency=Latency(2.0, 0.5)),
        Message("agent", text_reply("Hello?"), latency=Latency(1.0)),
        decided=(decided,),
    )

    assert view.turns[1].decided == decided
    assert (view.turns[1].seconds, view.turns[1].first_word) == (2.0, 0.5)
    (agent,) = view.latencies
    assert (agent.side, agent.replies, agent.median, agent.slowest, agent.turn) == (
        "agent", 2, 1.5, 2.0, 2,
    )  # fmt: skip


def test_a_conversation_that_was_not_played_has_a_page_too() -> None:
    cell = StoredCell("00", "sample:shop", PLAIN, "good", "t1", 0)

    view = conversation_view(StoredConversation(cell, None, (), ()), None, no_price)

    assert view.status == "missing"
    assert view.turns == ()


def test_the_newest_score_is_shown_and_others_are_named() -> None:
    cell = StoredCell("00", "sample:shop", PLAIN, "good", "t1", 0)
    scores = tuple(Score(rules, "none", Scored(value), ()) for rules, value in (("a", 0), ("b", 1)))
    played = Episode((), Termination("user_stop"), 0, 0)

    view = conversation_view(StoredConversation(cell, played, scores, ()), None, no_price)
    chosen = conversation_view(
        StoredConversation(cell, played, scores, ()), None, no_price, scoring=("a", "none")
    )

    assert (view.status, [score.rules for score in view.other_scores]) == ("pass", ["a"])
    assert chosen.status == "fail"
