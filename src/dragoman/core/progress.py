"""Progress of long steps: awaited participants, running steps and downloads."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
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
"""The parties that can be awaited.

`line` is the voice channel, if none of its engines is known to be at work.
"""


_WHAT: Mapping[Party, str] = {
    "agent": "the agent's reply",
    "user": "the user's reply",
    "voice": "words to be spoken",
    "recognizer": "words to be heard",
    "recognizer being built": "a recognizer that is being built, once",
    "line": "words on the channel",
    "judge": "the judge",
    "judge of users": "the judge of users",
    "judge of clarifications": "the judge of clarifications",
    "instructions": "the source of instructions",
    "nobody": "its first reply",
}


class AwaitedParty(msgspec.Struct, frozen=True):
    """The awaited party and its name; the name is "" if the conversation's cell has it."""

    party: Party
    name: str = ""

    @property
    def what(self) -> str:
        """The awaited step, in words."""
        return f"calling {self.name}" if self.party == "tool" else _WHAT[self.party]


NOBODY = AwaitedParty("nobody")


@runtime_checkable
class ReportsAwaitedParty(Protocol):
    """An object that reports the party at work for it now.

    An example is a channel that has words spoken and recognized.
    """

    @property
    def awaited(self) -> AwaitedParty:
        """The party that is awaited now."""
        ...


@runtime_checkable
class LazilyBuilt(Protocol):
    """An engine that is built on first use."""

    @property
    def is_being_built(self) -> bool:
        """Whether it is being built now."""
        ...


class RunningSteps:
    """The long steps in progress, in the order of their start.

    It may be read from any thread.
    """

    def __init__(self) -> None:
        self._steps: dict[object, str] = {}

    def begin(self, what: str) -> object:
        """Record a step and return the token that ends it."""
        step = object()
        self._steps[step] = what
        return step

    def end(self, step: object) -> None:
        """Remove a step."""
        del self._steps[step]

    @property
    def names(self) -> tuple[str, ...]:
        """The running steps, each once."""
        return tuple(dict.fromkeys(tuple(self._steps.values())))


RUNNING_STEPS: ContextVar[RunningSteps | None] = ContextVar("UNDER_WAY", default=None)
"""The steps of the command in this context; None if nobody watches them."""


@contextmanager
def long_step(what: str) -> Iterator[None]:
    """Report a step that may take long, such as "reading the suite"."""
    steps = RUNNING_STEPS.get()
    if steps is None:
        yield
        return
    step = steps.begin(what)
    try:
        yield
    finally:
        steps.end(step)


ProgressCallback = Callable[[str, int, int], None]
"""A function that receives the current file, the bytes so far and the bytes in total."""

ProgressDisplay = Callable[[str], AbstractContextManager[ProgressCallback]]
"""A function that takes the description of a download and opens its progress display."""

PROGRESS_DISPLAY: ContextVar[ProgressDisplay | None] = ContextVar("SHOWN_BY", default=None)
"""The progress display of downloads in this context; None if none was chosen."""
