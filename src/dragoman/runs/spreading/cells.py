"""Conversations as items of a crew's work."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from dragoman.core.episodes import Ending, Episode
from dragoman.core.errors import DragomanError, RunHalted, StoreError, UsageError
from dragoman.runs.backend import Finished, PlainCell, PlainRun, Play, Source, StoppedError
from dragoman.runs.collector import rare_collection
from dragoman.runs.elsewhere import played_elsewhere
from dragoman.spreading.crew import Do, KilledWorkersError, OpenCrew, Work, module_path

OPENER = f"{__name__}:played_cells"


class PlayEnded(msgspec.Struct, frozen=True, tag="ended"):
    """What ends the run, by the kind of its error, and the conversation where one was finished."""

    kind: str
    why: str
    finished: Finished | None = None


class PlayedOut(msgspec.Struct, frozen=True, tag="finished"):
    """A conversation that is finished."""

    finished: Finished


class CellOrder(msgspec.Struct, frozen=True):
    """A conversation to be played, and what it comes after."""

    cell: PlainCell
    earlier: tuple[Episode, ...]


_ENDS: dict[str, type[DragomanError]] = {
    kind.__name__: kind for kind in (RunHalted, StoreError, UsageError)
}
_encode = msgspec.json.Encoder().encode
_asked = msgspec.json.Decoder(CellOrder).decode
_outcome = msgspec.json.Decoder(PlayedOut | PlayEnded).decode


class SpreadBackend:
    """Plays conversations by a crew."""

    def __init__(self, open_crew: OpenCrew) -> None:
        self._open_crew = open_crew

    @asynccontextmanager
    async def open(self, source: Source) -> AsyncIterator[Play]:
        """Return what has single conversations played by the crew."""
        work = Work(OPENER, _encode(source.run), module_path())
        async with self._open_crew(work) as do:

            async def play(cell: PlainCell, earlier: Sequence[Episode]) -> Finished:
                try:
                    answer = await do(_encode(CellOrder(cell, tuple(earlier))))
                except KilledWorkersError as error:
                    episode = Episode((), Ending("infrastructure_error", str(error)), 0, 0)
                    return Finished(episode, await source.score(cell, episode))
                return _finished(_outcome(answer))

            yield play


@asynccontextmanager
async def played_cells(given: bytes) -> AsyncIterator[Do]:
    """Return what plays one conversation, in a worker."""
    async with played_elsewhere(msgspec.json.decode(given, type=PlainRun)) as play:

        async def do(item: bytes) -> bytes:
            asked = _asked(item)
            try:
                finished = await play(asked.cell, asked.earlier)
            except StoppedError as stopped:
                cause = stopped.__cause__ or stopped
                return _encode(PlayEnded(type(cause).__name__, str(cause), stopped.finished))
            except (RunHalted, StoreError, UsageError) as error:
                return _encode(PlayEnded(type(error).__name__, str(error)))
            return _encode(PlayedOut(finished))

        with rare_collection():
            yield do


def _finished(outcome: PlayedOut | PlayEnded) -> Finished:
    if isinstance(outcome, PlayedOut):
        return outcome.finished
    error = _ENDS.get(outcome.kind, RunHalted)(outcome.why)
    if outcome.finished is None:
        raise error
    raise StoppedError(outcome.finished) from error
