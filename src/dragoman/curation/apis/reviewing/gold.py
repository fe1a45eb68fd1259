"""Gold questions: queries that an expert has labelled, and how right annotators are on them."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import Interval, clustered_interval
from dragoman.core.errors import DataError, UsageError
from dragoman.curation.apis.rating.asking import DIMENSIONS, HIGHEST, LOWEST, QueryRating
from dragoman.curation.apis.reviewing.giving_out import LEAST_GOLD
from dragoman.curation.apis.reviewing.sheets import FilledRow

EXPERT = "expert"


class ReviewTerms(msgspec.Struct, frozen=True):
    """What a query and an annotator must reach.

    Attributes:
        threshold: The mean that a query must reach, and the score from which a dimension is good.
        least: The accuracy on gold questions below which nothing of an annotator counts.
        least_gold: Gold questions below which nothing is said of an annotator's accuracy.
    """

    threshold: float = 4.0
    least: float = 0.85
    least_gold: int = LEAST_GOLD

    def __post_init__(self) -> None:
        """See that they make sense.

        Raises:
            UsageError: For what no score, no share or no count can be.
        """
        if not LOWEST <= self.threshold <= HIGHEST:
            raise UsageError(f"--threshold {self.threshold:g}: from {LOWEST} to {HIGHEST}")
        if not 0 <= self.least <= 1:
            raise UsageError(f"--least {self.least:g}: a share of answers, from 0 to 1")
        if self.least_gold < 1:
            raise UsageError(f"--least-gold {self.least_gold}: at least 1")


class GoldAccuracy(msgspec.Struct, frozen=True):
    """How right an annotator is.

    Attributes:
        questions: Gold questions that they answered.
        answers: Five times as many: each dimension is an answer.
        right: Answers on the expert's side of the threshold.
        share: Of right answers; None where there are none.
        interval: 95 %, over questions.
        is_enough: Whether the questions are enough to judge by.
        stands: Whether what they said counts.
    """

    questions: int
    answers: int
    right: int
    share: float | None
    interval: Interval | None
    is_enough: bool
    stands: bool


def gold_accuracy(
    said: Mapping[str, QueryRating], gold: Mapping[str, QueryRating], terms: ReviewTerms
) -> GoldAccuracy:
    """Return how right an annotator is on the gold questions that they answered.

    An answer is right where it is on the same side of the threshold as the expert's: what is asked of
    them is to tell good from bad. They are 85 % right in the source, which does not say of what.
    """
    right = [
        sum(_agree(said[name], gold[name], terms.threshold))
        for name in sorted(gold)
        if name in said
    ]
    questions, answers = len(right), len(right) * len(DIMENSIONS)
    if not questions:
        return GoldAccuracy(0, 0, 0, None, None, is_enough=False, stands=False)
    shares = sorted(each / len(DIMENSIONS) for each in right)
    share = sum(right) / answers
    is_enough = questions >= terms.least_gold
    return GoldAccuracy(
        questions,
        answers,
        sum(right),
        share,
        clustered_interval(shares),
        is_enough,
        is_enough and share >= terms.least,
    )


def blind_accuracy(gold: Iterable[QueryRating], threshold: float) -> float:
    """Return how right somebody would be who finds everything good, or everything bad, without looking."""
    good = [score >= threshold for rating in gold for score in rating.scores.values()]
    share = sum(good) / len(good) if good else 0.0
    return max(share, 1 - share)


def gold_labels(rows: Iterable[FilledRow], queries: Mapping[str, str]) -> dict[str, QueryRating]:
    """Return an expert's labels by the ids of queries.

    Args:
        rows: Of the expert's file; a row without an id is found by its text, one without scores is left out.
        queries: The texts of all queries of the dataset, by id.

    Raises:
        DataError: Where a row is of no query or of one that stands above it, or a score is none.
    """
    by_text: dict[str, list[str]] = {}
    for name, text in queries.items():
        by_text.setdefault(" ".join(text.split()), []).append(name)
    found: dict[str, QueryRating] = {}
    for row in rows:
        if row.is_blank:
            continue
        name = _query_of(row, queries, by_text)
        if name in found:
            raise DataError(f"{row.where}: the query {name} stands above already: keep one row")
        found[name] = row.rating()
    return found


def _query_of(
    row: FilledRow, queries: Mapping[str, str], by_text: Mapping[str, Sequence[str]]
) -> str:
    if row.id:
        if row.id not in queries:
            raise DataError(f"{row.where}: the dataset has no query {row.id!r:.60}")
        if row.query and not row.is_of(queries[row.id]):
            raise DataError(f"{row.where}: {row.id} is another query than this row's")
        return row.id
    named = by_text.get(" ".join((row.query or "").split()), ())
    if len(named) != 1:
        why = "several queries have this text: give the id" if named else "no query has this text"
        raise DataError(f"{row.where}: {why}")
    return named[0]


def _agree(one: QueryRating, other: QueryRating, threshold: float) -> list[bool]:
    return [
        (one.scores[name] >= threshold) == (other.scores[name] >= threshold) for name in DIMENSIONS
    ]
