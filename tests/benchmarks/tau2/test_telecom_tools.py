"""The telecom domain over a small database of our own."""

import json
from inspect import signature
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.benchmarks.tau2.domains.telecom_agent_tools import CrmToolsWithSetup
from dragoman.benchmarks.tau2.domains.telecom_domain import TELECOM, compose_policy
from dragoman.benchmarks.tau2.domains.telecom_user_tools import UserToolsWithSetup
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.tasks import FunctionCall
from dragoman.core.tools import Change, Role, ToolCall, ToolResult

CRM = b"""
[[plans]]
plan_id = "P1"
name = "Small"
data_limit_gb = 5.0
price_per_month = 30.0
data_refueling_price_per_gb = 1.5

[[devices]]
device_id = "D1"
device_type = "phone"
model = "One"
activation_date = "2025-01-20T14:30:00"

[[lines]]
line_id = "L1"
phone_number = "555-0001"
status = "Active"
plan_id = "P1"
device_id = "D1"
data_used_gb = 4.0

[[lines]]
line_id = "L2"
phone_number = "555-0002"
status = "Pending Activation"
plan_id = "P1"

[[customers]]
customer_id = "C1"
full_name = "Maren Holt"
date_of_birth = "1990-01-02"
email = "maren@example.com"
phone_number = "555-9000"
account_status = "Active"
created_at = "2025-01-15T10:30:00"
payment_methods = []
line_ids = ["L1"]
bill_ids = ["B1", "B2"]
address = { street = "1 Road", city = "Reno", state = "NV", zip_code = "89501" }

[[customers]]
customer_id = "C2"
full_name = "Ines Carvalho"
date_of_birth = "1991-01-02"
email = "ines@example.com"
phone_number = "555-9001"
account_status = "Active"
created_at = "2025-01-15T10:30:00"
payment_methods = []
line_ids = ["L2"]
bill_ids = []
address = { street = "2 Road", city = "Reno", state = "NV", zip_code = "89501" }

[[bills]]
bill_id = "B1"
customer_id = "C1"
period_start = "2025-01-01"
period_end = "2025-01-31"
issue_date = "2025-01-05"
total_due = 30.0
due_date = "2025-01-19"
status = "Issued"
line_items = []

[[bills]]
bill_id = "B2"
customer_id = "C1"
period_start = "2025-02-01"
period_end = "2025-02-28"
issue_date = "2025-02-05"
total_due = 2.0
due_date = "2025-02-19"
status = "Draft"
line_items = []
"""
PHONE = b"""
[device]
sim_card_status = "active"
sim_card_missing = false
airplane_mode = false
network_signal_strength = "excellent"
network_technology_connected = "5G"
network_connection_status = "connected"
battery_level = 63
data_enabled = true
roaming_enabled = false
network_mode_preference = "4g_5g_preferred"
active_apn_settings = {}
wifi_enabled = false
wifi_connected = false
wifi_signal_strength = "none"
wifi_calling_enabled = false
wifi_calling_mms_over_wifi = false
data_saver_mode = false
vpn_enabled_setting = false
vpn_connected = false

[device.app_statuses.messaging]
app_name = "messaging"
permissions = { sms = true, storage = true }

[device.app_statuses.clock]
app_name = "clock"
"""
MAKE = TELECOM.load({"db.toml": CRM, "user_db.toml": PHONE})
BAR = "Status Bar: 📶⁴ Excellent | 5G | 📱 Data Enabled | 🔋 63%"
OFF_LINE = "Status Bar: 📵 No Signal | 📵 Data Disabled | 🔋 63%"
NO_SUCH_MODE = (
    "Failed to set network mode: '{}' is not a valid option. Please use one of: "
    "4g_5g_preferred, 4g_only, 3g_only, 2g_only"
)
NO_SUCH_PERMISSION = (
    "Error. Permission 'fly' not tracked for app 'clock', available permissions: "
    "['sms', 'storage', 'phone', 'network']"
)
APN_SETTINGS = (
    "Current APN Name: internet\n"
    "MMSC URL (for picture messages): http://mms.carrier.com/mms/wapenc\n"
    "(These are technical settings, usually best left unchanged.)"
)
BOTH = pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES], ids=lambda rules: rules.name)


