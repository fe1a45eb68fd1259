"""The rule judge allows provable confirmations, and gives reasons against the others."""

import asyncio

import pytest

from dragoman.conditions.clarification.judges import RuleClarificationJudge
from dragoman.core.clarifications import ClarificationRequest, ClarificationVerdict

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


TRIANGLE = ClarificationRequest(
    "Find the area for a = 10 and base height 5, from Rome, then from Oslo.",
    "find the area for a equals 17 and base height 5 from roam then from oslow",
    "",
    {"a": "10", "base_height": "5", "from_city": "Rome", "from_city_2": "Oslo"},
)


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ('Can you confirm the "a" is 17?', "10"),
        ('Can you confirm the "a": "17"?', "10"),
        ("Can you confirm that base_height is 17?", "5"),
        ("Is the base height 17?", "5"),
        ('Please confirm: the "base_height" is 5; the "a" is 5.', "a: 10; base height: 5"),
        ('Is the "from_city" roam?', "Rome"),
        ('Is the "from_city" roam, the "from_city" then?', "from city: Rome; from city: Oslo"),
    ],
)
def test_what_stands_behind_a_topics_name_was_heard_as_its_value(message: str, reply: str) -> None:
    found = decision(TRIANGLE, message)
    assert (found.reason, found.reply) == ("allowed", reply)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ('Is the "a" 99?', "outside"),
        ('Is the "a" 17, and the order 5 or 17?', "outside"),
        ('Is the "volume" 17?', "outside"),
        ('Is it "Rome in July"?', "outside"),
        ("Could you spell the from_city?", "ambiguous"),
        ("Is the base height 10?", "ambiguous"),
    ],
)
def test_what_was_not_heard_or_could_be_of_several_topics_is_no_reading(
    message: str, reason: str
) -> None:
    found = decision(TRIANGLE, message)
    assert (found.reason, found.reply) == (reason, "")


def test_a_parameter_whose_own_name_ends_in_a_number_keeps_it() -> None:
    said = "Compare Rome with Oslo."
    about = ClarificationRequest(said, said, "", {"city_1": "Rome", "city_2": "Oslo"})
    assert decision(about, 'Can you confirm the "city_2" is Oslo?').reply == "Yes, Oslo"


AMOUNTS = ClarificationRequest(
    "What is 5% of $3.5 million from May 5, 2026 on?",
    "What is five percent of 3.5 million dollars from May fifth twenty twenty six on?",
    "",
    {"rate": "0.05", "amount": "3500000", "start_date": "2026-05-05"},
)


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Did you say five percent?", "0.05"),
        ("Is the amount 3.5 million dollars?", "3500000"),
        ("Did you say May 5, 2026?", "2026-05-05"),
    ],
)
def test_a_value_may_be_read_back_in_another_written_form(message: str, reply: str) -> None:
    found = decision(AMOUNTS, message)
    assert (found.reason, reply in found.reply) == ("allowed", True)


def test_another_value_of_that_form_is_not_the_value() -> None:
    assert decision(AMOUNTS, "Did you say six percent?").reason != "allowed"
