import math

import pytest

from dragoman.benchmarks.bfcl.apis.memory_api import ranked_keys


def test_a_key_that_holds_the_word_comes_first_and_others_keep_what_a_known_word_is_worth() -> None:
    ranked = ranked_keys("budget", ["user_name", "budget_goal"])
    rarity = math.log(3 / 1)
    assert ranked == [
        (rarity * (1 + 1 * 2.5 / (1.5 * 1.0 + 1)), "budget_goal"),
        (rarity, "user_name"),
    ]


def test_a_word_that_is_nowhere_scores_nothing_and_leaves_the_order() -> None:
    assert ranked_keys("xyz", ["b", "a"]) == [(0.0, "b"), (0.0, "a")]


def test_a_repeated_word_counts_each_time() -> None:
    once, twice = (ranked_keys(query, ["a", "b"])[0][0] for query in ("a", "a A"))
    assert twice == 2 * once


def test_a_shorter_key_is_worth_more() -> None:
    keys = ["budget_of_the_year", "budget"]
    assert [key for _, key in ranked_keys("Budget", keys)] == ["budget", "budget_of_the_year"]


def test_keys_are_searched_and_underscores_are_spaces_in_both() -> None:
    assert ranked_keys("goal_budget", ["budget_goal"]) == ranked_keys(
        "goal budget", ["budget_goal"]
    )


def test_an_empty_memory_cannot_be_ranked() -> None:
    with pytest.raises(ZeroDivisionError):
        ranked_keys("a", [])
