import copy
import json
from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.benchmarks.kit.tables import (
    SharedTable,
    Table,
    differences,
    readable,
    render,
    render_sorted,
)
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.tools import Change, ToolCall

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1.0, 2.25])
    | st.text("ab", max_size=2)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)


class Item(msgspec.Struct, frozen=True):
    name: str
    price: float
    tags: list[str]
    options: dict[str, str]


JACKET = Item("jacket", 10.0, ["warm"], {"size": "M"})
STOVE = Item("stove", 20.5, [], {})
ITEMS = st.builds(
    Item,
    st.text("ab", max_size=2),
    st.sampled_from([0.0, 1.0, 2.5]),
    st.lists(st.text("ab", max_size=1), max_size=3),
    st.dictionaries(st.text("ab", min_size=1, max_size=1), st.text("xy", max_size=1), max_size=2),
)


def applied(old: object, changes: Sequence[Change]) -> object:
    """Return a JSON value after changes; deletions go last to first, so that positions hold."""
    root: dict[str, Any] = {"": copy.deepcopy(old)}
    deletions = [change for change in changes if change.op == "del"]
    others = [change for change in changes if change.op != "del"]
    for change in [*others, *reversed(deletions)]:
        place: Any = root
        *way, last = ("", *change.path)
        for step in way:
            place = place[step]
        if change.op == "del":
            del place[last]
        elif change.op == "add" and isinstance(place, list):
            assert last == len(place)
            place.append(change.value)
        else:
            assert (last in place) == (change.op == "set") or isinstance(place, list)
            place[last] = change.value
    return root[""]


@given(VALUES, VALUES)
def test_differences_applied_to_the_old_value_give_the_new_one(old: object, new: object) -> None:
    changes = tuple(differences(old, new, ()))
    assert repr(applied(old, changes)) == repr(new) or applied(old, changes) == new
    assert render_sorted(applied(old, changes)) == render_sorted(new)


@given(VALUES)
def test_a_value_does_not_differ_from_its_copy(value: object) -> None:
    assert not list(differences(value, copy.deepcopy(value), ()))


@given(ITEMS, ITEMS)
def test_differences_of_records_are_those_of_their_json(old: Item, new: Item) -> None:
    changes = tuple(differences(old, new, ()))
    assert applied(msgspec.to_builtins(old), changes) == msgspec.to_builtins(new)


def test_a_number_that_changes_its_type_is_a_difference() -> None:
    assert list(differences(1, 1.0, ("n",))) == [Change(("n",), "set", 1.0)]
    assert list(differences(True, 1, ("n",))) == [Change(("n",), "set", 1)]


def test_only_the_member_that_changed_is_named() -> None:
    new = msgspec.structs.replace(JACKET, options={"size": "L", "color": "red"}, tags=[])
    assert list(differences(JACKET, new, ("items", "1"))) == [
        Change(("items", "1", "options", "color"), "add", "red"),
        Change(("items", "1", "options", "size"), "set", "L"),
        Change(("items", "1", "tags"), "set", []),
    ]


def test_a_record_is_rendered_with_fields_in_order_and_the_reference_s_separators() -> None:
    assert render(msgspec.structs.replace(JACKET, name="Jäcket")) == (
        '{"name": "J\\u00e4cket", "price": 10.0, "tags": ["warm"], "options": {"size": "M"}}'
    )


def test_a_record_is_hashed_with_sorted_names_at_every_level() -> None:
    text = render_sorted(Item("b", 1.0, [], {"z": "1", "a": "2"}))
    assert text == '{"name": "b", "options": {"a": "2", "z": "1"}, "price": 1.0, "tags": []}'


def table() -> Table[Item]:
    return Table(SharedTable({"1": JACKET, "2": STOVE}))


def test_a_replaced_record_is_seen_and_the_shared_one_stays() -> None:
    shared = SharedTable({"1": JACKET})
    mine, other = Table(shared), Table(shared)
    mine.put("1", STOVE)
    assert mine.get("1") is STOVE
    assert other.get("1") is JACKET
    assert shared.records == {"1": JACKET}
    assert (mine.text("1"), other.text("1")) == (render(STOVE), render(JACKET))


def test_a_key_that_nobody_has_is_none() -> None:
    assert table().get("3") is None


