"""A count agrees with its noun."""

from dragoman.core.texts.counts import format_count


def test_one_thing_is_singular_and_every_other_number_plural() -> None:
    assert format_count(1, "task") == "1 task"
    assert format_count(0, "task") == "0 tasks"
    assert format_count(1200, "task") == "1,200 tasks"


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert format_count(1, "query", "queries") == "1 query"
    assert format_count(2, "query", "queries") == "2 queries"
