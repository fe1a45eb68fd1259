import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.core.texts.alignment import MAX_UNITS, Pair, align, distance, edit_counts

WORDS = st.lists(st.sampled_from("abc"), max_size=8)


def test_a_lost_a_changed_and_an_added_unit_are_told_apart() -> None:
    assert align(
        ["send", "it", "to", "tom", "brown"], ["send", "to", "tim", "brown", "please"]
    ) == (
        Pair("send", "send"),
        Pair("it", None),
        Pair("to", "to"),
        Pair("tom", "tim"),
        Pair("brown", "brown"),
        Pair(None, "please"),
    )


@given(WORDS, WORDS)
def test_an_alignment_holds_both_sequences_in_their_order(
    said: list[str], heard: list[str]
) -> None:
    pairs = align(said, heard)
    assert [pair.said for pair in pairs if pair.said is not None] == said
    assert [pair.heard for pair in pairs if pair.heard is not None] == heard


@given(WORDS, WORDS)
def test_a_distance_is_the_same_both_ways_and_no_more_than_the_longer(
    said: list[str], heard: list[str]
) -> None:
    assert distance(said, heard) == distance(heard, said)
    assert distance(said, heard) <= max(len(said), len(heard))
    assert (distance(said, heard) == 0) == (said == heard)


@given(st.lists(st.sampled_from("abc"), max_size=24), st.lists(st.sampled_from("abc"), max_size=24))
def test_the_quick_alignment_of_units_is_that_of_their_cost(
    said: list[str], heard: list[str]
) -> None:
    assert align(said, heard) == align(said, heard, lambda one, other: float(one != other))


def test_a_cheaper_substitution_makes_a_shorter_distance() -> None:
    assert distance("bat", "pat", lambda said, heard: 0.5 * (said != heard)) == 0.5


def test_what_is_too_long_is_refused() -> None:
    with pytest.raises(DataError, match="2001 units are too many"):
        align("a" * (MAX_UNITS + 1), "a")


@given(st.text("abc", max_size=14), st.text("abcd", max_size=14))
def test_counts_are_those_of_the_pairs(said: str, heard: str) -> None:
    pairs = align(said, heard)
    assert edit_counts(said, heard) == (
        sum(pair.said == pair.heard for pair in pairs),
        sum(None not in {pair.said, pair.heard} and pair.said != pair.heard for pair in pairs),
        sum(pair.heard is None for pair in pairs),
        sum(pair.said is None for pair in pairs),
    )
