"""Assignment of queries and gold questions to annotators, and accuracy on the latter.

Gold questions are queries that an expert has labelled. Each is assigned to as many annotators as
the other queries, at any position, so comparing two sheets does not reveal them.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import ceil

import msgspec

from dragoman.analysis.intervals import Interval, clustered_interval
from dragoman.core.content_keys import derive_seed
from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.characters import word_runs
from dragoman.curation.api_datasets.annotation.sheets import FilledRow
from dragoman.curation.api_datasets.rate import DIMENSIONS, HIGHEST, LOWEST, QueryRating

LEAST_PER_QUERY = 2
"""Smallest number of annotators of a query, as in the source."""

LEAST_GOLD = 5
"""Smallest number of gold questions from which an annotator's accuracy is judged."""


class Annotator(msgspec.Struct, frozen=True):
    """An annotator of queries.

    If `languages` is not empty, they label only queries in these languages, as BCP 47 tags.
    """

    name: str
    languages: tuple[str, ...] = ()

    def reads(self, language: str) -> bool:
        """Return whether queries in a language may be assigned to them."""
        return not self.languages or any(
            language == each or language.startswith(f"{each}-") for each in self.languages
        )


class AssignmentPlan(msgspec.Struct, frozen=True):
    """A plan for the assignment of queries.

    Attributes:
        annotators: The annotators.
        per_query: Number of annotators for each query.
        share: Share of gold questions among the rows of a sheet.
        seed: Seed of all random draws.
        least_gold: Smallest number of gold questions of an annotator, even if it exceeds the share.
    """

    annotators: tuple[Annotator, ...]
    per_query: int = LEAST_PER_QUERY
    share: float = 0.1
    seed: int = 0
    least_gold: int = LEAST_GOLD

    def __post_init__(self) -> None:
        """Validate the plan.

        Raises:
            UsageError: If no annotator is named, if one is named twice, if a query would have fewer
                than two annotators, or if the share is not between 0 and 1.
        """
        names = [each.name for each in self.annotators]
        if not names or len(set(names)) < len(names):
            raise UsageError("--annotators: name those who label, by commas, each once")
        if self.per_query < LEAST_PER_QUERY:
            raise UsageError(
                f"--per-query {self.per_query}: at least {LEAST_PER_QUERY}, or nobody can agree"
            )
        if not 0 < self.share < 1:
            raise UsageError(f"--share {self.share:g}: of gold questions, between 0 and 1")


class OpenQuery(msgspec.Struct, frozen=True):
    """A query that may be assigned.

    Attributes:
        language: Its language.
        lacks: Number of further annotators that it needs; 0 for a gold question.
        had_by: The annotators who have it already.
    """

    language: str
    lacks: int = 0
    had_by: frozenset[str] = frozenset()

    def able(self, annotators: Iterable[Annotator]) -> list[str]:
        """Return the names of the annotators to whom it may be assigned."""
        return [
            each.name
            for each in annotators
            if each.reads(self.language) and each.name not in self.had_by
        ]


class Assignment(msgspec.Struct, frozen=True):
    """Assigned queries.

    Attributes:
        queries: Ids of queries by annotator, in the order of the sheet, including gold questions.
        gold: Number of gold questions among them, by annotator.
        gold_wanted: Number of gold questions that each annotator should have.
        short: Number of queries, by language, that too few of these annotators read. Nobody is
            assigned these queries.
    """

    queries: dict[str, tuple[str, ...]]
    gold: dict[str, int]
    gold_wanted: dict[str, int]
    short: dict[str, int]


def assign(
    queries: Mapping[str, OpenQuery],
    gold: Mapping[str, OpenQuery],
    answered_gold: Mapping[str, int],
    plan: AssignmentPlan,
) -> Assignment:
    """Assign queries to annotators; equal arguments, in any order, give equal sheets.

    Args:
        queries: Queries that lack annotators, by id.
        gold: Queries that an expert has labelled, by id; none of them is among the queries.
        answered_gold: Number of gold questions that each annotator was assigned before.
        plan: The plan of the assignment.
    """
    short: Counter[str] = Counter()
    given: dict[str, list[str]] = {each.name: [] for each in plan.annotators}
    draw = _draw(plan, "queries")
    for name in _shuffle_names(queries, draw):
        query = queries[name]
        able = query.able(plan.annotators)
        if len(able) < query.lacks:
            short[query.language] += 1
            continue
        draw.shuffle(able)
        able.sort(key=lambda each: len(given[each]))
        for each in able[: query.lacks]:
            given[each].append(name)
    wanted = {
        name: max(
            ceil(len(rows) * plan.share / (1 - plan.share)),
            plan.least_gold - answered_gold.get(name, 0),
        )
        for name, rows in given.items()
        if rows
    }
    copies = max((query.lacks for query in queries.values()), default=plan.per_query)
    hidden = _gold_given(gold, wanted, copies, plan)
    return Assignment(
        {
            name: tuple(_shuffle_names({*rows, *hidden[name]}, _draw(plan, f"order of {name}")))
            for name, rows in given.items()
            if rows
        },
        {name: len(rows) for name, rows in hidden.items()},
        wanted,
        dict(sorted(short.items())),
    )


