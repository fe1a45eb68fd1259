"""What queries are to be made: which operations they use, how, and which ones are offered beside them.

Operations are chosen by the three principles of the source (section 3.2): those of countries that have few
come first (geographic diversity), those that go together are of one country or category (functional
variety), and what is offered beside them looks like them (disambiguation).
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import get_args

import msgspec

from dragoman.core.apis.tasks import ApiTask, CallKind
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import UsageError
from dragoman.curation.apis.countries import language_of
from dragoman.curation.apis.generating.chains import Chain, chains_among
from dragoman.curation.apis.generating.likeness import Likeness
from dragoman.curation.apis.known import KnownOperation

KINDS: tuple[CallKind, ...] = tuple(kind for kind in get_args(CallKind) if kind != "none")

SHARE_OF_SEVERAL = 0.185
"""Of the source's tasks, 3,245 of 17,540 ask for several calls."""


class Brief(msgspec.Struct, frozen=True, omit_defaults=True):
    """One order for queries.

    Attributes:
        kind: How calls go together.
        language: In which they are to be written.
        country: Of the operations; "" where they are of several.
        used: Ids of the operations that queries are to need, in the order of calls.
        offered: Ids of those that agents are to choose from, the used ones among them.
        chain: Of nested ones: which result each later call needs.
    """

    kind: CallKind
    language: str
    country: str
    used: tuple[str, ...]
    offered: tuple[str, ...]
    chain: Chain | None = None

    @property
    def id(self) -> str:
        """A hash of what it asks for."""
        return content_key(self)[:16]


def used_by(task: ApiTask, briefs: Mapping[str, Brief]) -> tuple[str, ...]:
    """Return the ids of the operations that a query was written for; all that it offers where nobody knows."""
    brief = briefs.get(task.id.rpartition("-")[0])
    return brief.used if brief else task.offered


class BriefPlan(msgspec.Struct, frozen=True):
    """How many briefs of each kind; None for all operations once, and a fifth of that for the rest.

    Attributes:
        counts: By kind.
        offered: How many operations are offered.
        seed: What is drawn from.
    """

    counts: Mapping[str, int] = {}
    offered: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        """See that it can be followed.

        Raises:
            UsageError: For a kind that does not exist, or a number that makes no sense.
        """
        for kind, number in self.counts.items():
            if kind not in KINDS:
                raise UsageError(f"{kind!r}: no kind of query: choose {', '.join(KINDS)}")
            if number < 0:
                raise UsageError(f"{kind} {number}: a number of queries, or 0 for none")
        if self.offered < 1:
            raise UsageError(f"offered {self.offered}: at least 1 operation is offered")


def briefs_for(
    known: Mapping[str, KnownOperation],
    observed: Mapping[str, Mapping[str, object]],
    plan: BriefPlan,
) -> list[Brief]:
    """Return what queries are to be made of some operations.

    Args:
        known: The operations, by id.
        observed: Schemas of what they answered, by id, where any was seen.
        plan: How many.
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
    likeness = Likeness({name: each.operation for name, each in usable.items()})
    briefs = [
        _brief(kind, used, likeness, plan)
        for kind, sets in makers.items()
        for used, _ in zip(sets, range(counts[kind]), strict=False)
    ]
    chains = chains_among(usable, observed)
    ordered = sorted(chains, key=lambda chain: _seeded(plan.seed, content_key(chain)))
    for chain in ordered[: counts["nested"]]:
        used = (usable[chain.first], usable[chain.second])
        briefs.append(_brief("nested", used, likeness, plan, chain))
    return briefs


def _brief(
    kind: CallKind,
    used: Sequence[KnownOperation],
    likeness: Likeness,
    plan: BriefPlan,
    chain: Chain | None = None,
) -> Brief:
    names = tuple(each.id for each in used)
    countries = {each.country for each in used}
    others = islice(likeness.like(names), max(0, plan.offered - len(names)))
    offered = [*names, *others]
    # Whoever always stands first would be found without reading.
    random.Random(derive_seed(content_key(names, kind), f"offer {plan.seed}")).shuffle(offered)  # noqa: S311 - no secret
    return Brief(
        kind,
        language_of(used[0].document),
        countries.pop() if len(countries) == 1 else "",
        names,
        tuple(offered),
        chain,
    )


def _by_rare_country(known: Mapping[str, KnownOperation]) -> list[KnownOperation]:
    """Return operations in rounds over countries, those with few operations first in each round."""
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
    """Yield operations with the next one of their country, or else of their category."""
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


def _seeded(seed: int, key: str) -> int:
    return derive_seed(key, f"order {seed}")
