"""The step `collect`: recognize and parse a source's files, store an entry per API.

Each file is an API document, a catalog or a fragment of a document, or it is refused with a reason.
Files are read again each time and replace their earlier entries, so an interrupted collection is
repeated. Folders can be read in worker processes. The unit of work is a folder, since the fragments
of a document are in one folder.
"""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.counts import format_count
from dragoman.curation.api_datasets.credential_detection import (
    WITHHELD,
    WithheldValues,
    fingerprints_of,
    redact_secrets,
)
from dragoman.curation.api_datasets.credential_removal import remove_credentials
from dragoman.curation.api_datasets.ingestion.catalogs import read_listing, read_markdown
from dragoman.curation.api_datasets.ingestion.entries import FoundEntry, ReadFile, SourceFacts
from dragoman.curation.api_datasets.ingestion.itc_format import is_itc, read_itc
from dragoman.curation.api_datasets.ingestion.openapi_reader import (
    is_fragment,
    is_fragment_head,
    join_fragments,
    openapi_version,
    read_openapi,
)
from dragoman.curation.api_datasets.ingestion.sources import (
    SourceFolder,
    guarded_fetch,
    open_source,
    suffix_of,
)
from dragoman.curation.api_datasets.ingestion.untrusted_values import as_mapping, parse_document
from dragoman.curation.concurrency import map_in_order
from dragoman.distributed.worker_pool import (
    KilledWorkersError,
    OpenPool,
    TaskFn,
    WorkerSpec,
    WorkerTimeouts,
    module_path,
)
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome, Verdict

_PAGES = frozenset((".md", ".markdown"))
_DATA = frozenset((".json", ".jsonl", ".yaml", ".yml"))
_SCHEMA_WORDS = frozenset(("components", "definitions", "$schema", "properties", "allOf", "items"))


class ReadSourceFile(msgspec.Struct, frozen=True):
    """The result of reading one file.

    Attributes:
        place: The file in its source.
        refused: The reason for which nothing was read; "" if something was read.
        entries: The APIs in the file.
        remark: A remark on the file.
    """

    place: str
    refused: str = ""
    entries: tuple[FoundEntry, ...] = ()
    remark: str = ""


class _Parsed(NamedTuple):
    place: str
    value: object
    digest: str
    remark: str


def read_source(source: SourceFolder, facts: SourceFacts) -> Iterator[ReadSourceFile]:
    """Yield the results of reading each file of a source, folder by folder.

    Raises:
        UsageError: If there are too many files.
    """
    for places in folders_of(source):
        yield from read_folder(places, source, facts)


def folders_of(source: SourceFolder) -> Iterator[tuple[str, ...]]:
    """Yield the places of a source's files, folder by folder.

    Raises:
        UsageError: If there are too many files.
    """
    for _, places in groupby(source.places(), key=lambda place: str(PurePosixPath(place).parent)):
        yield tuple(places)


def read_folder(
    places: Sequence[str], source: SourceFolder, facts: SourceFacts
) -> Iterator[ReadSourceFile]:
    """Yield the results of reading the files of one folder.

    Fragments of a document are joined with its head. The results hold no credential that a document
    states.
    """
    for reading in _read_folder(places, source, facts):
        yield msgspec.structs.replace(
            reading,
            refused=redact_secrets(reading.refused),
            remark=redact_secrets(reading.remark),
            entries=tuple(map(_redact_entry, reading.entries)),
        )


def _redact_entry(entry: FoundEntry) -> FoundEntry:
    """Return an entry without credentials, in whatever format its document is written."""
    if entry.document is None:
        return msgspec.structs.replace(entry, remark=redact_secrets(entry.remark))
    made = remove_credentials(entry.document)
    return msgspec.structs.replace(
        entry,
        document=made.document,
        remark=redact_secrets(entry.remark, made.secrets),
        prints=tuple(sorted({*entry.prints, *fingerprints_of(made.secrets)})),
    )