def fresh(rules: Rules = DEFAULT_RULES) -> DomainEnvironment:
    """Return a world whose phone belongs to customer C1 and line L1."""
    environment = MAKE(rules, {}, {})
    set_up(environment, "user", "set_user_info", name="Maren Holt", phone_number="555-0001")
    environment.take_changes()
    return environment


def set_up(environment: DomainEnvironment, side: Role, name: str, /, **arguments: object) -> object:
    return environment.run_function(FunctionCall(side, name, arguments))


def agent(environment: DomainEnvironment, name: str, /, **arguments: object) -> ToolResult:
    return environment.call(ToolCall("1", name, arguments))


def user(environment: DomainEnvironment, name: str, /, **arguments: object) -> str:
    result = environment.call(ToolCall("1", name, arguments, "user"))
    assert not result.error, result.content
    return result.content


def value(result: ToolResult) -> Any:  # noqa: ANN401 - a tool's JSON
    assert not result.error, result.content
    return json.loads(result.content)


# The agent's tools


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("get_customer_by_id", {"customer_id": "c1"}, "Customer with ID c1 not found"),
        ("get_customer_by_id", {"customer_id": ["C1"]}, "Customer with ID ['C1'] not found"),
        (
            "get_customer_by_phone",
            {"phone_number": "555"},
            "Customer with phone number 555 not found",
        ),
        (
            "get_customer_by_phone",
            {"phone_number": {}},
            "Customer with phone number {} not found",
        ),
        ("get_details_by_id", {"id": "L9"}, "Line with ID L9 not found"),
        ("get_details_by_id", {"id": "D9"}, "Device with ID D9 not found"),
        ("get_details_by_id", {"id": "B9"}, "Bill with ID B9 not found"),
        ("get_details_by_id", {"id": "C9"}, "Customer with ID C9 not found"),
        ("get_details_by_id", {"id": "P9"}, "Plan with ID P9 not found"),
        ("get_details_by_id", {"id": "l1"}, "Unknown ID format or type: l1"),
        ("get_bills_for_customer", {"customer_id": "X"}, "Customer with ID X not found"),
        (
            "get_data_usage",
            {"customer_id": "C1", "line_id": "L2"},
            "Line L2 not found for customer C1",
        ),
        (
            "suspend_line",
            {"customer_id": "C2", "line_id": "L2", "reason": ""},
            "Line must be active to suspend",
        ),
        (
            "resume_line",
            {"customer_id": "C1", "line_id": "L1"},
            "Line must be suspended to resume",
        ),
        (
            "send_payment_request",
            {"customer_id": "C2", "bill_id": "B1"},
            "Bill B1 not found for customer C2",
        ),
        (
            "refuel_data",
            {"customer_id": "C1", "line_id": "L1", "gb_amount": 0},
            "Refuel amount must be positive",
        ),
        ("toggle_data", {}, "Tool 'toggle_data' not found."),
    ],
)
@BOTH
def test_what_the_agents_tools_refuse(
    rules: Rules, name: str, arguments: dict[str, object], text: str
) -> None:
    environment = fresh(rules)
    result = agent(environment, name, **arguments)
    assert (result.content, result.error) == (f"Error: {text}", True)
    assert environment.take_changes() == ()


def test_customers_are_found_by_any_of_their_numbers_and_by_name() -> None:
    environment = fresh()
    own = value(agent(environment, "get_customer_by_phone", phone_number="555-9000"))
    line = value(agent(environment, "get_customer_by_phone", phone_number="555-0001"))
    named = value(
        agent(environment, "get_customer_by_name", full_name="MAREN holt", dob="1990-01-02")
    )
    assert (
        own == line == value(agent(environment, "get_customer_by_id", customer_id="C1")) == named[0]
    )
    nobody = agent(environment, "get_customer_by_name", full_name="Maren Holt", dob="1990-01-03")
    assert nobody.content == "[]"


