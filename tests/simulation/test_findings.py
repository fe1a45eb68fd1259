import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dragoman.simulation.slot_filling import FoundValue, extract_result_values


def test_every_value_has_its_key_and_the_record_around_it() -> None:
    assert extract_result_values("get", '{"a": 1, "b": {"c": ["x", null]}}') == [
        FoundValue("a", 1, '{"a":1,"b":{"c":["x",null]}}'),
        FoundValue("c", "x", '{"c":["x",null]}'),
    ]


def test_a_bare_id_is_named_after_what_it_identifies() -> None:
    (found,) = extract_result_values("get", '{"lines": [{"id": "L1"}]}')
    assert (found.name, found.value) == ("line_id", "L1")


def test_what_is_no_json_is_one_value() -> None:
    assert extract_result_values("find_user", "maren_1") == [
        FoundValue("find_user", "maren_1", "maren_1")
    ]


def test_depth_is_bounded() -> None:
    assert extract_result_values("get", '{"a":' * 500 + "1" + "}" * 500) == []
    assert len(extract_result_values("get", "[" * 100_000)) == 1


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
def test_any_json_is_read(value: object) -> None:
    found = extract_result_values("get", msgspec.json.encode(value).decode())
    assert all(isinstance(entry.value, str | int | float) for entry in found)