def _read_folder(
    places: Sequence[str], source: SourceFolder, facts: SourceFacts
) -> Iterator[ReadSourceFile]:
    heads: list[_Parsed] = []
    fragments: list[_Parsed] = []
    for place in places:
        try:
            if suffix_of(place) not in _DATA:
                yield ReadSourceFile(place, entries=tuple(_read_page(place, source, facts)))
                continue
            content = source.read(place)
            value, remark = parse_document(content, suffix_of(place))
            file = _Parsed(place, value, _digest(content), remark)
            form = openapi_version(value)
            if form == "fragment" or is_fragment(as_mapping(value)):
                fragments.append(file)
            elif form is not None and is_fragment_head(as_mapping(value)):
                heads.append(file)
            else:
                entries = tuple(_read_data(file, source, facts))
                yield ReadSourceFile(place, entries=entries, remark=remark)
        except DataError as error:
            yield ReadSourceFile(place, str(error))
    yield from _read_pieces(heads, fragments, source, facts)


def _read_page(place: str, source: SourceFolder, facts: SourceFacts) -> list[FoundEntry]:
    if suffix_of(place) not in _PAGES:
        raise DataError("no .json, .jsonl, .yaml, .yml or .md, packed with gzip or not")
    content = source.read(place)
    return read_markdown(content, ReadFile(place, _digest(content), facts))


def _read_data(file: _Parsed, source: SourceFolder, facts: SourceFacts) -> list[FoundEntry]:
    form = openapi_version(file.value)
    listed = ReadFile(file.place, file.digest, facts)
    if form is not None:
        return [read_openapi(as_mapping(file.value), form, listed, source)]
    if is_itc(file.value):
        return read_itc(file.value, listed)
    if "http_interactions" in as_mapping(file.value):
        raise DataError("a recording of answers, which describes no API: collect its document")
    if _SCHEMA_WORDS & as_mapping(file.value).keys() or _holds_parameters(as_mapping(file.value)):
        raise DataError("a part for other documents to refer to: it has no paths of its own")
    return read_listing(file.value, listed)


def _holds_parameters(value: Mapping[str, object]) -> bool:
    """Return whether a file is a mapping of parameters by name, for use by other files."""
    return bool(value) and all({"name", "in"} <= as_mapping(each).keys() for each in value.values())


def _read_pieces(
    heads: Sequence[_Parsed], fragments: Sequence[_Parsed], source: SourceFolder, facts: SourceFacts
) -> Iterator[ReadSourceFile]:
    """Yield documents that are kept in fragments.

    One head in a folder is joined with all fragments in that folder.
    """
    if len(heads) == 1 and fragments:
        (head,) = heads
        pieces = [as_mapping(each.value) for each in fragments]
        whole = head._replace(value=join_fragments(as_mapping(head.value), pieces))
        joined = format_count(len(fragments), "fragment")
        yield _read_alone(whole, source, facts, f"joined with {joined}")
        for each in fragments:
            yield ReadSourceFile(each.place, remark=f"a fragment of {head.place}")
        return
    for each in (*heads, *fragments):
        yield _read_alone(each, source, facts, each.remark)


def _read_alone(
    file: _Parsed, source: SourceFolder, facts: SourceFacts, remark: str
) -> ReadSourceFile:
    try:
        entries = tuple(_read_data(file, source, facts))
    except DataError as error:
        return ReadSourceFile(file.place, str(error))
    return ReadSourceFile(file.place, entries=entries, remark=remark)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


OPENER = f"{__name__}:reading_there"

WORKER_TIMEOUTS = WorkerTimeouts(silence=600.0, item=6 * 3_600.0)
"""Timeouts of workers; a worker that reads a large file reports nothing meanwhile."""

AT_ONCE = 16
"""Most folders under way at a time; a folder that waits for an earlier one counts."""


class CollectJob(msgspec.Struct, frozen=True):
    """The data that another process needs to read folders of a source.

    Attributes:
        source: The whole path of its folder or file.
        facts: The facts on the whole source.
        fetches: Whether other hosts may be contacted.
    """

    source: str
    facts: SourceFacts
    fetches: bool


