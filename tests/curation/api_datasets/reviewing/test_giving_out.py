"""Each query goes to enough people, and nothing tells a gold question from another query."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.annotation.assignment import (
    Annotator,
    AssignmentPlan,
    OpenQuery,
    assign,
    parse_annotators,
)

NAMES = [f"q{number}" for number in range(60)]
PEOPLE = tuple(Annotator(name) for name in ("ana", "bo", "carla"))


@st.composite
def handings(draw: st.DrawFn) -> tuple[dict[str, OpenQuery], dict[str, OpenQuery], AssignmentPlan]:
    """Queries and gold questions for three to five people.

    Each query goes to two or three of them.
    """
    names = draw(st.permutations(NAMES))
    count = draw(st.integers(1, 40))
    people = tuple(Annotator(f"p{number}") for number in range(draw(st.integers(3, 5))))
    copies = draw(st.integers(2, 3))
    plan = AssignmentPlan(
        people, copies, draw(st.sampled_from([0.1, 0.3])), draw(st.integers(0, 9))
    )
    queries = {name: OpenQuery("pt", copies) for name in names[:count]}
    gold = {name: OpenQuery("pt") for name in names[count : count + draw(st.integers(0, 20))]}
    return queries, gold, plan


@given(handings())
def test_every_query_and_every_gold_question_stands_in_as_many_sheets(
    handing: tuple[dict[str, OpenQuery], dict[str, OpenQuery], AssignmentPlan],
) -> None:
    queries, gold, plan = handing
    found = assign(queries, gold, {}, plan)
    times = Counter(name for rows in found.queries.values() for name in rows)
    assert set(times.values()) == {plan.per_query}
    assert set(queries) <= set(times) <= set(queries) | set(gold)
    for name, rows in found.queries.items():
        assert len(set(rows)) == len(rows)
        assert found.gold[name] == len(set(rows) & set(gold))
    loads = [sum(name in queries for name in rows) for rows in found.queries.values()]
    if len(loads) == len(plan.annotators):
        assert max(loads) - min(loads) <= 1


@given(handings())
def test_the_order_of_queries_changes_nothing(
    handing: tuple[dict[str, OpenQuery], dict[str, OpenQuery], AssignmentPlan],
) -> None:
    queries, gold, plan = handing
    turned = {name: queries[name] for name in sorted(queries, reverse=True)}
    gold_turned = {name: gold[name] for name in sorted(gold, reverse=True)}
    assert assign(turned, gold_turned, {}, plan) == assign(queries, gold, {}, plan)


def test_gold_questions_are_a_tenth_of_long_sheets_and_five_of_short_ones() -> None:
    gold = {f"g{number}": OpenQuery("pt") for number in range(100)}
    plan = AssignmentPlan(PEOPLE)
    long = assign({f"q{n}": OpenQuery("pt", 2) for n in range(270)}, gold, {}, plan)
    assert {len(rows) for rows in long.queries.values()} <= {200, 201, 202}
    assert all(20 <= count <= 21 for count in long.gold.values())
    short = assign({f"q{n}": OpenQuery("pt", 2) for n in range(6)}, gold, {}, plan)
    assert all(5 <= count <= 6 for count in short.gold.values())


def test_gold_questions_stand_anywhere() -> None:
    gold = {f"g{number}": OpenQuery("pt") for number in range(40)}
    queries = {f"q{number}": OpenQuery("pt", 2) for number in range(100)}
    places = []
    for seed in range(200):
        rows = assign(queries, gold, {}, AssignmentPlan(PEOPLE, seed=seed)).queries["ana"]
        places += [place / (len(rows) - 1) for place, name in enumerate(rows) if name in gold]
    assert sum(places) / len(places) == pytest.approx(0.5, abs=0.03)
    assert sum(place < 0.25 for place in places) / len(places) == pytest.approx(0.25, abs=0.04)


def test_two_people_get_the_same_queries_in_orders_of_their_own() -> None:
    queries = {f"q{number}": OpenQuery("pt", 2) for number in range(20)}
    sheets = assign(queries, {}, {}, AssignmentPlan(PEOPLE[:2])).queries
    assert set(sheets["ana"]) == set(sheets["bo"])
    assert sheets["ana"] != sheets["bo"]


def test_people_get_the_languages_that_they_read() -> None:
    people = (Annotator("ana", ("pt",)), Annotator("bo", ("pt", "th")), Annotator("cy", ("th",)))
    queries = {
        "a": OpenQuery("pt-BR", 2),
        "b": OpenQuery("th", 2),
        "c": OpenQuery("vi", 2),
        "d": OpenQuery("vi", 2),
    }
    found = assign(queries, {}, {}, AssignmentPlan(people))
    assert {name: set(rows) for name, rows in found.queries.items()} == {
        "ana": {"a"},
        "bo": {"a", "b"},
        "cy": {"b"},
    }
    assert found.short == {"vi": 2}


def test_nobody_gets_a_query_twice() -> None:
    queries = {f"q{number}": OpenQuery("pt", 1, frozenset({"ana"})) for number in range(10)}
    gold = {"g1": OpenQuery("pt", 0, frozenset({"bo", "carla"})), "g2": OpenQuery("pt")}
    found = assign(queries, gold, {"bo": 5, "carla": 4}, AssignmentPlan(PEOPLE))
    assert "ana" not in found.queries
    assert all("g1" not in rows for rows in found.queries.values())


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "name those who label"),
        ("ana,ana", "each once"),
        ("../ana", "names of letters"),
        ("Adjudicator", "take another name"),
    ],
)
def test_names_that_cannot_be_are_one_line(written: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        AssignmentPlan(parse_annotators(written))


def test_languages_stand_behind_a_name() -> None:
    assert parse_annotators("ana:pt+es, bo") == (Annotator("ana", ("pt", "es")), Annotator("bo"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"per_query": 1}, "--per-query 1: at least 2"), ({"share": 0.0}, "--share 0")],
)
def test_plans_that_cannot_be_are_one_line(changed: dict[str, float], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        AssignmentPlan(PEOPLE, **changed)  # type: ignore[arg-type]
