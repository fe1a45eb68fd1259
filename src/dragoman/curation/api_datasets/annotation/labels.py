"""Annotator labels: stored assignments, stored labels, and the import of filled sheets."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from dragoman.core.apis.tasks import ApiTask
from dragoman.core.errors import DataError, UsageError
from dragoman.curation.api_datasets.annotation.assignment import (
    EXPERT,
    GoldAccuracy,
    ReviewThresholds,
    gold_accuracy,
)
from dragoman.curation.api_datasets.annotation.sheets import FilledRow
from dragoman.curation.api_datasets.rate import QueryRating
from dragoman.curation.review.import_reviews import RefusedRow
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome, StoredItem

STEP = "review"
GIVING = "assign"
LABELLING = "label"

SHEET, GOLD, LABEL = "sheet", "gold", "label"
"""Kinds of items."""


class ReviewSheet(msgspec.Struct, frozen=True):
    """The rows of one sheet of an annotator: ids of queries by ids of rows."""

    annotator: str
    rows: dict[str, str]


class AnnotatorLabel(msgspec.Struct, frozen=True):
    """A person's rating of a query.

    `digest` is the hash of the query's content at the time of the rating.
    """

    task: str
    annotator: str
    rating: QueryRating
    digest: str


def assigned_rows(dataset: Dataset) -> dict[str, dict[str, str]]:
    """Return the queries assigned to annotators, by annotator and id of the row.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    rows: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for item in dataset.items(SHEET):
        sheet = item.record(ReviewSheet)
        rows[sheet.annotator].update(sheet.rows)
    return dict(rows)


def stored_labels(dataset: Dataset, kind: str) -> dict[str, dict[str, QueryRating]]:
    """Return labels of one kind (`LABEL` or `GOLD`) for unchanged queries, by annotator.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    digests = {item.name: item.digest for item in dataset.items("task")}
    found: defaultdict[str, dict[str, QueryRating]] = defaultdict(dict)
    for item in dataset.items(kind):
        label = item.record(AnnotatorLabel)
        if digests.get(label.task) == label.digest:
            found[label.annotator][label.task] = label.rating
    return dict(found)


class ImportedLabels(msgspec.Struct, frozen=True):
    """The result of importing an annotator's files.

    Attributes:
        annotator: The annotator's name.
        labelled: Number of rows with scores.
        blank: Number of rows without scores, which are not labelled. An earlier label of such a row
            is deleted.
        refused: Rows that cannot be imported; if there are any, no row is imported.
        given: Number of all queries assigned to the annotator.
        labelled_of_given: Number of these queries that now have a label.
        accuracy: Accuracy on gold questions; None if a row is refused.
    """

    annotator: str
    labelled: int
    blank: int
    refused: tuple[RefusedRow, ...]
    given: int = 0
    labelled_of_given: int = 0
    accuracy: GoldAccuracy | None = None


def store_labels(
    dataset: Dataset, annotator: str, rows: Iterable[FilledRow], terms: ReviewThresholds
) -> ImportedLabels:
    """Store an annotator's labels; a new label of a query replaces the earlier one.

    Args:
        dataset: The dataset.
        annotator: The annotator's name.
        rows: Rows of all files, in any order.
        terms: Thresholds for the accuracy on gold questions so far.

    Raises:
        UsageError: If no query was assigned to the annotator.
        StoreError: If the dataset cannot be read or written.
    """
    everybody = assigned_rows(dataset)
    given = everybody.get(annotator, {})
    if not given:
        raise UsageError(f"--annotator {annotator}: {_nobody(everybody)}")
    tasks = {item.name: item for item in dataset.items("task")}
    labels, refused = _read(rows, given, everybody, tasks)
    filled = {name: rating for name, rating in labels.items() if rating is not None}
    if refused:
        return ImportedLabels(annotator, len(filled), len(labels) - len(filled), tuple(refused))
    stored = {
        item.name: item.record(AnnotatorLabel)
        for item in dataset.items(LABEL)
        if item.name.endswith(f"/{annotator}")
    }
    kept = [each for each in stored.values() if each.task not in labels]
    new = [
        AnnotatorLabel(name, annotator, each, tasks[name].digest) for name, each in filled.items()
    ]
    dataset.put([_outcome(annotator, [*kept, *new])])
    said = stored_labels(dataset, LABEL).get(annotator, {})
    gold = stored_labels(dataset, GOLD).get(EXPERT, {})
    return ImportedLabels(
        annotator,
        len(filled),
        len(labels) - len(filled),
        (),
        len(given),
        len(said),
        gold_accuracy(said, gold, terms),
    )


def _read(
    rows: Iterable[FilledRow],
    given: Mapping[str, str],
    everybody: Mapping[str, Mapping[str, str]],
    tasks: Mapping[str, StoredItem],
) -> tuple[dict[str, QueryRating | None], list[RefusedRow]]:
    """Return labels by query, with None for a blank row, and the refused rows."""
    labels: dict[str, QueryRating | None] = {}
    refused: list[RefusedRow] = []
    for row in rows:
        try:
            name, rating = _label(row, given, everybody, tasks)
        except DataError as error:
            refused.append(RefusedRow(row.where, str(error).removeprefix(f"{row.where}: ")))
            continue
        before = labels.get(name)
        if before is not None and rating is not None and rating.scores != before.scores:
            refused.append(RefusedRow(row.where, "another row with this id says something else"))
        else:
            labels[name] = rating or before
    return labels, refused


def _label(
    row: FilledRow,
    given: Mapping[str, str],
    everybody: Mapping[str, Mapping[str, str]],
    tasks: Mapping[str, StoredItem],
) -> tuple[str, QueryRating | None]:
    name = given.get(row.id)
    if name is None:
        raise DataError(f"{row.where}: {_not_given(row.id, everybody)}")
    item = tasks.get(name)
    if item is None or not row.is_of(item.record(ApiTask).query):
        raise DataError(
            f"{row.where}: the query is not the one with this id: one column was sorted alone, or "
            "the query has been generated again: take the row from a new export"
        )
    return name, None if row.is_blank else row.rating()


def _not_given(row_id: str, everybody: Mapping[str, Mapping[str, str]]) -> str:
    other = next((name for name, rows in everybody.items() if row_id in rows), "")
    if other:
        return f"this row was given to {other}"
    return "its id is missing or damaged: copy it from the export"


def _nobody(everybody: Mapping[str, object]) -> str:
    return f"was given nothing; {', '.join(sorted(everybody)) or 'nobody'} was"


def _outcome(annotator: str, labels: Iterable[AnnotatorLabel]) -> StepOutcome:
    made = tuple(NewItem(LABEL, f"{each.task}/{annotator}", each) for each in labels)
    return StepOutcome(StepLine(LABELLING, "annotator", annotator, "kept"), made)
