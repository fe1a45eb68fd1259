import pytest

from dragoman.benchmarks.bfcl.agentic_suite import answer_fault, normalize_answer
from dragoman.benchmarks.bfcl.call_parsers.limits import MAX_LENGTH
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES


def both(message: object, *accepted: str) -> list[bool]:
    """Return whether a reply passes under the reference's rules and under ours."""
    return [answer_fault(message, accepted, rules) is None for rules in (BFCL_V4, DEFAULT_RULES)]


def error(message: object, *accepted: str) -> str:
    fault = answer_fault(message, accepted, DEFAULT_RULES)
    return "" if fault is None else fault.error_type


def test_an_accepted_answer_anywhere_in_the_reply_will_do() -> None:
    assert both("It is 27, I think.", "26", "27") == [True, True]
    assert both("It is 28.", "26", "27") == [False, False]


def test_an_answer_stands_between_words() -> None:
    assert both("x3y", "3") == [False, False]
    assert both("Michaela", "Michael") == [False, False]


def test_case_and_most_punctuation_do_not_count() -> None:
    assert both("THE (U.S.) NAVY", "the us navy") == [True, True]
    assert both("It's 1,000", 'it"s 1000') == [True, True]
    assert normalize_answer("A b_c", DEFAULT_RULES) == "a bc"


def test_of_a_list_the_first_item_is_the_reply() -> None:
    assert both(["Answer: 27", "30"], "27") == [True, True]
    assert both(["Answer: 30", "27"], "27") == [False, False]
    assert both([27], "27") == [True, True]


@pytest.mark.parametrize("message", [None, []])
def test_no_reply_has_an_error_of_its_own(message: object) -> None:
    assert error(message, "27") == "agentic:no_last_message"
    assert error("28", "27") == "agentic:answer_not_found"


@pytest.mark.parametrize(
    "message",
    [
        "{'answer': '30', 'context': 'Of 27 I am not sure.'}",
        '{"answer": "30", "context": "Of 27 I am not sure."}',
    ],
)
def test_only_the_answer_counts_and_in_the_reference_what_is_said_beside_it(message: str) -> None:
    assert both(message, "27") == [True, False]
    assert both(message, "30") == [True, True]


def test_a_reply_in_another_form_is_taken_whole() -> None:
    assert both("{'answer': 30, 'context': 27", "27") == [True, True]
    assert both("['answer', 27]", "27") == [True, True]


@pytest.mark.parametrize(("said", "answer"), [("It was $5.", "$5"), ("5% of all", "5%")])
def test_an_answer_may_end_in_a_sign_except_in_the_reference(said: str, answer: str) -> None:
    assert both(said, answer) == [False, True]


def test_an_empty_answer_is_in_no_reply_except_in_the_reference() -> None:
    assert both("Anything.", "-") == [True, False]


@pytest.mark.parametrize(
    ("said", "answer"), [("3.5", "35"), ("35", "3.5"), ("-5", "5"), ("It was -5 there", "5")]
)
def test_points_and_signs_of_numbers_count_except_in_the_reference(said: str, answer: str) -> None:
    assert both(said, answer) == [True, False]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("3.5.", "3.5"),
        ("It is -5.", "-5"),
        ("10-12", "1012"),
        ("pi (3.14)", "3.14"),
        ("5. Yes", "5"),
    ],
)
def test_numbers_are_found_as_they_are_written(said: str, answer: str) -> None:
    assert both(said, answer) == [True, True]


def test_part_of_a_decimal_number_is_another_number() -> None:
    assert both("3.5", "3") == [False, False]
    assert both("3.5", "5") == [False, False]


def test_a_reply_out_of_bounds_is_not_looked_at() -> None:
    assert error("27 " * MAX_LENGTH, "27") == "agentic:answer_not_found"
