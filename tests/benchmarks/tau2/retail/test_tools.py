import itertools
import json
from typing import Any

import msgspec
import pytest

from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.protocols import Environment, Provenance
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.tools import Change, ToolCall, ToolResult

MAREN, TOBIAS, INES = "maren_holt_2201", "tobias_lindqvist_3310", "ines_carvalho_4415"
YELLOW_M, YELLOW_L, NAVY_M, NAVY_L = "5100000001", "5100000002", "5100000003", "5100000004"
STOVE, BIG_STOVE = "5100000011", "5100000012"
ALU_POLES, CARBON_POLES, LONG_POLES = "5100000031", "5100000032", "5100000033"
ADDRESS = {
    "address1": "1 New Road",
    "address2": "",
    "city": "Reno",
    "country": "USA",
    "state": "NV",
    "zip": "89501",
}
BOTH = pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES], ids=lambda rules: rules.name)


def fresh(shop: DomainSuite, rules: Rules) -> Environment:
    return shop.factory(rules)(shop.tasks[0])


def call(environment: Environment, name: str, arguments: dict[str, Any]) -> ToolResult:
    return environment.call(ToolCall("1", name, arguments))


def value(result: ToolResult) -> Any:  # noqa: ANN401 - a tool's JSON
    assert not result.error, result.content
    return json.loads(result.content)


def swap(order: str, old: list[str], new: list[str], method: str) -> dict[str, Any]:
    return {
        "order_id": order,
        "item_ids": old,
        "new_item_ids": new,
        "payment_method_id": method,
    }


def balance(environment: Environment, user: str, method: str) -> float:
    user_record = value(call(environment, "get_user_details", {"user_id": user}))
    amount: float = user_record["payment_methods"][method]["balance"]
    return amount


def edited(shop: DomainSuite, **orders: dict[str, Any]) -> DomainSuite:
    """Return the sample shop with fields of orders replaced."""
    from importlib.resources import files

    folder = files("dragoman.benchmarks.tau2") / "sample_data"

    def read(name: str) -> bytes:
        content = (folder / name).read_bytes()
        if name != "db.json":
            return content
        database = json.loads(content)
        for key, fields in orders.items():
            database["orders"][f"#{key}"].update(fields)
        return json.dumps(database).encode()

    return DomainSuite(shop.name, read, Provenance("", "", "", ""))


# Look-ups


@BOTH
@pytest.mark.parametrize(
    ("name", "arguments", "content"),
    [
        ("find_user_id_by_email", {"email": "maren.holt@example.com"}, MAREN),
        ("find_user_id_by_email", {"email": "Maren.HOLT@example.com"}, MAREN),
        (
            "find_user_id_by_name_zip",
            {"first_name": "iNES", "last_name": "carvalho", "zip": "04101"},
            INES,
        ),
        (
            "list_all_product_types",
            {},
            (
                '{"Camping Stove": "4100000002", "Rain Jacket": "4100000001", '
                '"Trekking Poles": "4100000004", "Water Filter": "4100000003"}'
            ),
        ),
        ("calculate", {"expression": "(89.5 + 54.9) * 2"}, "288.8"),
        ("transfer_to_human_agents", {"summary": "wants the moon"}, "Transfer successful"),
        (
            "get_item_details",
            {"item_id": NAVY_L},
            (
                '{"item_id": "5100000004", "options": {"color": "navy", "size": "L"}, '
                '"available": false, "price": 94.0}'
            ),
        ),
    ],
)
def test_look_ups_answer_and_change_nothing(
    shop: DomainSuite, rules: Rules, name: str, arguments: dict[str, Any], content: str
) -> None:
    environment = fresh(shop, rules)
    assert call(environment, name, arguments) == ToolResult("1", name, content)
    assert environment.delta() == {}


