"""Results as texts: the reference's rule, within bounds."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.apis.results import (
    MAX_RESULT,
    ApiRefusal,
    LongList,
    error_text,
    result_text,
)


def test_a_text_stays_as_it_is() -> None:
    assert result_text("as 'it' is") == "as 'it' is"


def test_an_object_becomes_json_in_ascii() -> None:
    assert result_text({"a": [1, 2.0, None], "é": True}) == '{"a": [1, 2.0, null], "\\u00e9": true}'


def test_an_object_that_json_cannot_hold_is_shown_as_python_has_it() -> None:
    assert result_text({"result": Decimal("1.50")}) == "{'result': Decimal('1.50')}"
    assert result_text({"ids": {3}}) == "{'ids': {3}}"


def test_everything_else_is_shown_as_python_has_it() -> None:
    assert result_text(None) == "None"
    assert result_text([{"a": True}, "b"]) == "[{'a': True}, 'b']"


def test_a_result_past_the_bound_is_refused() -> None:
    assert len(result_text("x" * MAX_RESULT)) == MAX_RESULT
    with pytest.raises(ApiRefusal, match="1000001 characters"):
        result_text("x" * (MAX_RESULT + 1))


def test_a_number_that_python_does_not_write_is_an_error() -> None:
    with pytest.raises(ValueError, match="4300 digits"):
        result_text({"result": 10**5000})


def test_long_lists_are_shown_as_any_other() -> None:
    values = [0.1, 2, "é"]
    with_long = {"symbol": "A", "MA": LongList(values), "n": {"a": None}}
    assert result_text(with_long) == result_text({**with_long, "MA": values})
    assert result_text([LongList(values)]) == result_text([values])


def test_long_lists_beside_what_json_cannot_hold_are_shown_as_python_has_them() -> None:
    assert result_text({"a": LongList([1]), "b": {2}}) == "{'a': [1], 'b': {2}}"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=3) | st.integers() | st.floats() | st.none(), JSON))
def test_an_object_is_written_as_json_writes_it(value: dict[object, object]) -> None:
    assert result_text(value) == json.dumps(value)


def test_an_object_that_holds_itself_is_shown_as_python_has_it() -> None:
    value: dict[str, object] = {}
    value["self"] = value
    assert result_text(value) == "{'self': {...}}"


def test_an_error_says_that_execution_failed() -> None:
    assert error_text(KeyError("id")) == "Error during execution: 'id'"