def test_times_are_printed_as_the_reference_prints_them() -> None:
    device = value(agent(fresh(), "get_details_by_id", id="D1"))
    assert device["activation_date"] == "2025-01-20 14:30:00"
    assert device["last_esim_transfer_date"] is None
    customer = value(agent(fresh(), "get_customer_by_id", customer_id="C1"))
    assert customer["created_at"] == "2025-01-15 10:30:00"


@pytest.mark.parametrize(
    ("limit", "ids"), [({}, ["B2", "B1"]), ({"limit": 1}, ["B2"]), ({"limit": 0}, [])]
)
def test_bills_are_listed_latest_first(limit: dict[str, object], ids: list[str]) -> None:
    bills = value(agent(fresh(), "get_bills_for_customer", customer_id="C1", **limit))
    assert [bill["bill_id"] for bill in bills] == ids


def test_numbers_of_data_usage_are_strings() -> None:
    assert value(agent(fresh(), "get_data_usage", customer_id="C1", line_id="L1")) == {
        "line_id": "L1",
        "data_used_gb": "4.0",
        "data_limit_gb": "5.0",
        "data_refueling_gb": "0.0",
        "cycle_end_date": "2025-02-28",
    }


def test_a_suspended_line_can_be_resumed() -> None:
    environment = fresh()
    suspended = value(
        agent(environment, "suspend_line", customer_id="C1", line_id="L1", reason="vacation")
    )
    assert suspended["message"] == ("Line suspended successfully. $5/month holding fee will apply.")
    assert suspended["line"]["suspension_start_date"] == "2025-02-25"
    resumed = value(agent(environment, "resume_line", customer_id="C1", line_id="L1"))
    assert resumed["message"] == "Line resumed successfully"
    assert (resumed["line"]["status"], resumed["line"]["suspension_start_date"]) == ("Active", None)


def test_roaming_is_switched_once() -> None:
    environment = fresh()
    names = ("enable_roaming", "enable_roaming", "disable_roaming", "disable_roaming")
    assert [agent(environment, name, customer_id="C1", line_id="L1").content for name in names] == [
        "Roaming enabled successfully",
        "Roaming was already enabled",
        "Roaming disabled successfully",
        "Roaming was already disabled",
    ]


def test_refuelled_data_are_charged_to_the_draft_bill() -> None:
    environment = fresh()
    result = agent(environment, "refuel_data", customer_id="C1", line_id="L1", gb_amount=2)
    assert value(result) == {
        "message": "Successfully added 2 GB of data for line L1 for $3.00",
        "new_data_refueling_gb": "2.0",
        "charge": "3.0",
    }
    item = {
        "description": "Data refueling: 2 GB at $1.5/GB",
        "amount": 3.0,
        "date": "2025-02-25",
        "item_type": "Charge",
    }
    assert environment.take_changes() == (
        Change(("bills", 1, "line_items", 0), "add", item),
        Change(("bills", 1, "total_due"), "set", 5.0),
        Change(("lines", 0, "data_refueling_gb"), "set", 2.0),
    )


def test_without_a_draft_bill_there_is_a_new_one_with_the_same_id_in_every_world() -> None:
    ids = set()
    for _ in range(2):
        environment = fresh()
        agent(environment, "refuel_data", customer_id="C2", line_id="L2", gb_amount=1.0)
        customer = value(agent(environment, "get_customer_by_id", customer_id="C2"))
        bill = value(agent(environment, "get_details_by_id", id=customer["bill_ids"][0]))
        assert (bill["status"], bill["total_due"], bill["due_date"]) == ("Draft", 1.5, "2025-03-15")
        ids.add(bill["bill_id"])
    assert len(ids) == 1


def test_handing_over_changes_nothing() -> None:
    environment = fresh()
    result = agent(environment, "transfer_to_human_agents", summary="no idea")
    assert (result.content, environment.take_changes()) == ("Transfer successful", ())


