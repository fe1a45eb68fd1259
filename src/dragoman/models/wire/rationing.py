"""What may be asked of an endpoint in a minute, as its owner says: requests, and tokens.

What a request will take is not known before it is answered: it is taken for as many tokens a byte as
answered requests took, and set right when it is answered.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from dragoman.core.errors import UsageError

MINUTE = 60.0
TOKENS_PER_BYTE = 0.25
"""What is assumed of the first requests."""

SMOOTHING = 0.2
RATE_FORM = "NAME=500rpm+200000tpm"
_AMOUNT = re.compile(r"([0-9]{1,15})(rpm|tpm)")

Clock = Callable[[], float]
T = TypeVar("T")


class Ration:
    """Lets requests go at the pace of a minute's allowance; a twentieth of it may go at once.

    Args:
        requests: A minute; None for no limit.
        tokens: A minute; None for no limit.
        clock: Seconds, never going back.
    """

    def __init__(self, requests: float | None, tokens: float | None, clock: Clock) -> None:
        self._clock = clock
        self._requests = None if requests is None else _Bucket(requests, clock)
        self._tokens = None if tokens is None else _Bucket(tokens, clock)
        self._per_byte = TOKENS_PER_BYTE

    async def take(self, sent: int) -> None:
        """Wait until a request of so many bytes may go."""
        waits = [0.0]
        if self._requests is not None:
            waits.append(self._requests.take(1.0))
        if self._tokens is not None:
            waits.append(self._tokens.take(sent * self._per_byte))
        if max(waits) > 0:
            await asyncio.sleep(max(waits))

    def settle(self, sent: int, tokens: int) -> None:
        """Learn what a request of so many bytes took; 0 tokens are taken for not told."""
        if not tokens or not sent:
            return
        if self._tokens is not None:
            self._tokens.take(tokens - sent * self._per_byte)
        self._per_byte += (tokens / sent - self._per_byte) * SMOOTHING


class _Bucket:
    """Fills evenly, up to a twentieth of a minute's worth, and may be taken from ahead of time."""

    def __init__(self, a_minute: float, clock: Clock) -> None:
        self._rate = a_minute / MINUTE
        self._most = max(1.0, a_minute / 20)
        self._left = self._most
        self._clock = clock
        self._last: float | None = None

    def take(self, amount: float) -> float:
        """Take an amount and return for how many seconds it has to be waited for."""
        moment = self._clock()
        if self._last is not None:
            self._left = min(self._most, self._left + (moment - self._last) * self._rate)
        self._last = moment
        self._left -= amount
        return max(0.0, -self._left / self._rate)


QUIET_SECONDS = 5.0
"""A batch is sent when no request has come for so long: everybody waits by then, or works elsewhere."""

_SECONDS = re.compile(r"\d{1,5}(?:\.\d{1,3})?")

Rates = Mapping[str, tuple[float | None, float | None]]
"""Requests and tokens a minute by the name of a provider or an address; None for no limit."""


class Pacing(msgspec.Struct, frozen=True):
    """How the calls of a run are spread over time.

    Attributes:
        rates: What may be asked in a minute.
        hedge_after: Seconds after which a call without an answer is sent once more; None for never.
        batches: By provider or address: its models are asked in batches, each sent when nothing more has
            come for so many seconds.
    """

    rates: Rates = {}
    hedge_after: float | None = None
    batches: Mapping[str, float] = {}


def read_rates(written: Sequence[str], sharers: int = 1) -> Rates:
    """Return what may be asked in a minute, as people write it, by each of those who share it.

    Raises:
        UsageError: Where it is not of the form, or a name is there twice.
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
    """Return who is asked in batches, and how long for more is waited, as people write it.

    Raises:
        UsageError: Where it is not of the form, or a name is there twice.
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
    """Refuse what must not be repeated: it would be stored with the run."""
    if "@" in text or "?" in text:
        raise UsageError(
            f"{what}: the address holds credentials or a query: write http://HOST:PORT alone"
        )


def _share(amount: float | None, sharers: int) -> float | None:
    return None if amount is None else amount / sharers


def given_for(given: Mapping[str, T], names: Sequence[str]) -> T | None:
    """Return what is given for the first of these names that has something; None where none has."""
    return next((given[name] for name in names if name in given), None)


def allowance_of(rates: Rates, names: Sequence[str], clock: Clock) -> Ration | None:
    """Return the allowance of whichever of these names has a rate; None where none has."""
    rate = given_for(rates, names)
    return None if rate is None else Ration(*rate, clock)


def _amount(part: str, text: str) -> tuple[str, float]:
    found = _AMOUNT.fullmatch(part)
    if found is None or not int(found[1]):
        raise UsageError(f"rate {text!r}: write it as {RATE_FORM}")
    return found[2], float(found[1])