@BOTH
def test_records_are_shown_with_all_their_fields(shop: DomainSuite, rules: Rules) -> None:
    environment = fresh(shop, rules)
    order = value(call(environment, "get_order_details", {"order_id": "#S1000006"}))
    assert list(order) == [
        "order_id",
        "user_id",
        "address",
        "items",
        "status",
        "fulfillments",
        "payment_history",
        "cancel_reason",
        "exchange_items",
        "exchange_new_items",
        "exchange_payment_method_id",
        "exchange_price_difference",
        "return_items",
        "return_payment_method_id",
    ]
    assert order["cancel_reason"] is None
    user = value(call(environment, "get_user_details", {"user_id": MAREN}))
    assert user["payment_methods"]["gift_card_1100002"] == {
        "source": "gift_card",
        "id": "gift_card_1100002",
        "balance": 25.0,
    }
    product = value(call(environment, "get_product_details", {"product_id": "4100000003"}))
    assert set(product["variants"]) == {"5100000021", "5100000022"}


# Refusals

ERRORS: list[tuple[str, dict[str, Any], str]] = [
    ("find_user_id_by_email", {"email": "nobody@example.com"}, "User not found"),
    (
        "find_user_id_by_name_zip",
        {"first_name": "Maren", "last_name": "Holt", "zip": "83703"},
        "User not found",
    ),
    ("get_user_details", {"user_id": "nobody"}, "User not found"),
    ("get_order_details", {"order_id": "S1000001"}, "Order not found"),
    ("get_product_details", {"product_id": YELLOW_M}, "Product not found"),
    ("get_item_details", {"item_id": "4100000001"}, "Item not found"),
    ("calculate", {"expression": "price * 2"}, "Invalid characters in expression"),
    (
        "cancel_pending_order",
        {"order_id": "#S9", "reason": "no longer needed"},
        "Order not found",
    ),
    (
        "cancel_pending_order",
        {"order_id": "#S1000002", "reason": "bored"},
        "Non-pending order cannot be cancelled",
    ),
    ("cancel_pending_order", {"order_id": "#S1000001", "reason": "bored"}, "Invalid reason"),
    ("modify_pending_order_address", {"order_id": "#S9", **ADDRESS}, "Order not found"),
    (
        "modify_pending_order_address",
        {"order_id": "#S1000005", **ADDRESS},
        "Non-pending order cannot be modified",
    ),
    ("modify_user_address", {"user_id": "nobody", **ADDRESS}, "User not found"),
    (
        "modify_pending_order_payment",
        {"order_id": "#S9", "payment_method_id": "x"},
        "Order not found",
    ),
    (
        "modify_pending_order_payment",
        {"order_id": "#S1000002", "payment_method_id": "x"},
        "Non-pending order cannot be modified",
    ),
    (
        "modify_pending_order_payment",
        {"order_id": "#S1000001", "payment_method_id": "paypal_1200001"},
        "Payment method not found",
    ),
    (
        "modify_pending_order_payment",
        {"order_id": "#S1000001", "payment_method_id": "credit_card_1100001"},
        "The new payment method should be different from the current one",
    ),
    (
        "modify_pending_order_payment",
        {"order_id": "#S1000001", "payment_method_id": "gift_card_1100002"},
        "Insufficient gift card balance to pay for the order",
    ),
    ("modify_pending_order_items", swap("#S9", [], [], "x"), "Order not found"),
    (
        "modify_pending_order_items",
        swap("#S1000002", [], [], "x"),
        "Non-pending order cannot be modified",
    ),
    (
        "modify_pending_order_items",
        swap("#S1000001", [YELLOW_M, YELLOW_M], [], "x"),
        f"{YELLOW_M} not found",
    ),
    (
        "modify_pending_order_items",
        swap("#S1000001", [YELLOW_M], [], "x"),
        "The number of items to be exchanged should match",
    ),
    (
        "modify_pending_order_items",
        swap("#S1000001", [YELLOW_M], [YELLOW_M], "x"),
        "The new item id should be different from the old item id",
    ),
    (
        "modify_pending_order_items",
        swap("#S1000001", [YELLOW_M], [STOVE], "x"),
        "Variant not found",
    ),
    (
        "modify_pending_order_items",
        swap("#S1000001", [YELLOW_M], [NAVY_L], "x"),
        f"New item {NAVY_L} not found or available",
    ),
    (
        "modify_pending_order_items",
        swap("#S1000001", [YELLOW_M], [YELLOW_L], "paypal_1200001"),
        "Payment method not found",
    ),
    (
        "modify_pending_order_items",
        swap("#S1000001", [STOVE], [BIG_STOVE], "gift_card_1100002"),
        "Insufficient gift card balance to pay for the new item",
    ),
    ("exchange_delivered_order_items", swap("#S9", [], [], "x"), "Order not found"),
    (
        "exchange_delivered_order_items",
        swap("#S1000001", [], [], "x"),
        "Non-delivered order cannot be exchanged",
    ),
    (
        "exchange_delivered_order_items",
        swap("#S1000003", [STOVE], [BIG_STOVE], "x"),
        f"Number of {STOVE} not found.",
    ),
    (
        "exchange_delivered_order_items",
        swap("#S1000003", [ALU_POLES], [], "x"),
        "The number of items to be exchanged should match.",
    ),
    (
        "exchange_delivered_order_items",
        swap("#S1000003", [ALU_POLES], [STOVE], "x"),
        "Variant not found",
    ),
    (
        "exchange_delivered_order_items",
        swap("#S1000003", [ALU_POLES], [LONG_POLES], "x"),
        f"New item {LONG_POLES} not found or available",
    ),
    (
        "exchange_delivered_order_items",
        swap("#S1000003", [ALU_POLES], [CARBON_POLES], "gift_card_1100002"),
        "Payment method not found",
    ),
    (
        "exchange_delivered_order_items",
        swap("#S1000002", ["5100000021"], ["5100000022"], "gift_card_1100002"),
        "Insufficient gift card balance to pay for the price difference",
    ),
    (
        "return_delivered_order_items",
        {"order_id": "#S9", "item_ids": [], "payment_method_id": "x"},
        "Order not found",
    ),
    (
        "return_delivered_order_items",
        {"order_id": "#S1000001", "item_ids": [], "payment_method_id": "x"},
        "Non-delivered order cannot be returned",
    ),
    (
        "return_delivered_order_items",
        {"order_id": "#S1000003", "item_ids": [], "payment_method_id": "gift_card_1100002"},
        "Payment method not found",
    ),
    (
        "return_delivered_order_items",
        {"order_id": "#S1000003", "item_ids": [], "payment_method_id": "credit_card_1200002"},
        "Payment method should be the original payment method",
    ),
    (
        "return_delivered_order_items",
        {"order_id": "#S1000003", "item_ids": [STOVE], "payment_method_id": "paypal_1200001"},
        "Some item not found",
    ),
]


