"""Who is waited for in a conversation: for people who wait as well."""

from collections.abc import Mapping
from typing import Literal, Protocol, runtime_checkable

import msgspec

Party = Literal[
    "agent",
    "user",
    "voice",
    "recognizer",
    "recognizer being built",
    "line",
    "tool",
    "judge",
    "judge of users",
    "judge of clarifications",
    "instructions",
    "nobody",
]
"""Who can be waited for. A line carries words where no engine of its own is known to be at work."""


_WHAT: Mapping[Party, str] = {
    "agent": "the agent's reply",
    "user": "the user's reply",
    "voice": "words to be spoken",
    "recognizer": "words to be heard",
    "recognizer being built": "a recognizer that is being built, once",
    "line": "words on the line",
    "judge": "the judge",
    "judge of users": "the judge of users",
    "judge of clarifications": "the judge of clarifications",
    "instructions": "what the sides are told",
    "nobody": "its first reply",
}


class AwaitedParty(msgspec.Struct, frozen=True):
    """Who is waited for, and by which name it is known; "" where the conversation's cell has it."""

    party: Party
    name: str = ""

    @property
    def what(self) -> str:
        """What is waited for, in words."""
        return f"calling {self.name}" if self.party == "tool" else _WHAT[self.party]


NOBODY = AwaitedParty("nobody")


@runtime_checkable
class SaysAwaited(Protocol):
    """What knows who is at work for it at the moment, such as a channel that has words spoken and heard."""

    @property
    def awaited(self) -> AwaitedParty:
        """Who is waited for now."""
        ...


@runtime_checkable
class BuiltAtFirstUse(Protocol):
    """An engine that is made ready when it is used first."""

    @property
    def is_being_built(self) -> bool:
        """Whether that is going on now."""
        ...
