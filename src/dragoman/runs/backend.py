"""Backend protocol: plays conversations in this process, or elsewhere through a plug-in.

A backend receives the run and returns one function, `play(cell, earlier) -> finished`. The executor
decides the order, the dependencies and the budget, and it stores the results.
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

    Together with the run's configuration, it can be played anywhere.

    Attributes:
        key: Hash of everything that can change the result; a process that rebuilds the cell must
            get the same hash.
        seed: The seed of this attempt.
        before: The keys of the conversations that precede it in its world, in their order.
        attempt: Number of earlier attempts.
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
    """The result of playing a conversation.

    Attributes:
        score: None if playing was stopped while a judge was at work.
        audio: Audio that is to be stored with it and has not been stored yet.
        spent: Usage that the run's own budget could not see.
    """

    episode: Episode
    score: Score | None
    audio: tuple[Audio, ...] = ()
    spent: tuple[Usage, ...] = ()


class StoppedError(Exception):
    """Playing was stopped after a conversation was finished.

    The cause is the error that stopped it.
    """

    def __init__(self, finished: PlayResult) -> None:
        super().__init__("stopped while a judge was at work")
        self.finished = finished


PlayFn = Callable[[CellSpec, Sequence[Episode]], Awaitable[PlayResult]]
"""A function that plays and scores one conversation, given the conversations that precede it.

It raises `RunHalted`, `StoreError` or `UsageError` if no other conversation can be played either,
and `StoppedError` from the error that stopped it; any other failure is the conversation's ending.
"""


class RunSpec(msgspec.Struct, frozen=True):
    """Everything that another process needs to play a run's cells, as data.

    The budget stays with the run.

    `planned_limits` are the limits in the keys of cells, if the run is resumed with other limits.
    """

    config: RunConfig
    conditions: tuple[Condition, ...]
    planned_limits: Limits | None = None


ScoreFn = Callable[[CellSpec, Episode], Awaitable[Score]]
"""A function that scores a conversation in this process."""


class BackendContext(msgspec.Struct, frozen=True):
    """The context that a backend receives.

    Attributes:
        run: The run; `dragoman.runs.worker_backend.remote_player` makes a function from it that
            plays.
        play: Function that plays in this process.
        score: Function that scores in this process a conversation that could not be played
            elsewhere.
    """

    run: RunSpec
    play: PlayFn
    score: ScoreFn


class Backend(Protocol):
    """Protocol of backends, which play conversations."""

    def open(self, source: BackendContext) -> AbstractAsyncContextManager[PlayFn]:
        """Return a context manager whose function plays single conversations.

        The function may be called concurrently, and plays every call at once, until the context is
        left.
        """
        ...


class LocalBackend:
    """Backend that plays in this process."""

    @asynccontextmanager
    async def open(self, source: BackendContext) -> "AsyncIterator[PlayFn]":
        """Return the function with which the run itself plays."""
        yield source.play


def backend_names() -> dict[str, str]:
    """Return the names of all backends, each with a description."""
    added = {entry.name: f"from {entry.value}" for entry in find_entry_points(ENTRY_POINTS)}
    return {LOCAL: "plays in the process of the run", **dict(sorted(added.items()))}


def find_backend(name: str) -> Backend:
    """Return the backend with this name.

    Raises:
        UsageError: If there is none, with the existing names, or if it cannot be loaded.
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
