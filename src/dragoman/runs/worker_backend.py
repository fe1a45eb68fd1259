"""Backend that plays conversations on a pool of worker processes or a Ray cluster.

A worker builds the setup from the run's configuration alone and returns all audio and all usage.
`backend_for` selects this backend or another one from the configuration.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import LOCAL, RunConfig
from dragoman.core.audio import MemoryAudioStore
from dragoman.core.episodes import Episode, Termination
from dragoman.core.errors import DragomanError, RunHalted, StoreError, UsageError
from dragoman.distributed.worker_backends import pool_from_options
from dragoman.distributed.worker_pool import (
    KilledWorkersError,
    OpenPool,
    TaskFn,
    WorkerSpec,
    WorkerTimeouts,
    module_path,
)
from dragoman.models.budget import RecordingSpendTracker
from dragoman.models.prices import NO_PRICES
from dragoman.runs.backend import (
    Backend,
    BackendContext,
    CellSpec,
    PlayFn,
    PlayResult,
    RunSpec,
    StoppedError,
    find_backend,
)
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import cell_rebuilder
from dragoman.runs.process_limits import infrequent_gc


@asynccontextmanager
async def remote_player(run: RunSpec) -> AsyncIterator[PlayFn]:
    """Return a function that plays cells of a run, and returns all audio and usage.

    Args:
        run: The run, from the backend's context.

    Raises:
        UsageError: For an agent without a name by which workers can find it.
    """
    spend_records = RecordingSpendTracker()
    setup = msgspec.structs.replace(
        build_setup(run.config, None, NO_PRICES, spend_records, run.conditions),
        planned_limits=run.planned_limits,
    )

    cell_from, player = cell_rebuilder(setup), Player(setup)

    async def play(plain: CellSpec, earlier: Sequence[Episode]) -> PlayResult:
        kept = MemoryAudioStore()
        finished = await player.keeping(kept).finished(cell_from(plain), plain.attempt, earlier)
        return msgspec.structs.replace(finished, audio=kept.all(), spent=spend_records.take())

    try:
        yield play
    finally:
        await setup.close()


OPENER = f"{__name__}:open_player"


class PlayFailure(msgspec.Struct, frozen=True, tag="ended"):
    """The error that ends the run, by kind, and the conversation if one was finished."""

    kind: str
    why: str
    finished: PlayResult | None = None


class PlaySuccess(msgspec.Struct, frozen=True, tag="finished"):
    """A finished conversation."""

    finished: PlayResult


class CellTask(msgspec.Struct, frozen=True):
    """A conversation to be played, and the conversations that precede it."""

    cell: CellSpec
    earlier: tuple[Episode, ...]


_ENDS: dict[str, type[DragomanError]] = {
    kind.__name__: kind for kind in (RunHalted, StoreError, UsageError)
}
_encode = msgspec.json.Encoder().encode
_asked = msgspec.json.Decoder(CellTask).decode
_outcome = msgspec.json.Decoder(PlaySuccess | PlayFailure).decode


class WorkerPoolBackend:
    """Backend that plays conversations on a worker pool."""

    def __init__(self, open_pool: OpenPool) -> None:
        self._open_pool = open_pool

    @asynccontextmanager
    async def open(self, source: BackendContext) -> AsyncIterator[PlayFn]:
        """Return a function that plays single conversations on the worker pool."""
        work = WorkerSpec(OPENER, _encode(source.run), module_path())
        async with self._open_pool(work) as do:

            async def play(cell: CellSpec, earlier: Sequence[Episode]) -> PlayResult:
                try:
                    answer = await do(_encode(CellTask(cell, tuple(earlier))))
                except KilledWorkersError as error:
                    episode = Episode((), Termination("infrastructure_error", str(error)), 0, 0)
                    return PlayResult(episode, await source.score(cell, episode))
                return _unwrap_outcome(_outcome(answer))

            yield play


@asynccontextmanager
async def open_player(given: bytes) -> AsyncIterator[TaskFn]:
    """Return the function that plays one conversation, in a worker."""
    async with remote_player(msgspec.json.decode(given, type=RunSpec)) as play:

        async def do(item: bytes) -> bytes:
            asked = _asked(item)
            try:
                finished = await play(asked.cell, asked.earlier)
            except StoppedError as stopped:
                cause = stopped.__cause__ or stopped
                return _encode(PlayFailure(type(cause).__name__, str(cause), stopped.finished))
            except (RunHalted, StoreError, UsageError) as error:
                return _encode(PlayFailure(type(error).__name__, str(error)))
            return _encode(PlaySuccess(finished))

        with infrequent_gc():
            yield do


def _unwrap_outcome(outcome: PlaySuccess | PlayFailure) -> PlayResult:
    if isinstance(outcome, PlaySuccess):
        return outcome.finished
    error = _ENDS.get(outcome.kind, RunHalted)(outcome.why)
    if outcome.finished is None:
        raise error
    raise StoppedError(outcome.finished) from error


SILENCE_SECONDS = (10.0, 120.0)
"""Minimum and maximum seconds that a worker may be silent.

Between them, the limit is the duration of a conversation.
"""

BEYOND_SECONDS = 600.0
"""Seconds beyond a conversation's own time limit, for its end, judges and scores."""

UNLIMITED_SECONDS = 6 * 3600.0
"""Longest time of a conversation without a time limit, in seconds."""


def backend_for(config: RunConfig) -> Backend:
    """Return the backend of a configuration.

    Raises:
        UsageError: If the backend does not exist or cannot be loaded, or two are requested.
    """
    open_pool = worker_pool_for(config)
    if open_pool is None:
        return find_backend(config.backend)
    if config.backend != LOCAL:
        raise UsageError(
            f"--workers and --ray spread a run's own conversations, --backend {config.backend} "
            "plays them elsewhere: leave one of them out"
        )

    return WorkerPoolBackend(open_pool)


def worker_pool_for(config: RunConfig) -> OpenPool | None:
    """Return a function that opens the worker pools of a configuration.

    The result is None if one process does all the work.

    Raises:
        UsageError: If Ray is requested and not installed.
    """
    return pool_from_options(config.workers, config.ray, worker_timeouts(config))


def worker_timeouts(config: RunConfig) -> WorkerTimeouts:
    """Return the time limits after which a worker counts as hanging.

    A run's own time limit counts.
    """
    least, most = SILENCE_SECONDS
    silence = most if config.timeout is None else min(max(config.timeout, least), most)
    if config.batches:
        # A conversation may wait a day for a provider's batch.
        return WorkerTimeouts(silence)
    limit = UNLIMITED_SECONDS if config.timeout is None else config.timeout + BEYOND_SECONDS
    return WorkerTimeouts(silence, limit)
