"""Client-side rate limiter (token buckets for RPM and TPM), Retry-After and rate-limit headers.

The tokens of a request are not known before it is answered: they are estimated from its bytes by
the ratio of answered requests, and corrected when the answer arrives.
"""

import asyncio
import email.utils
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from dragoman.core.errors import UsageError
from dragoman.models.http.transport import HttpResponse

LONGEST_WAIT = 600.0
"""Longest pause in seconds; if a server asks for more, the client asks again after this time."""

_ALLOWANCES = tuple(
    (f"x-ratelimit-remaining-{what}", f"x-ratelimit-reset-{what}")
    for what in ("requests", "tokens")
)
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)")
_LONGEST_NUMBER = 20
_LONGEST_DATE = 64
_LONGEST_DURATION = 40
_DAY = 86_400.0
_SECONDS_OF_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": _DAY}


def retry_after(answer: HttpResponse) -> float | None:
    """Return the seconds to wait that an answer asks for, or None if it asks for none.

    `Retry-After` is a number of seconds or a date (RFC 9110); `retry-after-ms` is OpenAI's header.
    """
    milliseconds = _number(answer.headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return min(milliseconds / 1_000, LONGEST_WAIT)
    given = answer.headers.get("retry-after", "").strip()
    seconds = _number(given)
    if seconds is None and given:
        seconds = _until(given)
    return None if seconds is None else min(max(seconds, 0.0), LONGEST_WAIT)


def pause_from_headers(headers: Mapping[str, str]) -> float:
    """Return the seconds until an exhausted allowance is renewed.

    The result is 0 if no allowance is exhausted.
    """
    pause = 0.0
    for left, reset in _ALLOWANCES:
        reported = headers.get(left)
        if reported is not None and _number(reported) == 0:
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
    """Return the seconds of a text such as `1m30s`, `250ms` or `6`; 0 if it contains none.

    A bare number of more than a day is an instant, not a duration, and its clock is unknown.
    """
    number = _number(text)
    if number is not None:
        return number if number <= _DAY else 0.0
    parts = _PART.findall(text[:_LONGEST_DURATION])
    return sum(float(amount) * _SECONDS_OF_UNITS[unit] for amount, unit in parts)


MINUTE = 60.0
TOKENS_PER_BYTE = 0.25
"""Assumed ratio for the first requests."""

SMOOTHING = 0.2
RATE_FORM = "NAME=500rpm+200000tpm"
_AMOUNT = re.compile(r"([0-9]{1,15})(rpm|tpm)")

Clock = Callable[[], float]
T = TypeVar("T")


class RateLimiter:
    """Rate limiter with an allowance per minute; a twentieth of it may be used in one burst.

    Args:
        requests: Requests per minute; None for no limit.
        tokens: Tokens per minute; None for no limit.
        clock: Clock in seconds that never goes back.
    """

    def __init__(self, requests: float | None, tokens: float | None, clock: Clock) -> None:
        self._clock = clock
        self._requests = None if requests is None else _TokenBucket(requests, clock)
        self._tokens = None if tokens is None else _TokenBucket(tokens, clock)
        self._per_byte = TOKENS_PER_BYTE

    async def take(self, sent: int) -> None:
        """Wait until a request of this size in bytes may be sent."""
        waits = [0.0]
        if self._requests is not None:
            waits.append(self._requests.take(1.0))
        if self._tokens is not None:
            waits.append(self._tokens.take(sent * self._per_byte))
        if max(waits) > 0:
            await asyncio.sleep(max(waits))

    def settle(self, sent: int, tokens: int) -> None:
        """Record the tokens of a request of this size in bytes.

        0 tokens mean that the number is unknown.
        """
        if not tokens or not sent:
            return
        if self._tokens is not None:
            self._tokens.take(tokens - sent * self._per_byte)
        self._per_byte += (tokens / sent - self._per_byte) * SMOOTHING


class _TokenBucket:
    """Token bucket that holds a twentieth of a minute's allowance and may be overdrawn."""

    def __init__(self, a_minute: float, clock: Clock) -> None:
        self._rate = a_minute / MINUTE
        self._most = max(1.0, a_minute / 20)
        self._left = self._most
        self._clock = clock
        self._last: float | None = None

    def take(self, amount: float) -> float:
        """Take an amount and return the seconds to wait for it."""
        moment = self._clock()
        if self._last is not None:
            self._left = min(self._most, self._left + (moment - self._last) * self._rate)
        self._last = moment
        self._left -= amount
        return max(0.0, -self._left / self._rate)


QUIET_SECONDS = 5.0
"""Seconds without a request after which a batch is sent.

By then all participants wait or work elsewhere.
"""

_SECONDS = re.compile(r"\d{1,5}(?:\.\d{1,3})?")

Rates = Mapping[str, tuple[float | None, float | None]]
"""Requests and tokens per minute, by the name of a provider or an address; None for no limit."""


class PacingOptions(msgspec.Struct, frozen=True):
    """Pacing of the calls of a run.

    Attributes:
        rates: Allowances per minute.
        hedge_after: Seconds after which a call without an answer is sent a second time; None for
            never.
        batches: Providers or addresses whose models are asked in batches, each with the seconds
            without another request after which a batch is sent.
    """

    rates: Rates = {}
    hedge_after: float | None = None
    batches: Mapping[str, float] = {}


def read_rates(written: Sequence[str], sharers: int = 1) -> Rates:
    """Parse rates per minute as people write them, and divide them between the sharers.

    Raises:
        UsageError: If a rate is malformed, or a name occurs twice.
    """
    rates: dict[str, tuple[float | None, float | None]] = {}
    for text in written:
        _require_no_secret("rate", text)
        name, _, amounts = text.rpartition("=")
        found = dict(_amount(part, text) for part in amounts.split("+"))
        if not name or name in rates:
            raise UsageError(f"rate {text!r}: write each provider or address once, {RATE_FORM}")
        rates[name] = (_share(found.get("rpm"), sharers), _share(found.get("tpm"), sharers))
    return rates


def read_batches(written: Sequence[str]) -> Mapping[str, float]:
    """Parse batch options as people write them.

    They are the names, and the seconds to wait for more requests.

    Raises:
        UsageError: If an option is malformed, or a name occurs twice.
    """
    batches: dict[str, float] = {}
    for text in written:
        _require_no_secret("batch", text)
        name, _, seconds = text.partition("=")
        if not name or name in batches or not _SECONDS.fullmatch(seconds or "1"):
            raise UsageError(
                f"batch {text!r}: write each provider or address once, as NAME or NAME=SECONDS"
            )
        batches[name] = float(seconds) if seconds else QUIET_SECONDS
    return batches


def _require_no_secret(what: str, text: str) -> None:
    """Refuse a text with a secret, because the text would be stored with the run."""
    if "@" in text or "?" in text:
        raise UsageError(
            f"{what}: the address holds credentials or a query: write http://HOST:PORT alone"
        )


def _share(amount: float | None, sharers: int) -> float | None:
    return None if amount is None else amount / sharers


def first_given(given: Mapping[str, T], names: Sequence[str]) -> T | None:
    """Return the first of these names' values that is set; None if none is set."""
    return next((given[name] for name in names if name in given), None)


def rate_limiter_for(rates: Rates, names: Sequence[str], clock: Clock) -> RateLimiter | None:
    """Return a rate limiter for the first of these names that has a rate; None if none has one."""
    rate = first_given(rates, names)
    return None if rate is None else RateLimiter(*rate, clock)


def _amount(part: str, text: str) -> tuple[str, float]:
    found = _AMOUNT.fullmatch(part)
    if found is None or not int(found[1]):
        raise UsageError(f"rate {text!r}: write it as {RATE_FORM}")
    return found[2], float(found[1])
