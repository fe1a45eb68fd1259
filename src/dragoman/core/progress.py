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
class ReportsAwaitedParty(Protocol):
    """An object that reports the party at work for it now.

    An example is a channel that has words spoken and recognized.
    """

    @property
    def awaited(self) -> AwaitedParty:
        """Who is waited for now."""
        ...


@runtime_checkable
class LazilyBuilt(Protocol):
    """An engine that is made ready when it is used first."""

    @property
    def is_being_built(self) -> bool:
        """Whether that is going on now."""
        ...


class RunningSteps:
    """The long steps in progress, in the order of their start.

    It may be read from any thread.
    """

    def __init__(self) -> None:
        self._steps: dict[object, str] = {}

    def begin(self, what: str) -> object:
        """Note a step and return what ends it."""
        step = object()
        self._steps[step] = what
        return step

    def end(self, step: object) -> None:
        """Forget a step."""
        del self._steps[step]

    @property
    def names(self) -> tuple[str, ...]:
        """What is done, each once."""
        return tuple(dict.fromkeys(tuple(self._steps.values())))


RUNNING_STEPS: ContextVar[RunningSteps | None] = ContextVar("UNDER_WAY", default=None)
"""The steps of the command that runs in this context; None where nobody looks."""


@contextmanager
def long_step(what: str) -> Iterator[None]:
    """Say that something is done that may take long, such as "reading the suite"."""
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
"""Takes the file at hand, the bytes so far and the bytes in total."""

ProgressDisplay = Callable[[str], AbstractContextManager[ProgressCallback]]
"""Takes a line that says what is downloaded, and yields what shows the line and then progress."""

PROGRESS_DISPLAY: ContextVar[ProgressDisplay | None] = ContextVar("SHOWN_BY", default=None)
"""What shows the progress of downloads in this context; None where nobody chose."""
