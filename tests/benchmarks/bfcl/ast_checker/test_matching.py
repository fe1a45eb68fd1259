from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.ast_checker.call_check import (
    has_greedy_matching,
    has_perfect_matching,
)

TABLES = st.integers(0, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.booleans(), min_size=size, max_size=size), min_size=size, max_size=size
    )
)


def exists(table: list[list[bool]]) -> bool:
    """Return whether some order of the calls fits, by trying all."""
    size = range(len(table))
    return any(all(table[row][order[row]] for row in size) for order in permutations(size))


@given(TABLES)
def test_a_pairing_is_found_exactly_where_there_is_one(table: list[list[bool]]) -> None:
    assert has_perfect_matching(len(table), lambda row, call: table[row][call]) == exists(table)


@given(TABLES)
def test_what_pairs_greedily_pairs_perfectly(table: list[list[bool]]) -> None:
    if has_greedy_matching(len(table), lambda row, call: table[row][call]):
        assert has_perfect_matching(len(table), lambda row, call: table[row][call])


@given(TABLES, st.integers(0, 5))
def test_those_that_are_known_to_be_in_order_change_nothing(
    table: list[list[bool]], most: int
) -> None:
    in_order = next((n for n, row in enumerate(table) if not row[n]), len(table))
    for pairing in (has_greedy_matching, has_perfect_matching):
        whole = pairing(len(table), lambda row, call: table[row][call])
        assert pairing(len(table), lambda row, call: table[row][call], min(most, in_order)) == whole


def test_each_takes_the_first_that_is_left_and_asks_for_no_other() -> None:
    asked = []

    def passes(expected: int, call: int) -> bool:
        asked.append((expected, call))
        return True

    assert has_greedy_matching(2, passes)
    assert asked == [(0, 0), (1, 1)]


def test_a_long_chain_of_exchanges_needs_no_stack() -> None:
    size = 1_000
    assert has_perfect_matching(size, lambda row, call: call in {row - 1, row, (row + 1) % size})
