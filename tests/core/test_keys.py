import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


class Point(msgspec.Struct, frozen=True):
    x: int
    y: int


def test_equal_content_has_an_equal_key() -> None:
    assert content_key("a", 1, [2.5, None]) == content_key("a", 1, [2.5, None])


def test_a_key_is_128_bits_in_hex() -> None:
    assert re.fullmatch("[0-9a-f]{32}", content_key("anything"))


def test_an_integer_and_a_float_of_the_same_value_have_different_keys() -> None:
    assert content_key(25) != content_key(25.0)


def test_a_string_and_the_number_it_spells_have_different_keys() -> None:
    assert content_key("25") != content_key(25)


def test_parts_are_not_run_together() -> None:
    assert content_key("ab", "c") != content_key("a", "bc")


def test_the_order_of_an_objects_names_is_free() -> None:
    assert content_key({"a": 1, "b": 2}) == content_key({"b": 2, "a": 1})


def test_the_order_of_a_list_matters() -> None:
    assert content_key([1, 2]) != content_key([2, 1])


def test_equal_records_have_equal_keys_and_others_do_not() -> None:
    assert content_key(Point(1, 2)) == content_key(Point(1, 2))
    assert content_key(Point(1, 2)) != content_key(Point(2, 1))


def test_rule_sets_have_different_keys() -> None:
    assert content_key(DEFAULT_RULES) != content_key(TAU2_RULES)


@given(VALUES)
def test_a_key_survives_a_trip_through_json(value: object) -> None:
    assert content_key(msgspec.json.decode(msgspec.json.encode(value))) == content_key(value)


@given(VALUES, VALUES)
def test_keys_are_equal_exactly_where_the_canonical_json_is(one: object, other: object) -> None:
    texts = [msgspec.json.encode(value, order="deterministic") for value in (one, other)]
    assert (content_key(one) == content_key(other)) == (texts[0] == texts[1])


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_seed_lies_below_two_to_the_31(key: str, purpose: str) -> None:
    assert 0 <= derive_seed(key, purpose) < 2**31


def test_seeds_are_the_same_on_every_machine() -> None:
    assert derive_seed("0" * 32, "conversation") == derive_seed("0" * 32, "conversation")
    assert derive_seed(content_key("cell", 1), "bootstrap") == 1300397463


def test_a_seed_depends_on_key_and_purpose() -> None:
    seeds = {derive_seed(key, purpose) for key in ("k1", "k2") for purpose in ("p1", "p2")}
    assert len(seeds) == 4


def test_a_new_cell_changes_no_other_cells_seed() -> None:
    before = [derive_seed(content_key("cell", name), "conversation") for name in ("a", "b")]
    after = [derive_seed(content_key("cell", name), "conversation") for name in ("a", "new", "b")]
    assert [after[0], after[2]] == before
