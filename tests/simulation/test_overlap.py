import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.simulation.phrasebooks import english_phrasebook
from dragoman.simulation.slot_filling import count_shared_words, rank_documents, word_stems
from dragoman.simulation.text_segmentation import sort_longest_first

ENGLISH = english_phrasebook()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cancel the pending orders", ["cancel", "pend", "order"]),
        ("get_order_details", ["get", "order", "detail"]),
        ("", []),
    ],
)
def test_words_are_stems_without_those_that_say_nothing(text: str, expected: list[str]) -> None:
    assert word_stems(text, ENGLISH) == expected


def test_words_that_say_nothing_are_taken_out_in_one_order_in_every_process() -> None:
    stop = [f"{first}กข" for first in "คงจชซ"] + ["ขคง"]
    assert sort_longest_first(frozenset(stop)) == sorted(stop)
    assert sort_longest_first({"ก", "ขค"}) == ["ขค", "ก"]


def test_rare_words_weigh_more_than_common_ones() -> None:
    tools = {"cancel": "cancel order", "return": "return order", "show": "show order"}
    names = [name for name, _ in rank_documents("return my order", tools, ENGLISH)]
    assert names == ["return", "cancel", "show"]


def test_nothing_in_common_scores_nothing() -> None:
    assert rank_documents("weather", {"a": "order", "b": ""}, ENGLISH) == [("a", 0), ("b", 0)]
    assert rank_documents("weather", {}, ENGLISH) == []


def test_shared_words_are_counted_once() -> None:
    assert count_shared_words("red red jacket", "the red jackets", ENGLISH) == 2


@given(st.text(max_size=40), st.dictionaries(st.text(max_size=5), st.text(max_size=40), max_size=5))
def test_every_document_is_ranked_by_falling_score(query: str, documents: dict[str, str]) -> None:
    result = rank_documents(query, documents, ENGLISH)
    assert {name for name, _ in result} == set(documents)
    scores = [score for _, score in result]
    assert scores == sorted(scores, reverse=True)
    assert all(score >= 0 for score in scores)
