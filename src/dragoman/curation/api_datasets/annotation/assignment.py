"""Assignment of queries to annotators, with gold questions, and annotator accuracy on those.

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
"""Annotators of a query, as the source has it."""

LEAST_GOLD = 5
"""Gold questions that somebody must have answered before anything is said of how right they are."""


class Annotator(msgspec.Struct, frozen=True):
    """An annotator of queries.

    If `languages` is not empty, they label only queries in these languages, as BCP 47 tags.
    """

    name: str
    languages: tuple[str, ...] = ()

    def reads(self, language: str) -> bool:
        """Whether queries in a language may be given to them."""
        return not self.languages or any(
            language == each or language.startswith(f"{each}-") for each in self.languages
        )


class AssignmentPlan(msgspec.Struct, frozen=True):
    """How queries are given out.

    Attributes:
        annotators: Who labels.
        per_query: How many annotators each query is to have.
        share: Of gold questions among the rows of a sheet.
        seed: What everything is drawn from.
        least_gold: Gold questions that a sheet has even where that is more than the share.
    """

    annotators: tuple[Annotator, ...]
    per_query: int = LEAST_PER_QUERY
    share: float = 0.1
    seed: int = 0
    least_gold: int = LEAST_GOLD

    def __post_init__(self) -> None:
        """See that they can be given out so.

        Raises:
            UsageError: For nobody, somebody twice, fewer than two for a query, or a share that is
                none.
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
    """A query that may be given out.

    Attributes:
        language: Its own.
        lacks: How many more annotators it needs; of a gold question nothing.
        had_by: The annotators who have it already.
    """

    language: str
    lacks: int = 0
    had_by: frozenset[str] = frozenset()

    def able(self, annotators: Iterable[Annotator]) -> list[str]:
        """Return the names of those that it may be given to."""
        return [
            each.name
            for each in annotators
            if each.reads(self.language) and each.name not in self.had_by
        ]


class Assignment(msgspec.Struct, frozen=True):
    """What is given out.

    Attributes:
        queries: By annotator, ids of queries in the order of the sheet, gold questions among them.
        gold: By annotator, how many of these are gold questions.
        gold_wanted: By annotator, how many there should be.
        short: By language, queries that too few of these annotators read, and that nobody is given.
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
    """Return who is given which queries; equal arguments, in any order, give equal sheets.

    Args:
        queries: Those that lack annotators, by id.
        gold: Those that an expert has labelled, by id; none of them is among the queries.
        answered_gold: By annotator, gold questions that they were given before.
        plan: How.
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
    """Return the gold questions of each annotator who wants any; those go first who lack most."""
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
    """Return the annotators of an option.

    They are names separated by commas, each with languages after a colon, or with none.

    Raises:
        UsageError: For a name that is no name of a file.
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
"""Who decides where annotators differ."""

_LONGEST_NAME = 60


def _is_name(name: str) -> bool:
    plain = name.replace("-", "_")
    return len(name) <= _LONGEST_NAME and word_runs(plain) == [plain]


def _draw(plan: AssignmentPlan, purpose: str) -> random.Random:
    # The same again, no secret.
    return random.Random(derive_seed(str(plan.seed), purpose))  # noqa: S311


def _shuffle_names(names: Collection[str], draw: random.Random) -> Sequence[str]:
    found = sorted(names)
    draw.shuffle(found)
    return found


EXPERT = "expert"


class ReviewThresholds(msgspec.Struct, frozen=True):
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
    said: Mapping[str, QueryRating], gold: Mapping[str, QueryRating], terms: ReviewThresholds
) -> GoldAccuracy:
    """Return how right an annotator is on the gold questions that they answered.

    An answer is right where it is on the same side of the threshold as the expert's: what is asked
    of them is to tell good from bad. They are 85 % right in the source, which does not say of what.
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
    """Return the accuracy of an annotator who finds everything good or everything bad."""
    good = [score >= threshold for rating in gold for score in rating.scores.values()]
    share = sum(good) / len(good) if good else 0.0
    return max(share, 1 - share)


def gold_labels(rows: Iterable[FilledRow], queries: Mapping[str, str]) -> dict[str, QueryRating]:
    """Return an expert's labels by the ids of queries.

    Args:
        rows: Of the expert's file; a row without an id is found by its text, one without scores is
            left out.
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
