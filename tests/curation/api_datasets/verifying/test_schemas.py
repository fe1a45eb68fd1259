"""A schema that was inferred from answers fits each of them, in any order of arrival."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.curation.api_datasets.probing.responses import (
    MOST_DEPTH,
    MOST_PROPERTIES,
    bound_schema,
    find_drift,
    infer_schema,
    merge_schemas,
)

NAMES = st.sampled_from(["id", "data", "rows", "price", "unité"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "array": (list,),
    "object": (dict,),
}


def accepts(schema: dict[str, Any], value: object) -> bool:
    """Judge a value as JSON schema does, by the few words that are used."""
    if not schema:
        return True
    said = schema["type"]
    allowed = [each for name in ([said] if isinstance(said, str) else said) for each in TYPES[name]]
    if type(value) not in allowed:
        return False
    if isinstance(value, dict) and "properties" in schema:
        known = schema["properties"]
        return {*schema["required"]} <= {*value} and all(
            name in known and accepts(known[name], each) for name, each in value.items()
        )
    if isinstance(value, list) and value:
        return "items" in schema and all(accepts(schema["items"], each) for each in value)
    return True


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_what_is_inferred_of_a_set_fits_each_of_it(values: list[object]) -> None:
    schema = infer_schema(values)
    assert all(accepts(schema, value) for value in values)


@given(
    st.lists(VALUES, min_size=1, max_size=4).flatmap(
        lambda v: st.tuples(st.just(v), st.permutations(v))
    )
)
def test_the_order_of_answers_changes_nothing(pair: tuple[list[object], list[object]]) -> None:
    assert infer_schema(pair[0]) == infer_schema(pair[1])


@given(VALUES, VALUES, VALUES)
def test_merging_is_the_same_in_any_grouping(one: object, two: object, three: object) -> None:
    first, second, third = (infer_schema([value]) for value in (one, two, three))
    assert merge_schemas(merge_schemas(first, second), third) == merge_schemas(
        first, merge_schemas(second, third)
    )
    assert merge_schemas(first, first) == first


@given(VALUES)
def test_nothing_drifts_between_equal_answers(value: object) -> None:
    assert find_drift(infer_schema([value]), infer_schema([value])) == ()


@given(st.lists(VALUES, min_size=1, max_size=4), st.data())
def test_one_of_the_answers_that_were_seen_is_no_drift(
    values: list[object], data: st.DataObject
) -> None:
    again = infer_schema([data.draw(st.sampled_from(values))])
    assert [each for each in find_drift(infer_schema(values), again) if each.kind != "new"] == []


def test_fields_that_are_not_always_there_are_optional() -> None:
    assert infer_schema([{"id": 1, "name": "a"}, {"id": 2.5}, {"id": 3, "name": None}]) == {
        "type": "object",
        "properties": {"id": {"type": "number"}, "name": {"type": ["null", "string"]}},
        "required": ["id"],
    }


def test_items_of_a_list_are_merged() -> None:
    assert infer_schema([[], [{"a": 1}, {"b": "x"}], {"a": [1, "x"]}]) == {
        "type": ["array", "object"],
        "properties": {"a": {"type": "array", "items": {"type": ["integer", "string"]}}},
        "required": ["a"],
        "items": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
            "required": [],
        },
    }


def test_what_has_no_bound_is_cut() -> None:
    deep: object = 1
    for _ in range(500):
        deep = [deep]
    schema, depth = infer_schema([deep]), 0
    while schema:
        schema, depth = schema["items"], depth + 1
    assert depth == MOST_DEPTH
    assert infer_schema([{str(at): 1 for at in range(MOST_PROPERTIES + 1)}]) == {"type": "object"}
    halves = [{str(at): 1 for at in range(MOST_PROPERTIES)}, {"another": 1}]
    assert infer_schema(halves) == infer_schema(halves[::-1]) == {"type": "object"}


def test_a_large_schema_is_cut_at_a_smaller_depth() -> None:
    wide = infer_schema([{f"field {at}": {"inner": {"leaf": 1}} for at in range(50)}])
    cut = bound_schema(wide, 2_500)
    assert cut["properties"]["field 7"] == {}


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"data": [1]}, {"dados": [1]}, ["dados is new", "data is gone"]),
        ({"rows": [{"p": 1}]}, {"rows": [{"p": "1"}]}, ["rows[].p: string was integer"]),
        ({"rows": [{"p": 1}]}, {"rows": []}, []),
        ({"p": 1}, {"p": None}, []),
        ({"p": 1.5}, {"p": 2}, []),
        ({"p": 1}, {"p": 1.5}, ["p: number was integer"]),
        ([1], {"data": [1]}, ["the answer: object was array"]),
        ({"a": {"b": {"c": "x"}}}, {"a": {"b": {"c": [1]}}}, ["a.b.c: array was string"]),
    ],
)
def test_drift_says_what_changed(before: object, after: object, said: list[str]) -> None:
    assert [str(each) for each in find_drift(infer_schema([before]), infer_schema([after]))] == said


def test_a_field_that_was_only_sometimes_there_is_not_missed() -> None:
    before = infer_schema([{"id": 1, "note": "x"}, {"id": 2}])
    assert find_drift(before, infer_schema([{"id": 3}])) == ()
