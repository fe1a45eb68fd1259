"""What of a line of questions another language has otherwise, and what stays."""

import copy

from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.language.questions import EVERY, LineText, names_of, texts_of
from dragoman.core.texts.json_places import at_place, put

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
    found = list(texts_of(LINE))
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
    assert all(at_place(LINE, each.place) == each.text for each in found)


def test_a_choice_says_where_it_stands_in_a_call() -> None:
    choices = [each for each in texts_of(LINE) if each.use == "choice"]
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
    assert [(each.text, each.path) for each in texts_of(line)] == [
        ("day", ("part",)),
        ("day", ("parts", EVERY)),
    ]


def test_names_of_functions_and_parameters_are_no_texts() -> None:
    assert list(names_of(LINE)) == ["weather.now", "units", "days", "live", "city"]
    assert list(names_of({"name": "f", "parameters": {"properties": {"x": {}}}})) == ["f", "x"]


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
    texts: list[LineText] = list(texts_of(line))
    assert texts[0].text == "Does it."
    changed = copy.deepcopy(line)
    put(changed, {each.place: f"<{each.text}>" for each in texts})
    assert [at_place(changed, each.place) for each in texts] == [f"<{t.text}>" for t in texts]
    put(changed, {each.place: each.text for each in texts})
    assert changed == line
