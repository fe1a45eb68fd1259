from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import sqrt

import pytest

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.forecast import (
    STATED,
    UNLIKE,
    Forecast,
    MeanConsumption,
    PlannedCell,
    PlannedModel,
    forecast,
)
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.costs import BATCHED, Price
from dragoman.core.episodes import Episode, Termination, TerminationReason
from dragoman.core.usage import Usage, as_replayed

THAI = condition_of({"language": "th", "scenario": "domain"})
DOLLAR = Price(Decimal(1), Decimal(1), batch=Decimal("0.5"))


def price_of(model: str) -> Price | None:
    prices = {
        "p/a": DOLLAR,
        "p/b": Price(Decimal(10), Decimal(10)),
        f"p/a{BATCHED}": DOLLAR.in_batch,
    }
    return prices.get(model)


def used(purpose: str, model: str, millions: int) -> Usage:
    return Usage(purpose, model, 2, millions * 1_000_000, 0)


def recorded(
    *usage: Usage,
    agent: str = "p/a",
    condition: Condition = PLAIN,
    seconds: float = 10.0,
    ending: TerminationReason = "user_stop",
) -> ConversationResult:
    episode = Episode((), Termination(ending), 0, 0, usage=usage, seconds=seconds)
    return ConversationResult("shop", condition, agent, "t", 0, episode)


def planned(
    count: int,
    agent: str = "p/a",
    condition: Condition = PLAIN,
    further: Mapping[str, Sequence[str]] = {},
    **models: str,
) -> PlannedCell:
    named = {"agent": agent, **models}
    asked = {role: PlannedModel(name) for role, name in named.items()}
    others = {purpose: tuple(map(PlannedModel, names)) for purpose, names in further.items()}
    return PlannedCell("shop", condition, agent, asked, count, others)


def reported(cell: PlannedCell, *found: ConversationResult) -> Forecast:
    return forecast([cell], found, price_of)


def test_planned_conversations_cost_what_those_like_them_cost_on_average() -> None:
    found = reported(
        planned(10), recorded(used("agent", "p/a", 1)), recorded(used("agent", "p/a", 3))
    )

    (line,) = found.lines
    assert (line.calls, line.input_tokens, line.cost) == (20, 20_000_000, 20.0)
    assert (found.cost, found.seconds, found.recorded, found.unknown) == (20.0, 100.0, 2, ())
    assert found.bases == {"the same agent and condition": 10}


def test_the_interval_is_of_the_spread_the_recorded_and_the_planned() -> None:
    found = reported(
        planned(10), recorded(used("agent", "p/a", 1)), recorded(used("agent", "p/a", 3))
    )

    assert found.interval is not None
    reach = 1.959964 * sqrt((10 * sqrt(2) / sqrt(2)) ** 2 + 10 * 2)
    assert found.interval.high == pytest.approx(20 + reach)
    assert found.interval.low == 0.0


def test_one_recorded_conversation_tells_no_interval() -> None:
    assert reported(planned(10), recorded(used("agent", "p/a", 1))).interval is None


def test_another_model_is_priced_by_its_own_price_for_as_many_tokens() -> None:
    found = reported(planned(1, "p/b"), recorded(used("agent", "p/a", 2)))

    assert [(line.model, line.cost) for line in found.lines] == [("p/b", 20.0)]
    assert found.bases == {"other agents, the same condition": 1}


def test_a_batch_costs_its_share_and_is_unknown_without() -> None:
    sample = recorded(used("agent", "p/a", 2))
    halved = PlannedCell("shop", PLAIN, "p/a", {"agent": PlannedModel(f"p/a{BATCHED}")}, 1)
    unreported = PlannedCell("shop", PLAIN, "p/a", {"agent": PlannedModel(f"p/b{BATCHED}")}, 1)

    assert reported(halved, sample).cost == 1.0
    assert reported(unreported, sample).cost is None


def test_what_has_no_price_or_was_never_recorded_is_named_and_the_rest_is_counted() -> None:
    sample = recorded(used("agent", "p/a", 1), used("user", "x/y", 1))
    found = reported(planned(2, user="x/y", judge="p/a"), sample)

    assert found.cost == 2.0
    assert [line.cost for line in found.lines] == [2.0, None, None]
    assert found.unknown == (
        "user x/y: its price, or what it counts, is not known",
        "judge p/a: no recorded conversation asked for it",
    )


def test_a_role_that_asks_nobody_costs_nothing_though_it_was_recorded() -> None:
    found = reported(planned(2), recorded(used("agent", "p/a", 1), used("judge", "p/a", 5)))

    assert [line.purpose for line in found.lines] == ["agent"]