def test_changes_are_taken_once_and_kept_in_sum() -> None:
    items = table()
    items.put("1", msgspec.structs.replace(JACKET, price=11.0))
    assert list(items.take_changes("items")) == [Change(("items", "1", "price"), "set", 11.0)]
    assert not list(items.take_changes("items"))
    items.put("1", msgspec.structs.replace(JACKET, price=12.0))
    assert list(items.take_changes("items")) == [Change(("items", "1", "price"), "set", 12.0)]
    assert list(items.changes("items")) == [Change(("items", "1", "price"), "set", 12.0)]


def test_several_replacements_between_two_looks_are_one_change() -> None:
    items = table()
    items.put("1", msgspec.structs.replace(JACKET, price=11.0))
    items.put("1", msgspec.structs.replace(JACKET, price=12.0, name="coat"))
    assert list(items.take_changes("items")) == [
        Change(("items", "1", "name"), "set", "coat"),
        Change(("items", "1", "price"), "set", 12.0),
    ]


def test_a_record_put_back_as_it_was_does_not_differ() -> None:
    items = table()
    items.put("1", STOVE)
    items.put("1", Item("jacket", 10.0, ["warm"], {"size": "M"}))
    assert not list(items.delta())
    assert not list(items.changes("items"))


def test_a_new_record_is_in_delta_and_full_text() -> None:
    items = table()
    items.put("3", STOVE)
    assert [key for key, _ in items.delta()] == ["3"]
    assert json.loads(items.full_text())["3"] == msgspec.to_builtins(STOVE)


def test_the_full_text_is_the_sorted_json_of_the_whole_table() -> None:
    items = table()
    items.put("0", STOVE)
    whole = {"0": STOVE, "1": JACKET, "2": STOVE}
    assert items.full_text() == json.dumps(msgspec.to_builtins(whole), sort_keys=True)


# Worlds over the sample shop, driven by random calls.

ORDERS = st.sampled_from([f"#S100000{number}" for number in range(1, 8)])
ITEM_IDS = st.sampled_from([f"51000000{number}" for number in ("01", "02", "03", "11", "31", "32")])
METHODS = st.sampled_from(
    ["credit_card_1100001", "gift_card_1100002", "paypal_1200001", "gift_card_1300001", "none"]
)
ADDRESS = st.fixed_dictionaries(
    {
        name: st.sampled_from(["a", "b"])
        for name in ("address1", "address2", "city", "state", "country", "zip")
    }
)
SWAPS = st.fixed_dictionaries(
    {
        "order_id": ORDERS,
        "item_ids": st.lists(ITEM_IDS, max_size=2),
        "new_item_ids": st.lists(ITEM_IDS, max_size=2),
        "payment_method_id": METHODS,
    }
)
USERS = st.sampled_from(["maren_holt_2201", "ines_carvalho_4415", "nobody"])


def calls_of(
    name: str, arguments: st.SearchStrategy[dict[str, Any]]
) -> st.SearchStrategy[ToolCall]:
    return arguments.map(lambda chosen: ToolCall("1", name, chosen))


CALLS = st.one_of(
    calls_of(
        "cancel_pending_order",
        st.fixed_dictionaries({"order_id": ORDERS, "reason": st.just("no longer needed")}),
    ),
    calls_of("modify_pending_order_items", SWAPS),
    calls_of("exchange_delivered_order_items", SWAPS),
    calls_of(
        "return_delivered_order_items",
        st.fixed_dictionaries(
            {
                "order_id": ORDERS,
                "item_ids": st.lists(ITEM_IDS, max_size=2),
                "payment_method_id": METHODS,
            }
        ),
    ),
    calls_of(
        "modify_pending_order_payment",
        st.fixed_dictionaries({"order_id": ORDERS, "payment_method_id": METHODS}),
    ),
    calls_of(
        "modify_pending_order_address",
        st.tuples(ORDERS, ADDRESS).map(lambda pair: {"order_id": pair[0], **pair[1]}),
    ),
    calls_of(
        "modify_user_address",
        st.tuples(USERS, ADDRESS).map(lambda pair: {"user_id": pair[0], **pair[1]}),
    ),
    calls_of("get_order_details", st.fixed_dictionaries({"order_id": ORDERS})),
    calls_of("get_user_details", st.fixed_dictionaries({"user_id": USERS})),
)
RULES = st.sampled_from([DEFAULT_RULES, TAU2_RULES])


