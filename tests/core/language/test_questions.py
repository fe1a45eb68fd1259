"""Texts of a question line that another language replaces, and the parts that stay."""

import copy

from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.language.question_texts import EVERY, LineText, line_names, line_texts
from dragoman.core.texts.decoding import set_values_at, value_at

LINE: dict[str, object] = {
    "id": "q_0",
    "question": [
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather?"}]
    ],
    "function": [
        {
            "name": "weather.now",
            "description": "Tells the weather.",
            "parameters": {
                "type": "dict",
                "description": "no parameter",
                "properties": {
                    "units": {
                        "type": "array",
                        "description": "The units.",
                        "items": {"type": "string"},
                        "enum": ["metric", "imperial"],
                        "default": ["metric"],
                    },
                    "days": {
                        "type": "array",
                        "items": {
                            "type": "dict",
                            "properties": {"part": {"type": "string", "enum": ["day", "night"]}},
                        },
                    },
                    "live": {"type": "boolean", "enum": ["True", "False"], "default": "True"},
                    "city": {"type": "string", "default": "Paris"},
                },
            },
        }
    ],
}


def test_what_is_said_described_and_listed_is_found_with_its_use() -> None:
    found = list(line_texts(LINE))
    assert [(each.use, each.text) for each in found] == [
        ("described", "Tells the weather."),
        ("described", "The units."),
        ("choice", "metric"),
        ("choice", "imperial"),
        ("choice", "metric"),
        ("choice", "day"),
        ("choice", "night"),
        ("said", "Be brief."),
        ("said", "Weather?"),
    ]
    assert all(value_at(LINE, each.place) == each.text for each in found)


def test_a_choice_says_where_it_stands_in_a_call() -> None:
    choices = [each for each in line_texts(LINE) if each.use == "choice"]
    assert {(each.parameter, each.path, each.listed) for each in choices} == {
        ("weather.now.units", ("units", EVERY), ("metric", "imperial")),
        ("weather.now.days.part", ("days", EVERY, "part"), ("day", "night")),
    }


def test_a_type_may_be_a_list_of_types() -> None:
    choice = {"type": ["string", "integer"], "enum": ["day", 1]}
    several = {"type": ["array", "null"], "enum": ["day"]}
    number = {"type": ["integer", "null"], "enum": ["1"]}
    properties = {"part": choice, "parts": several, "count": number, "odd": {"type": [[], {}]}}
    line = {"name": "f", "parameters": {"properties": properties}}
    assert [(each.text, each.path) for each in line_texts(line)] == [
        ("day", ("part",)),
        ("day", ("parts", EVERY)),
    ]


def test_names_of_functions_and_parameters_are_no_texts() -> None:
    assert list(line_names(LINE)) == ["weather.now", "units", "days", "live", "city"]
    assert list(line_names({"name": "f", "parameters": {"properties": {"x": {}}}})) == ["f", "x"]


ANY = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "name",
                    "description",
                    "parameters",
                    "properties",
                    "items",
                    "enum",
                    "default",
                    "type",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(ANY)
def test_whatever_a_line_holds_its_texts_can_be_replaced_and_put_back(parameters: object) -> None:
    line = {"name": "f", "description": "Does it.", "parameters": parameters}
    texts: list[LineText] = list(line_texts(line))
    assert texts[0].text == "Does it."
    changed = copy.deepcopy(line)
    set_values_at(changed, {each.place: f"<{each.text}>" for each in texts})
    assert [value_at(changed, each.place) for each in texts] == [f"<{t.text}>" for t in texts]
    set_values_at(changed, {each.place: each.text for each in texts})
    assert changed == line
