import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.upstream_data import (
    ELLIPSIS,
    MAX_SOURCE,
    function_texts,
    module_constants,
)
from dragoman.core.errors import DataError

LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(LITERALS)
def test_literals_come_back_as_they_were_written(value: object) -> None:
    assert module_constants(f"NAME = {value!r}", "words.py") == {"NAME": value}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"one " + "two"', "one two"),
        ('("one "\n"two")', "one two"),
        ("[1] + [2]", [1, 2]),
        ("(1, 2)", [1, 2]),
        ("[...]", [ELLIPSIS]),
        ("-1.5", -1.5),
        ('{("a", "b"): 2}', [[["a", "b"], 2]]),
    ],
)
def test_expressions_of_literals_are_folded(text: str, value: object) -> None:
    assert module_constants(f"NAME = {text}", "words.py") == {"NAME": value}


def test_names_given_before_are_known() -> None:
    source = 'FIRST: str = "a"\nSECOND = {"x": FIRST + "b"}\n'
    assert module_constants(source, "words.py") == {"FIRST": "a", "SECOND": {"x": "ab"}}


@pytest.mark.parametrize(
    "text",
    ["open('x', 'w')", "[f()]", "unknown", "{**other}", "1j", "b'x'", "1 + 1", "-'a'", "f'{x}'"],
)
def test_what_only_running_would_evaluate_is_left_out(text: str) -> None:
    assert module_constants(f"NAME = {text}\nOTHER = 1\n", "words.py") == {"OTHER": 1}


def test_fragments_of_a_function_come_in_its_order_with_places_to_fill() -> None:
    source = (
        "def note(kind):\n"
        '    """What is added."""\n'
        '    if kind == "any":\n'
        '        return " Anything."\n'
        "    return f\" Of type {kind['name']}; {len(kind)} letters.\"\n"
    )
    assert function_texts(source, "note", "words.py") == [
        " Anything.",
        " Of type {}; {} letters.",
    ]


def test_a_missing_function_is_told() -> None:
    with pytest.raises(DataError, match=r"words\.py has no function note"):
        function_texts("x = 1", "note", "words.py")


@pytest.mark.parametrize("source", ["x = ", "x = '\0'", "(" * 1_000, "-" * 100_000 + "1"])
def test_what_is_no_python_is_told(source: str) -> None:
    with pytest.raises(DataError, match=r"words\.py cannot be read"):
        module_constants(source, "words.py")


def test_a_module_that_is_too_long_is_not_read() -> None:
    with pytest.raises(DataError, match="too long"):
        module_constants("#" * (MAX_SOURCE + 1), "words.py")


def test_folded_constants_are_json() -> None:
    constants = module_constants("A = {1: (2, ...)}", "words.py")
    assert json.loads(json.dumps(constants)) == {"A": [[1, [2, ELLIPSIS]]]}
