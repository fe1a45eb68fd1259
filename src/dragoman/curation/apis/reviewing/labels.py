"""What is stored of a review: who was given what, what people said, and what an expert says of gold questions."""

from collections import defaultdict

import msgspec

from dragoman.curation.apis.rating.asking import QueryRating
from dragoman.store.dataset import Dataset

STEP = "review"
GIVING = "assign"
LABELLING = "label"

SHEET, GOLD, LABEL = "sheet", "gold", "label"
"""Kinds of items."""


class ReviewSheet(msgspec.Struct, frozen=True):
    """What an annotator was given at one time: ids of queries by ids of rows."""

    annotator: str
    rows: dict[str, str]


class PersonsLabel(msgspec.Struct, frozen=True):
    """What somebody said of a query, whose content then had the hash `digest`."""

    task: str
    annotator: str
    rating: QueryRating
    digest: str


def given_rows(dataset: Dataset) -> dict[str, dict[str, str]]:
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
        label = item.record(PersonsLabel)
        if digests.get(label.task) == label.digest:
            found[label.annotator][label.task] = label.rating
    return dict(found)