@BOTH
@pytest.mark.parametrize(("name", "arguments", "text"), ERRORS)
def test_a_refusal_says_why_and_changes_nothing(
    shop: DomainSuite, rules: Rules, name: str, arguments: dict[str, Any], text: str
) -> None:
    environment = fresh(shop, rules)
    if text.startswith("Insufficient") and name.startswith("exchange"):
        environment = fresh(shop, rules)
        drain(environment)
    before = environment.delta()
    result = call(environment, name, arguments)
    assert (result.content, result.error) == (f"Error: {text}", True)
    assert environment.delta() == before


def drain(environment: Environment) -> None:
    """Spend most of Maren's gift card: navy costs 4.50 more than yellow."""
    value(
        call(
            environment,
            "modify_pending_order_items",
            swap("#S1000001", [YELLOW_M], [NAVY_M], "gift_card_1100002"),
        )
    )
    assert balance(environment, MAREN, "gift_card_1100002") == 20.5


@BOTH
def test_an_order_paid_twice_cannot_be_paid_otherwise(shop: DomainSuite, rules: Rules) -> None:
    environment = fresh(shop, rules)
    pay = {"order_id": "#S1000004", "payment_method_id": "credit_card_1300002"}
    value(call(environment, "modify_pending_order_payment", pay))
    result = call(environment, "modify_pending_order_payment", pay)
    assert result.content == "Error: There should be exactly one payment for a pending order"


# Writes


@BOTH
def test_a_cancelled_order_is_refunded_and_a_gift_card_credited(
    shop: DomainSuite, rules: Rules
) -> None:
    environment = fresh(shop, rules)
    order = value(
        call(
            environment,
            "cancel_pending_order",
            {"order_id": "#S1000004", "reason": "ordered by mistake"},
        )
    )
    assert (order["status"], order["cancel_reason"]) == ("cancelled", "ordered by mistake")
    assert order["payment_history"][1:] == [
        {
            "transaction_type": "refund",
            "amount": 166.3,
            "payment_method_id": "gift_card_1300001",
        }
    ]
    assert balance(environment, INES, "gift_card_1300001") == 316.3


