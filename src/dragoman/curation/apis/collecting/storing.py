"""What sources give goes into a dataset: a line for each file and for each API in it.

Files are read anew each time, and what a file gave before is replaced, so that a collection that was
killed is simply repeated.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.curation.apis.collecting.entries import FoundEntry, StatedFacts
from dragoman.curation.apis.collecting.reading import ReadSourceFile, read_source
from dragoman.curation.apis.collecting.source_files import SourceFolder
from dragoman.curation.apis.collecting.spreading import read_by_crew
from dragoman.curation.apis.secrecy.fingerprints import WITHHELD, WithheldValues
from dragoman.curation.apis.secrecy.texts import without_secrets
from dragoman.distributed.worker_pool import OpenPool
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome, Verdict

STEP = "collect"
FILE, ENTRY, FOUND = "file", "entry", "found"
OPERATION = "operation"
_BATCH = 500
_IN = ": "
"""Between the name of an entry and that of an operation in it."""


class CollectedSource(msgspec.Struct, frozen=True):
    """How many files of a source were read and refused, and what they held.

    Attributes:
        found: APIs.
        left_out: APIs that were left out.
        operations: Operations of those that were found.
        operations_left_out: Operations that these lack.
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
    facts: StatedFacts,
    *,
    is_named: bool,
    on_done: Callable[[], None] = lambda: None,
    open_crew: OpenPool | None = None,
) -> CollectedSource:
    """Read a source into a dataset.

    Args:
        dataset: The dataset.
        source: A file or a folder.
        facts: The source's name and what is said of all of it.
        is_named: Whether somebody gave that name, and not the file's.
        on_done: Is called for each file.
        open_crew: Opens those who read; None for this process.

    Raises:
        UsageError: Where the dataset has another source of that name, or files are too many.
        StoreError: Where the dataset cannot be written.
    """
    found = _Collection(dataset, facts, content_key(source.path), on_done)
    if not is_named and found.is_anothers:
        raise UsageError(
            f"the dataset has another source called {facts.source!r}: name this one with --source-name"
        )
    if open_crew is None:
        for reading in read_source(source, facts):
            found.take(reading)
    else:
        asyncio.run(read_by_crew(open_crew, source, facts, found.take))
    return found.finish()


class _Collection:
    """What was read of a source so far, put into its dataset in batches."""

    def __init__(
        self, dataset: Dataset, facts: StatedFacts, home: str, on_done: Callable[[], None]
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
        """Take what one file gave."""
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
        """Put the rest, and forget what files do not give any more."""
        self._dataset.put(self._batch)
        self._dataset.forget(STEP, self._stale)
        return CollectedSource(self._facts.source, *self._counts)


def _known_entries(dataset: Dataset, source: str) -> dict[str, list[StepLine]]:
    """Return the lines of a source's entries by the name of their file, and those of its files under ""."""
    known: dict[str, list[StepLine]] = defaultdict(list)
    for line in dataset.ledger(STEP):
        if line.source == source:
            known["" if line.kind == FILE else _file_of(line)].append(line)
    return known


def _file_of(line: StepLine) -> str:
    """Return the name of the file that an entry or an operation stands in."""
    entry = line.name.partition(_IN)[0] if line.kind == OPERATION else line.name
    return entry.rpartition("#")[0] or entry


def _outcomes(reading: ReadSourceFile, facts: StatedFacts, home: str) -> Iterator[StepOutcome]:
    name = _name(reading.place, facts.source)
    verdict: Verdict = "dropped" if reading.refused else "kept"
    reason = without_secrets(reading.refused or reading.remark)
    yield StepOutcome(StepLine(STEP, FILE, name, verdict, reason, facts.source, home))
    for entry in reading.entries:
        yield from _entry(entry, facts)


def _entry(entry: FoundEntry, facts: StatedFacts) -> Iterator[StepOutcome]:
    name = _name(entry.place, facts.source)
    if entry.document is None:
        reason = without_secrets(entry.remark)
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


def _operation(name: str, verdict: Verdict, reason: str, facts: StatedFacts) -> StepOutcome:
    return StepOutcome(StepLine(STEP, OPERATION, name, verdict, reason, facts.source))


def _name(place: str, source: str) -> str:
    """Return what a ledger calls a place: with its source, but where the source is that one file."""
    return place if place.partition("#")[0] == source else f"{source}/{place}"
