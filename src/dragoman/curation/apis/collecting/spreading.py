"""Folders of a source as items of a crew's work: their files are read by other processes of this machine.

A folder is read as a whole, since what is in pieces lies side by side; one flat folder is one item.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from dragoman.curation.apis.collecting.entries import StatedFacts
from dragoman.curation.apis.collecting.fetching import guarded_fetch
from dragoman.curation.apis.collecting.reading import ReadSourceFile, folders_of, read_folder
from dragoman.curation.apis.collecting.source_files import SourceFolder, open_source
from dragoman.curation.in_order import in_order
from dragoman.distributed.worker_pool import (
    KilledWorkersError,
    OpenPool,
    TaskFn,
    WorkerSpec,
    WorkerTimeouts,
    module_path,
)

OPENER = f"{__name__}:reading_there"

PATIENCE = WorkerTimeouts(silence=600.0, item=6 * 3_600.0)
"""Whoever reads a large file says nothing meanwhile."""

AT_ONCE = 16
"""How many folders are under way: whoever waits for an earlier one is one of them."""


class CollectingWork(msgspec.Struct, frozen=True):
    """All that another process needs to read folders of a source, as data.

    Attributes:
        source: The whole path of its folder or file.
        facts: What is said of all of it.
        fetches: Whether other hosts may be asked.
    """

    source: str
    facts: StatedFacts
    fetches: bool


_encode = msgspec.json.Encoder().encode
_places = msgspec.json.Decoder(tuple[str, ...]).decode
_readings = msgspec.json.Decoder(tuple[ReadSourceFile, ...]).decode


async def read_by_crew(
    open_crew: OpenPool,
    source: SourceFolder,
    facts: StatedFacts,
    take: Callable[[ReadSourceFile], None],
) -> None:
    """Have the folders of a source read, and what their files give taken in their order.

    Files of a folder over which workers died are refused, each with that reason.

    Raises:
        UsageError: Where there are too many files.
        WorkerBrokeError: Where reading broke.
    """
    given = _encode(CollectingWork(source.path, facts, source.fetches))
    async with open_crew(WorkerSpec(OPENER, given, module_path())) as do:

        async def read(places: tuple[str, ...]) -> tuple[ReadSourceFile, ...]:
            try:
                return _readings(await do(_encode(places)))
            except KilledWorkersError as error:
                return tuple(ReadSourceFile(place, str(error)) for place in places)

        def taken(_: object, readings: tuple[ReadSourceFile, ...]) -> None:
            for reading in readings:
                take(reading)

        await in_order(folders_of(source), read, AT_ONCE, taken)


@asynccontextmanager
async def reading_there(given: bytes) -> AsyncIterator[TaskFn]:
    """Return what reads one folder, in a worker.

    Raises:
        UsageError: Where the source is not there any more.
    """
    work = msgspec.json.decode(given, type=CollectingWork)
    source = open_source(Path(work.source), guarded_fetch() if work.fetches else None)

    async def do(item: bytes) -> bytes:
        return _encode(tuple(read_folder(_places(item), source, work.facts)))

    yield do