# Both databases in step


def test_nothing_is_in_step_before_the_phone_has_a_number() -> None:
    environment = MAKE(DEFAULT_RULES, {}, {})
    agent(environment, "enable_roaming", customer_id="C1", line_id="L1")
    assert [change.side for change in environment.take_changes()] == ["agent"]


def test_a_number_without_a_line_is_the_failure_of_every_call() -> None:
    environment = fresh()
    with pytest.raises(Exception, match="Line with phone number 1 not found"):
        set_up(environment, "user", "set_user_info", name="Nobody", phone_number="1")
    result = agent(environment, "get_customer_by_id", customer_id="C1")
    assert result.content == "Error: Line with phone number 1 not found"


def test_the_phone_learns_what_happens_to_its_line() -> None:
    environment = fresh()
    agent(environment, "enable_roaming", customer_id="C1", line_id="L1")
    assert environment.take_changes() == (
        Change(("lines", 0, "roaming_enabled"), "set", True),
        Change(("surroundings", "roaming_allowed"), "set", True, "user"),
    )
    set_up(environment, "agent", "set_data_usage", customer_id="C1", line_id="L1", data_used_gb=5.0)
    assert Change(("surroundings", "mobile_data_usage_exceeded"), "set", True, "user") in (
        environment.take_changes()
    )
    agent(environment, "refuel_data", customer_id="C1", line_id="L1", gb_amount=1)
    assert Change(("surroundings", "mobile_data_usage_exceeded"), "set", False, "user") in (
        environment.take_changes()
    )


def test_a_resumed_line_has_no_service_until_the_phone_searches() -> None:
    environment = fresh()
    agent(environment, "suspend_line", customer_id="C1", line_id="L1", reason="")
    assert user(environment, "reboot_device") == f"Restarting network services...\n{OFF_LINE}"
    agent(environment, "resume_line", customer_id="C1", line_id="L1")
    assert user(environment, "check_status_bar") == OFF_LINE
    assert user(environment, "reboot_device") == f"Restarting network services...\n{BAR}"


def test_a_bill_is_asked_for_and_paid() -> None:
    environment = fresh()
    assert user(environment, "check_payment_request") == "No payment request has been made."
    assert user(environment, "make_payment") == "You do not have a payment request."
    sent = agent(environment, "send_payment_request", customer_id="C1", bill_id="B1")
    assert sent.content == "Payment request sent to the customer for bill B1"
    again = agent(environment, "send_payment_request", customer_id="C1", bill_id="B2")
    assert again.content == "Error: A bill is already awaiting payment for this customer"
    assert user(environment, "check_payment_request") == (
        "You have a payment request for bill B1 of 30.0 USD."
    )
    environment.take_changes()
    assert user(environment, "make_payment") == "Payment of 30.0 USD has been made for bill B1."
    assert environment.take_changes() == (
        Change(("bills", 0, "status"), "set", "Paid"),
        Change(("surroundings", "payment_request"), "set", None, "user"),
    )


def test_an_unsynchronized_world_is_the_same_world_out_of_step() -> None:
    environment = fresh()
    loose = environment.unsynchronized()
    loose.call(ToolCall("1", "enable_roaming", {"customer_id": "C1", "line_id": "L1"}))
    assert environment.take_changes() == (Change(("lines", 0, "roaming_enabled"), "set", True),)
    user(environment, "check_status_bar")
    assert environment.take_changes() == (
        Change(("surroundings", "roaming_allowed"), "set", True, "user"),
    )


def test_the_delta_names_records_and_fields() -> None:
    environment = fresh()
    agent(environment, "enable_roaming", customer_id="C1", line_id="L1")
    user(environment, "toggle_data_saver_mode")
    assert {path: text for path, text in environment.delta().items() if "lines" not in path} == {
        ("user", "device", "data_saver_mode"): b"true",
        ("user", "surroundings", "name"): b'"Maren Holt"',
        ("user", "surroundings", "phone_number"): b'"555-0001"',
        ("user", "surroundings", "roaming_allowed"): b"true",
    }
    assert ("agent", "lines", "L1") in environment.delta()


