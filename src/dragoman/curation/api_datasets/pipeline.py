"""Curation steps over a dataset: run one step on pending items and record verdicts in the ledger.

A step that was killed resumes where it was. The ledger says of each item whether it is kept,
dropped or merged and why, and what the step made of it. An item is processed again if its
content, the version of the step or its settings changed, or if the step failed on it. A document
can be exploded into its operations, which a step then processes one by one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import NamedTuple

import msgspec

from dragoman.core.apis.documents import ApiDocument, Operation, operations
from dragoman.core.content_keys import content_key
from dragoman.core.errors import RunHalted
from dragoman.core.usage import Usage
from dragoman.curation.api_datasets.credential_removal import separate_configuration
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome, StoredItem, Verdict

ORDER = (
    "collect",
    "merge",
    "verify",
    "monitor",
    "filter",
    "draw",
    "generate",
    "rate",
    "assign",
    "label",
    "review",
    "answer",
    "check",
    "split",
)
"""The steps, first things first; what one dropped, those after it do not see."""


class StepFinding(msgspec.Struct, frozen=True):
    """What a step says of one item."""

    verdict: Verdict
    reason: str = ""
    made: tuple[NewItem, ...] = ()
    usage: tuple[Usage, ...] = ()


class Explode(NamedTuple):
    """How items of a kind are taken apart into those that a step looks at one by one."""

    kind: str
    parts: Callable[[StoredItem], Iterable[StoredItem]]


class CurationStep(msgspec.Struct, frozen=True):
    """One step.

    Attributes:
        name: One of `ORDER`.
        version: Of its rules and prompts.
        kind: Of the items that it looks at.
        process: Says what becomes of one; may raise RunHalted, which ends the walk.
        settings: What it was told, as far as findings depend on it.
        at_once: How many items it looks at at the same time.
        explode: Where these are no items of the dataset but parts of its items: of which, and how.
    """

    name: str
    version: str
    kind: str
    process: Callable[[StoredItem], Awaitable[StepFinding]]
    settings: Mapping[str, object] = {}
    at_once: int = 16
    explode: Explode | None = None


DECIDED = ("rate", "review", "answer", "check")
"""Steps whose items wait where nothing was decided: what nobody rated or checked does not go on."""

ANSWERED = ("verify", "filter")
"""The same for queries: no operation gets one that could not be reached when it was looked at."""


def step_position(step: str) -> int:
    """Return where a step stands among all; unknown ones stand last."""
    return ORDER.index(step) if step in ORDER else len(ORDER)


def active(dataset: Dataset, kind: str, step: str = "") -> Iterator[StoredItem]:
    """Yield the items of a kind that stand before a step, or after all of them.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    return dataset.active(
        kind, after=steps_before(step) if step else ORDER, decided=_must_have_decided(step)
    )


def excluded_items(dataset: Dataset, step: str) -> set[tuple[str, str]]:
    """Return kind and name of what does not stand before a step.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    return dataset.excluded(steps_before(step), _must_have_decided(step))


def _must_have_decided(step: str) -> tuple[str, ...]:
    """Return the steps that must have decided before a given step.

    The monitor and filter steps look at failed items too.
    """
    is_of_queries = not step or ORDER.index(step) > ORDER.index("filter")
    return (*ANSWERED, *DECIDED) if is_of_queries else DECIDED


def steps_before(step: str) -> tuple[str, ...]:
    """Return the names of the steps before one."""
    return ORDER[: ORDER.index(step)]


def pending_items(dataset: Dataset, step: CurationStep) -> list[StoredItem]:
    """Return the items that a step has not decided on yet.

    The step's decisions on items that are no longer active are deleted first.

    Raises:
        StoreError: Where the dataset cannot be read or written.
    """
    lines = [line for line in dataset.ledger(step.name) if line.kind == step.kind]
    seen = {line.name: line for line in lines if line.verdict != "failed"}
    items = list(active_items(dataset, step))
    names = {item.name for item in items}
    gone = [(step.kind, line.name) for line in lines if line.name not in names]
    if gone:
        dataset.forget(step.name, gone)
    return [
        item
        for item in items
        if item.name not in seen or seen[item.name].digest != step_digest(step, item)
    ]


def active_items(dataset: Dataset, step: CurationStep) -> Iterator[StoredItem]:
    """Yield the items that a step looks at: those that no step before it dropped or merged.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    if step.explode is None:
        yield from active(dataset, step.kind, step.name)
        return
    gone = excluded_items(dataset, step.name)
    for item in active(dataset, step.explode.kind, step.name):
        for part in step.explode.parts(item):
            if (part.kind, part.name) not in gone:
                yield part


