"""`dragoman curate list`."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.cli.output import print_json
from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.errors import UsageError
from dragoman.curation.apis.steps import ORDER
from dragoman.report.fitting import TextTable, print_table
from dragoman.report.wording import counted
from dragoman.store.datasets.dataset import Dataset

UNKNOWN = "not stated"

Facet = Callable[[ApiDocument], str]

FACETS: Mapping[str, Facet] = {
    "category": lambda document: document.category or _only(document.api_list),
    "country": lambda document: document.country,
    "language": lambda document: document.language,
    "licence": lambda document: next((one.licence for one in document.origins if one.licence), ""),
    "source": lambda document: ", ".join(dict.fromkeys(one.source for one in document.origins)),
    "form": lambda document: document.origins[0].form if document.origins else "",
    "authentication": lambda document: document.authentication,
}


class FacetCount(msgspec.Struct, frozen=True):
    """How many documents, and operations of them, have some values."""

    values: tuple[str, ...]
    documents: int
    operations: int


def list_documents(folder: Path, by: Sequence[str], *, as_json: bool) -> None:
    """Print how many documents stand, and operations in them, by what is known of them.

    Raises:
        UsageError: Where they are to be counted by what is no property of them.
    """
    unknown = [name for name in by if name not in FACETS]
    if unknown:
        raise UsageError(f"--by {unknown[0]}: it is one or more of {', '.join(FACETS)}")
    with Dataset(folder, write=False) as dataset:
        documents = [item.record(ApiDocument) for item in dataset.standing("document", after=ORDER)]
    counts = counted_by(documents, by)
    if as_json:
        print_json({"by": by, "counts": counts})
        return
    rows = tuple(
        (
            *(value or UNKNOWN for value in each.values),
            f"{each.documents:,}",
            f"{each.operations:,}",
        )
        for each in counts
    )
    headings = (*by, "documents", "operations")
    operations = sum(each.operations for each in counts)
    note = f"{counted(len(documents), 'document')}, {counted(operations, 'operation')}"
    print_table(
        TextTable(headings, rows, title=str(folder), note=note, numbers=frozenset(headings[-2:]))
    )


def counted_by(documents: Sequence[ApiDocument], by: Sequence[str]) -> list[FacetCount]:
    """Return how many documents and operations there are for each set of values, most first."""
    counts: Counter[tuple[str, ...]] = Counter()
    operations: Counter[tuple[str, ...]] = Counter()
    for document in documents:
        values = tuple(FACETS[name](document) for name in by)
        counts[values] += 1
        operations[values] += len(document.api_list)
    ordered = sorted(counts, key=lambda values: (-counts[values], values))
    return [FacetCount(values, counts[values], operations[values]) for values in ordered]


def _only(operations: Sequence[Operation]) -> str:
    """Return the category of all operations, "" where they have none, and that there are several."""
    found = {each.category for each in operations}
    return next(iter(found), "") if len(found) <= 1 else "several"
