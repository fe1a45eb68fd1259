"""A forecast of tokens, cost and time of planned conversations from similar recorded ones."""

import statistics
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import sqrt

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.intervals import LEVEL, Interval
from dragoman.core.conditions import Condition
from dragoman.core.costs import PriceOf, cost_of
from dragoman.core.episodes import FAULTS
from dragoman.core.usage import Usage, total_usage

ROLES = ("agent", "user", "judge", "user judge")
"""The purposes whose models a plan names.

Any other purpose (speech) uses the model that was recorded.
"""


class PlannedModel(msgspec.Struct, frozen=True):
    """A model by its name in ledgers, and the names under which limits are given.

    The first of these names is the provider's.
    """

    name: str
    limited_as: tuple[str, ...] = ()


class PlannedCell(msgspec.Struct, frozen=True):
    """Planned conversations that are alike.

    `models` has for each role that asks a model which one; a role that is not there costs nothing.
    `further` has the same for other purposes (speech), and is used with stated averages only: for
    each purpose that the conversations use, the models that the plan names, of which there may be
    several (voices) or none.
    """

    suite: str
    condition: Condition
    agent: str
    models: Mapping[str, PlannedModel]
    conversations: int
    further: Mapping[str, tuple[PlannedModel, ...]] = {}


class MeanConsumption(msgspec.Struct, frozen=True):
    """Usage of one conversation, and its seconds; None if they are not known."""

    usage: tuple[Usage, ...]
    seconds: float | None


class ForecastLine(msgspec.Struct, frozen=True):
    """Forecast usage of one model for one purpose; None means unknown.

    `cost` is in US dollars, `interval` is its 95 % interval, and `why` is the reason for an unknown
    cost. `limited_as` has the names under which limits are given: the provider's name and, if a
    plan names the model, its addresses.
    """

    purpose: str
    model: str
    conversations: int
    calls: float | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    audio_seconds: float | None = None
    characters: float | None = None
    cost: float | None = None
    interval: Interval | None = None
    why: str = ""
    limited_as: tuple[str, ...] = ()


class Forecast(msgspec.Struct, frozen=True):
    """Forecast of a plan.

    Attributes:
        conversations: Number of planned conversations.
        lines: Usage of each model for each purpose, over the conversations with similar recorded
            ones.
        cost: Sum of all lines with a cost, in US dollars; None if no line has a cost.
        interval: The 95 % interval of `cost`.
        unknown: Other lines that cost something, and the reason why their cost is not known;
            `bases` counts the conversations without a similar recorded one.
        seconds: Time of all conversations if they are run one after another; None if it is not
            known.
        recorded: Number of recorded conversations behind the forecast.
        bases: Number of planned conversations by the kind of similarity that was found.
    """

    conversations: int
    lines: tuple[ForecastLine, ...]
    cost: float | None
    interval: Interval | None
    unknown: tuple[str, ...]
    seconds: float | None
    recorded: int
    bases: Mapping[str, int]


def _voice(condition: Condition) -> tuple[str, str]:
    return condition.shown("voice"), condition.shown("recognizer")


_Similarity = Callable[[PlannedCell, ConversationResult], bool]

_LIKENESSES: Mapping[str, _Similarity] = {
    "the same agent and condition": lambda cell, found: (
        cell.agent == found.agent and cell.condition == found.condition
    ),
    "other agents, the same condition": lambda cell, found: cell.condition == found.condition,
    "the same agent and voice, other conditions": lambda cell, found: (
        cell.agent == found.agent and _voice(cell.condition) == _voice(found.condition)
    ),
    "other agents and conditions, the same voice": lambda cell, found: (
        _voice(cell.condition) == _voice(found.condition)
    ),
}
"""Kinds of similarity of planned and recorded conversations, the strongest first."""

UNLIKE = "nothing recorded"
STATED = "stated averages"
"""Bases of conversations without a similar recorded one: none, or stated averages."""

_UNREPORTED, _UNSTATED = (
    "no recorded conversation asked for it",
    "the stated averages do not have it",
)


