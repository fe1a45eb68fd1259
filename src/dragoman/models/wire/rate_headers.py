"""What a server says about its limits: Retry-After, and what is left of a minute's allowance."""

import email.utils
import re
import time
from collections.abc import Mapping

from dragoman.models.wire.transport import HttpResponse

LONGEST_WAIT = 600.0
"""Seconds; a server that asks for more is asked again after this time."""

_ALLOWANCES = tuple(
    (f"x-ratelimit-remaining-{what}", f"x-ratelimit-reset-{what}")
    for what in ("requests", "tokens")
)
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)")
_LONGEST_NUMBER = 20
_LONGEST_DATE = 64
_LONGEST_DURATION = 40
_DAY = 86_400.0
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": _DAY}


def retry_after(answer: HttpResponse) -> float | None:
    """Return the seconds to wait that an answer asks for, or None where it asks for nothing.

    `Retry-After` is a number of seconds or a date (RFC 9110); `retry-after-ms` is OpenAI's.
    """
    milliseconds = _number(answer.headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return min(milliseconds / 1_000, LONGEST_WAIT)
    given = answer.headers.get("retry-after", "").strip()
    seconds = _number(given)
    if seconds is None and given:
        seconds = _until(given)
    return None if seconds is None else min(max(seconds, 0.0), LONGEST_WAIT)


def pause_asked(headers: Mapping[str, str]) -> float:
    """Return the seconds until an allowance that is used up is there again; 0 where none is."""
    pause = 0.0
    for left, reset in _ALLOWANCES:
        told = headers.get(left)
        if told is not None and _number(told) == 0:
            pause = max(pause, _duration(headers.get(reset, "")))
    return min(pause, LONGEST_WAIT)


def _number(text: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text) if len(text) < _LONGEST_NUMBER else None
    except ValueError:
        return None
    return value if value is not None and value >= 0 else None


def _until(date: str) -> float | None:
    if len(date) > _LONGEST_DATE:
        return None
    try:
        then = email.utils.parsedate_to_datetime(date)
        return then.timestamp() - time.time()
    except (ValueError, OverflowError):
        return None


def _duration(text: str) -> float:
    """Return the seconds of a text such as `1m30s`, `250ms` or `6`; 0 where it tells none.

    A bare number above a day is an instant, not a duration: whose clock it is on is unknown.
    """
    number = _number(text)
    if number is not None:
        return number if number <= _DAY else 0.0
    parts = _PART.findall(text[:_LONGEST_DURATION])
    return sum(float(amount) * _SECONDS[unit] for amount, unit in parts)
