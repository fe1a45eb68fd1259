from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.kit.tool_schemas import Validator, compile_validators
from dragoman.core.errors import ToolError
from dragoman.core.tools import Toolset, ToolSpec

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer"},
        "price": {"type": "number"},
        "paid": {"type": "boolean"},
        "size": {"enum": ["S", "M"]},
        "ids": {"type": "array", "items": {"type": "string"}},
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "place": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "zip": {"type": "string"}},
            "required": ["city"],
        },
        "people": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"age": {"type": "integer"}},
                "required": ["age"],
            },
        },
        "free": {"type": "object"},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["name"],
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def validator(schema: dict[str, Any] = SCHEMA) -> Validator:
    return compile_validators(Toolset((ToolSpec("tool", "", schema),)))["tool"]


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"count": 3},
        {"price": 3},
        {"price": 3.5},
        {"paid": True},
        {"size": "M"},
        {"ids": []},
        {"ids": ["a", "b"]},
        {"grid": [[1], [], [2, 3]]},
        {"place": {"city": "Boise"}},
        {"place": {"city": "Boise", "zip": "83702"}},
        {"people": [{"age": 4}]},
        {"free": {"anything": [1, "a"]}},
        {"either": None},
        {"either": "a"},
    ],
)
def test_arguments_of_the_schema_pass(extra: dict[str, object]) -> None:
    validator()({"name": "x", **extra})


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        ({"name": 3}, "name"),
        ({"name": None}, "name"),
        ({"count": "3"}, "count"),
        ({"count": 3.5}, "count"),
        ({"count": True}, "count"),
        ({"price": "3"}, "price"),
        ({"paid": 1}, "paid"),
        ({"size": "L"}, "size"),
        ({"size": 1}, "size"),
        ({"ids": "a"}, "ids"),
        ({"ids": ["a", 1]}, r"ids\[1\]"),
        ({"grid": [[1], ["2"]]}, "grid"),
        ({"place": {}}, "city"),
        ({"place": {"city": "Boise", "street": "x"}}, "street"),
        ({"people": [{"age": 4}, {"age": "5"}]}, "age"),
        ({"free": []}, "free"),
        ({"nmae": "x"}, "nmae"),
        ({"f0": "x"}, "f0"),
    ],
)
def test_what_breaks_the_schema_is_refused_by_name(extra: dict[str, object], named: str) -> None:
    with pytest.raises(ToolError, match=named):
        validator()({"name": "x", **extra})


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(ToolError, match="name"):
        validator()({})


def test_a_tool_without_parameters_takes_none() -> None:
    check = validator({"type": "object", "properties": {}, "required": []})
    check({})
    with pytest.raises(ToolError, match="extra"):
        check({"extra": 1})


def test_further_arguments_pass_where_the_schema_allows_them() -> None:
    validator({"type": "object", "properties": {}, "additionalProperties": True})({"extra": 1})


@given(
    st.dictionaries(
        st.sampled_from([*SCHEMA["properties"], "f0", "other"]) | st.text(max_size=3),
        VALUES,
        max_size=5,
    )
)
def test_any_arguments_pass_or_are_refused(arguments: dict[str, object]) -> None:
    try:
        COMPILED(arguments)
    except ToolError:
        return
    assert isinstance(arguments["name"], str)
    assert set(arguments) <= set(SCHEMA["properties"])


COMPILED = validator()


def test_a_schema_may_list_several_types() -> None:
    validator({"type": "object", "properties": {"a": {"type": ["string", "null"]}}})({"a": None})