def test_speech_is_taken_with_the_model_that_was_recorded() -> None:
    heard = Usage("recognition", "p/ear", 1, audio_seconds=30.0)
    (_, line) = reported(planned(4), recorded(used("agent", "p/a", 1), heard)).lines

    assert (line.model, line.audio_seconds, line.cost) == ("p/ear", 120.0, None)


def test_the_likest_conversations_are_taken() -> None:
    thai = recorded(used("agent", "p/a", 9), condition=THAI)
    plain = recorded(used("agent", "p/a", 1))

    assert reported(planned(1, condition=THAI), thai, plain).cost == 9.0
    assert reported(planned(1, condition=THAI), plain).bases == {
        "the same agent and voice, other conditions": 1
    }


def test_spoken_conversations_are_not_like_text() -> None:
    spoken = condition_of({"voice": "studio"})
    found = reported(planned(3, condition=spoken), recorded(used("agent", "p/a", 1)))

    assert found.bases == {UNLIKE: 3}
    assert (found.cost, found.seconds) == (None, None)


def test_what_is_known_of_some_conversations_stands_apart_from_what_is_not_of_others() -> None:
    spoken = planned(3, condition=condition_of({"voice": "studio"}))
    asked = recorded(used("agent", "p/a", 1), used("judge", "p/a", 1), agent="p/a")
    other = recorded(used("agent", "p/b", 1), agent="p/b")
    cells = [planned(1, judge="p/a"), planned(2, "p/b", judge="p/a"), spoken]
    found = forecast(cells, [asked, other], price_of)

    assert [(line.purpose, line.conversations, line.cost) for line in found.lines] == [
        ("agent", 1, 1.0),
        ("agent", 2, 20.0),
        ("judge", 1, 1.0),
        ("judge", 2, None),
    ]
    assert found.cost == sum(line.cost or 0 for line in found.lines)
    assert found.bases[UNLIKE] == 3


def test_what_is_stated_stands_for_conversations_like_nothing_recorded() -> None:
    studio = condition_of({"voice": "studio"})
    spoken = planned(3, "p/b", studio, {"recognition": ["p/ear"]}, judge="p/a")
    heard = Usage("recognition", "p/ear", 4, audio_seconds=30.0)
    stated = MeanConsumption((used("agent", "", 2), heard, used("user", "", 9)), 20.0)
    found = forecast([planned(1), spoken], [recorded(used("agent", "p/a", 1))], price_of, stated)

    assert found.bases == {"the same agent and condition": 1, STATED: 3}
    assert [(line.purpose, line.model, line.conversations, line.cost) for line in found.lines] == [
        ("agent", "p/a", 1, 1.0),
        ("agent", "p/b", 3, 60.0),
        ("judge", "p/a", 3, None),
        ("recognition", "p/ear", 3, None),
    ]
    assert found.unknown[0] == "judge p/a: the stated averages do not have it"
    assert (found.cost, found.interval) == (61.0, None)
    assert (found.seconds, found.recorded) == (10.0 + 3 * 20.0, 1)


def test_a_stated_purpose_counts_only_for_conversations_that_use_it_and_takes_their_model() -> None:
    stated = MeanConsumption(
        (used("agent", "", 1), used("recognition", "p/b", 1), used("synthesis", "p/a", 1)), None
    )
    use: list[Mapping[str, Sequence[str]]] = [
        {},  # text, or an embedded recognizer
        {"recognition": ["p/a"]},
        {"synthesis": ["p/b", "p/a"], "search": []},
        {"synthesis": ["p/b"], "embedding": ["p/a"]},
    ]
    found = [forecast([planned(1, further=each)], [], price_of, stated) for each in use]

    assert [
        [(line.purpose, line.model, line.cost) for line in each.lines[1:]] for each in found
    ] == [
        [],
        [("recognition", "p/a", 1.0)],
        [("search", "search", None), ("synthesis", "p/a", 1.0)],
        [("embedding", "p/a", None), ("synthesis", "p/b", 10.0)],
    ]
    assert found[0].unknown == found[1].unknown == ()
    assert found[2].unknown == ("search search: the stated averages do not have it",)


def test_conversations_that_broke_tell_nothing() -> None:
    broken = recorded(used("agent", "p/a", 1), ending="infrastructure_error")
    assert reported(planned(1), broken).bases == {UNLIKE: 1}


def test_what_our_cache_answered_costs_as_much_and_tells_no_time() -> None:
    found = reported(planned(1), recorded(as_replayed(used("agent", "p/a", 1))))
    assert (found.cost, found.seconds) == (1.0, None)
