"""The rule judge allows what it can prove, and says why it does not allow the rest."""

import asyncio

import pytest

from dragoman.conditions.clarifying.rule_judge import RuleClarificationJudge
from dragoman.core.voice.clarifications import ClarificationRequest, ClarificationVerdict

REPORT = ClarificationRequest(
    "Move 'final_report.pdf' within document directory to 'temp' directory in document.",
    "Move final report.pdf from the document directory to the temp directory in document.",
    "",
    {
        "source": "final_report.pdf",
        "folder": "document",
        "dir_name": "temp",
        "destination": "temp",
    },
)
LETTER = ClarificationRequest(
    "I need to send a letter to Liam Neeson. Find his contact information for me.",
    "Can you get Liam Neeeson? That's l I a m n e e s o n, Liam Neeeson's contact info.",
    "",
    {"person_name": "Liam Neeson"},
)


def decision(about: ClarificationRequest, message: str) -> ClarificationVerdict:
    request = ClarificationRequest(about.intended, about.heard, message, about.allowed)
    return asyncio.run(RuleClarificationJudge().decide(request))


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Is the file called final report.pdf, or final_report.pdf?", "final_report.pdf"),
        ("Just to confirm, is it finalReport.pdf with an underscore?", "final_report.pdf"),
        ("How is the source file spelled?", "final_report.pdf"),
        ("Could you confirm the exact spelling of the destination?", "temp"),
        ("I heard final report.pdf. Is that right?", "final_report.pdf"),
        (
            "Is it final report.pdf, in the folder document?",
            "source: final_report.pdf; folder: document",
        ),
        (
            "Please spell the source and the destination.",
            "source: final_report.pdf; destination: temp",
        ),
    ],
)
def test_a_question_about_what_may_be_confirmed_is_answered_as_it_is_written(
    message: str, reply: str
) -> None:
    found = decision(REPORT, message)
    assert (found.reason, found.reply) == ("allowed", reply)


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Is it final_report.pdf?", "Yes, final_report.pdf"),
        ("Is it Final_Report.pdf?", "final_report.pdf"),
        ("I heard final_report.pdf. Is that right?", "Yes, final_report.pdf"),
        (
            "Is it final_report.pdf, in the folder document?",
            "Yes, source: final_report.pdf; folder: document",
        ),
        (
            "Is it final_report.pdf, and could you spell the destination?",
            "source: final_report.pdf; destination: temp",
        ),
    ],
)
def test_yes_is_said_only_to_what_is_read_back_exactly(message: str, reply: str) -> None:
    assert decision(REPORT, message).reply == reply


@pytest.mark.parametrize(
    "message",
    [
        "Is it Liam Neeson or Liam Neesen?",
        "Is that L-I-A-M N-E-E-S-O-N?",
        "Did you say Leeam Neason?",
        "Could you spell the name, please?",
        "Please confirm: is the contact's name LIAM NÉESON?",
    ],
)
def test_near_matches_case_accents_and_spelled_letters_are_the_value(message: str) -> None:
    found = decision(LETTER, message)
    assert (found.reason, found.reply) == ("allowed", "Liam Neeson")


def test_a_homophone_is_a_spelling_check() -> None:
    about = ClarificationRequest("Call Sean.", "Call Shawn.", "", {"name": "Sean"})
    assert decision(about, "Is that Shawn?").reply == "Sean"


def test_a_spelling_question_in_a_sentence_of_its_own_is_answered_alone() -> None:
    found = decision(REPORT, "Is it final report.pdf? And would you like a copy of it?")
    assert found.reply == "final_report.pdf"


@pytest.mark.parametrize(
    ("about", "message", "reason"),
    [
        (REPORT, 'I could not find "final report.pdf". Where is that file?', "no question"),
        (REPORT, "Sure! I'll do that right away.", "no question"),
        (REPORT, "Should I confirm the move of final_report.pdf?", "no question"),
        (REPORT, "I confirmed final_report.pdf with the folder.", "no question"),
        (REPORT, "Which directory do you mean?", "no question"),
        (REPORT, "", "no question"),
        (REPORT, "Is it final report.pdf? " * 200, "no question"),
        (REPORT, "Can you spell that?", "no topic"),
        (REPORT, "Can you confirm the password?", "outside"),
        (REPORT, "Is it final_report.pdf, and is the order 8841?", "outside"),
        (REPORT, 'Is it "holiday photos"?', "outside"),
        (LETTER, "Can you spell Liam Neeson's email?", "outside"),
        (LETTER, "Can you confirm Liam Neeson's phone number?", "outside"),
        (LETTER, "Is it Liam Neeson the quarterback?", "unproven"),
    ],
)
def test_anything_else_is_rejected_with_its_reason(
    about: ClarificationRequest, message: str, reason: str
) -> None:
    found = decision(about, message)
    assert (found.reason, found.reply) == (reason, "")


@pytest.mark.parametrize(
    "message", ["Can you confirm all of it for a start?", "Could you confirm that, please?"]
)
def test_words_that_say_nothing_are_neither_values_nor_topics(message: str) -> None:
    said = "Find all roots for a = 1."
    about = ClarificationRequest(said, said, "", {"root_type": "all", "a": "1"})
    assert decision(about, message).reason == "no topic"


def test_a_word_that_several_topics_have_is_ambiguous() -> None:
    about = ClarificationRequest(
        "From Rome to Oslo.", "From Rome to Oslo.", "", {"from_city": "Rome", "to_city": "Oslo"}
    )
    assert decision(about, "Can you spell the city?").reason == "ambiguous"
    assert decision(about, "Is the city spelled Oslow?").reply == "Oslo"
