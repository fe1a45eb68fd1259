"""Environments share nothing: calls in one leave the others and their entry unchanged."""

import copy
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.apis.environment import (
    ApiEnvironment,
    is_read_only,
    make_environment,
    public_functions,
)
from dragoman.core.tools import ToolCall

CLASSES = (
    "GorillaFileSystem",
    "MathAPI",
    "MessageAPI",
    "TwitterAPI",
    "TicketAPI",
    "TradingBot",
    "TravelAPI",
    "VehicleControlAPI",
)


def entry() -> dict[str, Any]:
    """Return a start in which most calls can succeed."""
    docs = {"type": "directory", "contents": {"a": {"type": "file", "content": "x\ny"}}}
    ticket = {"id": 1, "title": "a", "description": "b", "status": "Open", "priority": 1}
    tweet = {"id": 0, "username": "a", "content": "b", "tags": ["#a"], "mentions": ["@a"]}
    return {
        "GorillaFileSystem": {
            "root": {"home": {"type": "directory", "contents": {"docs": docs, "b": docs}}}
        },
        "MessageAPI": {"current_user": "USR001", "inbox": [{"USR002": "a"}, {"USR003": "b"}]},
        "TwitterAPI": {
            "authenticated": True,
            "tweets": {"0": tweet},
            "comments": {"0": [{"username": "a", "content": "b"}]},
            "retweets": {"john": [3]},
            "tweet_counter": 1,
        },
        "TicketAPI": {"current_user": "a", "ticket_queue": [{**ticket, "created_by": "a"}]},
        "TradingBot": {"authenticated": True, "watch_list": ["AAPL"], "transaction_history": []},
        "TravelAPI": {
            "access_token": "t",
            "token_expires_in": 2,
            "credit_card_list": {"1": {"card_number": "4", "balance": 90000.0}},
            "booking_record": {"9": {"card_id": "1", "travel_cost": 5.0}},
        },
        "VehicleControlAPI": {"doorStatus": {"driver": "unlocked"}, "fuelLevel": 5.0},
    }


VALUES = st.sampled_from(
    [0, 1, 2.5, -1, True, None, "", "a", "b", "docs", "t", "1", "9", "USR002", "AAPL", "JFK", "LAX"]
) | st.sampled_from([["a"], ["driver"], ["@b"], {"title": "z"}, {"status": "Closed"}])
LOOKS = [
    name
    for of_class in CLASSES
    for name in public_functions(of_class)
    if is_read_only(of_class, name)
]
NAMES = sorted({function for name in CLASSES for function in public_functions(name)})
SENSIBLE: Sequence[tuple[str, tuple[object, ...]]] = (
    ("cd", ("docs",)),
    ("cd", ("..",)),
    ("echo", ("z", "a")),
    ("touch", ("c",)),
    ("mkdir", ("d",)),
    ("cp", ("docs", "d")),
    ("mv", ("a", "e")),
    ("rm", ("b",)),
    ("ls", ()),
    ("square_root", (2, 9)),
    ("logarithm", (3, 10, 7)),
    ("add_contact", ("Zoe",)),
    ("send_message", ("USR002", "c")),
    ("delete_message", ("USR002",)),
    ("post_tweet", ("c",)),
    ("post_tweet", ("c", ["#b"], ["@c"])),
    ("mention", (0, ["@d"])),
    ("mention", (1, ["@e"])),
    ("comment", (0, "c")),
    ("retweet", (0,)),
    ("follow_user", ("cid",)),
    ("create_ticket", ("c", "d", 3)),
    ("resolve_ticket", (1, "e")),
    ("edit_ticket", (1, {"priority": 4})),
    ("place_order", ("Buy", "AAPL", 10.0, 1)),
    ("cancel_order", (12446,)),
    ("fund_account", (10.0,)),
    ("add_to_watchlist", ("TSLA",)),
    ("remove_stock_from_watchlist", ("AAPL",)),
    ("register_credit_card", ("t", "77", "1/30", "A B", 123)),
    ("book_flight", ("t", "1", "2024-01-01", "SFO", "LAX", "economy")),
    ("cancel_booking", ("t", "9")),
    ("set_budget_limit", ("t", 100.0)),
    ("lockDoors", (True, ["driver", "passenger"])),
    ("fillFuelTank", (1.5,)),
    ("get_current_speed", ()),
)
CALLS = st.lists(
    st.builds(
        lambda name, values: ToolCall("", name, {}, positionals=tuple(copy.deepcopy(values))),
        st.sampled_from(NAMES),
        st.lists(VALUES, max_size=6),
    )
    | st.sampled_from(SENSIBLE).map(lambda call: ToolCall("", call[0], {}, positionals=call[1])),
    max_size=25,
)


