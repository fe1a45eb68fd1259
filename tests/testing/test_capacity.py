import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.testing.server_config import Capacity, CapacityGate, Outage


def test_without_limits_everybody_comes_in() -> None:
    gate = CapacityGate(Capacity())
    admissions = [gate.admit(0.0, in_flight) for in_flight in range(1, 100)]
    assert all(admission.is_admitted and not admission.headers for admission in admissions)


def test_a_seconds_worth_may_come_at_once_and_no_more() -> None:
    gate = CapacityGate(Capacity(requests_per_second=2))
    assert [gate.admit(10.0, 1).is_admitted for _ in range(4)] == [True, True, False, False]
    assert [gate.admit(10.5, 1).is_admitted for _ in range(2)] == [True, False]


def test_headers_tell_where_the_client_stands() -> None:
    gate = CapacityGate(Capacity(requests_per_second=0.25))
    assert gate.admit(0.0, 1).headers == {
        "x-ratelimit-limit-requests": "1",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "4.000s",
    }
    assert gate.admit(1.0, 1).headers == {
        "x-ratelimit-limit-requests": "1",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "3.000s",
        "Retry-After": "3",
    }


@given(
    st.floats(0.01, 100),
    st.lists(st.floats(0, 2), min_size=1, max_size=30),
)
def test_whoever_waits_as_told_comes_in(rate: float, pauses: list[float]) -> None:
    gate = CapacityGate(Capacity(requests_per_second=rate))
    now = 0.0
    for pause in pauses:
        now += pause
        admission = gate.admit(now, 1)
        if not admission.is_admitted:
            now += float(admission.headers["Retry-After"])
            assert gate.admit(now, 1).is_admitted


def test_more_at_a_time_than_allowed_are_sent_away() -> None:
    gate = CapacityGate(Capacity(most_concurrent=2))
    assert [gate.admit(0.0, in_flight).is_admitted for in_flight in (1, 2, 3)] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    "build",
    [
        lambda: Capacity(requests_per_second=0),
        lambda: Capacity(most_concurrent=0),
        lambda: Capacity(latency_seconds=-1),
        lambda: Capacity(jitter_seconds=-1),
        lambda: Capacity(outages=(Outage(-1, 1),)),
    ],
)
def test_a_capacity_that_makes_no_sense_is_refused(build: type[Capacity]) -> None:
    with pytest.raises(ValueError, match=r"above 0|at least 1|not negative"):
        build()