_encode = msgspec.json.Encoder().encode
_places = msgspec.json.Decoder(tuple[str, ...]).decode
_readings = msgspec.json.Decoder(tuple[ReadSourceFile, ...]).decode


async def read_in_parallel(
    open_pool: OpenPool,
    source: SourceFolder,
    facts: SourceFacts,
    take: Callable[[ReadSourceFile], None],
) -> None:
    """Have the folders of a source read in worker processes, and take the results in order.

    If workers died while reading a folder, its files are refused with that reason.

    Raises:
        UsageError: If there are too many files.
        WorkerBrokeError: If reading raised an error in a worker.
    """
    given = _encode(CollectJob(source.path, facts, source.fetches))
    async with open_pool(WorkerSpec(OPENER, given, module_path())) as do:

        async def read(places: tuple[str, ...]) -> tuple[ReadSourceFile, ...]:
            try:
                return _readings(await do(_encode(places)))
            except KilledWorkersError as error:
                return tuple(ReadSourceFile(place, str(error)) for place in places)

        def taken(_: object, readings: tuple[ReadSourceFile, ...]) -> None:
            for reading in readings:
                take(reading)

        await map_in_order(folders_of(source), read, AT_ONCE, taken)


@asynccontextmanager
async def reading_there(given: bytes) -> AsyncIterator[TaskFn]:
    """Yield the function that reads one folder in a worker.

    Raises:
        UsageError: If the source does not exist any more.
    """
    work = msgspec.json.decode(given, type=CollectJob)
    source = open_source(Path(work.source), guarded_fetch() if work.fetches else None)

    async def do(item: bytes) -> bytes:
        return _encode(tuple(read_folder(_places(item), source, work.facts)))

    yield do


STEP = "collect"
FILE, ENTRY, FOUND = "file", "entry", "found"
OPERATION = "operation"
_BATCH = 500
_IN = ": "
"""The separator between the name of an entry and that of an operation in it."""


class CollectedSource(msgspec.Struct, frozen=True):
    """Counts of a collected source.

    Attributes:
        source: The name of the source.
        files: Files that were read or refused.
        refused: Files that were refused.
        found: APIs.
        left_out: APIs that were excluded.
        operations: Operations of the found APIs.
        operations_left_out: Operations of these that were excluded.
    """

    source: str
    files: int
    refused: int
    found: int
    left_out: int
    operations: int = 0
    operations_left_out: int = 0


def collect(  # noqa: PLR0913 - what is read, by whom, and who is told
    dataset: Dataset,
    source: SourceFolder,
    facts: SourceFacts,
    *,
    is_named: bool,
    on_done: Callable[[], None] = lambda: None,
    open_pool: OpenPool | None = None,
) -> CollectedSource:
    """Read a source into a dataset.

    Args:
        dataset: The dataset.
        source: A file or a folder.
        facts: The source's name and the facts on the whole source.
        is_named: Whether the user gave that name; otherwise it is the file's name.
        on_done: Called for each file.
        open_pool: Opens the worker pool that reads; None for this process.

    Raises:
        UsageError: If the dataset has another source of that name, or if there are too many files.
        StoreError: If the dataset cannot be written.
    """
    found = _Collection(dataset, facts, content_key(source.path), on_done)
    if not is_named and found.is_anothers:
        raise UsageError(
            f"the dataset has another source called {facts.source!r}: name this one with "
            "--source-name"
        )
    if open_pool is None:
        for reading in read_source(source, facts):
            found.take(reading)
    else:
        asyncio.run(read_in_parallel(open_pool, source, facts, found.take))
    return found.finish()