# The user's tools


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("check_network_mode_preference", {}, "Network Mode Preference: 4g_5g_preferred"),
        (
            "set_network_mode_preference",
            {"mode": "4G"},
            f"{NO_SUCH_MODE.format('4G')}\n{BAR}",
        ),
        (
            "run_speed_test",
            {},
            "Speed Test Result: 275.00 Mbps (Excellent). Connection is very fast.",
        ),
        ("check_sim_status", {}, "Your SIM card is active and working."),
        ("reseat_sim_card", {}, f"SIM card re-seated successfully.\n{BAR}"),
        ("toggle_roaming", {}, f"Data Roaming is now ON.\n{BAR}"),
        ("check_data_restriction_status", {}, "Data Saver mode is OFF."),
        (
            "check_apn_settings",
            {},
            APN_SETTINGS,
        ),
        ("reset_apn_settings", {}, f"APN settings will reset at reboot.\n{BAR}"),
        ("check_wifi_status", {}, "Wi-Fi is turned OFF."),
        ("toggle_wifi", {}, f"Wi-Fi is now ON.\n{BAR}"),
        ("check_wifi_calling_status", {}, "Wi-Fi Calling is currently turned OFF."),
        ("toggle_wifi_calling", {}, f"Wi-Fi Calling is now ON.\n{BAR}"),
        ("check_vpn_status", {}, "VPN is turned OFF."),
        ("disconnect_vpn", {}, f"No active VPN connection to disconnect.\n{BAR}"),
        (
            "check_installed_apps",
            {},
            "The following apps are installed on the phone: messaging, clock",
        ),
        (
            "check_app_status",
            {"app_name": "messaging"},
            "Status for App: messaging\n - Permissions Granted:\n   - sms\n   - storage",
        ),
        (
            "check_app_status",
            {"app_name": "clock"},
            "Status for App: clock\n - Permissions: None granted.",
        ),
        ("check_app_status", {"app_name": "x"}, "App 'x' not found on this phone."),
        (
            "check_app_permissions",
            {"app_name": "messaging"},
            "App 'messaging' has permission for: sms, storage.",
        ),
        (
            "check_app_permissions",
            {"app_name": "clock"},
            "App 'clock' currently has no permissions granted.",
        ),
        ("check_app_permissions", {"app_name": "x"}, "App 'x' not found on this phone."),
        (
            "grant_app_permission",
            {"app_name": "clock", "permission": "PHONE"},
            f"Success. Permission 'phone' granted to app 'clock'.\n{BAR}",
        ),
        (
            "grant_app_permission",
            {"app_name": "clock", "permission": "fly"},
            f"{NO_SUCH_PERMISSION}\n{BAR}",
        ),
        (
            "grant_app_permission",
            {"app_name": "x", "permission": "sms"},
            f"Error. App 'x' not found. Cannot grant permission.\n{BAR}",
        ),
        ("can_send_mms", {}, "Your messaging app can send MMS messages."),
    ],
)
@BOTH
def test_what_the_users_tools_say(
    rules: Rules, name: str, arguments: dict[str, object], text: str
) -> None:
    assert user(fresh(rules), name, **arguments) == text


def test_the_network_status_has_a_line_for_everything() -> None:
    assert user(fresh(), "check_network_status").split("\n") == [
        "Airplane Mode: OFF",
        "SIM Card Status: active",
        "Cellular Connection: connected",
        "Cellular Signal: excellent",
        "Cellular Network Type: 5G",
        "Mobile Data Enabled: Yes",
        "Data Roaming Enabled: No",
        "Wi-Fi Radio: OFF",
        "Wi-Fi Connected: No",
    ]


