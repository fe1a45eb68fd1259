from typing import Any

import msgspec
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
    VpnDetails,
    status_bar,
)

WORKING = Device(
    sim_card_status="active",
    sim_card_missing=False,
    airplane_mode=False,
    network_signal_strength="excellent",
    network_technology_connected="5G",
    network_connection_status="connected",
    battery_level=63,
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
    app_statuses={"messaging": AppStatus("messaging", AppPermissions(sms=True, storage=True))},
)
NONE = ("no_service", "none", "none")


def phone(**fields: Any) -> Phone:  # noqa: ANN401 - fields of either record
    """Return a working phone with fields of it, or of its surroundings, replaced."""
    known = set(Device.__struct_fields__)
    made = Phone(PhoneFile(WORKING))
    made.set(**{name: value for name, value in fields.items() if name in known})
    made.surround(**{name: value for name, value in fields.items() if name not in known})
    return made


def network(found: Phone) -> tuple[str, str, str]:
    found.search_network()
    device = found.device
    return (
        device.network_connection_status,
        device.network_technology_connected,
        device.network_signal_strength,
    )


@pytest.mark.parametrize(
    ("preference", "expected"),
    [
        ("4g_5g_preferred", ("connected", "5G", "excellent")),
        ("4g_only", ("connected", "4G", "good")),
        ("3g_only", ("connected", "3G", "fair")),
        ("2g_only", ("connected", "2G", "poor")),
        (["of no", "kind"], ("connected", "4G", "good")),
    ],
)
def test_a_search_follows_the_preference(
    preference: object, expected: tuple[str, str, str]
) -> None:
    assert network(phone(network_mode_preference=preference)) == expected


def test_without_5g_around_the_phone_takes_4g() -> None:
    around = {"4G": "fair", "5G": "none"}
    assert network(phone(signal_strength=around)) == ("connected", "4G", "fair")


def test_a_technology_that_is_not_around_has_no_signal() -> None:
    found = phone(signal_strength={}, network_mode_preference="3g_only")
    assert network(found) == ("connected", "3G", "none")


@pytest.mark.parametrize(
    "fields",
    [
        {"sim_card_missing": True},
        {"sim_card_status": "locked_puk"},
        {"airplane_mode": True},
        {"active_apn_settings": ApnSettings(apn_name="broken")},
        {"line_active": False},
    ],
)
def test_what_keeps_a_phone_off_the_network(fields: dict[str, object]) -> None:
    assert network(phone(**fields)) == NONE


@pytest.mark.parametrize(
    ("fields", "works"),
    [
        ({}, True),
        ({"data_enabled": False}, False),
        ({"mobile_data_usage_exceeded": True}, False),
        ({"airplane_mode": True}, False),
        ({"network_signal_strength": "none"}, False),
        ({"network_connection_status": "no_service"}, False),
        ({"is_abroad": True}, False),
        ({"is_abroad": True, "roaming_enabled": True}, False),
        ({"is_abroad": True, "roaming_allowed": True}, False),
        ({"is_abroad": True, "roaming_enabled": True, "roaming_allowed": True}, True),
    ],
)
def test_when_mobile_data_works(fields: dict[str, object], works: bool) -> None:
    assert phone(**fields).mobile_data_works == works


SLOW = {"vpn_connected": True, "vpn_details": VpnDetails(server_performance="poor")}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, (275.0, "Excellent")),
        ({"network_signal_strength": "good"}, (220.0, "Excellent")),
        (
            {"network_technology_connected": "4G", "network_signal_strength": "good"},
            (44.0, "Good"),
        ),
        ({"data_saver_mode": True}, (55.0, "Good")),
        (SLOW, (27.5, "Good")),
        ({"vpn_connected": True, "vpn_details": VpnDetails()}, (275.0, "Excellent")),
        ({**SLOW, "data_saver_mode": True}, (5.5, "Fair")),
        (
            {"network_technology_connected": "3G", "network_signal_strength": "fair"},
            (1.5, "Poor"),
        ),
        (
            {"network_technology_connected": "2G", "network_signal_strength": "poor"},
            (0.05, "Very Poor"),
        ),
        ({"data_enabled": False}, (None, "No Connection")),
    ],
)
def test_the_speed_of_a_connection(
    fields: dict[str, object], expected: tuple[float | None, str]
) -> None:
    assert phone(**fields).speed_test() == expected


