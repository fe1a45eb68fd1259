"""Training and test data share no operation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.split import (
    NeededOperations,
    SplitPlan,
    assign_splits,
    draw_test_operations,
)

NAMES = st.sampled_from([f"api/{number}" for number in range(30)])
TASKS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=4),
    st.builds(
        NeededOperations,
        st.lists(NAMES, max_size=3, unique=True).map(tuple),
        st.lists(NAMES, max_size=8, unique=True).map(tuple),
    ),
)
PLANS = st.builds(SplitPlan, st.floats(0.05, 0.6), st.integers(0, 50))


@given(TASKS, PLANS)
def test_no_operation_of_a_test_is_needed_or_offered_in_training(
    tasks: dict[str, NeededOperations], plan: SplitPlan
) -> None:
    try:
        sides = assign_splits(tasks, plan)
    except UsageError:
        return
    unseen = {name for side in sides.values() for name in side.unseen}
    for name, side in sides.items():
        assert bool(side.unseen) == (side.split == "test")
        if side.split == "train":
            assert unseen.isdisjoint(tasks[name].used)
            assert unseen.isdisjoint(side.offered)


@given(st.sets(NAMES, min_size=1), NAMES, PLANS)
def test_one_more_operation_moves_no_other(names: set[str], more: str, plan: SplitPlan) -> None:
    before = draw_test_operations(names, plan)
    after = draw_test_operations({*names, more}, plan)
    assert after - before <= {more}
    assert before <= after


def test_operations_can_be_named_for_tests() -> None:
    tasks = {
        "t1": NeededOperations(("a/x",), ("a/x", "b/y")),
        "t2": NeededOperations(("b/y",), ("a/x", "b/y")),
    }
    sides = assign_splits(tasks, SplitPlan(1e-9, test=("a/x",)))
    assert (sides["t1"].split, sides["t1"].unseen) == ("test", ("a/x",))
    assert (sides["t2"].split, sides["t2"].offered) == ("train", ("b/y",))


def test_a_split_with_one_side_is_refused() -> None:
    with pytest.raises(UsageError, match="no task would be for test"):
        assign_splits({"t": NeededOperations(("a/x",), ("a/x",))}, SplitPlan(1e-9))


@pytest.mark.parametrize("share", [0.0, 1.0, float("nan")])
def test_a_share_that_parts_nothing_is_refused(share: float) -> None:
    with pytest.raises(UsageError, match="--share"):
        SplitPlan(share)
