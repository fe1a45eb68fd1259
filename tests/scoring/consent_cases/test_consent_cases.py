"""The rule of consent on conversations that were written with their results before it met them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.consent_cases.reading import FOLDER, Case, cases

from dragoman.core.episodes import Event, Message
from dragoman.core.errors import DataError
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.scoring.measures.consent.phrases import (
    consent_languages,
    consent_phrases,
    read_consent_phrases,
)
from dragoman.scoring.measures.consent.verdict import Consent, judge_consent
from dragoman.scoring.measures.count_measure import positioned_calls

BATCHES = sorted(FOLDER.glob("*.txt"))
LEAST_DECIDED = 0.85
OPPOSITE = {("confirmed", "not confirmed"), ("not confirmed", "confirmed")}


def found(case: Case) -> list[tuple[str, str]]:
    phrases = consent_phrases(case.language)
    assert phrases is not None
    calls = list(positioned_calls(case.events))
    by_place = {each.position: each for each in calls}
    return [
        (expected, judge_consent(by_place[place], case.events, calls, phrases).result)
        for place, expected in case.expected
    ]


@pytest.mark.parametrize("path", BATCHES, ids=lambda path: path.stem)
def test_no_case_comes_to_the_opposite_and_most_are_decided(path: Path) -> None:
    results = {case.name: found(case) for case in cases(path)}
    assert not [name for name, each in results.items() if OPPOSITE & set(each)]
    every = [result for each in results.values() for _, result in each]
    assert sum(each != "undecided" for each in every) >= LEAST_DECIDED * len(every)


def test_seven_languages_have_phrases_and_a_tag_finds_its_language() -> None:
    assert consent_languages() == ("en", "id", "pt-BR", "th", "tl", "vi", "zh")
    for tag, language in (("pt", "pt-BR"), ("pt-br", "pt-BR"), ("en-GB", "en"), ("zh_TW", "zh")):
        phrases = consent_phrases(tag)
        assert phrases is not None
        assert phrases.language == language
    assert consent_phrases("xx") is None


SMALL = """
language = "xx"
reviewed = true
[agent]
ask = ['shall']
verify = ['zip']
wishes = ['else']
[user]
strong = ['go']
yes = ['yes']
no = ['no']
stop = ['wait']
question = ['\\?']
[actions]
"""


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (SMALL.replace("'shall'", "'shall('"), "unterminated|missing"),
        (SMALL.replace("wishes", "wants"), "wants"),
        (SMALL.replace("yes = ['yes']\n", ""), "yes"),
        (SMALL + "[examples]\nyes = ['oui']\n", "does not find 'oui'"),
        (SMALL + "[examples]\nfine = ['oui']\n", "not a kind"),
        (SMALL.replace("reviewed = true", "reviewed = 1"), "bool"),
        ("language = ", "xx"),
    ],
)
def test_a_damaged_file_of_phrases_is_refused_in_a_line(changed: str, why: str) -> None:
    assert read_consent_phrases(SMALL, "xx").language == "xx"
    with pytest.raises(DataError, match=why):
        read_consent_phrases(changed, "xx")


def conversation(asked: str, answer: str, arguments: dict[str, object]) -> Consent:
    call = ToolCall("1", "cancel_pending_order", arguments)
    events: tuple[Event, ...] = (
        Message("agent", text_reply(asked)),
        Message("user", text_reply(answer)),
        Message("agent", ToolCallReply((call,))),
        ToolResult("1", call.name, "", "agent"),
    )
    phrases = consent_phrases("en")
    assert phrases is not None
    (made,) = positioned_calls(events)
    return judge_consent(made, events, [made], phrases)


def test_a_yes_confirms_in_any_case_and_with_any_apostrophe() -> None:
    asked = "Shall I cancel #W5500127?"
    for answer in ("YES", "Yes.", "that\u2019s right", "thats right", "  yes\n"):
        assert conversation(asked, answer, {"order_id": "#W5500127"}).result == "confirmed"


def test_why_is_told() -> None:
    found = conversation("Shall I cancel #W5500127?", "Yes.", {"order_id": "#W6610023"})
    assert found.result == "not confirmed"
    assert "w6610023 was not named, w5500127 was" in found.why


@settings(max_examples=60, deadline=None)
@given(asked=st.text(max_size=300), answer=st.text(max_size=300), id_=st.text(max_size=12))
def test_any_words_come_to_a_result(asked: str, answer: str, id_: str) -> None:
    arguments: dict[str, object] = {"order_id": id_, "item_ids": [id_, 3, None]}
    for language in consent_languages():
        assert consent_phrases(language) is not None
    assert conversation(asked, answer, arguments).result in {
        "confirmed",
        "not confirmed",
        "undecided",
    }


@pytest.mark.parametrize(
    "word", ["yes ", "no ", "please yes please ", "is that ", "if ", "是的", "1 "]
)
def test_long_repetitions_are_read_in_time_in_proportion(word: str) -> None:
    text = word * 4_000
    assert conversation(text, text, {"order_id": "#W5500127"}).result
