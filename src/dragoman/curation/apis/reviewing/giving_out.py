"""Which annotator is given which queries, in which order, and which gold questions are among them.

Gold questions are queries that an expert has labelled. Each of them goes to as many annotators as the
other queries do, and stands anywhere in the order of each: who lays two sheets side by side does not
see which they are.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import ceil

import msgspec

from dragoman.core.content_keys import derive_seed
from dragoman.core.errors import UsageError
from dragoman.core.texts.characters import word_runs

LEAST_PER_QUERY = 2
"""Annotators of a query, as the source has it."""

LEAST_GOLD = 5
"""Gold questions that somebody must have answered before anything is said of how right they are."""


class Annotator(msgspec.Struct, frozen=True):
    """Somebody who labels queries; those in `languages` only, as BCP 47 tags, unless there are none."""

    name: str
    languages: tuple[str, ...] = ()

    def reads(self, language: str) -> bool:
        """Whether queries in a language may be given to them."""
        return not self.languages or any(
            language == each or language.startswith(f"{each}-") for each in self.languages
        )


class GivingPlan(msgspec.Struct, frozen=True):
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
            UsageError: For nobody, somebody twice, fewer than two for a query, or a share that is none.
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


class GivenOut(msgspec.Struct, frozen=True):
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


def give_out(
    queries: Mapping[str, OpenQuery],
    gold: Mapping[str, OpenQuery],
    answered_gold: Mapping[str, int],
    plan: GivingPlan,
) -> GivenOut:
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
    for name in _shuffled(queries, draw):
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
    return GivenOut(
        {
            name: tuple(_shuffled({*rows, *hidden[name]}, _draw(plan, f"order of {name}")))
            for name, rows in given.items()
            if rows
        },
        {name: len(rows) for name, rows in hidden.items()},
        wanted,
        dict(sorted(short.items())),
    )


def _gold_given(
    gold: Mapping[str, OpenQuery], wanted: Mapping[str, int], copies: int, plan: GivingPlan
) -> dict[str, list[str]]:
    """Return the gold questions of each annotator who wants any; those go first who lack most."""
    given: dict[str, list[str]] = {name: [] for name in wanted}
    asked = [each for each in plan.annotators if each.name in wanted]
    draw = _draw(plan, "gold")
    for name in _shuffled(gold, draw):
        able = gold[name].able(asked)
        draw.shuffle(able)
        able.sort(key=lambda each: len(given[each]) - wanted[each])
        chosen = able[: min(copies, len(asked))]
        lacking = any(len(given[each]) < wanted[each] for each in chosen)
        if lacking and len(chosen) == min(copies, len(asked)):
            for each in chosen:
                given[each].append(name)
    return given


def annotators_of(written: str) -> tuple[Annotator, ...]:
    """Return the annotators of an option: names by commas, each with languages after a colon, or none.

    Raises:
        UsageError: For a name that is no name of a file.
    """
    return tuple(_annotator(each.strip()) for each in written.split(",") if each.strip())


def _annotator(written: str) -> Annotator:
    name, _, languages = written.partition(":")
    name = name.strip()
    if not _is_name(name):
        raise UsageError(
            f"--annotators {written!r:.60}: NAME or NAME:LANGUAGE+LANGUAGE, names of letters, digits, - and _"
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


def _draw(plan: GivingPlan, purpose: str) -> random.Random:
    return random.Random(derive_seed(str(plan.seed), purpose))  # noqa: S311 - the same again, no secret


def _shuffled(names: Collection[str], draw: random.Random) -> Sequence[str]:
    found = sorted(names)
    draw.shuffle(found)
    return found