def step_digest(step: CurationStep, item: StoredItem) -> str:
    """Return the hash of an item's content and of how a step looks at it."""
    return content_key(item.digest, step.version, step.settings)


async def run_step(
    dataset: Dataset, step: CurationStep, on_done: Callable[[int], None] = lambda _: None
) -> None:
    """Look at every item that a step has not decided on, and store what it finds as it finds it.

    Args:
        dataset: The dataset.
        step: The step.
        on_done: Is told how many more items were looked at.

    Raises:
        RunHalted: Where the step cannot go on; what it found before is stored.
        StoreError: Where the dataset cannot be read or written.
    """
    ahead = iter(pending_items(dataset, step))
    running: set[asyncio.Task[StepOutcome]] = set()
    try:
        while True:
            room = step.at_once - len(running)
            running |= {asyncio.ensure_future(_outcome(step, item)) for item in islice(ahead, room)}
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            _store(dataset, done)
            on_done(len(done))
    except RunHalted:
        # What is under way was sent and may be paid for: it is waited for and kept.
        settled = (await asyncio.wait(running))[0] if running else set()
        _store(dataset, {task for task in settled if task.exception() is None})
        raise
    finally:
        for task in running:
            task.cancel()


def record_decisions(
    dataset: Dataset,
    step: str,
    found: Iterable[tuple[StoredItem, StepFinding]],
    settings: Mapping[str, object],
    besides: Iterable[StepOutcome] = (),
) -> None:
    """Store the findings of a step that sees all items together, replacing its earlier ones.

    `besides` holds its outcomes for subjects that are not items.

    If the step is killed, the earlier decisions remain.

    Raises:
        StoreError: Where the dataset cannot be written.
    """
    dataset.replace(
        step,
        chain(
            (
                _line(step, item, finding, content_key(item.digest, settings))
                for item, finding in found
            ),
            besides,
        ),
    )


def rejected_file(step: str, name: str, source: str, reason: str) -> StepOutcome:
    """Return the line of what never became an item, such as a file that is no API document."""
    return StepOutcome(StepLine(step, "file", name, "dropped", reason, source))


def ledger_lines(dataset: Dataset, step: str, verdicts: Collection[Verdict]) -> Iterator[StepLine]:
    """Yield what a step said of items with some verdicts."""
    return (line for line in dataset.ledger(step) if line.verdict in verdicts)


async def _outcome(step: CurationStep, item: StoredItem) -> StepOutcome:
    return _line(step.name, item, await step.process(item), step_digest(step, item))


def _line(step: str, item: StoredItem, finding: StepFinding, digest: str) -> StepOutcome:
    line = StepLine(
        step, item.kind, item.name, finding.verdict, finding.reason, item.source, digest
    )
    return StepOutcome(line, finding.made, finding.usage)


def _store(dataset: Dataset, done: set[asyncio.Task[StepOutcome]]) -> None:
    """Store what was found; where a step was halted, that is raised when the rest is stored."""
    failed = [error for task in done if (error := task.exception()) is not None]
    dataset.put([task.result() for task in done if task.exception() is None])
    if failed:
        raise failed[0]


OPERATION = "operation"


class DocumentOperation(msgspec.Struct, frozen=True):
    """An operation and whose it is."""

    document: str
    operation: Operation
    authentication: str = ""


def operation_items(item: StoredItem) -> Iterator[StoredItem]:
    """Yield the operations of a document, as items that no file holds.

    Raises:
        StoreError: Where it is no document.
    """
    document = separate_configuration(item.record(ApiDocument))
    for name, operation in operations(document):
        record = DocumentOperation(document.id, operation, document.authentication)
        data = msgspec.json.encode(record)
        yield StoredItem(OPERATION, name, item.source, content_key(msgspec.Raw(data)), data)


OPERATIONS = Explode("document", operation_items)
"""How a step looks at the operations of documents."""