def played(calls: Sequence[ToolCall], config: dict[str, Any]) -> tuple[list[str], object]:
    environment = make_environment(CLASSES, config)
    return [environment.call(call).content for call in calls], environment.state()


@given(CALLS, CALLS)
def test_interleaved_worlds_of_one_entry_behave_as_if_each_were_alone(
    first: list[ToolCall], second: list[ToolCall]
) -> None:
    config, kept = entry(), copy.deepcopy((first, second))
    alone = played(first, entry()), played(second, entry())
    environments: tuple[ApiEnvironment, ...] = (
        make_environment(CLASSES, config),
        make_environment(CLASSES, config),
    )
    texts: tuple[list[str], ...] = ([], [])
    for step in range(max(len(first), len(second))):
        for side, calls in enumerate((first, second)):
            if step < len(calls):
                texts[side].append(environments[side].call(calls[step]).content)
    for side in (0, 1):
        assert (texts[side], environments[side].state()) == alone[side]
    assert config == entry()
    assert (first, second) == kept


@given(CALLS)
def test_a_second_run_of_the_same_calls_ends_the_same(calls: list[ToolCall]) -> None:
    config = entry()
    assert played(calls, config) == played(calls, config)
    assert played(calls, {}) == played(calls, {})


@given(CALLS)
def test_states_stay_what_they_were_and_asking_for_them_changes_nothing(
    calls: list[ToolCall],
) -> None:
    environment, asked = make_environment(CLASSES, entry()), []
    texts = []
    for call in calls:
        texts.append(environment.call(call).content)
        state = environment.state()
        asked.append((state, copy.deepcopy(state)))
    assert all(state == kept for state, kept in asked)
    assert (texts, environment.state()) == played(calls, entry())


@settings(max_examples=settings().max_examples // 20)
@given(st.lists(CALLS, min_size=4, max_size=4))
def test_worlds_in_threads_behave_as_if_each_were_alone(scripts: list[list[ToolCall]]) -> None:
    config = entry()
    alone = [played(calls, entry()) for calls in scripts]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda calls: played(calls, config), scripts * 2))
    assert together == alone * 2
    assert config == entry()


@given(CALLS)
def test_changes_that_were_taken_add_up_to_the_differences(calls: list[ToolCall]) -> None:
    environment = make_environment(CLASSES, entry())
    taken = set()
    for call in calls:
        environment.call(call)
        changes = environment.take_changes()
        assert not changes or environment.kind(call.name) == "write"
        taken |= {change.path[:2] for change in changes}
    assert {path[:2] for path in environment.delta()} <= taken


@given(CALLS, st.data())
def test_calls_that_only_look_leave_everything_as_it_is(
    calls: list[ToolCall], data: st.DataObject
) -> None:
    environment, texts = make_environment(CLASSES, entry()), []
    for call in calls:
        name = data.draw(st.sampled_from(LOOKS))
        environment.call(
            ToolCall("", name, {}, positionals=tuple(data.draw(st.lists(VALUES, max_size=4))))
        )
        texts.append(environment.call(call).content)
    assert (texts, environment.state()) == played(calls, entry())


def test_where_one_stands_and_what_is_drawn_is_no_look() -> None:
    assert not is_read_only("GorillaFileSystem", "cd")
    assert not is_read_only("VehicleControlAPI", "get_current_speed")
    assert not is_read_only("MessageAPI", "add_contact")
    assert is_read_only("GorillaFileSystem", "ls")
