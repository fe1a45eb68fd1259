"""Adjudication: annotators who count, inter-annotator agreement, verdicts on queries.

An annotator who is wrong on too many gold questions, or answered too few of them, is ignored. A
query is kept if all remaining annotators pass it and dropped if none does. If they differ, it waits
for an adjudicator, whose label decides. With fewer than two labels it waits for more annotators.
Gold questions are decided by the expert.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.rater_agreement import RaterAgreement, agreement, fleiss_kappa
from dragoman.core.texts.counts import format_count
from dragoman.curation.api_datasets.annotation.assignment import (
    ADJUDICATOR,
    EXPERT,
    GoldAccuracy,
    ReviewThresholds,
    gold_accuracy,
)
from dragoman.curation.api_datasets.annotation.labels import (
    GOLD,
    LABEL,
    STEP,
    assigned_rows,
    stored_labels,
)
from dragoman.curation.api_datasets.pipeline import StepFinding, active, record_decisions
from dragoman.curation.api_datasets.rate import DIMENSIONS, QueryRating
from dragoman.store.dataset import Dataset, StepLine, StepOutcome, Verdict

LEAST_PEOPLE = 2
OVERALL = "overall"

Labels = Mapping[str, Mapping[str, QueryRating]]
"""Labels by annotator and query."""


class AdjudicationResult(msgspec.Struct, frozen=True):
    """The result of a review.

    Attributes:
        accuracy: Accuracy of annotators on gold questions.
        agreement: Fleiss' kappa by dimension and over all dimensions. It covers the queries that
            have the most frequent number of counted labels; scores are categories.
        raters: Number of labels of each of these queries.
        kept: Number of queries that pass.
        dropped: Number of queries that do not pass.
        differ: Ids of queries that wait for an adjudicator.
        wait: Number of queries that wait for more annotators.
    """

    accuracy: dict[str, GoldAccuracy]
    agreement: dict[str, RaterAgreement]
    raters: int
    kept: int
    dropped: int
    differ: tuple[str, ...]
    wait: int


def adjudicate_labels(dataset: Dataset, terms: ReviewThresholds) -> AdjudicationResult:
    """Decide again on all queries that annotators were assigned or an expert labelled.

    Raises:
        StoreError: If the dataset cannot be read or written.
    """
    labels = stored_labels(dataset, LABEL)
    gold = stored_labels(dataset, GOLD).get(EXPERT, {})
    people = sorted(set(assigned_rows(dataset)) - {ADJUDICATOR})
    accuracy = {name: gold_accuracy(labels.get(name, {}), gold, terms) for name in people}
    counted = {name: labels.get(name, {}) for name in people if accuracy[name].stands}
    asked = _assigned_queries(dataset) | gold.keys()
    items = [item for item in active(dataset, "task", STEP) if item.name in asked]
    adjudged = labels.get(ADJUDICATOR, {})
    found = [(item, _finding(item.name, counted, {**adjudged, **gold}, terms)) for item in items]
    said_of_people = [_annotator_line(name, each, terms) for name, each in accuracy.items()]
    record_decisions(dataset, STEP, found, {"terms": terms}, said_of_people)
    verdicts = [finding.verdict for _, finding in found]
    differ = tuple(item.name for item, finding in found if finding.reason.startswith(_DIFFER))
    rows = _label_rows([item.name for item, _ in found if item.name not in gold], counted)
    return AdjudicationResult(
        accuracy,
        _agreements(rows),
        len(rows[0]) if rows else 0,
        verdicts.count("kept"),
        verdicts.count("dropped"),
        differ,
        verdicts.count("failed") - len(differ),
    )


_DIFFER = "people differ"


def _assigned_queries(dataset: Dataset) -> set[str]:
    return {query for rows in assigned_rows(dataset).values() for query in rows.values()}


def _finding(
    name: str, counted: Labels, decided: Mapping[str, QueryRating], terms: ReviewThresholds
) -> StepFinding:
    if name in decided:
        mean = decided[name].mean
        return StepFinding(
            _verdict(mean, terms), f"decided by the expert or the adjudicator: {mean:.1f}"
        )
    means = {who: said[name].mean for who, said in sorted(counted.items()) if name in said}
    reported = ", ".join(f"{who} {mean:.1f}" for who, mean in means.items())
    if len(means) < LEAST_PEOPLE:
        return StepFinding(
            "failed",
            f"{len(means)} of {LEAST_PEOPLE} labels that count{reported and f': {reported}'}",
        )
    verdicts = {_verdict(mean, terms) for mean in means.values()}
    if len(verdicts) > 1:
        return StepFinding("failed", f"{_DIFFER}: {reported}")
    return StepFinding(verdicts.pop(), reported)


def _verdict(mean: float, terms: ReviewThresholds) -> Verdict:
    return "kept" if mean >= terms.threshold else "dropped"


def _annotator_line(name: str, accuracy: GoldAccuracy, terms: ReviewThresholds) -> StepOutcome:
    questions = format_count(accuracy.questions, "gold question")
    if accuracy.stands and accuracy.share is not None:
        line = StepLine(STEP, "annotator", name, "kept", f"{accuracy.share:.0%} of {questions}")
    elif accuracy.is_enough and accuracy.share is not None:
        why = f"{accuracy.share:.0%} of {questions}, under {terms.least:.0%}: no label counts"
        line = StepLine(STEP, "annotator", name, "dropped", why)
    else:
        why = f"{questions}, and {terms.least_gold} are needed: no label counts yet"
        line = StepLine(STEP, "annotator", name, "failed", why)
    return StepOutcome(line)


def _label_rows(names: Sequence[str], counted: Labels) -> list[list[QueryRating]]:
    """Return the labels of the queries with the most frequent number of labels.

    Queries with fewer than two labels are not considered.
    """
    rows = [list(_labels(name, counted)) for name in names]
    sizes = [len(row) for row in rows if len(row) >= LEAST_PEOPLE]
    usual = max(sorted(set(sizes)), key=sizes.count, default=0)
    return [row for row in rows if usual and len(row) == usual]


def _labels(name: str, counted: Labels) -> Iterator[QueryRating]:
    return (said[name] for _, said in sorted(counted.items()) if name in said)


def _agreements(rows: Sequence[Sequence[QueryRating]]) -> dict[str, RaterAgreement]:
    by_dimension = {
        name: [[rating.scores[name] for rating in row] for row in rows] for name in DIMENSIONS
    }
    pooled = [row for name in DIMENSIONS for row in by_dimension[name]]
    return {
        name: agreement(fleiss_kappa, found)
        for name, found in {**by_dimension, OVERALL: pooled}.items()
    }
