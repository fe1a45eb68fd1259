"""The Python interface to the review of a dataset's queries by people.

It exports sheets, imports labels and adjudicates them.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.core.apis.tasks import ApiTask
from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.annotation.adjudication import (
    AdjudicationResult,
    adjudicate_labels,
)
from dragoman.curation.api_datasets.annotation.assignment import (
    ADJUDICATOR,
    EXPERT,
    AssignmentPlan,
    ReviewThresholds,
    blind_accuracy,
    gold_labels,
)
from dragoman.curation.api_datasets.annotation.export import (
    AnnotationBatch,
    adjudication_batch,
    annotation_batch,
)
from dragoman.curation.api_datasets.annotation.labels import (
    GOLD,
    ImportedLabels,
    assigned_rows,
    store_labels,
    stored_labels,
)
from dragoman.curation.api_datasets.annotation.sheets import read_sheet, require_free, write_sheets
from dragoman.curation.api_datasets.rate import QueryRating
from dragoman.store.dataset import Dataset


class ExportedSheets(msgspec.Struct, frozen=True):
    """The sheets of annotators, and the gold accuracy of one who does not read the queries."""

    batch: AnnotationBatch
    blind_accuracy: float


def export_sheets(
    folder: Path, out: Path, plan: AssignmentPlan, gold: Path | None = None
) -> ExportedSheets:
    """Write a sheet for each annotator.

    Args:
        folder: The dataset.
        out: A folder that does not exist yet, or is empty.
        plan: The assignment of queries to annotators.
        gold: Queries that an expert has labelled, as a CSV file.

    Raises:
        UsageError: If `out` is not empty, without gold questions, or without a query to assign.
        DataError: For a file that cannot be read.
        StoreError: For a file that cannot be written, or if the dataset cannot be read or written.
    """
    require_free(out)
    with Dataset(folder, make=False) as dataset:
        labels = {} if gold is None else _read_gold(dataset, gold)
        batch = annotation_batch(dataset, labels, plan)
        write_sheets(out, batch.sheets)
        dataset.put(batch.outcomes)
        known = stored_labels(dataset, GOLD).get(EXPERT, {})
    return ExportedSheets(batch, blind_accuracy(known.values(), ReviewThresholds().threshold))


def _read_gold(dataset: Dataset, path: Path) -> dict[str, QueryRating]:
    queries = {item.name: item.record(ApiTask).query for item in dataset.items("task")}
    found = gold_labels(read_sheet(path, ("id", "query")), queries)
    if not found:
        raise UsageError(f"{path}: no row has scores: an expert fills them in")
    return found


def import_labels(
    folder: Path,
    files: Sequence[Path],
    annotator: str,
    terms: ReviewThresholds = ReviewThresholds(),
) -> ImportedLabels:
    """Import an annotator's files; if a row is refused, no label is imported.

    Raises:
        UsageError: For an annotator who was not assigned any queries.
        DataError: For a file that cannot be read.
        StoreError: If the dataset cannot be read or written.
    """
    rows = [row for path in files for row in read_sheet(path)]
    with Dataset(folder, make=False) as dataset:
        return store_labels(dataset, annotator, rows, terms)


def settle_review(
    folder: Path, terms: ReviewThresholds = ReviewThresholds(), adjudicate: Path | None = None
) -> AdjudicationResult:
    """Decide on all queries by their labels.

    Args:
        folder: The dataset.
        terms: The lowest passing score of a dimension, and the conditions on annotators whose
            labels count.
        adjudicate: A new folder for a sheet of the queries on which annotators differ.

    Raises:
        UsageError: If no query was assigned, or if `adjudicate` is not empty.
        StoreError: If the dataset cannot be read or written.
    """
    if adjudicate is not None:
        require_free(adjudicate)
    with Dataset(folder, make=False) as dataset:
        if not assigned_rows(dataset):
            raise UsageError(f"{folder}: nothing was given out: `dragoman curate review export`")
        settled = adjudicate_labels(dataset, terms)
        if adjudicate is not None and settled.differ:
            rows, outcome = adjudication_batch(dataset, settled.differ)
            write_sheets(adjudicate, {ADJUDICATOR: rows})
            dataset.put([outcome])
    return settled
