"""A conversation as it happened: everything scoring, reports and imports read."""

from typing import Literal

import msgspec

from dragoman.core.speech import Reply
from dragoman.core.tools import Role, ToolResult
from dragoman.core.usage import Usage

EndReason = Literal[
    "user_stop",
    "agent_stop",
    "max_steps",
    "too_many_errors",
    "timeout",
    "agent_error",
    "user_error",
    "infrastructure_error",
    "turns_done",
]
"""Why a conversation ended; `turns_done` is for benchmarks that fix the turns."""

COMPLETE: frozenset[EndReason] = frozenset({"user_stop", "agent_stop", "turns_done"})
"""The endings after which the outcome is judged; any other regular ending earns 0."""


class Move(msgspec.Struct, frozen=True, tag="move", omit_defaults=True):
    """One participant's move.

    `scripted` marks words that the harness wrote (the greeting). `raw` is the model's reply as
    it came, where a model gave it. `turn` counts the benchmark's turns where it fixes them.
    """

    by: Role
    reply: Reply
    scripted: bool = False
    turn: int = 0
    raw: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


Event = Move | ToolResult


class Ending(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a conversation ended; `detail` says what broke where something did."""

    reason: EndReason
    detail: str = ""


class Episode(msgspec.Struct, frozen=True, omit_defaults=True):
    """One finished conversation. `started` and `seconds` are the only fields that vary by run."""

    events: tuple[Event, ...]
    ending: Ending
    steps: int
    errors: int
    usage: tuple[Usage, ...] = ()
    started: float = 0.0
    seconds: float = 0.0

    @property
    def is_infrastructure_fault(self) -> bool:
        """Whether something other than the participants' behaviour ended it."""
        return self.ending.reason == "infrastructure_error"