def _gold_given(
    gold: Mapping[str, OpenQuery], wanted: Mapping[str, int], copies: int, plan: AssignmentPlan
) -> dict[str, list[str]]:
    """Return the gold questions of each annotator who needs some.

    Annotators who lack most get gold questions first.
    """
    given: dict[str, list[str]] = {name: [] for name in wanted}
    asked = [each for each in plan.annotators if each.name in wanted]
    draw = _draw(plan, "gold")
    for name in _shuffle_names(gold, draw):
        able = gold[name].able(asked)
        draw.shuffle(able)
        able.sort(key=lambda each: len(given[each]) - wanted[each])
        chosen = able[: min(copies, len(asked))]
        lacking = any(len(given[each]) < wanted[each] for each in chosen)
        if lacking and len(chosen) == min(copies, len(asked)):
            for each in chosen:
                given[each].append(name)
    return given


def parse_annotators(written: str) -> tuple[Annotator, ...]:
    """Parse the annotators of an option.

    They are names separated by commas, each with or without languages after a colon.

    Raises:
        UsageError: If a name cannot be the name of a file.
    """
    return tuple(_annotator(each.strip()) for each in written.split(",") if each.strip())


def _annotator(written: str) -> Annotator:
    name, _, languages = written.partition(":")
    name = name.strip()
    if not _is_name(name):
        raise UsageError(
            f"--annotators {written!r:.60}: NAME or NAME:LANGUAGE+LANGUAGE, names of letters, "
            "digits, - and _"
        )
    if name.casefold() == ADJUDICATOR:
        raise UsageError(
            f"--annotators {name}: that is who decides where annotators differ: take another name"
        )
    return Annotator(name, tuple(each.strip() for each in languages.split("+") if each.strip()))


ADJUDICATOR = "adjudicator"
"""The name of the person who decides if annotators differ."""

_LONGEST_NAME = 60


def _is_name(name: str) -> bool:
    plain = name.replace("-", "_")
    return len(name) <= _LONGEST_NAME and word_runs(plain) == [plain]


def _draw(plan: AssignmentPlan, purpose: str) -> random.Random:
    # Reproducible, not secret.
    return random.Random(derive_seed(str(plan.seed), purpose))  # noqa: S311


def _shuffle_names(names: Collection[str], draw: random.Random) -> Sequence[str]:
    found = sorted(names)
    draw.shuffle(found)
    return found


EXPERT = "expert"


class ReviewThresholds(msgspec.Struct, frozen=True):
    """Thresholds for queries and annotators.

    Attributes:
        threshold: The lowest mean that passes a query, and the lowest good score of a dimension.
        least: The lowest accuracy on gold questions with which an annotator's labels count.
        least_gold: The smallest number of gold questions from which an annotator's accuracy is
            judged.
    """

    threshold: float = 4.0
    least: float = 0.85
    least_gold: int = LEAST_GOLD

    def __post_init__(self) -> None:
        """Validate the thresholds.

        Raises:
            UsageError: If a value cannot be a score, a share or a count.
        """
        if not LOWEST <= self.threshold <= HIGHEST:
            raise UsageError(f"--threshold {self.threshold:g}: from {LOWEST} to {HIGHEST}")
        if not 0 <= self.least <= 1:
            raise UsageError(f"--least {self.least:g}: a share of answers, from 0 to 1")
        if self.least_gold < 1:
            raise UsageError(f"--least-gold {self.least_gold}: at least 1")


class GoldAccuracy(msgspec.Struct, frozen=True):
    """The accuracy of an annotator on gold questions.

    Attributes:
        questions: Number of gold questions that they answered.
        answers: Number of answers; each dimension is an answer, so five for each question.
        right: Number of answers on the expert's side of the threshold.
        share: Share of right answers; None without answers.
        interval: 95 % confidence interval, clustered by question.
        is_enough: Whether there are enough questions to judge the annotator.
        stands: Whether the annotator's labels count.
    """

    questions: int
    answers: int
    right: int
    share: float | None
    interval: Interval | None
    is_enough: bool
    stands: bool


def gold_accuracy(
    said: Mapping[str, QueryRating], gold: Mapping[str, QueryRating], terms: ReviewThresholds
) -> GoldAccuracy:
    """Return the accuracy of an annotator on the gold questions that they answered.

    An answer is right if it is on the same side of the threshold as the expert's, since annotators
    are asked to tell good queries from bad ones. The source reports an accuracy of 85 % and does
    not say what it measures.
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
    """Return the accuracy of an annotator who scores everything good, or everything bad."""
    good = [score >= threshold for rating in gold for score in rating.scores.values()]
    share = sum(good) / len(good) if good else 0.0
    return max(share, 1 - share)


def gold_labels(rows: Iterable[FilledRow], queries: Mapping[str, str]) -> dict[str, QueryRating]:
    """Return an expert's labels by the ids of queries.

    Args:
        rows: Rows of the expert's file. A row without an id is found by its text, and a row without
            scores is skipped.
        queries: The texts of all queries of the dataset, by id.

    Raises:
        DataError: If a row matches no query or repeats the query of an earlier row, or if a score
            is invalid.
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
