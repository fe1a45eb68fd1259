"""Curation steps over a dataset: pending items, verdicts in a ledger, resumption.

A killed step resumes at the point where it stopped. The ledger records for each item whether it is
kept, dropped or merged, the reason, and the items that the step made from it. An item is processed
again if its content, the version of the step or its settings changed, or if the step failed on it.
A document can be exploded into its operations, which a step then processes one by one.
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
"""The steps in order; a step does not see items that an earlier step dropped."""


class StepFinding(msgspec.Struct, frozen=True):
    """The finding of a step on one item."""

    verdict: Verdict
    reason: str = ""
    made: tuple[NewItem, ...] = ()
    usage: tuple[Usage, ...] = ()


class Explode(NamedTuple):
    """A division of items of a kind into parts that a step processes one by one."""

    kind: str
    parts: Callable[[StoredItem], Iterable[StoredItem]]


class CurationStep(msgspec.Struct, frozen=True):
    """One step.

    Attributes:
        name: One of `ORDER`.
        version: The version of its rules and prompts.
        kind: The kind of items that it processes.
        process: Returns the finding on an item; may raise RunHalted, which ends the step.
        settings: The settings on which findings depend.
        at_once: Number of items processed at the same time.
        explode: The division of stored items, if the step processes their parts.
    """

    name: str
    version: str
    kind: str
    process: Callable[[StoredItem], Awaitable[StepFinding]]
    settings: Mapping[str, object] = {}
    at_once: int = 16
    explode: Explode | None = None


DECIDED = ("rate", "review", "answer", "check")
"""Steps that must have decided on an item before it continues; undecided items wait."""

ANSWERED = ("verify", "filter")
"""More such steps for queries.

No query uses an operation that could not be reached when it was checked.
"""


def step_position(step: str) -> int:
    """Return the position of a step in `ORDER`; unknown steps come last."""
    return ORDER.index(step) if step in ORDER else len(ORDER)


def active(dataset: Dataset, kind: str, step: str = "") -> Iterator[StoredItem]:
    """Yield the items of a kind that are active before a step, or after all steps.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    return dataset.active(
        kind, after=steps_before(step) if step else ORDER, decided=_must_have_decided(step)
    )


def excluded_items(dataset: Dataset, step: str) -> set[tuple[str, str]]:
    """Return kind and name of the items that are not active before a step.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    return dataset.excluded(steps_before(step), _must_have_decided(step))


def _must_have_decided(step: str) -> tuple[str, ...]:
    """Return the steps that must have decided before a given step.

    The monitor and filter steps process failed items too.
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
        StoreError: If the dataset cannot be read or written.
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
    """Yield the items for a step: those that no earlier step dropped or merged.

    Raises:
        StoreError: If the dataset cannot be read.
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
    """Return the hash of an item's content and of a step's version and settings."""
    return content_key(item.digest, step.version, step.settings)


async def run_step(
    dataset: Dataset, step: CurationStep, on_done: Callable[[int], None] = lambda _: None
) -> None:
    """Process every pending item of a step, and store each finding at once.

    Args:
        dataset: The dataset.
        step: The step.
        on_done: Receives the number of items finished since the last call.

    Raises:
        RunHalted: If the step cannot continue; earlier findings are stored.
        StoreError: If the dataset cannot be read or written.
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
        # Items under way were sent and may be paid for, so they are waited for and stored.
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
    """Store the findings of a step that processes all items together.

    They replace the step's earlier findings. `besides` holds outcomes for subjects that are not
    items.

    If the step is killed, the earlier decisions remain.

    Raises:
        StoreError: If the dataset cannot be written.
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
    """Return the ledger line of a file that is not an API document or gave no item."""
    return StepOutcome(StepLine(step, "file", name, "dropped", reason, source))


def ledger_lines(dataset: Dataset, step: str, verdicts: Collection[Verdict]) -> Iterator[StepLine]:
    """Yield a step's ledger lines that have some verdicts."""
    return (line for line in dataset.ledger(step) if line.verdict in verdicts)


async def _outcome(step: CurationStep, item: StoredItem) -> StepOutcome:
    return _line(step.name, item, await step.process(item), step_digest(step, item))


def _line(step: str, item: StoredItem, finding: StepFinding, digest: str) -> StepOutcome:
    line = StepLine(
        step, item.kind, item.name, finding.verdict, finding.reason, item.source, digest
    )
    return StepOutcome(line, finding.made, finding.usage)


def _store(dataset: Dataset, done: set[asyncio.Task[StepOutcome]]) -> None:
    """Store the findings of finished tasks, then raise the first error of the others."""
    failed = [error for task in done if (error := task.exception()) is not None]
    dataset.put([task.result() for task in done if task.exception() is None])
    if failed:
        raise failed[0]


OPERATION = "operation"


class DocumentOperation(msgspec.Struct, frozen=True):
    """An operation and the id of its document."""

    document: str
    operation: Operation
    authentication: str = ""


def operation_items(item: StoredItem) -> Iterator[StoredItem]:
    """Yield the operations of a document, as items that are not stored.

    Raises:
        StoreError: If the item is not a document.
    """
    document = separate_configuration(item.record(ApiDocument))
    for name, operation in operations(document):
        record = DocumentOperation(document.id, operation, document.authentication)
        data = msgspec.json.encode(record)
        yield StoredItem(OPERATION, name, item.source, content_key(msgspec.Raw(data)), data)


OPERATIONS = Explode("document", operation_items)
"""The division of documents into operations."""
