"""Calls against gold calls, by hand and in any order."""

import itertools
from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.apis.grading import (
    CallGrades,
    GoldCall,
    canonical_value,
    cheapest_assignment,
    compared_call,
    gold_call,
    grade_calls,
)

Calls = Sequence[tuple[str, dict[str, object]]]
Also = dict[str, tuple[object, ...]]

OFFERED = {"f", "g", "h"}
NONE = CallGrades(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def graded(gold: Calls, made: Calls, also: Also | None = None) -> CallGrades:
    return grade_calls(
        [gold_call(tool, arguments, also or {}) for tool, arguments in gold],
        [compared_call(tool, arguments) for tool, arguments in made],
        OFFERED,
    )


CASES: dict[str, tuple[Calls, Calls, dict[str, int]]] = {
    "as it is": (
        [("f", {"a": 1, "b": "x"})],
        [("f", {"b": "x", "a": "1"})],
        {"gold_tools": 1, "made_tools": 1, "right_tools": 1, "gold_arguments": 2, "made_arguments": 2, "right_arguments": 2, "exact": 1},
    ),
    "no call where none is wanted": ([], [], {"exact": 1}),
    "no call where one is wanted": (
        [("f", {"a": 1})], [], {"gold_tools": 1, "missing_tools": 1, "gold_arguments": 1},
    ),
    "a call where none is wanted": (
        [], [("g", {"a": 1})], {"made_tools": 1, "extra_tools": 1, "made_arguments": 1},
    ),
    "a tool that nobody offered": (
        [("f", {})], [("nowhere", {})], {"gold_tools": 1, "made_tools": 1, "hallucinated_tools": 1, "missing_tools": 1},
    ),
    "another tool that was offered": (
        [("f", {})], [("g", {})], {"gold_tools": 1, "made_tools": 1, "extra_tools": 1, "missing_tools": 1},
    ),
    "one call three times": (
        [("f", {"a": 1})],
        [("f", {"a": 1})] * 3,
        {"gold_tools": 1, "made_tools": 3, "right_tools": 1, "extra_tools": 2, "gold_arguments": 1, "made_arguments": 3, "right_arguments": 1},
    ),
    "one tool twice with other values": (
        [("f", {"a": 1}), ("f", {"a": 2})],
        [("f", {"a": 2}), ("f", {"a": 1})],
        {"gold_tools": 2, "made_tools": 2, "right_tools": 2, "gold_arguments": 2, "made_arguments": 2, "right_arguments": 2, "exact": 1},
    ),
    "a wrong value, one left out, one too many": (
        [("f", {"a": 1, "b": 2, "c": 3})],
        [("f", {"a": 1, "b": 9, "d": 4})],
        {"gold_tools": 1, "made_tools": 1, "right_tools": 1, "gold_arguments": 3, "made_arguments": 3, "right_arguments": 1, "wrong_values": 1, "missing_arguments": 1, "extra_arguments": 1},
    ),
    "values swapped between two calls": (
        [("f", {"a": 1, "b": 1}), ("f", {"a": 2, "b": 2})],
        [("f", {"a": 1, "b": 2}), ("f", {"a": 2, "b": 1})],
        {"gold_tools": 2, "made_tools": 2, "right_tools": 2, "gold_arguments": 4, "made_arguments": 4, "right_arguments": 4, "wrong_values": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("gold", "made", "counts"), CASES.values(), ids=CASES)
def test_calls_are_counted_by_hand(gold: Calls, made: Calls, counts: dict[str, int]) -> None:
    assert graded(gold, made) == msgspec.structs.replace(NONE, **counts)


def test_other_values_do_as_well_but_each_call_counts_once() -> None:
    gold: Calls = [("f", {"a": "Zürich"}), ("f", {"a": "Zurich"})]
    found = graded(gold, [("f", {"a": "Zurich"}), ("f", {"a": "Zürich"})], {"a": ("Zurich",)})
    assert (found.right_arguments, found.exact) == (2, 1)
    found = graded(gold, [("f", {"a": "Zürich"}), ("f", {"a": "Zürich"})], {"a": ("Zurich",)})
    assert (found.right_arguments, found.exact) == (1, 0)


@pytest.mark.parametrize(
    ("one", "other"),
    [(5, 5.0), (5, "5"), (True, "True"), (True, "true"), (None, "null"), ("é", "e\u0301"), (" x ", "x"), ([1, "a"], ["1", "a"]), ({"a": 1, "b": 2}, {"b": "2", "a": 1})],
)  # fmt: skip
def test_values_are_the_same_however_they_are_written(one: object, other: object) -> None:
    assert canonical_value(one) == canonical_value(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("01004", 1004), ("x", "X"), ([1, 2], [2, 1]), (1, 1.5), (1, True), ("", None)],
)
def test_values_differ_where_they_mean_something_else(one: object, other: object) -> None:
    assert canonical_value(one) != canonical_value(other)


_VALUES = st.sampled_from([1, 2, "x"])
_CALLS = st.lists(
    st.tuples(st.sampled_from("fgz"), st.dictionaries(st.sampled_from("abc"), _VALUES, max_size=3)),
    max_size=5,
)
_ALSO = st.sampled_from([{}, {"a": (2,)}, {"b": ("x", 1)}])


@given(_CALLS, _CALLS, _ALSO, st.randoms())
def test_no_order_of_calls_or_arguments_changes_a_number(
    gold: Calls, made: Calls, also: Also, random: Random
) -> None:
    def mixed(calls: Calls) -> Calls:
        shuffled = [(tool, dict(random.sample(list(a.items()), len(a)))) for tool, a in calls]
        random.shuffle(shuffled)
        return shuffled

    assert graded(mixed(gold), mixed(made), also) == graded(gold, made, also)


@given(_CALLS, _CALLS, _ALSO)
def test_numbers_add_up(gold: Calls, made: Calls, also: Also) -> None:
    found = graded(gold, made, also)
    assert found.gold_tools == found.right_tools + found.missing_tools
    assert found.made_tools == (found.right_tools + found.extra_tools + found.hallucinated_tools)
    assert found.right_arguments <= min(found.gold_arguments, found.made_arguments)
    if found.exact:
        assert found.right_arguments == found.gold_arguments == found.made_arguments


@given(st.integers(1, 4), st.integers(1, 5), st.data())
def test_pairs_cost_as_little_as_the_best_of_all(
    rows: int, columns: int, data: st.DataObject
) -> None:
    costs = data.draw(
        st.lists(st.lists(st.integers(-9, 9), min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )  # fmt: skip
    wide = costs if rows <= columns else list(zip(*costs, strict=True))
    best = min(
        sum(row[column] for row, column in zip(wide, chosen, strict=True))
        for chosen in itertools.permutations(range(len(wide[0])), len(wide))
    )
    assert cheapest_assignment(costs) == best


def test_a_gold_call_keeps_every_value_that_will_do() -> None:
    assert gold_call("f", {"a": 1}, {"a": ("one",)}) == GoldCall(
        "f", {"a": frozenset({"1", "one"})}
    )
