"""Lent values: they are read in place, and copied before the first write."""

from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.apis.scenario_values import CopyOnWrite, deep_copy

VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


def test_a_lent_value_is_the_lender_s_until_the_first_write() -> None:
    inbox = [{"a": "b"}]
    lent = CopyOnWrite(inbox)
    assert lent.value is inbox
    lent.own().append({"c": "d"})
    lent.own()[0] = {"a": "changed"}
    assert lent.value == [{"a": "changed"}, {"c": "d"}]
    assert inbox == [{"a": "b"}]


def test_a_value_is_copied_once() -> None:
    lent: CopyOnWrite[set[int]] = CopyOnWrite({1})
    own = lent.own()
    own.add(2)
    assert lent.own() is own
    assert lent.value == {1, 2}


def test_a_value_that_was_shown_stays_what_it_was() -> None:
    lent: CopyOnWrite[list[str]] = CopyOnWrite([])
    lent.own().append("a")
    shown = lent.shown()
    lent.own().append("b")
    assert (shown, lent.value) == (["a"], ["a", "b"])


@given(VALUES)
def test_a_copy_is_equal_and_shares_no_container(value: object) -> None:
    copy = deep_copy(value)
    assert copy == value
    assert not containers(copy) & containers(value)


def containers(value: object) -> set[int]:
    if isinstance(value, dict):
        return {id(value)}.union(*(containers(entry) for entry in value.values()))
    if isinstance(value, list):
        return {id(value)}.union(*(containers(entry) for entry in value))
    return set()