def test_wifi_cannot_be_switched_in_airplane_mode() -> None:
    environment = fresh()
    bar = "Status Bar: ✈️ Airplane Mode | 🔋 63%"
    assert user(environment, "toggle_airplane_mode") == f"Airplane Mode is now ON.\n{bar}"
    assert user(environment, "toggle_wifi") == (
        f"Cannot change Wi-Fi settings while Airplane Mode is ON.\n{bar}"
    )
    assert user(environment, "run_speed_test") == "Speed test failed: No Connection."
    assert user(environment, "toggle_airplane_mode") == f"Airplane Mode is now OFF.\n{BAR}"


def test_what_is_switched_on_is_switched_off_again() -> None:
    environment = fresh()
    user(environment, "toggle_wifi")
    assert user(environment, "check_wifi_status") == "Wi-Fi is ON but not connected to any network."
    assert user(environment, "toggle_wifi") == f"Wi-Fi is now OFF.\n{BAR}"
    assert user(environment, "toggle_data").startswith("Mobile Data is now OFF.")
    assert user(environment, "toggle_data") == f"Mobile Data is now ON.\n{BAR}"
    assert user(environment, "toggle_data_saver_mode").startswith("Data Saver Mode is now ON.")
    assert user(environment, "check_data_restriction_status") == (
        "Data Saver mode is ON (limits data usage)."
    )


def test_a_chosen_mode_is_kept_and_used() -> None:
    environment = fresh()
    bar = "Status Bar: 📶² Fair | 3G | 📱 Data Enabled | 🔋 63%"
    assert user(environment, "set_network_mode_preference", mode="3g_only") == (
        f"Preferred Network Mode set to: 3g_only\n{bar}"
    )


def test_a_broken_vpn_server_stays_slow() -> None:
    environment = fresh()
    assert user(environment, "connect_vpn").startswith("VPN connected successfully.")
    assert user(environment, "connect_vpn") == "VPN already connected."
    assert user(environment, "check_vpn_status") == (
        "VPN is ON and connected. Details: {'server_address': '192.168.1.1', "
        "'protocol': 'OpenVPN', 'server_performance': <PerformanceLevel.EXCELLENT: 'excellent'>}"
    )
    set_up(environment, "user", "break_vpn")
    assert user(environment, "disconnect_vpn") == f"VPN disconnected successfully.\n{BAR}"
    user(environment, "connect_vpn")
    assert user(environment, "check_vpn_status").endswith("<PerformanceLevel.POOR: 'poor'>}")
    assert "EXCELLENT" in user_after_connecting(fresh())


def user_after_connecting(environment: DomainEnvironment) -> str:
    user(environment, "connect_vpn")
    return user(environment, "check_vpn_status")


def test_apn_settings_are_replaced_and_reset_at_reboot() -> None:
    environment = fresh()
    settings = {"mmsc_url": None, "mms_port": 80}
    assert user(environment, "set_apn_settings", apn_settings=settings) == (
        f"APN settings set to: internet\n{BAR}"
    )
    assert "Not Set" in user(environment, "check_apn_settings")
    user(environment, "reset_apn_settings")
    assert user(environment, "reboot_device") == (
        f"Resetting APN settings...\nRestarting network services...\n{BAR}"
    )
    assert "wapenc" in user(environment, "check_apn_settings")


@pytest.mark.parametrize(
    "settings", [{"apn_name": "foo"}, {"bogus": 1}, {"mms_port": "x"}, {"mmsc_url": 5}]
)
@BOTH
def test_damaged_apn_settings_are_refused(rules: Rules, settings: dict[str, object]) -> None:
    environment = fresh(rules)
    result = environment.call(ToolCall("1", "set_apn_settings", {"apn_settings": settings}, "user"))
    assert result.error
    assert result.content.startswith("Error: invalid APN settings")
    assert environment.take_changes() == ()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("set_apn_settings", {"apn_settings": "internet"}),
        ("set_network_mode_preference", {"mode": 5}),
    ],
)
def test_values_of_the_wrong_type_are_stored_only_where_the_reference_stores_them(
    name: str, arguments: dict[str, object]
) -> None:
    for rules, changes in ((DEFAULT_RULES, 0), (TAU2_RULES, 1)):
        environment = fresh(rules)
        assert environment.call(ToolCall("1", name, arguments, "user")).error
        assert (
            len([change for change in environment.take_changes() if change.op == "set"]) >= changes
        )
        assert (len(environment.changes()) > 2) == bool(changes)


