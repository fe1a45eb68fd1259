"""Query briefs: operations, call kind and language of a query, and its distractors.

Operations are chosen by the three principles of the source (section 3.2): operations of countries
that have few come first (geographic diversity), operations that go together share a country or a
category (functional variety), and distractors are similar to them (disambiguation).
"""

import functools
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import islice
from typing import get_args

import msgspec

from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.apis.tasks import ApiTask, CallKind
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.operation_chains import Chain, find_chains
from dragoman.curation.api_datasets.operations import KnownOperation


def language_of(document: ApiDocument) -> str:
    """Return the language in which users of an API would ask.

    It is the language of the country, as the source requires, and otherwise that of the document.
    It is "" if neither the country nor the document determines it.
    """
    found = _languages().get(document.country, ())
    return found[0] if found else document.language


@functools.cache
def _languages() -> dict[str, tuple[str, ...]]:
    content = (files(__package__) / "countries.toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, tuple[str, ...]])


_WORD = re.compile(r"[^\W_]+")
_GRAM = 3


class OperationSimilarity:
    """Similarity of operations.

    It is the share of common features of name, description, parameters and category. Rare features
    count more. Texts in scripts without blanks are compared by groups of three characters.

    Args:
        known: The operations, by id.
    """

    def __init__(self, known: Mapping[str, Operation]) -> None:
        self._features = {name: _features(operation) for name, operation in known.items()}
        self._with: defaultdict[str, list[str]] = defaultdict(list)
        for name, features in self._features.items():
            for feature in features:
                self._with[feature].append(name)
        self._weights = {
            name: sum(1 / len(self._with[feature]) for feature in features)
            for name, features in self._features.items()
        }

    def like(self, used: Sequence[str]) -> Iterator[str]:
        """Yield the ids of other operations, the most similar first, ties by id."""
        wanted = frozenset[str]().union(*(self._features[name] for name in used))
        weight = sum(1 / len(self._with[feature]) for feature in wanted)
        shared: defaultdict[str, float] = defaultdict(float)
        # A fixed order, since sums of fractions depend on their order.
        for feature in sorted(wanted):
            for name in self._with[feature]:
                shared[name] += 1 / len(self._with[feature])
        scores = {
            name: round(common / (weight + self._weights[name] - common), 9)
            for name, common in shared.items()
        }
        rest = (name for name in sorted(self._features) if name not in scores)
        for name in (*sorted(scores, key=lambda name: (-scores[name], name)), *rest):
            if name not in used:
                yield name


def _features(operation: Operation) -> frozenset[str]:
    texts = (operation.name, operation.description, operation.category)
    words = [word.casefold() for text in texts for word in _WORD.findall(text)]
    names = [f"parameter {each.name.casefold()}" for each in operation.parameters]
    return frozenset([*(gram for word in words for gram in _grams(word)), *names])


def _grams(word: str) -> Iterator[str]:
    if word.isascii() or len(word) <= _GRAM:
        yield word
        return
    for at in range(len(word) - _GRAM + 1):
        yield word[at : at + _GRAM]


KINDS: tuple[CallKind, ...] = tuple(kind for kind in get_args(CallKind) if kind != "none")

SHARE_OF_SEVERAL = 0.185
"""Of the source's tasks, 3,245 of 17,540 ask for several calls."""


class Brief(msgspec.Struct, frozen=True, omit_defaults=True):
    """An order for queries.

    Attributes:
        kind: The kind of calls.
        language: The language of the queries.
        country: The country of the operations; "" if there are several.
        used: Ids of the operations that the queries should need, in the order of calls.
        offered: Ids of the operations that agents choose from, including the used ones.
        chain: The link between the calls of a nested query: the result that the later call needs.
    """

    kind: CallKind
    language: str
    country: str
    used: tuple[str, ...]
    offered: tuple[str, ...]
    chain: Chain | None = None

    @property
    def id(self) -> str:
        """A hash of the brief."""
        return content_key(self)[:16]


def used_operations(task: ApiTask, briefs: Mapping[str, Brief]) -> tuple[str, ...]:
    """Return the ids of the operations that a query was written for.

    If the brief is unknown, the result has all operations that the task offers.
    """
    brief = briefs.get(task.id.rpartition("-")[0])
    return brief.used if brief else task.offered


class BriefPlan(msgspec.Struct, frozen=True):
    """Numbers of briefs by kind.

    The default is one single brief for each operation, and 18.5 % of all briefs in the other kinds
    together.

    Attributes:
        counts: Numbers by kind.
        offered: Number of offered operations.
        seed: Seed of the random draws.
    """

    counts: Mapping[str, int] = {}
    offered: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        """Validate the plan.

        Raises:
            UsageError: For a kind that does not exist, or an invalid number.
        """
        for kind, number in self.counts.items():
            if kind not in KINDS:
                raise UsageError(f"{kind!r}: no kind of query: choose {', '.join(KINDS)}")
            if number < 0:
                raise UsageError(f"{kind} {number}: a number of queries, or 0 for none")
        if self.offered < 1:
            raise UsageError(f"offered {self.offered}: at least 1 operation is offered")


def plan_briefs(
    known: Mapping[str, KnownOperation],
    observed: Mapping[str, Mapping[str, object]],
    plan: BriefPlan,
) -> list[Brief]:
    """Return the briefs for queries on some operations.

    Args:
        known: The operations, by id.
        observed: Schemas of observed responses, by id.
        plan: The numbers of briefs.
    """
    usable = {name: each for name, each in known.items() if language_of(each.document)}
    ranked = _by_rare_country(usable)
    several = max(1, round(len(ranked) * SHARE_OF_SEVERAL / (1 - SHARE_OF_SEVERAL) / 3))
    wanted = {kind: len(ranked) if kind == "single" else several for kind in KINDS}
    counts = {kind: plan.counts.get(kind, number) for kind, number in wanted.items()}
    makers: dict[CallKind, Iterable[tuple[KnownOperation, ...]]] = {
        "single": ((each,) for each in ranked),
        "repeated": ((each,) for each in ranked if each.operation.parameters),
        "parallel": _pairs(ranked),
    }
    similarity = OperationSimilarity({name: each.operation for name, each in usable.items()})
    briefs = [
        _brief(kind, used, similarity, plan)
        for kind, sets in makers.items()
        for used, _ in zip(sets, range(counts[kind]), strict=False)
    ]
    chains = find_chains(usable, observed)
    ordered = sorted(chains, key=lambda chain: _derive_order_seed(plan.seed, content_key(chain)))
    for chain in ordered[: counts["nested"]]:
        used = (usable[chain.first], usable[chain.second])
        briefs.append(_brief("nested", used, similarity, plan, chain))
    return briefs


def _brief(
    kind: CallKind,
    used: Sequence[KnownOperation],
    similarity: OperationSimilarity,
    plan: BriefPlan,
    chain: Chain | None = None,
) -> Brief:
    names = tuple(each.id for each in used)
    countries = {each.country for each in used}
    others = islice(similarity.like(names), max(0, plan.offered - len(names)))
    offered = [*names, *others]
    # In a fixed order, the used operations could be found without reading.
    random.Random(derive_seed(content_key(names, kind), f"offer {plan.seed}")).shuffle(offered)  # noqa: S311
    return Brief(
        kind,
        language_of(used[0].document),
        countries.pop() if len(countries) == 1 else "",
        names,
        tuple(offered),
        chain,
    )


def _by_rare_country(known: Mapping[str, KnownOperation]) -> list[KnownOperation]:
    """Return operations in rounds over countries, those with few operations first in each."""
    by_country: defaultdict[str, list[KnownOperation]] = defaultdict(list)
    for name in sorted(known):
        by_country[known[name].country].append(known[name])
    countries = sorted(by_country, key=lambda country: (len(by_country[country]), country))
    rounds = max(map(len, by_country.values()), default=0)
    return [
        by_country[country][at]
        for at in range(rounds)
        for country in countries
        if at < len(by_country[country])
    ]


def _pairs(ranked: Sequence[KnownOperation]) -> Iterator[tuple[KnownOperation, KnownOperation]]:
    """Yield pairs of operations that share a country, or otherwise a category."""
    taken: set[frozenset[str]] = set()
    for first in ranked:
        second = next(
            (
                each
                for same in (_same_country, _same_category)
                for each in ranked
                if each.id != first.id
                and same(first, each)
                and frozenset((first.id, each.id)) not in taken
            ),
            None,
        )
        if second is not None:
            taken.add(frozenset((first.id, second.id)))
            yield first, second


def _same_country(one: KnownOperation, other: KnownOperation) -> bool:
    return bool(one.country) and one.country == other.country


def _same_category(one: KnownOperation, other: KnownOperation) -> bool:
    return bool(one.category) and one.category == other.category


def _derive_order_seed(seed: int, key: str) -> int:
    return derive_seed(key, f"order {seed}")
