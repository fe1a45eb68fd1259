"""The records of the user's database: the phone and what surrounds it."""

from typing import Literal

import msgspec

Technology = Literal["none", "2G", "3G", "4G", "5G"]
Strength = Literal["none", "poor", "fair", "good", "excellent"]
Performance = Literal["unknown", "poor", "fair", "good", "excellent"]

NETWORK_MODES = ("4g_5g_preferred", "4g_only", "3g_only", "2g_only")
PERMISSIONS = ("sms", "storage", "phone", "network")


class ApnSettings(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """How the phone reaches the provider's data network; the defaults are the provider's."""

    apn_name: Literal["internet", "broken"] = "internet"
    reset_at_reboot: bool = False
    mms_apn: str | None = "mms"
    mmsc_url: str | None = "http://mms.carrier.com/mms/wapenc"
    mms_proxy: str | None = None
    mms_port: int | None = None


class VpnDetails(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The server of a VPN connection."""

    server_address: str = "192.168.1.1"
    protocol: str = "OpenVPN"
    server_performance: Performance = "excellent"


class AppPermissions(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What an app may do; the fields are those of PERMISSIONS."""

    sms: bool = False
    storage: bool = False
    phone: bool = False
    network: bool = False


class AppStatus(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """An installed app."""

    app_name: str
    permissions: AppPermissions = AppPermissions()


class Device(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The phone's switches and what it shows."""

    sim_card_status: Literal["active", "missing", "locked_pin", "locked_puk"]
    sim_card_missing: bool
    airplane_mode: bool
    network_signal_strength: Strength
    network_technology_connected: Technology
    network_connection_status: Literal["connected", "searching", "no_service", "emergency_only"]
    battery_level: int
    data_enabled: bool
    roaming_enabled: bool
    network_mode_preference: str
    active_apn_settings: ApnSettings
    wifi_enabled: bool
    wifi_connected: bool
    wifi_signal_strength: Strength
    wifi_calling_enabled: bool
    wifi_calling_mms_over_wifi: bool
    data_saver_mode: bool
    vpn_enabled_setting: bool
    vpn_connected: bool
    app_statuses: dict[str, AppStatus]
    wifi_ssid: str | None = None
    vpn_details: VpnDetails | None = None


class PaymentRequest(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A bill that the provider asks the user to pay."""

    bill_id: str
    amount_due: float
    paid: bool = False


class Surroundings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whose phone it is, where, and what the provider's side means for it."""

    name: str | None = None
    phone_number: str | None = None
    is_abroad: bool = False
    roaming_allowed: bool = False
    signal_strength: dict[str, Strength] = msgspec.field(
        default_factory=lambda: {"2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent"}
    )
    mobile_data_usage_exceeded: bool = False
    line_active: bool = True
    payment_request: PaymentRequest | None = None


class PhoneFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The database file."""

    device: Device
    surroundings: Surroundings = msgspec.field(default_factory=Surroundings)
