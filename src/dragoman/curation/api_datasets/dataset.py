"""Finished dataset: rows (task, answer, tools, split) and the dataset card."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.core.apis.tasks import ApiSolution, ApiTask, TaskSolution
from dragoman.core.texts.counts import format_count
from dragoman.core.version import VERSION
from dragoman.curation.api_datasets.operations import (
    KnownOperation,
    active_documents,
    known_operations,
    offered_ids,
)
from dragoman.curation.api_datasets.pipeline import ORDER, active, step_position
from dragoman.curation.api_datasets.split import TaskSplit
from dragoman.store.dataset import Dataset, FunnelCount

END = ORDER[-1]
"""The last step; the dataset holds the items that no step up to this one dropped."""


class DatasetRow(msgspec.Struct, frozen=True):
    """One task of the finished dataset.

    Attributes:
        task: The task; its gold calls are the calls of its answer, and its split and its offered
            operations are those of its side.
        solution: The answer.
        tools: The offered operations, by their offered names.
        unseen: Ids of operations in its answer that no training task needs or offers.
        source: The source, as the funnel counts it.
        audit: The reason for which a person should look at the answer; "" for no reason.
    """

    task: ApiTask
    solution: ApiSolution
    tools: Mapping[str, KnownOperation]
    unseen: tuple[str, ...]
    source: str
    audit: str


def dataset_rows(dataset: Dataset) -> Iterator[DatasetRow]:
    """Yield the active tasks that have an answer, by id.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    known = known_operations(active_documents(dataset, END))
    solutions = {item.name: item.record(TaskSolution) for item in active(dataset, "solution")}
    sides = {item.name: item.record(TaskSplit) for item in active(dataset, "side")}
    for item in active(dataset, "task"):
        if item.name in solutions:
            task, taken = item.record(ApiTask), solutions[item.name]
            # The names are those used in the answer; a side may offer fewer operations.
            ids = offered_ids(task, known)
            side = sides.get(item.name, TaskSplit("train", task.offered))
            offered = {name: known[key] for name, key in ids.items() if key in side.offered}
            yield DatasetRow(
                msgspec.structs.replace(
                    task,
                    gold=task.gold or taken.solution.calls,
                    offered=tuple(each.id for each in offered.values()),
                    split=side.split if item.name in sides else "",
                ),
                taken.solution,
                offered,
                side.unseen,
                item.source,
                taken.audit,
            )


Counts = dict[str, dict[str, int]]
"""Numbers of tasks by value and split."""


class DatasetCard(msgspec.Struct, frozen=True):
    """The card of a dataset: its numbers.

    Attributes:
        tasks: Tasks by split.
        operations: Operations called by the answers of tasks.
        apis: Documents of these operations.
        by: Tasks by kind of call, language, country, category of the called operations, and author,
            by split.
        test_seen: Test tasks by how many of their called operations are unseen in training: all or
            some.
        audited: Answers that a person should look at.
        licences: Licences of the documents of offered operations, as stated there; "" if a document
            states none.
        sources: The sources of these documents.
        funnel: Counts of kept and dropped items by step.
    """

    tasks: dict[str, int]
    operations: int
    apis: int
    by: dict[str, Counts]
    test_seen: dict[str, int]
    audited: int
    licences: dict[str, int]
    sources: dict[str, int]
    funnel: tuple[FunnelCount, ...] = ()