@BOTH
def test_a_cancelled_order_cannot_be_cancelled_again(shop: DomainSuite, rules: Rules) -> None:
    environment = fresh(shop, rules)
    arguments = {"order_id": "#S1000001", "reason": "no longer needed"}
    value(call(environment, "cancel_pending_order", arguments))
    again = call(environment, "cancel_pending_order", arguments)
    assert again.content == "Error: Non-pending order cannot be cancelled"


@BOTH
def test_an_address_is_replaced_on_the_order_or_on_the_user(
    shop: DomainSuite, rules: Rules
) -> None:
    environment = fresh(shop, rules)
    order = value(
        call(environment, "modify_pending_order_address", {"order_id": "#S1000001", **ADDRESS})
    )
    assert order["address"] == ADDRESS
    assert list(environment.delta()) == [("agent", "orders", "#S1000001")]
    user = value(call(environment, "modify_user_address", {"user_id": MAREN, **ADDRESS}))
    assert user["address"] == ADDRESS
    assert ("agent", "users", MAREN) in environment.delta()


@BOTH
def test_an_address_can_still_change_after_items_were_modified(
    shop: DomainSuite, rules: Rules
) -> None:
    environment = fresh(shop, rules)
    value(
        call(
            environment,
            "modify_pending_order_items",
            swap("#S1000001", [YELLOW_M], [YELLOW_L], "credit_card_1100001"),
        )
    )
    value(call(environment, "modify_pending_order_address", {"order_id": "#S1000001", **ADDRESS}))
    again = call(
        environment,
        "modify_pending_order_items",
        swap("#S1000001", [YELLOW_L], [YELLOW_M], "credit_card_1100001"),
    )
    assert again.content == "Error: Non-pending order cannot be modified"


@BOTH
def test_a_payment_moves_from_a_gift_card_to_a_card(shop: DomainSuite, rules: Rules) -> None:
    environment = fresh(shop, rules)
    order = value(
        call(
            environment,
            "modify_pending_order_payment",
            {"order_id": "#S1000004", "payment_method_id": "credit_card_1300002"},
        )
    )
    assert [
        (entry["transaction_type"], entry["amount"], entry["payment_method_id"])
        for entry in order["payment_history"][1:]
    ] == [("payment", 166.3, "credit_card_1300002"), ("refund", 166.3, "gift_card_1300001")]
    assert balance(environment, INES, "gift_card_1300001") == 316.3


@BOTH
def test_a_payment_moves_to_a_gift_card_that_covers_it(shop: DomainSuite, rules: Rules) -> None:
    history = [
        {
            "transaction_type": "payment",
            "amount": 24.99,
            "payment_method_id": "credit_card_1100001",
        }
    ]
    environment = fresh(edited(shop, S1000001={"payment_history": history}), rules)
    value(
        call(
            environment,
            "modify_pending_order_payment",
            {"order_id": "#S1000001", "payment_method_id": "gift_card_1100002"},
        )
    )
    assert balance(environment, MAREN, "gift_card_1100002") == 0.01


@BOTH
def test_one_item_is_modified_at_its_new_price(shop: DomainSuite, rules: Rules) -> None:
    environment = fresh(shop, rules)
    order = value(
        call(
            environment,
            "modify_pending_order_items",
            swap("#S1000001", [YELLOW_M], [NAVY_M], "gift_card_1100002"),
        )
    )
    assert order["status"] == "pending (item modified)"
    assert order["items"][0] == {
        "name": "Rain Jacket",
        "product_id": "4100000001",
        "item_id": NAVY_M,
        "price": 94.0,
        "options": {"color": "navy", "size": "M"},
    }
    assert order["payment_history"][-1] == {
        "transaction_type": "payment",
        "amount": 4.5,
        "payment_method_id": "gift_card_1100002",
    }
    assert balance(environment, MAREN, "gift_card_1100002") == 20.5


