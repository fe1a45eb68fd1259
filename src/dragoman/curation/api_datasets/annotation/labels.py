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
    """What an annotator was given at one time: ids of queries by ids of rows."""

    annotator: str
    rows: dict[str, str]


class AnnotatorLabel(msgspec.Struct, frozen=True):
    """What somebody said of a query, whose content then had the hash `digest`."""

    task: str
    annotator: str
    rating: QueryRating
    digest: str


def assigned_rows(dataset: Dataset) -> dict[str, dict[str, str]]:
    """Return the queries that annotators were given, by annotator and id of the row.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    rows: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for item in dataset.items(SHEET):
        sheet = item.record(ReviewSheet)
        rows[sheet.annotator].update(sheet.rows)
    return dict(rows)


def stored_labels(dataset: Dataset, kind: str) -> dict[str, dict[str, QueryRating]]:
    """Return labels, or those of the expert, of queries as they are now: by annotator and query.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    digests = {item.name: item.digest for item in dataset.items("task")}
    found: defaultdict[str, dict[str, QueryRating]] = defaultdict(dict)
    for item in dataset.items(kind):
        label = item.record(AnnotatorLabel)
        if digests.get(label.task) == label.digest:
            found[label.annotator][label.task] = label.rating
    return dict(found)


class ImportedLabels(msgspec.Struct, frozen=True):
    """What came of an annotator's files.

    Attributes:
        annotator: Who.
        labelled: Rows with scores.
        blank: Rows without, which are not labelled; a label that such a row had before is taken
            back.
        refused: Rows that cannot be taken; where there is one, nothing is.
        given: Queries that the annotator has been given in all.
        labelled_of_given: Those of them with a label now.
        accuracy: On gold questions; None where a row is refused.
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
    """Store what an annotator said; what a file says of a query replaces what was said before.

    Args:
        dataset: The dataset.
        annotator: Who.
        rows: Of all files, in any order.
        terms: For the accuracy on gold questions so far.

    Raises:
        UsageError: Where they were given nothing.
        StoreError: Where the dataset cannot be read or written.
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
    """Return labels by query, None for a blank row, and the rows that are refused."""
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
            f"{row.where}: the query is not the one that has this id: was one column sorted "
            "alone, or "
            "was the query made anew since?"
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