def fresh(shop: DomainSuite, rules: Rules) -> DomainEnvironment:
    return shop.factory(rules)(shop.tasks[0])


def played(environment: DomainEnvironment, calls: Sequence[ToolCall]) -> list[str]:
    return [environment.call(call).content for call in calls]


@given(
    rules=RULES,
    steps=st.lists(st.tuples(st.booleans(), CALLS), max_size=12),
)
def test_worlds_share_nothing(
    shop: DomainSuite, rules: Rules, steps: list[tuple[bool, ToolCall]]
) -> None:
    left, right = fresh(shop, rules), fresh(shop, rules)
    together = [(left if is_left else right).call(call) for is_left, call in steps]
    alone: list[DomainEnvironment] = []
    for side in (True, False):
        environment = fresh(shop, rules)
        mine = [
            result for (is_left, _), result in zip(steps, together, strict=True) if is_left == side
        ]
        assert [environment.call(call) for is_left, call in steps if is_left == side] == mine
        alone.append(environment)
    assert [left.delta(), right.delta()] == [environment.delta() for environment in alone]
    assert [left.fingerprint(), right.fingerprint()] == [w.fingerprint() for w in alone]


@given(rules=RULES, calls=st.lists(CALLS, max_size=8))
def test_delta_is_empty_and_fingerprint_unchanged_exactly_in_the_initial_state(
    shop: DomainSuite, rules: Rules, calls: list[ToolCall]
) -> None:
    environment = fresh(shop, rules)
    initial = environment.fingerprint()
    for call in calls:
        before = (environment.fingerprint(), environment.delta())
        environment.call(call)
        changed = bool(environment.take_changes())
        assert (environment.fingerprint() != before[0]) == changed
        assert (environment.delta() != before[1]) == changed
    assert (environment.delta() == {}) == (environment.fingerprint() == initial)
    assert (environment.delta() == {}) == (environment.changes() == ())


@given(rules=RULES, calls=st.lists(CALLS, max_size=8))
def test_changes_taken_one_by_one_add_up_to_all_changes(
    shop: DomainSuite, rules: Rules, calls: list[ToolCall]
) -> None:
    one_by_one, at_once = fresh(shop, rules), fresh(shop, rules)
    taken: list[Change] = []
    for call in calls:
        one_by_one.call(call)
        taken += one_by_one.take_changes()
    played(at_once, calls)
    assert set(map(place, at_once.take_changes())) == set(map(place, at_once.changes()))
    assert set(map(place, at_once.changes())) <= {
        prefix for change in taken for prefix in prefixes(place(change))
    } | set(map(place, taken))
    assert one_by_one.changes() == at_once.changes()


def place(change: Change) -> tuple[str | int, ...]:
    return change.path


def prefixes(path: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    return [path[:length] for length in range(1, len(path) + 1)]


@settings(
    max_examples=settings().max_examples // 5,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(calls=st.lists(CALLS, max_size=6))
def test_the_same_calls_lead_to_the_same_results_and_state(
    shop: DomainSuite, calls: list[ToolCall]
) -> None:
    one, other = fresh(shop, DEFAULT_RULES), fresh(shop, DEFAULT_RULES)
    assert played(one, calls) == played(other, calls)
    assert one.delta() == other.delta()


def test_a_record_that_is_new_is_added() -> None:
    items = table()
    items.put("3", STOVE)
    assert [change.op for change in items.take_changes("items")] == ["add"]


def test_a_number_of_more_than_64_bits_is_shown_as_it_is() -> None:
    assert render({"bags": 10**30, "room": -0.5}) == f'{{"bags": {10**30}, "room": -0.5}}'


def test_a_table_shows_its_records_escaped_or_readable() -> None:
    class Place(msgspec.Struct, frozen=True):
        name: str

    records = {"a": Place("Østervik")}
    escaped, plain = SharedTable(records), SharedTable(records, readable)
    assert escaped.text("a") == '{"name": "\\u00d8stervik"}'
    assert plain.text("a") == '{"name": "Østervik"}'
    own = Table(plain)
    own.put("a", Place("Åby"))
    assert own.text("a") == '{"name": "Åby"}'
