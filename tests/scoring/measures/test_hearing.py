"""Recognition and clarity of replies, as counts of one conversation."""

import asyncio
from typing import cast

import msgspec

from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.measures import MeasureResult, MeasureSetting, ScoringContext
from dragoman.core.protocols import EnvironmentFactory
from dragoman.core.replies import ORACLE_ENGINE, WORDS, Stage, TextReply, Utterance
from dragoman.core.tasks import Action, Criteria, Scenario, Task
from dragoman.scoring.measures.clarity import CLARITY
from dragoman.scoring.measures.count_measure import CountMeasure
from dragoman.scoring.measures.speech_recognition import EARLIER_RECOGNITION, RECOGNITION

PLAN = (Action("1", "find", {"order": "#W12", "city": "Porto"}),)
TASK = Task("7", "suite", "digest", Scenario("Ask."), criteria=Criteria((), PLAN))
SPOKEN = MeasureSetting(is_spoken=True)


def user(intended: str, heard: str | None, *stages: Stage) -> Message:
    return Message(
        "user", TextReply(Utterance(intended, intended.casefold(), heard, stages=stages))
    )


def agent(text: str, *, scripted: bool = False) -> Message:
    return Message("agent", TextReply(Utterance(text, text, text)), scripted=scripted)


def counted(
    measure: CountMeasure, *moves: Message, setting: MeasureSetting = SPOKEN
) -> MeasureResult:
    episode = Episode(moves, Termination("user_stop"), 1, 0)
    case = ScoringContext(TASK, episode, cast("EnvironmentFactory", None), setting=setting)
    return asyncio.run(measure.measure(case))


def test_words_characters_and_values_are_counted_utterance_by_utterance() -> None:
    found = counted(
        RECOGNITION, user("To Porto", "to porto"), user("To Porto please", "to port please")
    )
    assert [entry.position for entry in found.evidence] == [0, 1]
    assert found.counts["utterances"] == 2
    assert (found.counts["words"], found.counts["word errors"]) == (5, 1)
    assert (found.counts["values"], found.counts["values heard"]) == (2, 1)
    assert found.evidence[1].why == "not heard: Porto"


def test_what_an_agent_heard_that_was_given_the_audio_is_not_known() -> None:
    found = counted(RECOGNITION, user("To Porto", None), user("Please", None))
    assert found.counts == {}
    assert found.unscored == (
        "the agent was given the audio itself: nobody knows which words it heard"
    )
    answered = counted(RECOGNITION, user("To Porto", None), user("Porto", "porto"))
    assert answered.counts["utterances"] == 1
    assert counted(RECOGNITION, agent("Hello.")).unscored == ""


def test_values_are_found_between_words_that_have_no_spaces() -> None:
    chinese = msgspec.structs.replace(SPOKEN, language="zh")
    found = counted(RECOGNITION, user("订单号是#W12。", "订单号是 #w12"), setting=chinese)
    assert (found.counts["values"], found.counts["values heard"]) == (1, 1)


def test_who_understands_mishears_no_word_and_recognized_words_count_before_written_ones() -> None:
    understood = user("Two of them", "2 of them", Stage("recognition", ORACLE_ENGINE))
    words = Stage("recognition", "engine", settings={WORDS: "two of them"})
    recognized = user("Two of them", "2 of them", words)
    assert counted(RECOGNITION, understood).counts["word errors"] == 0
    assert counted(RECOGNITION, recognized).counts["word errors"] == 0
    assert counted(RECOGNITION, user("Two of them", "2 of them")).counts["word errors"] == 0
    assert counted(EARLIER_RECOGNITION, user("Two of them", "2 of them")).counts["word errors"] == 1
    assert counted(RECOGNITION, user("Two of them", "3 of them")).counts["word errors"] == 1


def test_typed_words_are_not_heard() -> None:
    typed = Message("user", TextReply(Utterance("To Porto")))
    assert counted(RECOGNITION, typed).counts == {}


def test_replies_are_clear_where_they_break_no_rule_and_greetings_are_left_out() -> None:
    found = counted(
        CLARITY, agent("**Hi**", scripted=True), agent("It is done."), agent("See **this**.")
    )
    assert (found.counts["replies"], found.counts["clear"]) == (2, 1)
    assert found.counts["not no_marks"] == 1
    assert found.evidence[1].why == "no_marks: **"


def test_both_are_for_spoken_conditions_alone() -> None:
    assert [measure.applies(SPOKEN) for measure in (RECOGNITION, CLARITY)] == [True, True]
    text = msgspec.structs.replace(SPOKEN, is_spoken=False)
    assert [measure.applies(text) for measure in (RECOGNITION, CLARITY)] == [False, False]
