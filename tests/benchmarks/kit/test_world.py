import hashlib
import json
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.errors import DataError
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.tasks import FunctionCall
from dragoman.core.tools import ToolCall, ToolResult

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["#S1000001", "5100000001", "credit_card_1100001", "maren_holt_2201", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)
NAMES = st.sampled_from(
    ["order_id", "item_ids", "new_item_ids", "payment_method_id", "user_id", "self", "zip", "email"]
)


def fresh(shop: DomainSuite, rules: Rules = DEFAULT_RULES) -> DomainEnvironment:
    return shop.factory(rules)(shop.tasks[0])


def test_an_unknown_tool_is_an_answer_and_no_crash(shop: DomainSuite) -> None:
    result = fresh(shop).call(ToolCall("7", "fly", {}))
    assert result == ToolResult("7", "fly", "Error: Tool 'fly' not found.", error=True)


@pytest.mark.parametrize("name", ["__init__", "_user", "KINDS", "_rules"])
def test_only_tools_can_be_called(shop: DomainSuite, name: str) -> None:
    result = fresh(shop, TAU2_RULES).call(ToolCall("7", name, {}))
    assert result.content == f"Error: Tool '{name}' not found."


def test_the_user_has_no_tools_in_retail(shop: DomainSuite) -> None:
    environment = fresh(shop)
    result = environment.call(ToolCall("7", "calculate", {"expression": "1"}, by="user"))
    assert (result.content, result.by) == ("Error: User tools not available", "user")
    assert len(environment.tools("user")) == 0
    assert len(environment.tools("agent")) == 16


def test_a_malformed_call_is_answered_with_what_is_wrong(shop: DomainSuite) -> None:
    call = ToolCall("7", "calculate", {}, raw='{"expr', malformed="input was cut off")
    result = fresh(shop).call(call)
    assert result.error
    assert "input was cut off" in result.content


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("cancel_pending_order", "write"),
        ("get_order_details", "read"),
        ("calculate", "generic"),
        ("fly", None),
    ],
)
def test_the_kind_of_a_tool_is_known(shop: DomainSuite, name: str, kind: str | None) -> None:
    assert fresh(shop).kind(name) == kind


def test_the_fingerprint_is_the_hash_of_the_sorted_json_of_all_fields(shop: DomainSuite) -> None:
    database = json.loads(
        (files("dragoman.benchmarks.tau2") / "sample_data" / "db.json").read_bytes()
    )
    for order in database["orders"].values():
        for name in (
            "cancel_reason",
            "exchange_items",
            "exchange_new_items",
            "exchange_payment_method_id",
            "exchange_price_difference",
            "return_items",
            "return_payment_method_id",
        ):
            order.setdefault(name, None)
    expected = hashlib.sha256(json.dumps(database, sort_keys=True).encode()).hexdigest()
    assert fresh(shop).fingerprint() == {"agent": expected, "user": None}


def test_a_function_that_the_domain_lacks_is_an_error_of_the_data(shop: DomainSuite) -> None:
    with pytest.raises(DataError, match="break_vpn"):
        fresh(shop).run_function(FunctionCall("user", "break_vpn", {}))


@given(data=st.data(), rules=st.sampled_from([DEFAULT_RULES, TAU2_RULES]))
def test_no_arguments_of_any_kind_break_a_world(
    shop: DomainSuite, data: st.DataObject, rules: Rules
) -> None:
    tools = [tool.name for tool in shop.toolsets["agent"]]
    name = data.draw(st.sampled_from(tools))
    known = list(shop.toolsets["agent"].by_name[name].parameters["properties"])  # type: ignore[call-overload]  # a schema's names
    names = st.sampled_from(known) | NAMES if known else NAMES
    arguments = data.draw(st.dictionaries(names, VALUES, max_size=8))
    environment = fresh(shop, rules)
    before = environment.fingerprint()
    result = environment.call(ToolCall("1", name, arguments))
    assert isinstance(result.content, str)
    if result.error:
        assert result.content.startswith("Error: ")
        assert environment.fingerprint() == before