def test_no_mode_at_all_is_stored_by_the_reference_and_cannot_be_shown_later() -> None:
    environment = fresh(TAU2_RULES)
    said = user(environment, "set_network_mode_preference", mode=None)
    assert (
        said == f"{NO_SUCH_MODE.format(None)}\nStatus Bar: 📶³ Good | 4G | 📱 Data Enabled | 🔋 63%"
    )
    shown = environment.call(ToolCall("2", "check_network_mode_preference", {}, "user"))
    assert (shown.content, shown.error) == (
        "Error: 'NoneType' object has no attribute 'value'",
        True,
    )


def test_no_mode_at_all_fails_with_no_service_after_a_broken_apn() -> None:
    environment = fresh(TAU2_RULES)
    environment.run_function(FunctionCall("user", "break_apn_settings", {}))
    said = user(environment, "set_network_mode_preference", mode=None)
    bar = "Status Bar: 📵 No Signal | 📵 Data Disabled | 🔋 63%"
    assert said == f"{NO_SUCH_MODE.format(None)}\n{bar}"
    assert environment.call(ToolCall("2", "check_network_mode_preference", {}, "user")).error


def test_no_mode_at_all_is_refused_and_leaves_the_phone_as_it_was() -> None:
    environment = fresh(DEFAULT_RULES)
    assert environment.call(
        ToolCall("1", "set_network_mode_preference", {"mode": None}, "user")
    ).error
    assert user(environment, "check_network_mode_preference").startswith(
        "Network Mode Preference: 4g"
    )


# Set-up and assertions


@pytest.mark.parametrize(
    ("name", "arguments", "bar"),
    [
        ("turn_airplane_mode_on", {}, "✈️ Airplane Mode"),
        ("turn_data_off", {}, "📵 Data Disabled"),
        ("turn_data_saver_mode_on", {}, "🔽 Data Saver"),
        ("unseat_sim_card", {}, "📵 No Signal"),
        ("lock_sim_card", {"mode": "pin"}, "📵 No Signal"),
        ("break_apn_settings", {}, "📵 No Signal"),
        ("simulate_network_search", {}, "📶⁴ Excellent"),
        ("break_vpn", {}, "🔒 VPN Connected"),
    ],
)
def test_set_up_shows_in_the_status_bar(name: str, arguments: dict[str, object], bar: str) -> None:
    environment = fresh()
    set_up(environment, "user", name, **arguments)
    set_up(environment, "user", name, **arguments)
    assert bar in user(environment, "check_status_bar")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("break_apn_mms_setting", {}),
        ("set_wifi_calling", {"enabled": True, "mms_over_wifi": True}),
        ("remove_app_permission", {"app_name": "messaging", "permission": "sms"}),
        ("set_user_location", {"abroad": True}),
    ],
)
def test_what_set_up_breaks_for_picture_messages(name: str, arguments: dict[str, object]) -> None:
    environment = fresh()
    assert set_up(environment, "user", "assert_can_send_mms", expected_status=True) is True
    set_up(environment, "user", name, **arguments)
    assert set_up(environment, "user", "assert_can_send_mms", expected_status=True) is False


def test_abroad_data_need_roaming_on_both_sides() -> None:
    environment = fresh()
    set_up(environment, "user", "set_user_location", abroad=True)
    set_up(environment, "user", "turn_roaming_on")
    set_up(environment, "agent", "enable_roaming", customer_id="C1", line_id="L1")
    assert set_up(environment, "user", "assert_mobile_data_status", expected_status=True) is True
    set_up(environment, "user", "turn_roaming_off")
    assert set_up(environment, "user", "assert_mobile_data_status", expected_status=True) is False


