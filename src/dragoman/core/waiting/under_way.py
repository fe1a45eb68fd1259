"""Which long steps a command is taking, for people who wait: whoever takes one says so here."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class LongSteps:
    """The long steps that are under way, in the order in which they began; it may be asked from any thread."""

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


UNDER_WAY: ContextVar[LongSteps | None] = ContextVar("UNDER_WAY", default=None)
"""The steps of the command that runs in this context; None where nobody looks."""


@contextmanager
def long_step(what: str) -> Iterator[None]:
    """Say that something is done that may take long, such as "reading the suite"."""
    steps = UNDER_WAY.get()
    if steps is None:
        yield
        return
    step = steps.begin(what)
    try:
        yield
    finally:
        steps.end(step)
