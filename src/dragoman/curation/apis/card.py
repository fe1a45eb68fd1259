"""What a dataset holds, counted: its card."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from dragoman.curation.apis.known import KnownOperation
from dragoman.curation.apis.rows import DatasetRow
from dragoman.curation.apis.steps import place_of
from dragoman.store.dataset import FunnelCount

Counts = dict[str, dict[str, int]]
"""How many tasks a value has, by split."""


class DatasetCard(msgspec.Struct, frozen=True):
    """A dataset in numbers.

    Attributes:
        tasks: Tasks by split.
        operations: Operations that tasks' answers call.
        apis: Documents that these are of.
        by: Tasks by kind of call, language, country, category of what is called, and writer, by split.
        test_seen: Test tasks by how many of the operations that they call are unseen in training: all or some.
        audited: Answers that a person should look at.
        licences: Licences of the documents that tasks offer, as these state them; "" where one states none.
        sources: Their sources.
        funnel: What each step kept and dropped.
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


def card_of(rows: Sequence[DatasetRow], funnel: Iterable[FunnelCount] = ()) -> DatasetCard:
    """Count a dataset."""
    called = {each.id: each for row in rows for each in _called(row)}
    documents = {each.document.id: each.document for each in called.values()}
    offered = {each.document.id: each.document for row in rows for each in row.tools.values()}
    origins = [origin for each in offered.values() for origin in each.origins]
    facets: dict[str, Callable[[DatasetRow], Iterable[str]]] = {
        "kind": lambda row: (row.task.kind,),
        "language": lambda row: (row.task.language,),
        "country": lambda row: (row.task.country or "several",),
        "category": lambda row: sorted({each.category or "unknown" for each in _called(row)}),
        "written by": lambda row: (row.task.made_by,),
    }
    return DatasetCard(
        dict(sorted(Counter(_split(row) for row in rows).items())),
        len(called),
        len(documents),
        {name: _counts(rows, facet) for name, facet in facets.items()},
        dict(Counter(_seen(row) for row in rows if row.task.split == "test")),
        sum(bool(row.audit) for row in rows),
        dict(sorted(Counter(each.licence for each in origins).items())),
        dict(sorted(Counter(each.source for each in origins).items())),
        tuple(sorted(funnel, key=lambda each: place_of(each.step))),
    )


def _called(row: DatasetRow) -> list[KnownOperation]:
    tools: Mapping[str, KnownOperation] = row.tools
    names = dict.fromkeys(call.tool for call in row.task.gold)
    return [tools[name] for name in names if name in tools]


def _counts(rows: Iterable[DatasetRow], facet: Callable[[DatasetRow], Iterable[str]]) -> Counts:
    counts: Counts = {}
    for row in rows:
        for value in facet(row):
            by_split = counts.setdefault(value, {})
            by_split[_split(row)] = by_split.get(_split(row), 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-sum(item[1].values()), item[0])))


def _split(row: DatasetRow) -> str:
    return row.task.split or "not split"


def _seen(row: DatasetRow) -> str:
    called = {each.id for each in _called(row)}
    return "all unseen" if called <= set(row.unseen) else "some unseen"