@pytest.mark.parametrize(
    ("expected", "met"),
    [
        ({"expected_speed": 275, "expected_desc": "EXCELLENT"}, True),
        ({"expected_speed": 200}, True),
        ({"expected_speed": 276}, False),
        ({"expected_speed": 200, "expected_desc": "good"}, False),
    ],
)
def test_speed_is_asserted_in_numbers_and_words(expected: dict[str, object], met: bool) -> None:
    environment = fresh()
    assert set_up(environment, "user", "assert_internet_speed", **expected) is met
    set_up(environment, "user", "turn_data_off")
    assert set_up(environment, "user", "assert_internet_speed", **expected) is False


@pytest.mark.parametrize("contract_ended", [True, False])
def test_a_line_is_suspended_over_an_overdue_bill(contract_ended: bool) -> None:
    environment = fresh()
    arguments = {"customer_id": "C1", "line_id": "L1", "new_bill_id": "B7"}
    overdue = "suspend_line_for_overdue_bill"
    set_up(environment, "agent", overdue, **arguments, contract_ended=contract_ended)
    line = value(agent(environment, "get_details_by_id", id="L1"))
    assert (line["status"], line["suspension_start_date"]) == ("Suspended", "2025-02-25")
    assert line["contract_end_date"] == ("2025-01-31" if contract_ended else None)
    bill = value(agent(environment, "get_details_by_id", id="B7"))
    assert (bill["status"], bill["total_due"]) == ("Overdue", 30.0)
    assert bill["line_items"][0]["description"] == "Charge for line L1"
    set_up(environment, "user", "simulate_network_search")
    assert (
        set_up(environment, "user", "assert_service_status", expected_status="no_service") is True
    )
    assert set_up(environment, "agent", "assert_no_overdue_bill", overdue_bill_id="B7") is False
    agent(environment, "send_payment_request", customer_id="C1", bill_id="B7")
    user(environment, "make_payment")
    assert set_up(environment, "agent", "assert_no_overdue_bill", overdue_bill_id="B7") is True


def test_refuelling_is_asserted_by_amount() -> None:
    environment = fresh()
    asked = {"customer_id": "C1", "line_id": "L1", "expected_amount": 2.0}
    assert set_up(environment, "agent", "assert_data_refueling_amount", **asked) is False
    agent(environment, "refuel_data", customer_id="C1", line_id="L1", gb_amount=2.0)
    assert set_up(environment, "agent", "assert_data_refueling_amount", **asked) is True
    assert set_up(environment, "agent", "assert_no_overdue_bill", overdue_bill_id="none") is True


# Arbitrary output of a model

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["C1", "L1", "B1", "messaging", "sms", "2g_only", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)
TOOLS: list[tuple[Role, str]] = [
    (side, name) for side, kinds in TELECOM.kinds.items() for name in kinds
]
TOOLKITS: dict[Role, type[CrmToolsWithSetup | UserToolsWithSetup]] = {
    "agent": CrmToolsWithSetup,
    "user": UserToolsWithSetup,
}
ARGUMENTS = {
    (side, name): list(signature(getattr(toolkit, name)).parameters)[1:]
    for side, toolkit in TOOLKITS.items()
    for name in TELECOM.kinds[side]
}


@given(data=st.data(), rules=st.sampled_from([DEFAULT_RULES, TAU2_RULES]))
def test_no_arguments_of_any_kind_break_a_world(data: st.DataObject, rules: Rules) -> None:
    environment = fresh(rules)
    for side, name in data.draw(st.lists(st.sampled_from(TOOLS), max_size=5)):
        arguments = {argument: data.draw(VALUES) for argument in ARGUMENTS[side, name]}
        before = environment.fingerprint()
        result = environment.call(ToolCall("1", name, arguments, side))
        assert isinstance(result.content, str)
        if result.error and rules is DEFAULT_RULES:
            assert environment.fingerprint() == before
    assert len(environment.delta()) >= 2


# The domain


def test_the_policy_has_two_parts() -> None:
    assert compose_policy(["a", "b"]) == (
        "<main_policy>\na\n</main_policy>\n<tech_support_policy>\nb\n</tech_support_policy>"
    )
