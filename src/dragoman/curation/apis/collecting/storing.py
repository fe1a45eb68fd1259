"""What sources give goes into a dataset: a line for each file and for each API in it.

Files are read anew each time, and what a file gave before is replaced, so that a collection that was
killed is simply repeated.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key
from dragoman.curation.apis.collecting.entries import FoundEntry, StatedFacts
from dragoman.curation.apis.collecting.reading import ReadSourceFile, read_source
from dragoman.curation.apis.collecting.source_files import SourceFolder
from dragoman.store.datasets.dataset import Dataset
from dragoman.store.datasets.records import NewItem, StepLine, StepOutcome, Verdict

STEP = "collect"
FILE, ENTRY, FOUND = "file", "entry", "found"
_BATCH = 500


class CollectedSource(msgspec.Struct, frozen=True):
    """How many files of a source were read and refused, and how many APIs they held and were left out."""

    source: str
    files: int
    refused: int
    found: int
    left_out: int


def collect(
    dataset: Dataset,
    source: SourceFolder,
    facts: StatedFacts,
    *,
    is_named: bool,
    on_done: Callable[[], None] = lambda: None,
) -> CollectedSource:
    """Read a source into a dataset.

    Args:
        dataset: The dataset.
        source: A file or a folder.
        facts: The source's name and what is said of all of it.
        is_named: Whether somebody gave that name, and not the file's.
        on_done: Is called for each file.

    Raises:
        UsageError: Where the dataset has another source of that name, or files are too many.
        StoreError: Where the dataset cannot be written.
    """
    known = _known_entries(dataset, facts.source)
    home = content_key(source.path)
    if not is_named and any(line.digest not in {"", home} for line in known[""]):
        raise UsageError(
            f"the dataset has another source called {facts.source!r}: name this one with --source-name"
        )
    counts = [0, 0, 0, 0]
    batch: list[StepOutcome] = []
    stale: list[tuple[str, str]] = []
    for reading in read_source(source, facts):
        outcomes = list(_outcomes(reading, facts, home))
        names = {outcome.line.name for outcome in outcomes if outcome.line.kind == ENTRY}
        file = outcomes[0].line.name
        stale += [(ENTRY, line.name) for line in known[file] if line.name not in names]
        batch += outcomes
        found = sum(1 for entry in reading.entries if entry.document is not None)
        more = (1, bool(reading.refused), found, len(reading.entries) - found)
        counts = [one + other for one, other in zip(counts, more, strict=True)]
        if len(batch) >= _BATCH:
            dataset.put(batch)
            batch = []
        on_done()
    dataset.put(batch)
    dataset.forget(STEP, stale)
    return CollectedSource(facts.source, *counts)


def _known_entries(dataset: Dataset, source: str) -> dict[str, list[StepLine]]:
    """Return the lines of a source's entries by the name of their file, and those of its files under ""."""
    known: dict[str, list[StepLine]] = defaultdict(list)
    for line in dataset.ledger(STEP):
        if line.source == source:
            file = line.name.rpartition("#")[0] or line.name
            known[file if line.kind == ENTRY else ""].append(line)
    return known


def _outcomes(reading: ReadSourceFile, facts: StatedFacts, home: str) -> Iterator[StepOutcome]:
    name = _name(reading.place, facts.source)
    verdict: Verdict = "dropped" if reading.refused else "kept"
    reason = reading.refused or reading.remark
    yield StepOutcome(StepLine(STEP, FILE, name, verdict, reason, facts.source, home))
    for entry in reading.entries:
        yield _entry(entry, facts)


def _entry(entry: FoundEntry, facts: StatedFacts) -> StepOutcome:
    name = _name(entry.place, facts.source)
    if entry.document is None:
        return StepOutcome(StepLine(STEP, ENTRY, name, "dropped", entry.remark, facts.source))
    line = StepLine(STEP, ENTRY, name, "kept", entry.remark, facts.source)
    return StepOutcome(line, (NewItem(FOUND, name, entry.document),))


def _name(place: str, source: str) -> str:
    """Return what a ledger calls a place: with its source, but where the source is that one file."""
    return place if place.partition("#")[0] == source else f"{source}/{place}"
