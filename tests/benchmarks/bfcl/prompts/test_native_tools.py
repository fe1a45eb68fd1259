import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.native_tools import native_names, native_tools, original_call
from dragoman.benchmarks.bfcl.prompts import ShownDocument
from dragoman.core.errors import DataError
from dragoman.core.tools import ToolCall


def parameters(**properties: object) -> dict[str, object]:
    return {"type": "dict", "properties": properties, "required": []}


def test_types_become_those_of_json_schemas_at_every_depth() -> None:
    inner = parameters(n={"type": "integer"}, x={"type": "any"}, z={"type": "float"})
    document = ShownDocument(
        "a.b", "Does.", parameters(d=inner, t={"type": "tuple", "items": inner})
    )
    (tool,) = native_tools([document], " Real.")
    expected = {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "x": {"type": "string"},
            "z": {"type": "number", "format": "float", "description": " Real."},
        },
        "required": [],
    }
    assert (tool.name, tool.description) == ("a_b", "Does.")
    assert tool.parameters["properties"] == {
        "d": expected,
        "t": {"type": "array", "items": expected},
    }


def test_elements_that_are_floats_carry_no_note() -> None:
    (tool,) = native_tools(
        [ShownDocument("f", "", parameters(a={"type": "array", "items": {"type": "float"}}))], "!"
    )
    assert tool.parameters["properties"] == {"a": {"type": "array", "items": {"type": "number"}}}


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(DataError, match="unknown type 'Quaternion'"):
        native_tools([ShownDocument("f", "", parameters(a={"type": "Quaternion"}))], "")


@pytest.mark.parametrize("names", [["a.b", "a_b"], ["a", "a"], ["x" * 65]])
def test_names_that_cannot_be_told_apart_or_are_too_long_are_refused(names: list[str]) -> None:
    with pytest.raises(DataError, match="no name of its own"):
        native_names(names)


@given(
    st.lists(
        st.from_regex(r"[a-z.]{1,20}", fullmatch=True), unique_by=lambda n: n.replace(".", "_")
    )
)
def test_calls_come_back_under_the_functions_own_names(names: list[str]) -> None:
    originals = native_names(names)
    assert list(originals.values()) == names
    for accepted, name in originals.items():
        assert "." not in accepted
        assert original_call(ToolCall("1", accepted, {"x": 1}), originals).name == name


def test_a_name_that_was_not_shown_stays() -> None:
    assert original_call(ToolCall("1", "made_up", {}), {"a_b": "a.b"}).name == "made_up"