def dataset_card(rows: Sequence[DatasetRow], funnel: Iterable[FunnelCount] = ()) -> DatasetCard:
    """Return the card of a dataset."""
    called = {each.id: each for row in rows for each in _called_operations(row)}
    documents = {each.document.id: each.document for each in called.values()}
    offered = {each.document.id: each.document for row in rows for each in row.tools.values()}
    origins = [origin for each in offered.values() for origin in each.origins]
    facets: dict[str, Callable[[DatasetRow], Iterable[str]]] = {
        "kind": lambda row: (row.task.kind,),
        "language": lambda row: (row.task.language,),
        "country": lambda row: (row.task.country or "several",),
        "category": lambda row: sorted(
            {each.category or "unknown" for each in _called_operations(row)}
        ),
        "written by": lambda row: (row.task.made_by,),
    }
    return DatasetCard(
        dict(sorted(Counter(_split(row) for row in rows).items())),
        len(called),
        len(documents),
        {name: _counts(rows, field) for name, field in facets.items()},
        dict(Counter(_classify_seen(row) for row in rows if row.task.split == "test")),
        sum(bool(row.audit) for row in rows),
        dict(sorted(Counter(each.licence for each in origins).items())),
        dict(sorted(Counter(each.source for each in origins).items())),
        tuple(sorted(funnel, key=lambda each: step_position(each.step))),
    )


def _called_operations(row: DatasetRow) -> list[KnownOperation]:
    tools: Mapping[str, KnownOperation] = row.tools
    names = dict.fromkeys(call.tool for call in row.task.gold)
    return [tools[name] for name in names if name in tools]


def _counts(rows: Iterable[DatasetRow], field: Callable[[DatasetRow], Iterable[str]]) -> Counts:
    counts: Counts = {}
    for row in rows:
        for value in field(row):
            by_split = counts.setdefault(value, {})
            by_split[_split(row)] = by_split.get(_split(row), 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-sum(item[1].values()), item[0])))


def _split(row: DatasetRow) -> str:
    return row.task.split or "not split"


def _classify_seen(row: DatasetRow) -> str:
    called = {each.id for each in _called_operations(row)}
    return "all unseen" if called <= set(row.unseen) else "some unseen"


MOST = 40
"""Most rows of one table; further rows are only counted, in one line."""


def card_as_markdown(card: DatasetCard, name: str) -> str:
    """Return a card as Markdown."""
    return "\n".join(_lines(card, name)) + "\n"


def _lines(card: DatasetCard, name: str) -> Iterator[str]:
    splits = sorted(card.tasks)
    total = sum(card.tasks.values())
    yield f"# {_cell(name)}"
    yield ""
    yield (
        f"{format_count(total, 'task')} over {format_count(card.operations, 'operation')} of "
        f"{format_count(card.apis, 'API')}, made by Dragoman {VERSION}."
    )
    yield ""
    yield from _table(("split", "tasks"), [(each, f"{card.tasks[each]:,}") for each in splits])
    if card.test_seen:
        parts = ", ".join(f"{number:,} {what}" for what, number in sorted(card.test_seen.items()))
        yield ""
        yield (
            f"Operations of test tasks: {parts}. No training task needs or offers a test operation."
        )
    for what, counts in card.by.items():
        yield ""
        rows = [
            (value, *(f"{by.get(split, 0):,}" for split in splits), f"{sum(by.values()):,}")
            for value, by in counts.items()
        ]
        yield from _table((what, *splits, "all"), rows[:MOST])
        if len(rows) > MOST:
            yield ""
            yield f"And {len(rows) - MOST:,} more."
    yield ""
    yield from _table(
        ("licence of documents", "documents"),
        [(licence or "none stated", f"{n:,}") for licence, n in card.licences.items()],
    )
    yield ""
    yield from _table(
        ("source", "documents"), [(source, f"{n:,}") for source, n in card.sources.items()]
    )
    yield ""
    yield from _table(
        ("step", "of", "source", "seen", "kept", "dropped", "merged", "failed"),
        [
            (
                each.step,
                each.kind,
                each.source,
                *map("{:,}".format, (each.seen, each.kept, each.dropped, each.merged, each.failed)),
            )
            for each in card.funnel
        ],
    )
    if card.audited:
        yield ""
        yield (
            f"{format_count(card.audited, 'answer')} should be looked at by a person: their models "
            "did not agree."
        )


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield f"|{'---|' * len(headings)}"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(text: str) -> str:
    """Escape text from documents for Markdown."""
    plain = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>|#!" else letter for letter in plain)