def forecast(
    cells: Iterable[PlannedCell],
    recorded: Sequence[ConversationResult],
    price_of: PriceOf,
    stated: MeanConsumption | None = None,
) -> Forecast:
    """Forecast the usage, cost and time of a plan.

    The forecast of a planned conversation is the mean of the most similar recorded ones. Intervals
    assume a normal distribution; they follow from the spread of the recorded conversations, which
    are assumed independent, and from the numbers of recorded and planned ones. The errors of cells
    are assumed to be fully correlated, which makes the interval wider. The stated averages, if
    given, are used for planned conversations without a similar recorded one, without the purposes
    that these conversations do not use.
    """
    usable = [
        found
        for found in recorded
        if found.episode is not None and found.episode.ending.reason not in FAULTS
    ]
    bases: Counter[str] = Counter()
    shares: list[_Share] = []
    used: set[int] = set()
    count, seconds = 0, 0.0
    is_timed = True
    for cell in cells:
        (basis, likest), models = _likest(cell, usable), cell.models
        used.update(map(id, likest))
        sample = list(map(_measure_consumption, likest))
        if not sample and stated is not None:
            models = {**cell.models, **_stated_models(cell, stated)}
            basis, sample = STATED, [_of_purposes(stated, models)]
        bases[basis] += cell.conversations
        count += cell.conversations
        if sample:
            unreported = _UNSTATED if basis == STATED else _UNREPORTED
            shares.append(_Share(cell.conversations, models, sample, price_of, unreported))
        mean = _mean_seconds(sample)
        is_timed = is_timed and mean is not None
        seconds += cell.conversations * (mean or 0.0)
    lines = _lines(shares)
    known = [
        share for share in shares if any(_is_known(dollars) for dollars in share.costs.values())
    ]
    return Forecast(
        count,
        lines,
        sum(statistics.fmean(share.total) * share.count for share in known) if known else None,
        _interval([(share.count, share.total) for share in known]),
        _unknown(lines),
        seconds if is_timed else None,
        len(used),
        dict(bases),
    )


class _Share:
    """Forecast usage of planned conversations of one kind, from a sample of recorded ones."""

    def __init__(
        self,
        count: int,
        models: Mapping[str, PlannedModel],
        sample: Sequence[MeanConsumption],
        price_of: PriceOf,
        unreported: str,
    ) -> None:
        self.count = count
        self.unreported = unreported
        self.used: dict[_Key, list[Usage]] = {}
        rows = [
            {_key(each, models): each for each in _as_planned(found.usage, models)}
            for found in sample
        ]
        keys = {key for row in rows for key in row}
        for key in sorted(keys | set(models.items()), key=_in_order):
            none = Usage(key[0], key[1].name, calls=0, input_tokens=0, output_tokens=0)
            self.used[key] = [row.get(key, none) for row in rows] if key in keys else []
        self.costs: dict[_Key, list[float | None]] = {
            key: [_dollars(each, price_of) for each in row] for key, row in self.used.items()
        }
        whole = [dollars for dollars in self.costs.values() if _is_known(dollars)]
        self.total = [sum(one or 0.0 for one in each) for each in zip(*whole, strict=True)]


_Key = tuple[str, PlannedModel]
"""A purpose and its model."""


def _key(usage: Usage, models: Mapping[str, PlannedModel]) -> _Key:
    return usage.purpose, models.get(usage.purpose, _recorded_model(usage.model))


def _recorded_model(name: str) -> PlannedModel:
    return PlannedModel(name, (name.partition("/")[0],))


def _as_planned(used: Iterable[Usage], models: Mapping[str, PlannedModel]) -> tuple[Usage, ...]:
    """Return recorded use as of the models that are planned, without roles that ask none."""
    return total_usage(
        msgspec.structs.replace(each, model=_key(each, models)[1].name)
        for each in used
        if each.calls and (each.purpose not in ROLES or each.purpose in models)
    )


def _dollars(usage: Usage, price_of: PriceOf) -> float | None:
    cost = cost_of(usage, price_of)
    return None if cost is None else float(cost.nominal)


def _is_known(dollars: Sequence[float | None]) -> bool:
    return bool(dollars) and None not in dollars


def _likest(
    cell: PlannedCell, usable: Sequence[ConversationResult]
) -> tuple[str, list[ConversationResult]]:
    of_suite = [found for found in usable if found.suite == cell.suite]
    for basis, is_like in _LIKENESSES.items():
        sample = [found for found in of_suite if is_like(cell, found)]
        if sample:
            return basis, sample
    return UNLIKE, []


def _measure_consumption(found: ConversationResult) -> MeanConsumption:
    """Return the consumption of a conversation.

    Its time is unknown if the local cache shortened it.
    """
    usage = found.usage
    is_timed = found.episode is not None and not any(each.replayed for each in usage)
    return MeanConsumption(usage, found.episode.seconds if found.episode and is_timed else None)


