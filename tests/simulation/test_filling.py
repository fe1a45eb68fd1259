import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.tools import ToolSpec
from dragoman.simulation.phrasebooks import english_phrasebook
from dragoman.simulation.slot_filling import (
    FoundValue,
    Parameter,
    SlotContext,
    candidate_values,
    extract_result_values,
    required_parameters,
)

ENGLISH = english_phrasebook()
NOTHING = SlotContext("", (), ENGLISH)


def string(name: str, description: str = "", *choices: str) -> Parameter:
    return Parameter(name, "string", description, choices)


@pytest.mark.parametrize(
    ("parameter", "said", "expected"),
    [
        (string("email"), "Mail a.b@c.de, please.", ["a.b@c.de"]),
        (string("zip"), "I live in 83702.", ["83702"]),
        (string("date"), "on 2026-03-01 or 2026-03-02", ["2026-03-01", "2026-03-02"]),
        (string("phone"), "call +1 555 010 9999", ["+1 555 010 9999"]),
        (string("first_name"), "I am Maren Holt.", ["Maren"]),
        (string("last_name"), "I am Maren Holt.", ["Holt"]),
        (string("name"), "This is Maren A. Holt.", ["Maren Holt"]),
        (string("order_id", "Such as '#W0000000'."), "order #W12, not #WX", ["#W12"]),
        (
            string("reason", "'no longer needed' or 'ordered by mistake'"),
            "no longer needed",
            ["no longer needed"],
        ),
        (string("size", "", "small", "large"), "the large one", ["large"]),
        (string("size", "", "small", "large"), "any", []),
        (string("city", "City."), "The city is Boise.", ["Boise"]),
        (Parameter("floor", "integer", "The floor.", ()), "My floor is 3.", [3]),
        (Parameter("weight", "number", "Weight.", ()), "The weight is 2.5 kg.", [2.5]),
        (Parameter("floor", "integer", "The floor.", ()), "The floor is 2.5.", []),
        (Parameter("sure", "boolean", "", ()), "The sure is true.", []),
        (string("name"), "I am not sure.", []),
    ],
)
def test_values_are_found_by_patterns_in_what_was_said(
    parameter: Parameter, said: str, expected: list[object]
) -> None:
    assert candidate_values(parameter, SlotContext(said, (), ENGLISH)) == expected


def test_values_of_results_go_by_their_names_and_the_words_around_them() -> None:
    found = extract_result_values(
        "get_order",
        '{"items": [{"item_id": "1", "name": "stove"}, {"item_id": "2", "name": "red jacket"}]}',
    )
    known = SlotContext("the red jacket", tuple(found), ENGLISH)
    assert candidate_values(string("item_id"), known) == ["2", "1"]
    assert candidate_values(Parameter("new_item_ids", "array", "", ()), known) == [["2"], ["1"]]


def test_a_bare_result_is_what_its_tool_is_called_after() -> None:
    known = SlotContext("", (FoundValue("find_user_id_by_email", "maren_1", "maren_1"),), ENGLISH)
    assert candidate_values(string("user_id"), known) == ["maren_1"]
    assert candidate_values(string("order_id"), known) == []


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": 5, "required": ["a"]},
        {"properties": {"a": 5}, "required": ["a"]},
        {"properties": {}, "required": 5},
        {"properties": {}, "required": ["a"]},
    ],
)
def test_a_schema_that_is_none_has_no_parameters(schema: dict[str, object]) -> None:
    assert required_parameters(ToolSpec("x", "", schema)) == []


def test_a_schema_says_which_parameters_are_required() -> None:
    schema: dict[str, object] = {
        "properties": {
            "a": {"type": "integer", "description": "A."},
            "b": {},
            "c": {"enum": ["x"]},
        },
        "required": ["a", "c"],
    }
    assert required_parameters(ToolSpec("x", "", schema)) == [
        Parameter("a", "integer", "A.", ()),
        Parameter("c", "string", "", ("x",)),
    ]


@given(
    st.text(max_size=80),
    st.sampled_from(["email", "zip", "name", "x_id", "date"]),
    st.text(max_size=40),
)
def test_any_words_give_values_of_the_right_kind(said: str, name: str, description: str) -> None:
    known = SlotContext(said, (), ENGLISH)
    assert all(
        isinstance(value, str) for value in candidate_values(string(name, description), known)
    )
    numbers = candidate_values(Parameter(name, "integer", description, ()), known)
    assert all(isinstance(value, int) for value in numbers)