@BOTH
def test_modifying_no_items_still_costs_the_order_its_state(
    shop: DomainSuite, rules: Rules
) -> None:
    order = value(
        call(
            fresh(shop, rules),
            "modify_pending_order_items",
            swap("#S1000001", [], [], "credit_card_1100001"),
        )
    )
    assert order["status"] == "pending (item modified)"
    assert order["payment_history"][-1]["transaction_type"] == "refund"
    assert order["payment_history"][-1]["amount"] == 0.0


@BOTH
def test_an_exchange_is_requested_and_moves_no_money(shop: DomainSuite, rules: Rules) -> None:
    environment = fresh(shop, rules)
    order = value(
        call(
            environment,
            "exchange_delivered_order_items",
            swap("#S1000003", [ALU_POLES, BIG_STOVE], [CARBON_POLES, STOVE], "credit_card_1200002"),
        )
    )
    assert order["status"] == "exchange requested"
    assert order["exchange_items"] == sorted([ALU_POLES, BIG_STOVE])
    assert order["exchange_new_items"] == sorted([CARBON_POLES, STOVE])
    assert order["exchange_payment_method_id"] == "credit_card_1200002"
    assert order["exchange_price_difference"] == -11.3
    assert [item["item_id"] for item in order["items"]] == [ALU_POLES, BIG_STOVE]
    assert len(order["payment_history"]) == 1
    assert list(environment.delta()) == [("agent", "orders", "#S1000003")]


@BOTH
def test_exchanging_nothing_has_the_difference_of_an_integer(
    shop: DomainSuite, rules: Rules
) -> None:
    result = call(
        fresh(shop, rules),
        "exchange_delivered_order_items",
        swap("#S1000003", [], [], "paypal_1200001"),
    )
    assert '"exchange_price_difference": 0,' in result.content


@BOTH
@pytest.mark.parametrize("new", [ALU_POLES, CARBON_POLES])
def test_an_item_may_be_exchanged_for_its_own_kind(
    shop: DomainSuite, rules: Rules, new: str
) -> None:
    environment = fresh(shop, rules)
    arguments = swap("#S1000003", [ALU_POLES], [new], "paypal_1200001")
    assert value(call(environment, "exchange_delivered_order_items", arguments))


@BOTH
def test_a_return_is_requested_to_the_first_method_or_any_gift_card(
    shop: DomainSuite, rules: Rules
) -> None:
    environment = fresh(shop, rules)
    order = value(
        call(
            environment,
            "return_delivered_order_items",
            {
                "order_id": "#S1000003",
                "item_ids": [ALU_POLES, BIG_STOVE],
                "payment_method_id": "paypal_1200001",
            },
        )
    )
    assert order["status"] == "return requested"
    assert order["return_items"] == sorted([ALU_POLES, BIG_STOVE])
    assert order["return_payment_method_id"] == "paypal_1200001"
    to_gift_card = call(
        environment,
        "return_delivered_order_items",
        {
            "order_id": "#S1000002",
            "item_ids": ["5100000021"],
            "payment_method_id": "gift_card_1100002",
        },
    )
    assert value(to_gift_card)["return_payment_method_id"] == "gift_card_1100002"


def test_a_write_reports_what_it_changed(shop: DomainSuite) -> None:
    environment = fresh(shop, DEFAULT_RULES)
    call(
        environment, "cancel_pending_order", {"order_id": "#S1000006", "reason": "no longer needed"}
    )
    refund = {
        "transaction_type": "refund",
        "amount": 32.25,
        "payment_method_id": "credit_card_1400001",
    }
    place = ("orders", "#S1000006")
    assert environment.take_changes() == (
        Change((*place, "cancel_reason"), "set", "no longer needed"),
        Change((*place, "payment_history", 1), "add", refund),
        Change((*place, "status"), "set", "cancelled"),
    )


# Differences between the two rule sets

SWAP_BOTH = swap("#S1000004", [NAVY_M, CARBON_POLES], [YELLOW_M, ALU_POLES], "gift_card_1300001")


def items_after_both_swaps(shop: DomainSuite, rules: Rules) -> list[tuple[str, float, str]]:
    order = value(call(fresh(shop, rules), "modify_pending_order_items", SWAP_BOTH))
    return [
        (item["item_id"], item["price"], next(iter(item["options"].values())))
        for item in order["items"]
    ]


