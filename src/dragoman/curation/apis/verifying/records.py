"""What steps store of calls: what was observed when an API was verified, and checks over time."""

from typing import Any

import msgspec

from dragoman.curation.apis.verifying.judging import AnswerKind

OBSERVATION, EXCHANGE, HISTORY = "observation", "exchange", "history"


class Observation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an operation answered when it was verified: seen, never made up.

    Attributes:
        at: When, in ISO 8601, UTC.
        statuscode: As the source writes it ("200").
        schema: JSON schema that fits every answer that was seen.
        content_type: Of the answers.
        completes: Which of these the document did not state: these alone add to it.
        calls: How many good answers were seen.
    """

    at: str
    statuscode: str
    schema: dict[str, Any]
    content_type: str = ""
    completes: tuple[str, ...] = ()
    calls: int = 1


class RoundCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """One check of one operation.

    Attributes:
        round: Which round it belongs to, as the time when that began; rounds are in the order of these.
        kind: What the answer was.
        reason: In words; "" for a good one.
        seconds: How long it took.
        drift: What changed in a good answer since the operation was verified, and would break a caller.
        added: Fields that are new in it.
    """

    round: str
    kind: AnswerKind
    reason: str = ""
    seconds: float = 0.0
    drift: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


class CheckHistory(msgspec.Struct, frozen=True, omit_defaults=True):
    """All checks of one operation, in order; `host` is where it was asked."""

    operation: str
    host: str
    checks: tuple[RoundCheck, ...] = ()
