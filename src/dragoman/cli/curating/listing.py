"""`dragoman curate list`."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.cli.output import print_json
from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.errors import UsageError
from dragoman.curation.apis.steps import standing
from dragoman.report.fitting import TextTable, print_table
from dragoman.report.wording import counted
from dragoman.store.datasets.dataset import Dataset

UNKNOWN = "not stated"

Facet = Callable[[ApiDocument, Operation | None], str]

FACETS: Mapping[str, Facet] = {
    "category": lambda document, one: (one.category if one else "") or document.category,
    "country": lambda document, _: document.country,
    "language": lambda document, _: document.language,
    "licence": lambda document, _: next(
        (each.licence for each in document.origins if each.licence), ""
    ),
    "source": lambda document, _: ", ".join(
        dict.fromkeys(each.source for each in document.origins)
    ),
    "form": lambda document, _: document.origins[0].form if document.origins else "",
    "authentication": lambda document, _: document.authentication,
}


class FacetCount(msgspec.Struct, frozen=True):
    """How many documents, and operations of them, have some values."""

    values: tuple[str, ...]
    documents: int
    operations: int


def list_documents(folder: Path, by: Sequence[str], top: int, *, as_json: bool) -> None:
    """Print how many documents stand, and operations in them, by what is known of them.

    Args:
        folder: The dataset.
        by: What they are counted by.
        top: How many rows are shown, most documents first; 0 for all.
        as_json: Print all of it as JSON.

    Raises:
        UsageError: Where they are to be counted by what is no property of them.
    """
    unknown = [name for name in by if name not in FACETS]
    if unknown:
        raise UsageError(f"--by {unknown[0]}: it is one or more of {', '.join(FACETS)}")
    with Dataset(folder, write=False) as dataset:
        documents = [item.record(ApiDocument) for item in standing(dataset, "document")]
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
        for each in (counts[:top] if top else counts)
    )
    headings = (*by, "documents", "operations")
    operations = sum(len(document.api_list) for document in documents)
    left = len(counts) - len(rows)
    note = f"and {counted(left, 'more row')}; " if left else ""
    note += f"{counted(len(documents), 'document')}, {counted(operations, 'operation')}"
    print_table(
        TextTable(headings, rows, title=str(folder), note=note, numbers=frozenset(headings[-2:]))
    )


def counted_by(documents: Sequence[ApiDocument], by: Sequence[str]) -> list[FacetCount]:
    """Return how many documents and operations there are for each set of values, most first.

    A document whose operations differ in a value counts once for each.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    operations: Counter[tuple[str, ...]] = Counter()
    for document in documents:
        found = [
            tuple(FACETS[name](document, one) for name in by)
            for one in document.api_list or (None,)
        ]
        counts.update(dict.fromkeys(found, 1))
        operations.update(found if document.api_list else ())
    ordered = sorted(counts, key=lambda values: (-counts[values], values))
    return [FacetCount(values, counts[values], operations[values]) for values in ordered]
