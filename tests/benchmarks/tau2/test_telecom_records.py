"""The phone's two renderings: sentences and records of the same phone."""

import json

import pytest

from dragoman.benchmarks.tau2.domains.telecom_phone import (
    ApnSettings,
    AppPermissions,
    AppStatus,
    Device,
    PaymentRequest,
    Phone,
    PhoneFile,
    Surroundings,
)
from dragoman.benchmarks.tau2.domains.telecom_user_tools import UserTools
from dragoman.core.rules import DEFAULT_RULES, rules_with_record_answers

PHONE = PhoneFile(
    Device(
        sim_card_status="active",
        sim_card_missing=False,
        airplane_mode=True,
        network_signal_strength="none",
        network_technology_connected="none",
        network_connection_status="no_service",
        battery_level=80,
        data_enabled=True,
        roaming_enabled=False,
        network_mode_preference="4g_5g_preferred",
        active_apn_settings=ApnSettings(),
        wifi_enabled=False,
        wifi_connected=False,
        wifi_signal_strength="none",
        wifi_calling_enabled=False,
        wifi_calling_mms_over_wifi=False,
        data_saver_mode=False,
        vpn_enabled_setting=False,
        vpn_connected=False,
        app_statuses={"messaging": AppStatus("messaging", AppPermissions(sms=True))},
    ),
    Surroundings(payment_request=PaymentRequest("B1", 65.0)),
)
BAR = {
    "airplane_mode": True,
    "signal_strength": "none",
    "network_technology": "none",
    "mobile_data_enabled": True,
    "data_saver_mode": False,
    "wifi_enabled": False,
    "wifi_connected": False,
    "wifi_ssid": None,
    "vpn_connected": False,
    "battery_level": 80,
}
PERMISSIONS = {"sms": True, "storage": False, "phone": False, "network": False}
ARGUMENTS: dict[str, dict[str, object]] = {
    "set_network_mode_preference": {"mode": "4g_only"},
    "set_apn_settings": {"apn_settings": {"apn_name": "internet"}},
    "check_app_status": {"app_name": "messaging"},
    "check_app_permissions": {"app_name": "messaging"},
    "grant_app_permission": {"app_name": "messaging", "permission": "storage"},
}


@pytest.mark.parametrize(
    ("tool", "arguments", "record"),
    [
        ("check_status_bar", {}, {"status_bar": BAR}),
        ("check_sim_status", {}, {"sim_status": "active"}),
        (
            "toggle_wifi",
            {},
            {
                "success": False,
                "error_code": "airplane_mode_on",
                "wifi_enabled": False,
                "status_bar": BAR,
            },
        ),
        (
            "set_network_mode_preference",
            {"mode": "5g_only"},
            {
                "success": False,
                "error_code": "invalid_network_mode",
                "provided_mode": "5g_only",
                "valid_modes": ["4g_5g_preferred", "4g_only", "3g_only", "2g_only"],
                "status_bar": BAR,
            },
        ),
        (
            "check_app_permissions",
            {"app_name": "messaging"},
            {
                "found": True,
                "app_name": "messaging",
                "permissions": PERMISSIONS,
                "allowed_permissions": ["sms"],
            },
        ),
        (
            "check_app_status",
            {"app_name": "radio"},
            {"found": False, "app_name": "radio", "error_code": "app_not_found"},
        ),
        (
            "grant_app_permission",
            {"app_name": "radio", "permission": "SMS"},
            {
                "success": False,
                "app_name": "radio",
                "permission": "sms",
                "permissions": None,
                "error_code": "app_not_found",
                "status_bar": BAR,
            },
        ),
        (
            "run_speed_test",
            {},
            {
                "success": False,
                "error_code": "no_connection",
                "speed_mbps": None,
                "performance": "unknown",
            },
        ),
        (
            "check_payment_request",
            {},
            {"payment_request_exists": True, "bill_id": "B1", "amount_due": 65.0, "paid": False},
        ),
    ],
)
def test_the_phone_answers_with_records(
    tool: str, arguments: dict[str, object], record: dict[str, object]
) -> None:
    tools = UserTools(Phone(PHONE), rules_with_record_answers(DEFAULT_RULES))
    answer = json.loads(getattr(tools, tool)(**arguments))
    assert answer == record
    assert list(answer) == list(record)


@pytest.mark.parametrize("tool", UserTools.KINDS)
def test_every_tool_has_both_renderings_and_changes_the_phone_alike(tool: str) -> None:
    reported, recorded = Phone(PHONE), Phone(PHONE)
    arguments = ARGUMENTS.get(tool, {})
    sentence = getattr(UserTools(reported, DEFAULT_RULES), tool)(**arguments)
    record = getattr(UserTools(recorded, rules_with_record_answers(DEFAULT_RULES)), tool)(
        **arguments
    )
    assert sentence[:1] != "{"
    assert isinstance(json.loads(record), dict)
    assert (reported.device, reported.surroundings) == (recorded.device, recorded.surroundings)
