"""Rate-limit headers of servers are read, and believed within bounds."""

from datetime import UTC, datetime
from email.utils import format_datetime
from time import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.models.endpoints.rate_limit import LONGEST_WAIT, pause_from_headers, retry_after
from dragoman.models.http.transport import HttpResponse


def waiting(**headers: str) -> float | None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return retry_after(HttpResponse(429, named, b""))


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("0", 0.0),
        ("86400", LONGEST_WAIT),
        ("1e300", LONGEST_WAIT),
        ("inf", LONGEST_WAIT),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_WAIT),
        ("", None),
        ("nan", None),
        ("-5", None),
        ("soon", None),
        ("9" * 5_000, None),
        ("Fri, 31 Dec 9999 23:59:59 -9999", None),
    ],
)
def test_the_wait_asked_for_is_a_bounded_number(given: str, seconds: float | None) -> None:
    assert waiting(retry_after=given) == seconds


def test_the_wait_may_be_a_date() -> None:
    date = format_datetime(datetime.fromtimestamp(time() + 90, UTC), usegmt=True)
    wait = waiting(retry_after=date)
    assert wait is not None
    assert 60 < wait <= 90


def test_milliseconds_are_more_exact() -> None:
    assert waiting(retry_after="1", retry_after_ms="350") == 0.35
    assert waiting(retry_after="1", retry_after_ms="nan") == 1.0


def pause(**headers: str) -> float:
    return pause_from_headers({f"x-ratelimit-{k.replace('_', '-')}": v for k, v in headers.items()})


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        ("1m30s", 90.0),
        ("6m0s", 360.0),
        ("250ms", 0.25),
        ("6", 6.0),
        ("1h", LONGEST_WAIT),
        ("3600", LONGEST_WAIT),
        ("1795274007", 0.0),
        ("", 0.0),
        ("-1s", 1.0),
        ("nan", 0.0),
        ("2026-01-01T00:00:00Z", 0.0),
    ],
)
def test_an_allowance_that_is_used_up_asks_for_a_pause(reset: str, seconds: float) -> None:
    assert pause(remaining_requests="0", reset_requests=reset) == seconds


def test_the_longest_of_two_pauses_counts_and_what_is_left_asks_for_none() -> None:
    assert pause(remaining_requests="5", reset_requests="9s") == 0
    assert pause(reset_requests="9s") == 0
    reported = {"remaining_requests": "0", "reset_requests": "2s"}
    assert pause(**reported, remaining_tokens="0", reset_tokens="9s") == 9
    assert pause(**reported, remaining_tokens="1", reset_tokens="9s") == 2


PLAUSIBLE = st.text(alphabet="0123456789.eE+-naif msdhGMTJuly,:/", max_size=40)


@given(st.text(max_size=80) | PLAUSIBLE)
def test_any_text_asks_for_a_bounded_wait_or_none(text: str) -> None:
    for wait in (waiting(retry_after=text), waiting(retry_after_ms=text)):
        assert wait is None or 0 <= wait <= LONGEST_WAIT
    assert 0 <= pause(remaining_tokens="0", reset_tokens=text) <= LONGEST_WAIT
