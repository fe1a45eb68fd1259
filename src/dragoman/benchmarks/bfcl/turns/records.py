"""What turns of calls lead to, and what was expected of them: what verdicts are made of."""

import msgspec

from dragoman.benchmarks.bfcl.apis.world import States
from dragoman.core.tools import ToolCall

NOT_EXECUTED = "Error during execution: another call of the same reply cannot be read"
"""The answer to a call that was not executed for that reason; see `malformed_calls_are_answered`."""


class ExpectedTurn(msgspec.Struct, frozen=True):
    """What the expected calls of one turn lead to.

    `states` are every class's attributes at the end of the turn; for reading only.
    """

    results: tuple[str, ...]
    states: States


class PlayedTurn(msgspec.Struct, frozen=True):
    """The calls of one turn as they were executed, and what they returned where that is known."""

    calls: tuple[ToolCall, ...]
    contents: tuple[str, ...] | None = None


class StateDifference(msgspec.Struct, frozen=True):
    """The first class whose attributes are not the expected ones, and which they are."""

    of_class: str
    attributes: tuple[str, ...]


class TurnRecord(msgspec.Struct, frozen=True):
    """What a played turn led to, beside what was expected of it."""

    expected: ExpectedTurn
    results: tuple[str, ...]
    difference: StateDifference | None
