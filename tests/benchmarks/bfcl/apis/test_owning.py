"""Lent values: read where they lie, copied before the first write."""

from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.apis.owning import Lent, cloned

VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


def test_a_lent_value_is_the_lender_s_until_the_first_write() -> None:
    inbox = [{"a": "b"}]
    lent = Lent(inbox)
    assert lent.value is inbox
    lent.own().append({"c": "d"})
    lent.own()[0] = {"a": "changed"}
    assert lent.value == [{"a": "changed"}, {"c": "d"}]
    assert inbox == [{"a": "b"}]


def test_a_value_is_copied_once() -> None:
    lent: Lent[set[int]] = Lent({1})
    own = lent.own()
    own.add(2)
    assert lent.own() is own
    assert lent.value == {1, 2}


def test_a_value_that_was_shown_stays_what_it_was() -> None:
    lent: Lent[list[str]] = Lent([])
    lent.own().append("a")
    shown = lent.shown()
    lent.own().append("b")
    assert (shown, lent.value) == (["a"], ["a", "b"])


@given(VALUES)
def test_a_copy_is_equal_and_shares_no_container(value: object) -> None:
    copy = cloned(value)
    assert copy == value
    assert not containers(copy) & containers(value)


def containers(value: object) -> set[int]:
    if isinstance(value, dict):
        return {id(value)}.union(*(containers(entry) for entry in value.values()))
    if isinstance(value, list):
        return {id(value)}.union(*(containers(entry) for entry in value))
    return set()