@pytest.mark.parametrize(
    ("fields", "can"),
    [
        ({}, True),
        ({"data_enabled": False}, False),
        ({"network_technology_connected": "2G"}, False),
        ({"wifi_calling_enabled": True}, True),
        ({"wifi_calling_mms_over_wifi": True}, True),
        ({"wifi_calling_enabled": True, "wifi_calling_mms_over_wifi": True}, False),
        ({"active_apn_settings": ApnSettings(mmsc_url=None)}, False),
        ({"app_statuses": {}}, False),
        ({"app_statuses": {"messaging": AppStatus("messaging", AppPermissions(sms=True))}}, False),
        (
            {"app_statuses": {"messaging": AppStatus("messaging", AppPermissions(storage=True))}},
            False,
        ),
    ],
)
def test_when_picture_messages_can_be_sent(fields: dict[str, object], can: bool) -> None:
    assert phone(**fields).can_send_mms == can


@pytest.mark.parametrize(
    ("fields", "bar"),
    [
        ({}, "📶⁴ Excellent | 5G | 📱 Data Enabled | 🔋 63%"),
        ({"network_signal_strength": "good"}, "📶³ Good | 5G | 📱 Data Enabled | 🔋 63%"),
        ({"network_signal_strength": "fair"}, "📶² Fair | 5G | 📱 Data Enabled | 🔋 63%"),
        ({"network_signal_strength": "poor"}, "📶¹ Poor | 5G | 📱 Data Enabled | 🔋 63%"),
        (
            {"network_signal_strength": "none", "network_technology_connected": "none"},
            "📵 No Signal | 📵 Data Disabled | 🔋 63%",
        ),
        ({"airplane_mode": True, "data_saver_mode": True}, "✈️ Airplane Mode | 🔋 63%"),
        (
            {"data_saver_mode": True},
            "📶⁴ Excellent | 5G | 📱 Data Enabled | 🔽 Data Saver | 🔋 63%",
        ),
        (
            {"data_enabled": False, "data_saver_mode": True},
            "📶⁴ Excellent | 5G | 📵 Data Disabled | 🔋 63%",
        ),
        (
            {"wifi_enabled": True, "wifi_connected": True, "wifi_ssid": "home"},
            "📶⁴ Excellent | 5G | 📱 Data Enabled | 📡 Connected to home | 🔋 63%",
        ),
        (
            {"wifi_enabled": True, "wifi_connected": True},
            "📶⁴ Excellent | 5G | 📱 Data Enabled | 📡 Enabled | 🔋 63%",
        ),
        (
            {"wifi_enabled": True, "vpn_connected": True},
            "📶⁴ Excellent | 5G | 📱 Data Enabled | 🔒 VPN Connected | 🔋 63%",
        ),
    ],
)
def test_what_the_status_bar_shows(fields: dict[str, object], bar: str) -> None:
    assert status_bar(phone(**fields).device) == f"Status Bar: {bar}"


def test_airplane_mode_drops_wifi_and_vpn() -> None:
    flying = phone(
        wifi_enabled=True, wifi_connected=True, wifi_ssid="home", wifi_signal_strength="good"
    )
    flying.connect_vpn()
    flying.switch_airplane_mode(True)
    expected = msgspec.structs.replace(
        WORKING,
        airplane_mode=True,
        wifi_enabled=True,
        network_connection_status="no_service",
        network_technology_connected="none",
        network_signal_strength="none",
    )
    assert flying.device == expected


def test_a_phone_changes_in_its_own_world_only() -> None:
    data = PhoneFile(WORKING, Surroundings(payment_request=PaymentRequest("B1", 5.0)))
    Phone(data).switch_data(False)
    assert Phone(data).device is WORKING
