from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.significance import holm, sign_flip_p

P_VALUES = st.lists(st.floats(0.0001, 1), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([0], 1.0),
        ([0, 0, 0], 1.0),
        ([1], 1.0),
        ([1, 1], 0.5),
        ([1, -1], 1.0),
        ([4, 4, 4, 0], 0.25),
        ([-1] * 5, 2 / 32),
        ([3, 1], 0.5),
        ([3, -1], 1.0),
        ([1, 1, 1, -1], 10 / 16),
    ],
)
def test_p_is_the_share_of_sign_flips_that_are_as_far_from_zero(
    differences: list[int], p: float
) -> None:
    assert sign_flip_p(differences) == pytest.approx(p, abs=1e-15)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9))
def test_p_equals_that_of_enumerating_all_signs(differences: list[int]) -> None:
    seen = abs(sum(differences))
    sums = [
        sum(sign * value for sign, value in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    wanted = sum(abs(value) >= seen for value in sums) / len(sums)
    assert sign_flip_p(differences) == pytest.approx(wanted, abs=1e-12)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=300))
def test_p_lies_above_0_up_to_1_and_is_the_same_for_the_opposite_question(
    differences: list[int],
) -> None:
    p = sign_flip_p(differences)
    assert 0 < p <= 1
    assert sign_flip_p([-value for value in differences]) == p
    assert sign_flip_p([3 * value for value in differences]) == p


def test_p_of_very_many_tasks_is_small_and_never_0() -> None:
    assert 0 < sign_flip_p([1] * 3_000) < 1e-300


def test_holm_multiplies_the_smallest_by_all_and_the_next_by_one_less() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([0.5, 0.9]) == (1.0, 1.0)
    assert holm([0.2]) == (0.2,)
    assert holm([]) == ()


@given(P_VALUES)
def test_holm_never_lowers_a_p_and_keeps_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    pairs = sorted(zip(p_values, adjusted, strict=True))
    assert all(p <= corrected <= 1 for p, corrected in pairs)
    assert [corrected for _, corrected in pairs] == sorted(adjusted)
