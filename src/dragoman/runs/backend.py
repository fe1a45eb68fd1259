"""Backend protocol: plays conversations in this process, or wherever a plug-in plays them.

A backend is given the run and returns one function, `play(cell, earlier) -> finished`. The
executor decides the order, the dependencies, the budget and what is stored.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Protocol, cast

import msgspec

from dragoman.config.run_config import LOCAL, RunConfig
from dragoman.core.audio import Audio
from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode
from dragoman.core.errors import UsageError
from dragoman.core.lazy_names import old_names
from dragoman.core.protocols import Limits
from dragoman.core.scores import Score
from dragoman.core.usage import Usage
from dragoman.registry.entry_points import find_entry_points, load_entry_point
from dragoman.simulation.participant_errors import stops_run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


ENTRY_POINTS = "dragoman.backends"


class CellSpec(msgspec.Struct, frozen=True):
    """One conversation to play, as data.

    With the run's configuration it can be played anywhere.

    Attributes:
        key: Everything that can change its result, as a hash; whoever rebuilds it has to find the
            same.
        seed: The seed of this attempt.
        before: The keys of the conversations that its world begins after, in their order.
        attempt: How often it was tried before.
    """

    key: str
    seed: int
    task: str
    condition: Condition
    agent: str
    user: str
    trial: int
    before: tuple[str, ...]
    attempt: int


class PlayResult(msgspec.Struct, frozen=True):
    """What came of a conversation.

    Attributes:
        score: None where playing was stopped while a judge was at work.
        audio: What is to be kept with it and has not been kept yet.
        spent: What was consumed where the run's own budget could not see it.
    """

    episode: Episode
    score: Score | None
    audio: tuple[Audio, ...] = ()
    spent: tuple[Usage, ...] = ()


class StoppedError(Exception):
    """Playing was stopped after a conversation was finished; what stopped it is the cause."""

    def __init__(self, finished: PlayResult) -> None:
        super().__init__("stopped while a judge was at work")
        self.finished = finished


PlayFn = Callable[[CellSpec, Sequence[Episode]], Awaitable[PlayResult]]
"""Plays and scores one conversation, after those that its world begins after.

Raises `RunHalted`, `StoreError` or `UsageError` where no other can be played either, `StoppedError`
from what stopped it; whatever else breaks is the conversation's ending.
"""


class RunSpec(msgspec.Struct, frozen=True):
    """All that another process needs to play a run's cells, as data: the budget stays with the run.

    `planned_limits` are those that keys are made with, where the run goes on with others.
    """

    config: RunConfig
    conditions: tuple[Condition, ...]
    planned_limits: Limits | None = None


ScoreFn = Callable[[CellSpec, Episode], Awaitable[Score]]
"""Scores a conversation in this process."""


class BackendContext(msgspec.Struct, frozen=True):
    """What a backend is given.

    Attributes:
        run: Of this `dragoman.runs.worker_backend.remote_player` makes a function that plays.
        play: Plays in this process.
        score: Scores in this process what could not be played elsewhere.
    """

    run: RunSpec
    play: PlayFn
    score: ScoreFn


class Backend(Protocol):
    """Plays conversations."""

    def open(self, source: BackendContext) -> AbstractAsyncContextManager[PlayFn]:
        """Return a context manager whose function plays single conversations.

        The function plays as many at a time as it is called for, until the context is left.
        """
        ...


class LocalBackend:
    """Plays in this process."""

    @asynccontextmanager
    async def open(self, source: BackendContext) -> "AsyncIterator[PlayFn]":
        """Play as the run itself does."""
        yield source.play


def backend_names() -> dict[str, str]:
    """Return every backend's name with a line about it."""
    added = {entry.name: f"from {entry.value}" for entry in find_entry_points(ENTRY_POINTS)}
    return {LOCAL: "plays in the process of the run", **dict(sorted(added.items()))}


def find_backend(name: str) -> Backend:
    """Return the backend of that name.

    Raises:
        UsageError: Where there is none, saying which there are, or it cannot be loaded.
    """
    if name == LOCAL:
        return LocalBackend()
    found = {entry.name: entry for entry in find_entry_points(ENTRY_POINTS)}
    if name not in found:
        raise UsageError(f"unknown backend {name!r}: there is {', '.join(backend_names())}")
    made = load_entry_point(found[name], f"backend {name!r}")
    try:
        backend = cast("Callable[[], Backend]", made)()
    except BaseException as error:
        if stops_run(error):
            raise
        raise UsageError(f"backend {name!r} ({found[name].value}): {error}") from error
    return backend


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