def test_each_item_keeps_its_variant_or_takes_the_last_ones(shop: DomainSuite) -> None:
    assert items_after_both_swaps(shop, DEFAULT_RULES) == [
        (YELLOW_M, 89.5, "yellow"),
        (ALU_POLES, 38.6, "aluminium"),
    ]
    assert items_after_both_swaps(shop, TAU2_RULES) == [
        (YELLOW_M, 38.6, "aluminium"),
        (ALU_POLES, 38.6, "aluminium"),
    ]


def test_the_order_of_the_pairs_matters_to_the_reference_only(shop: DomainSuite) -> None:
    def states(rules: Rules) -> set[bytes]:
        found = set()
        for pairs in itertools.permutations([(NAVY_M, YELLOW_M), (CARBON_POLES, ALU_POLES)]):
            environment = fresh(shop, rules)
            old, new = [list(ids) for ids in zip(*pairs, strict=True)]
            value(
                call(
                    environment,
                    "modify_pending_order_items",
                    swap("#S1000004", old, new, "gift_card_1300001"),
                )
            )
            found.add(environment.delta()["agent", "orders", "#S1000004"])
        return found

    assert len(states(DEFAULT_RULES)) == 1
    assert len(states(TAU2_RULES)) == 2


def test_amounts_are_whole_cents_or_carry_float_noise(shop: DomainSuite) -> None:
    def refunded(rules: Rules) -> tuple[float, float]:
        environment = fresh(shop, rules)
        order = value(call(environment, "modify_pending_order_items", SWAP_BOTH))
        amount: float = order["payment_history"][-1]["amount"]
        return amount, balance(environment, INES, "gift_card_1300001")

    assert refunded(DEFAULT_RULES) == (38.2, 188.2)
    assert 72.3 - 38.6 + 4.5 != 38.2
    assert refunded(TAU2_RULES) == (72.3 - 38.6 + 4.5, 188.2)


@pytest.mark.parametrize(
    ("arguments", "by_schema", "by_tool"),
    [
        ({"order_id": 1}, "Expected `str`, got `int`", "Order not found"),
        ({}, "missing required field `order_id`", "missing 1 required positional argument"),
        (
            {"order_id": "#S1000001", "requestor": "x"},
            "unknown field `requestor`",
            "unexpected keyword argument 'requestor'",
        ),
        ({"order_id": ["#S1000001"]}, "Expected `str`, got `array`", "unhashable"),
    ],
)
def test_wrong_arguments_meet_the_schema_or_the_tool(
    shop: DomainSuite, arguments: dict[str, Any], by_schema: str, by_tool: str
) -> None:
    ours = call(fresh(shop, DEFAULT_RULES), "get_order_details", arguments)
    theirs = call(fresh(shop, TAU2_RULES), "get_order_details", arguments)
    assert ours.error
    assert ours.content.startswith("Error: invalid arguments: ")
    assert by_schema in ours.content
    assert theirs.error
    assert by_tool in theirs.content


def test_a_wrong_type_that_the_tool_never_looks_at_is_stored_by_the_reference_only(
    shop: DomainSuite,
) -> None:
    arguments = {"summary": 5}
    ours = call(fresh(shop, DEFAULT_RULES), "transfer_to_human_agents", arguments)
    theirs = call(fresh(shop, TAU2_RULES), "transfer_to_human_agents", arguments)
    assert (ours.error, theirs.error) == (True, False)


@BOTH
def test_an_address_line_of_another_type_is_refused(shop: DomainSuite, rules: Rules) -> None:
    environment = fresh(shop, rules)
    arguments = {"user_id": MAREN, **ADDRESS, "zip": 89501}
    assert call(environment, "modify_user_address", arguments).error
    assert environment.delta() == {}


def test_the_database_of_the_sample_decodes_to_the_records_it_was_written_as(
    shop: DomainSuite,
) -> None:
    environment = fresh(shop, DEFAULT_RULES)
    order = value(call(environment, "get_order_details", {"order_id": "#S1000003"}))
    assert msgspec.json.encode(order["items"][0]) == (
        b'{"name":"Trekking Poles","product_id":"4100000004","item_id":"5100000031",'
        b'"price":38.6,"options":{"material":"aluminium","length":"120 cm"}}'
    )