def _stated_models(cell: PlannedCell, stated: MeanConsumption) -> dict[str, PlannedModel]:
    """Return the models of purposes that are not roles, for stated averages.

    The averages name the model if the plan names several or none.
    """
    named = {each.purpose: each.model for each in stated.usage}
    chosen: dict[str, PlannedModel] = {}
    for purpose, models in cell.further.items():
        own = _recorded_model(named.get(purpose) or purpose)
        same = (model for model in models if model.name == own.name)
        chosen[purpose] = next(same, models[0] if models else own)
    return chosen


def _of_purposes(stated: MeanConsumption, purposes: Collection[str]) -> MeanConsumption:
    usage = tuple(each for each in stated.usage if each.purpose in purposes)
    return MeanConsumption(usage, stated.seconds)


def _mean_seconds(sample: Sequence[MeanConsumption]) -> float | None:
    seconds = [each.seconds for each in sample if each.seconds is not None]
    return statistics.fmean(seconds) if seconds else None


def _lines(shares: Sequence[_Share]) -> tuple[ForecastLine, ...]:
    keys = sorted({key for share in shares for key in share.used}, key=_in_order)
    return tuple(line for key in keys for line in _lines_of(key, shares))


def _lines_of(key: _Key, shares: Sequence[_Share]) -> Iterator[ForecastLine]:
    """Yield what is known of a purpose and model, and apart from that what is not."""
    asking = [share for share in shares if key in share.used]
    unreported: Counter[str] = Counter()
    for share in asking:
        unreported[share.unreported] += 0 if share.used[key] else share.count
    for is_priced in (True, False):
        alike = [
            share
            for share in asking
            if share.used[key] and _is_known(share.costs[key]) is is_priced
        ]
        if alike:
            yield _line(key, alike, is_priced=is_priced)
    purpose, model = key
    for why, count in unreported.items():
        if count:
            yield ForecastLine(purpose, model.name, count, why=why, limited_as=model.limited_as)


def _in_order(key: _Key) -> tuple[int, str, str, tuple[str, ...]]:
    purpose, model = key
    place = ROLES.index(purpose) if purpose in ROLES else len(ROLES)
    return place, purpose, model.name, model.limited_as


def _line(key: _Key, shares: Sequence[_Share], *, is_priced: bool) -> ForecastLine:
    purpose, model = key
    rows = [(share.count, share.used[key]) for share in shares]
    line = ForecastLine(
        purpose,
        model.name,
        sum(share.count for share in shares),
        _estimate_total(rows, lambda each: each.calls),
        _estimate_total(rows, lambda each: each.input_tokens),
        _estimate_total(rows, lambda each: each.output_tokens),
        _estimate_total(rows, lambda each: each.audio_seconds),
        _estimate_total(rows, lambda each: each.characters),
        limited_as=model.limited_as,
    )
    if not is_priced:
        return msgspec.structs.replace(line, why="its price, or what it counts, is not known")
    costs = [(share.count, [one or 0.0 for one in share.costs[key]]) for share in shares]
    return msgspec.structs.replace(
        line,
        cost=sum(count * statistics.fmean(dollars) for count, dollars in costs),
        interval=_interval(costs),
    )


def _estimate_total(
    rows: Sequence[tuple[int, Sequence[Usage]]], count: Callable[[Usage], float | None]
) -> float | None:
    total = 0.0
    for conversations, used in rows:
        counts = [count(each) for each in used if each.calls]
        known = [one for one in counts if one is not None]
        if len(known) < len(counts):
            return None
        total += conversations * sum(known) / len(used)
    return total


def _interval(rows: Sequence[tuple[int, Sequence[float]]]) -> Interval | None:
    """Return the 95 % interval of a sum; None if one sample is too small to have a spread."""
    if not rows or any(len(sample) < 2 for _, sample in rows):  # noqa: PLR2004 - a spread needs two
        return None
    mean = sum(count * statistics.fmean(sample) for count, sample in rows)
    spreads = [(count, statistics.stdev(sample), len(sample)) for count, sample in rows]
    of_means = sum(count * spread / sqrt(size) for count, spread, size in spreads)
    of_plan = sum(count * spread**2 for count, spread, _ in spreads)
    reach = statistics.NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(of_means**2 + of_plan)
    return Interval(max(0.0, mean - reach), mean + reach)


def _unknown(lines: Iterable[ForecastLine]) -> tuple[str, ...]:
    return tuple(f"{line.purpose} {line.model}: {line.why}" for line in lines if line.why)