class _Collection:
    """The running collection of a source; it stores results in batches."""

    def __init__(
        self, dataset: Dataset, facts: SourceFacts, home: str, on_done: Callable[[], None]
    ) -> None:
        self._dataset = dataset
        self._facts = facts
        self._home = home
        self._on_done = on_done
        self._known = _known_entries(dataset, facts.source)
        self._counts = [0] * 6
        self._batch: list[StepOutcome] = []
        self._stale: list[tuple[str, str]] = []

    @property
    def is_anothers(self) -> bool:
        """Whether the dataset has files of that name from another place."""
        return any(line.digest not in {"", self._home} for line in self._known[""])

    def take(self, reading: ReadSourceFile) -> None:
        """Take the result of reading one file."""
        outcomes = list(_outcomes(reading, self._facts, self._home))
        names = {(outcome.line.kind, outcome.line.name) for outcome in outcomes[1:]}
        file = outcomes[0].line.name
        known = [(line.kind, line.name) for line in self._known[file]]
        self._stale += [each for each in known if each not in names]
        self._batch += outcomes
        documents = [entry.document for entry in reading.entries if entry.document is not None]
        more = (
            *(1, bool(reading.refused), len(documents), len(reading.entries) - len(documents)),
            sum(len(document.api_list) for document in documents),
            sum(len(entry.left_out) for entry in reading.entries),
        )
        self._counts = [one + other for one, other in zip(self._counts, more, strict=True)]
        if len(self._batch) >= _BATCH:
            self._dataset.put(self._batch)
            self._batch = []
        self._on_done()

    def finish(self) -> CollectedSource:
        """Store the rest, and delete entries that the files do not contain any more."""
        self._dataset.put(self._batch)
        self._dataset.forget(STEP, self._stale)
        return CollectedSource(self._facts.source, *self._counts)


def _known_entries(dataset: Dataset, source: str) -> dict[str, list[StepLine]]:
    """Return the ledger lines of a source by file name; lines of files are under ""."""
    known: dict[str, list[StepLine]] = defaultdict(list)
    for line in dataset.ledger(STEP):
        if line.source == source:
            known["" if line.kind == FILE else _file_of(line)].append(line)
    return known


def _file_of(line: StepLine) -> str:
    """Return the name of the file of an entry or an operation."""
    entry = line.name.partition(_IN)[0] if line.kind == OPERATION else line.name
    return entry.rpartition("#")[0] or entry


def _outcomes(reading: ReadSourceFile, facts: SourceFacts, home: str) -> Iterator[StepOutcome]:
    name = _name(reading.place, facts.source)
    verdict: Verdict = "dropped" if reading.refused else "kept"
    reason = redact_secrets(reading.refused or reading.remark)
    yield StepOutcome(StepLine(STEP, FILE, name, verdict, reason, facts.source, home))
    for entry in reading.entries:
        yield from _entry(entry, facts)


def _entry(entry: FoundEntry, facts: SourceFacts) -> Iterator[StepOutcome]:
    name = _name(entry.place, facts.source)
    if entry.document is None:
        reason = redact_secrets(entry.remark)
        yield StepOutcome(StepLine(STEP, ENTRY, name, "dropped", reason, facts.source))
        return
    made = [NewItem(FOUND, name, entry.document)]
    if entry.prints:
        made.append(NewItem(WITHHELD, name, WithheldValues(entry.prints)))
    yield StepOutcome(StepLine(STEP, ENTRY, name, "kept", entry.remark, facts.source), tuple(made))
    for each in entry.document.api_list:
        yield _operation(f"{name}{_IN}{each.method} {each.name}", "kept", "", facts)
    for left_out in entry.left_out:
        yield _operation(f"{name}{_IN}{left_out.name}", "dropped", left_out.reason, facts)


def _operation(name: str, verdict: Verdict, reason: str, facts: SourceFacts) -> StepOutcome:
    return StepOutcome(StepLine(STEP, OPERATION, name, verdict, reason, facts.source))


def _name(place: str, source: str) -> str:
    """Return the ledger's name of a place.

    It includes the source, unless the source is that one file.
    """
    return place if place.partition("#")[0] == source else f"{source}/{place}"
