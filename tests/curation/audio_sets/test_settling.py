"""The boldest rewriting that passes the proof, and the form of a model's answer."""

import asyncio
import re

import msgspec
import pytest

from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import Reply, UnparsedReply, text_reply
from dragoman.core.usage import Usage
from dragoman.curation.audio_sets.messages import (
    How,
    RecoveredValue,
    StatedValue,
    UserMessage,
    topics_of,
)
from dragoman.curation.audio_sets.rewrite import (
    SpokenMessage,
    name_topics,
    rewrite_message_with_model,
    rewrite_message_with_rules,
)
from dragoman.curation.audio_sets.rule_based_rewriting import phenomena_of
from dragoman.curation.audio_sets.value_readers import MatchedReader

READER = MatchedReader("en")
REPORT = StatedValue("source", "final_report.pdf")
TEXT = "Move 'final_report.pdf' to temp."
MESSAGE = UserMessage("bfcl:x", "x_0", 0, 0, TEXT, (REPORT,), 0)
ENGLISH = msgspec.structs.replace(phenomena_of("en"), worded={"file": 1.0, "code": 1.0})


class Wordwise:
    """A matcher that finds values as written, ignoring letter case and punctuation."""

    def how_stated(self, value: str, text: str) -> How | None:
        return "exactly" if self._words(value) in self._words(text) else None

    def how_said(self, value: str, text: str) -> How | None:
        return self.how_stated(value, text)

    @staticmethod
    def _words(text: str) -> str:
        return f" {' '.join(re.findall(r'[a-z0-9_]+(?:[.][a-z0-9_]+)*', text.lower()))} "


class Answering:
    """A chat model that gives one reply and records its requests."""

    name = "some/model"

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        self.asked.append(request)
        return Completion(self.reply, msgspec.Raw(b"{}"), Usage(purpose, self.name, 1, 7, 5))


def by_model(text: str, message: UserMessage = MESSAGE) -> SpokenMessage:
    return asyncio.run(
        rewrite_message_with_model(message, Answering(text_reply(text)), ENGLISH, 1, READER)
    )


def test_what_passes_by_rules_says_how_each_value_is_found() -> None:
    settled = rewrite_message_with_rules(MESSAGE, ENGLISH, 1, READER)
    assert settled.grade == "rules"
    assert "final underscore report dot P D F" in settled.said
    assert settled.proof == (RecoveredValue("source", "final_report.pdf", "spelled"),)
    assert settled.reasons == ()


def test_a_value_that_would_be_lost_stays_as_it_is_written_and_the_reason_is_kept() -> None:
    settled = rewrite_message_with_rules(MESSAGE, ENGLISH, 1, Wordwise())
    assert settled.grade == "values kept"
    assert "final_report.pdf" in settled.said
    assert settled.reasons == ("rules: 'final_report.pdf' not found again",)


def test_a_message_whose_values_no_rewriting_keeps_stays_as_it_is() -> None:
    # The text has the value without a comma, so nothing marks it as unbreakable.
    value = StatedValue("content", "Thank you, for the sea, to the end")
    rules = msgspec.structs.replace(
        ENGLISH, filler=msgspec.structs.replace(ENGLISH.filler, rate=1.0)
    )
    message = UserMessage("x", "x_0", 0, 0, "Say thank you -- for the sea to the end", (value,), 0)
    settled = rewrite_message_with_rules(message, rules, 1, Wordwise())
    assert settled.grade == "text"
    assert settled.said == message.text
    assert [reason.partition(":")[0] for reason in settled.reasons] == [
        "rules",
        "values kept",
        "mild",
    ]


def test_the_case_of_letters_that_nobody_can_hear_is_noted() -> None:
    value = StatedValue("folder", "MyDocs_2")
    message = UserMessage("x", "x_0", 0, 0, "Open MyDocs_2", (value,), 0)
    reported = '{"said": "open my docs, M Y D O C S underscore two"}'
    (proof,) = by_model(reported, message).proof
    assert (proof.how, proof.is_case_unheard) == ("in words", True)


def test_a_model_s_words_are_taken_where_every_value_is_found_again() -> None:
    settled = by_model('```json\n{"said": "Um, move final underscore report dot pdf to temp"}\n```')
    assert settled.said == "Um, move final underscore report dot pdf to temp"
    assert (settled.grade, settled.reasons) == ("model", ())
    assert settled.usage == (Usage("speech", "some/model", 1, 7, 5),)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ('{"said": "move final report dot pdf to temp"}', "'final_report.pdf' not found again"),
        ('{"said": "move final_report.pdf", "note": "ok"}', "not the JSON asked for"),
        ('{"said": 3}', "not the JSON asked for"),
        ("Sure: final_report.pdf", "not the JSON asked for"),
        ('{"said": " "}', "nothing is said"),
        (f'{{"said": "{"final_report.pdf " * 60}"}}', "characters for a text of 32"),
        ('{"said": "final_report.pdf \\u001b[2J"}', "control characters"),
        (f'{{"said": "{"x" * 50_000}"}}', "longer than 40,000 characters"),
    ],
)
def test_any_other_answer_falls_back_to_the_rules_with_the_reason(answer: str, why: str) -> None:
    settled = by_model(answer)
    assert settled.grade == "rules"
    assert settled.said == rewrite_message_with_rules(MESSAGE, ENGLISH, 1, READER).said
    (reason,) = settled.reasons
    assert reason.startswith("model: ")
    assert why in reason


def test_an_answer_without_text_falls_back_too() -> None:
    model = Answering(UnparsedReply("{", "no JSON"))
    settled = asyncio.run(rewrite_message_with_model(MESSAGE, model, ENGLISH, 1, READER))
    assert settled.reasons == ("model: the answer has no text",)


def test_a_topic_is_its_parameter_and_gets_a_number_where_it_has_several_values() -> None:
    values = (
        StatedValue("city", "Rome"),
        StatedValue("city", "Oslo"),
        StatedValue("city_2", "Bern"),
        StatedValue("days", "3"),
    )
    assert topics_of(values) == {"city": "Rome", "city_2": "Oslo", "city_2_2": "Bern", "days": "3"}


TOPICS = {"source": "final_report.pdf", "folder": "document", "destination": "temp"}


def test_a_model_renames_topics_as_the_source_does_and_drops_others_but_changes_no_value() -> None:
    answer = (
        '{"topics": {"source": "source_file", "folder": "source_directory_name", '
        '"destination": null}}'
    )
    model = Answering(text_reply(answer))
    named = asyncio.run(name_topics(TOPICS, TEXT, model))
    assert named.topics == {
        "source_file": "final_report.pdf",
        "source_directory_name": "document",
    }
    assert named.why == ""
    assert b"final_report.pdf" in msgspec.json.encode(model.asked[0].messages)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ('{"topics": {"source": "a", "folder": "b"}}', "topic 'destination' is left out"),
        (
            '{"topics": {"source": "a", "folder": "b", "destination": "c", "more": "d"}}',
            "topic 'more' is invented",
        ),
        ('{"topics": {"source": "a", "folder": "a", "destination": null}}', "two topics have one"),
        (
            '{"topics": {"source": "A b", "folder": "b", "destination": null}}',
            "not a name of a topic",
        ),
        ('{"topics": []}', "not the JSON asked for"),
        ('{"topics": {}, "values": {}}', "not the JSON asked for"),
    ],
)
def test_any_other_naming_of_topics_is_refused_with_the_reason(answer: str, why: str) -> None:
    named = asyncio.run(name_topics(TOPICS, TEXT, Answering(text_reply(answer))))
    assert named.topics is None
    assert why in named.why
