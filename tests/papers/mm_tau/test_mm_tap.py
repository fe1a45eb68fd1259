"""mm-tap, against the figures that its source prints."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import UsageError
from dragoman.papers.mm_tau.mm_tap import MmTapParts, MmTapWeights, mm_tap

# Table 2 by judge, domain and exposure p: CFA, MRS, ARGA, ERR, TE, UES, TO, IAS; then pass^1 by voice,
# which the source does not print and which its equation gives; then Table 5.
PRINTED = {
    "gpt-4.1 telecom 0": ((0.46, 1.06, 0.32, 0.31, 0.95, 0.53, 0.13, 0.26), 0.291, 0.436),
    "gpt-4.1 telecom 1": ((0.46, 1.27, 0.34, 0.21, 0.95, 0.51, 0.20, 0.20), 0.321, 0.447),
    "gpt-4.1 telecom 2": ((0.477, 1.164, 0.2, 0.242, 0.961, 0.473, 0.099, 0.140), 0.261, 0.415),
    "gpt-4.1 retail 0": ((0.38, 0.75, 0.51, 0.07, 0.98, 0.46, 0.03, 0.47), 0.693, 0.470),
    "gpt-4.1 retail 1": ((0.38, 0.80, 0.44, 0.05, 0.98, 0.47, -0.02, 0.54), 0.683, 0.474),
    "gpt-4.1 retail 2": ((0.389, 0.772, 0.581, 0.041, 0.986, 0.507, 0.146, 0.521), 0.721, 0.481),
    "gpt-5 telecom 0": ((0.48, 1.00, 0.41, 0.31, 0.95, 0.49, 0.13, 0.23), 0.448, 0.466),
    "gpt-5 telecom 1": ((0.47, 0.87, 0.36, 0.18, 0.94, 0.49, 0.20, 0.17), 0.392, 0.409),
    "gpt-5 telecom 2": ((0.483, 1.125, 0.344, 0.192, 0.968, 0.473, 0.099, 0.149), 0.449, 0.455),
    "gpt-5 retail 0": ((0.44, 0.73, 0.48, 0.09, 0.98, 0.43, 0.03, 0.38), 0.693, 0.473),
    "gpt-5 retail 1": ((0.44, 0.67, 0.30, 0.05, 0.99, 0.43, -0.02, 0.49), 0.600, 0.441),
    "gpt-5 retail 2": ((0.429, 0.743, 0.588, 0.085, 0.986, 0.479, 0.146, 0.430), 0.711, 0.484),
}

PARTS = MmTapParts(
    cfa=0.5, pass_1=0.4, mrs=1.5, arga=0.3, err=0.6, te=0.9, ues=1.0, to=-0.5, ias=0.2
)


@pytest.mark.parametrize("cell", PRINTED)
def test_the_printed_scores_follow_from_the_printed_metrics(cell: str) -> None:
    (cfa, mrs, arga, err, te, ues, to, ias), pass_1, printed = PRINTED[cell]
    parts = MmTapParts(cfa, pass_1, mrs, arga, err, te, ues, to, ias)
    assert mm_tap(parts) == pytest.approx(printed, abs=0.0005)


def test_a_score_is_the_weighted_sum_of_its_parts() -> None:
    robustness, efficiency = (1.5 + 0.3 + 0.6) / 3, (0.9 + 0.5 + 2.0) / 3
    expected = 0.35 * 0.5 * 0.4 + 0.35 * robustness + 0.2 * efficiency + 0.1 * 0.2
    assert mm_tap(PARTS) == pytest.approx(expected)


def test_clipping_holds_robustness_and_overhead_within_their_ideals() -> None:
    clipped = PARTS.clipped()
    assert (clipped.mrs, clipped.to) == (1.0, 0.0)
    assert mm_tap(clipped) < mm_tap(PARTS)
    assert clipped == clipped.clipped()


@pytest.mark.parametrize(
    "weights",
    [(0.4, 0.35, 0.2, 0.1), (0.35, 0.35, 0.2, 0.0), (1.2, -0.2, 0, 0), (math.nan, 0.35, 0.2, 0.1)],
)
def test_weights_that_do_not_sum_to_one_are_refused(weights: tuple[float, ...]) -> None:
    with pytest.raises(UsageError, match="sum to"):
        MmTapWeights(*weights)


def test_an_overhead_of_minus_one_is_refused() -> None:
    with pytest.raises(UsageError, match="turn overhead -1"):
        MmTapParts(1, 1, 1, 1, 1, 1, 0, -1, 1)


SHARE = st.floats(0, 1)


@given(
    st.builds(
        MmTapParts,
        SHARE,
        SHARE,
        st.floats(0, 5),
        SHARE,
        SHARE,
        SHARE,
        st.floats(0, 50),
        st.floats(-0.99, 50),
        SHARE,
    )
)
def test_a_clipped_score_lies_between_0_and_1(parts: MmTapParts) -> None:
    assert 0 <= mm_tap(parts.clipped()) <= 1 + 1e-9
