"""Cost of conversations in the report, by scenario."""

from decimal import Decimal

import msgspec

from dragoman.analysis.cell_summary import CellSummary, ConversationResult, summarize
from dragoman.core.conditions import PLAIN
from dragoman.core.costs import Price
from dragoman.core.episodes import Episode, Termination
from dragoman.core.usage import Usage
from dragoman.report.costs import cost_by_scenario


def cells(model: str = "big") -> tuple[CellSummary, ...]:
    used = (Usage("agent", model, 1, 1_000_000, 0),)
    episode = Episode((), Termination("user_stop"), steps=1, errors=0, usage=used)
    rows = [
        ConversationResult("s", condition, "a", "t", 0, episode)
        for condition in (PLAIN, PLAIN.with_axes(language="th", scenario="domain"))
    ]
    prices = {"big": Price(Decimal(2), Decimal(8))}
    return summarize(rows, "dragoman-1", "none", prices.get)


def test_each_scenario_has_its_cost() -> None:
    table = cost_by_scenario(cells())

    assert table is not None
    assert [(row[0], row[table.headings.index("cost")]) for row in table.rows] == [
        ("english", "2.00 USD"),
        ("domain", "2.00 USD"),
    ]


def test_a_cost_that_is_not_known_is_unknown_and_never_zero() -> None:
    table = cost_by_scenario(cells("unlisted"))

    assert table is not None
    assert {cost for row in table.rows for cost in row[-3:]} == {"unknown"}


def test_without_models_there_is_no_table() -> None:
    assert cost_by_scenario([msgspec.structs.replace(each, ledger=()) for each in cells()]) is None


def test_a_success_costs_what_its_failures_cost_too() -> None:
    table = cost_by_scenario(cells())
    scored = [msgspec.structs.replace(each, episodes=4, successes=2) for each in cells()]
    failed = [msgspec.structs.replace(each, episodes=4, successes=0) for each in cells()]

    assert table is not None
    assert [row[-2:] for row in table.rows] == [("2.00 USD", "unknown")] * 2
    for found, last in ((scored, "1.00 USD"), (failed, "no success")):
        table = cost_by_scenario(found)
        assert table is not None
        assert [row[-2:] for row in table.rows] == [("0.5000 USD", last)] * 2
