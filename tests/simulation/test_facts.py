import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.tasks import KnownFact
from dragoman.simulation.fact_mentions import find_mentions, find_name_spans, segment_about
from dragoman.simulation.phrasebooks import english_phrasebook

ENGLISH = english_phrasebook()
FIRST = KnownFact("first_name", "Maren", ("name",))
LAST = KnownFact("last_name", "Holt", ("name", "surname"))
ZIP = KnownFact("zip_code", "83702", ("zip", "postcode"))
ORDER = KnownFact("order_number", "#S1000001", ("order",))
FACTS = (FIRST, LAST, ZIP, ORDER)


def read(text: str) -> dict[str, str]:
    return {mention.fact.name: mention.reading for mention in find_mentions(text, FACTS, ENGLISH)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is your postcode?", {"zip_code": "asked"}),
        ("Your zip is 83702, right?", {"zip_code": "right"}),
        ("Your zip is 83712, right?", {"zip_code": "wrong"}),
        ("Your zip is 99999, right?", {"zip_code": "wrong"}),
        ("Is 83702 your zip?", {"zip_code": "right"}),
        ("Your surname and zip, please?", {"last_name": "asked", "zip_code": "asked"}),
        ("Your surname is Hold and your zip 83702?", {"last_name": "wrong", "zip_code": "right"}),
        ("You are Maren Holt; is that name right?", {"first_name": "right", "last_name": "right"}),
        ("Your name is Maren Hold?", {"first_name": "right", "last_name": "wrong"}),
        ("The order costs $38.60. Shall I go ahead?", {"order_number": "asked"}),
        ("I found order #S1000009.", {"order_number": "wrong"}),
        ("What orders are yours?", {"order_number": "asked"}),
        ("How is the weather?", {}),
        ("", {}),
    ],
)
def test_a_text_asks_for_facts_or_reads_them_back(text: str, expected: dict[str, str]) -> None:
    assert read(text) == expected


def test_a_keyword_inside_a_longer_one_does_not_count() -> None:
    (place,) = find_name_spans("the pickup code please", [("code",), ("pickup code",)], ENGLISH)
    assert place.number == 1


def test_a_segment_goes_on_to_the_next_fact() -> None:
    text = "No. The zip is 83712. The order is St. 5."
    assert segment_about(text, ZIP, FACTS, ENGLISH) == " is 83712. The "
    assert segment_about(text, ORDER, FACTS, ENGLISH) == " is St. 5."
    assert segment_about(text, LAST, FACTS, ENGLISH) is None


def test_the_words_of_a_question_are_no_value_that_was_misrecognized() -> None:
    word = KnownFact("security_word", "walnut", ("security word",))
    (mention,) = find_mentions("Your security word, what is your postcode?", (word,), ENGLISH)
    assert mention.reading == "asked"


@given(st.text(max_size=80), st.text("a#9 ", min_size=1, max_size=8))
def test_any_text_names_each_fact_at_most_once(text: str, keyword: str) -> None:
    facts = (*FACTS, KnownFact("odd", keyword, (keyword,)))
    names = [mention.fact.name for mention in find_mentions(text, facts, ENGLISH)]
    assert len(names) == len(set(names))
