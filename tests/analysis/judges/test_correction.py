"""Rates without the errors of the judge that gave them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.judge_accuracy import JudgedPair, corrected_rate, judge_errors


def labelled(hits: int, missed: int, false_alarms: int, rejections: int) -> list[JudgedPair]:
    return [
        *[JudgedPair(True, True)] * hits,
        *[JudgedPair(True, False)] * missed,
        *[JudgedPair(False, True)] * false_alarms,
        *[JudgedPair(False, False)] * rejections,
    ]


def answers(yes: int, no: int) -> list[bool]:
    return [True] * yes + [False] * no


def test_what_a_judge_finds_misses_and_invents() -> None:
    errors = judge_errors(labelled(40, 10, 5, 45))
    assert (errors.sensitivity, errors.specificity) == (0.8, 0.9)
    assert errors.precision == pytest.approx(40 / 45)


def test_a_rate_by_a_lenient_judge_is_lowered() -> None:
    # Of 100, 50 are true: a judge that finds 95 % and lets 30 % of the others pass says yes to 62.5.
    found = corrected_rate(answers(125, 75), labelled(190, 10, 60, 140))
    assert found.raw == 0.625
    assert found.value == pytest.approx(0.5)
    assert found.interval is not None
    assert found.interval.low < 0.5 < found.interval.high
    assert found.interval.high < found.raw


@given(
    truth=st.integers(0, 20),
    sensitivity=st.integers(13, 20),
    specificity=st.integers(13, 20),
)
def test_the_truth_is_recovered_where_a_judge_errs_as_often_as_it_did_before(
    truth: int, sensitivity: int, specificity: int
) -> None:
    false = 20 - truth
    said = truth * sensitivity + false * (20 - specificity)
    pairs = labelled(
        sensitivity * 50, (20 - sensitivity) * 50, (20 - specificity) * 50, specificity * 50
    )
    found = corrected_rate(answers(said, 400 - said), pairs)
    assert found.value == pytest.approx(truth / 20)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    import numpy as np

    draws = np.random.default_rng(5)
    covered = 0
    for _ in range(200):
        true = draws.random(150) < 0.4
        judged = np.where(true, draws.random(150) < 0.85, draws.random(150) < 0.2)
        known = draws.random(80) < 0.5
        reported = np.where(known, draws.random(80) < 0.85, draws.random(80) < 0.2)
        pairs = [JudgedPair(bool(a), bool(b)) for a, b in zip(known, reported, strict=True)]
        found = corrected_rate([bool(one) for one in judged], pairs)
        assert found.interval is not None
        covered += found.interval.low <= 0.4 <= found.interval.high
    assert 184 <= covered <= 199


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        (labelled(10, 10, 12, 8), "not better than chance on"),
        (labelled(3, 1, 1, 3), "not better than chance on the labelled conversations, as far as 8"),
        (labelled(0, 0, 3, 9), "no labelled conversation is true"),
        (labelled(9, 1, 0, 0), "no labelled conversation is false"),
    ],
)
def test_no_correction_is_made_by_a_judge_that_is_not_known_to_tell(
    pairs: list[JudgedPair], why: str
) -> None:
    found = corrected_rate(answers(6, 4), pairs)
    assert (found.raw, found.value, found.interval) == (0.6, None, None)
    assert why in found.why
