"""The user's simulated phone in telecom: device state, derived network state, and displays.

Network, speed and MMS follow from the state. Texts and the status bar are the reference's.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from dragoman.benchmarks.kit.tables import SingleObject

Technology = Literal["none", "2G", "3G", "4G", "5G"]
Strength = Literal["none", "poor", "fair", "good", "excellent"]
Performance = Literal["unknown", "poor", "fair", "good", "excellent"]

NETWORK_MODES = ("4g_5g_preferred", "4g_only", "3g_only", "2g_only")
PERMISSIONS = ("sms", "storage", "phone", "network")


class ApnSettings(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Settings of the provider's data network; the defaults are the provider's."""

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
    """Permissions of an app; the fields are those of PERMISSIONS."""

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
    """The phone's owner and place, and the effects of the provider's side on the phone."""

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


NO_CONNECTION = "No Connection"

_MEGABITS: Mapping[Technology, tuple[float, float]] = {
    "none": (0.0, 0.0),
    "2G": (0.1, 0.4),
    "3G": (1.0, 5.0),
    "4G": (10.0, 100.0),
    "5G": (50.0, 500.0),
}
_SIGNAL_FACTORS: Mapping[Strength, float] = {
    "none": 0.0,
    "poor": 0.2,
    "fair": 0.5,
    "good": 0.8,
    "excellent": 1.0,
}
_POOR_VPN_FACTOR = 0.1
_DATA_SAVER_FACTOR = 0.2
_SPEED_LABELS = ((1, "Very Poor"), (5, "Poor"), (25, "Fair"), (100, "Good"))


class Phone:
    """One environment's copy-on-write view of the phone and its surroundings.

    `vpn_details` is what the next VPN connection gets: once broken, the server stays so.
    """

    __slots__ = ("_device", "_surroundings", "vpn_details")

    def __init__(self, data: PhoneFile) -> None:
        self._device = SingleObject(data.device)
        self._surroundings = SingleObject(data.surroundings)
        self.vpn_details = VpnDetails()

    @property
    def device(self) -> Device:
        """The phone as it is now."""
        return self._device.record

    @property
    def surroundings(self) -> Surroundings:
        """The current surroundings."""
        return self._surroundings.record

    @property
    def apn(self) -> ApnSettings:
        """The settings in use."""
        return self._device.record.active_apn_settings

    def by_name(self) -> tuple[tuple[str, SingleObject[Any]], ...]:
        """Return the objects with their names in the database, sorted by name."""
        return (("device", self._device), ("surroundings", self._surroundings))

    def set(self, **fields: object) -> None:
        """Replace fields of the phone."""
        self._device.set(**fields)

    def surround(self, **fields: object) -> None:
        """Replace fields of the surroundings."""
        self._surroundings.set(**fields)

    # The mobile network

    def search_network(self) -> None:
        """Connect to the network that SIM card, preference and switches allow now."""
        may_connect = (
            self.apn.apn_name != "broken"
            and self.surroundings.line_active
            and self.sim_status == "active"
            and not self.device.airplane_mode
        )
        if may_connect:
            technology = self._preferred_technology()
            self._connect("connected", technology, self._signal(technology))
        else:
            self._connect("no_service", "none", "none")

    @property
    def sim_status(self) -> str:
        """The SIM card's status as the phone sees it."""
        return "missing" if self.device.sim_card_missing else self.device.sim_card_status

    def _connect(self, status: str, technology: Technology, signal: Strength) -> None:
        self.set(
            network_connection_status=status,
            network_technology_connected=technology,
            network_signal_strength=signal,
        )

    def _preferred_technology(self) -> Technology:
        match self.device.network_mode_preference:
            case "4g_5g_preferred":
                return "4G" if self._signal("5G") == "none" else "5G"
            case "3g_only":
                return "3G"
            case "2g_only":
                return "2G"
            case _:
                return "4G"

    def _signal(self, technology: Technology) -> Strength:
        return self.surroundings.signal_strength.get(technology, "none")

    # What works

    @property
    def mobile_data_works(self) -> bool:
        """Whether the phone reaches the internet over the mobile network."""
        device, surroundings = self.device, self.surroundings
        has_signal = (
            not device.airplane_mode
            and device.network_signal_strength != "none"
            and device.network_connection_status != "no_service"
        )
        may_roam = device.roaming_enabled and surroundings.roaming_allowed
        may_connect = may_roam or not surroundings.is_abroad
        has_data = device.data_enabled and not surroundings.mobile_data_usage_exceeded
        return has_signal and may_connect and has_data

    @property
    def can_send_mms(self) -> bool:
        """Whether the messaging app can send picture messages."""
        device = self.device
        if not self.mobile_data_works or device.network_technology_connected == "2G":
            return False
        if device.wifi_calling_enabled and device.wifi_calling_mms_over_wifi:
            return False
        if self.apn.mmsc_url is None:
            return False
        app = device.app_statuses.get("messaging")
        return app is not None and app.permissions.storage and app.permissions.sms

    def speed_test(self) -> tuple[float | None, str]:
        """Return megabits per second (None without a connection) and a word for the speed."""
        if not self.mobile_data_works:
            return None, NO_CONNECTION
        device = self.device
        factor = 1.0
        vpn = device.vpn_details
        if device.vpn_connected and vpn is not None and vpn.server_performance == "poor":
            factor *= _POOR_VPN_FACTOR
        if device.data_saver_mode:
            factor *= _DATA_SAVER_FACTOR
        low, high = _MEGABITS[device.network_technology_connected]
        signal_factor = _SIGNAL_FACTORS[device.network_signal_strength]
        speed = round((low + high) / 2 * signal_factor * factor, 2)
        return speed, next((word for bound, word in _SPEED_LABELS if speed < bound), "Excellent")

    # Switches that tools and set-up share

    def switch_airplane_mode(self, on: bool) -> None:
        """Switch airplane mode, which drops Wi-Fi and VPN connections."""
        self.set(airplane_mode=on)
        if on or self.device.wifi_enabled:
            self.drop_wifi()
        if on:
            self.disconnect_vpn()
        self.search_network()

    def switch_roaming(self, on: bool) -> None:
        """Switch data roaming."""
        self.set(roaming_enabled=on)
        self.search_network()

    def switch_data(self, on: bool) -> None:
        """Switch mobile data."""
        self.set(data_enabled=on)
        self.search_network()

    def drop_wifi(self) -> None:
        """Lose the Wi-Fi connection."""
        self.set(wifi_connected=False, wifi_ssid=None, wifi_signal_strength="none")

    def connect_vpn(self) -> bool:
        """Connect to the VPN; return False where it was connected already."""
        if self.device.vpn_connected:
            return False
        self.set(vpn_connected=True, vpn_details=self.vpn_details)
        return True

    def disconnect_vpn(self) -> bool:
        """Disconnect from the VPN; return False where it was not connected."""
        if not self.device.vpn_connected:
            return False
        self.set(vpn_connected=False, vpn_details=None)
        return True


SIM_TEXTS = {
    "active": "Your SIM card is active and working.",
    "missing": "No SIM card detected in the phone.",
    "locked_pin": "The SIM card is locked with a PIN code.",
    "locked_puk": "The SIM card is locked with a PUK code.",
}
SPEED_ADVICE = {
    "Very Poor": "Connection is very slow. Basic web browsing might be difficult.",
    "Poor": "Connection is slow. Web browsing may be sluggish, streaming difficult.",
    "Fair": "Connection is okay for web browsing and some standard definition streaming.",
    "Good": "Connection is good for most activities, including HD streaming.",
    "Excellent": "Connection is very fast.",
}


def on_or_off(state: bool) -> str:
    """Return how the phone writes a switch."""
    return "ON" if state else "OFF"


def yes_or_no(state: bool) -> str:
    """Return how the phone writes a yes or a no."""
    return "Yes" if state else "No"


def granted_permissions(app: AppStatus) -> list[str]:
    """Return what an app may do."""
    return [name for name in PERMISSIONS if getattr(app.permissions, name)]


def app_record(app: AppStatus) -> dict[str, object]:
    """Return what the phone shows of an app."""
    return {
        "found": True,
        "app_name": app.app_name,
        "permissions": msgspec.structs.asdict(app.permissions),
        "allowed_permissions": granted_permissions(app),
    }


def wifi_text(device: Device) -> str:
    """Return the state of Wi-Fi in words."""
    if not device.wifi_enabled:
        return "Wi-Fi is turned OFF."
    if not device.wifi_connected:
        return "Wi-Fi is ON but not connected to any network."
    return (
        f"Wi-Fi is ON and connected to '{device.wifi_ssid}'. "
        f"Signal strength: {device.wifi_signal_strength}."
    )


def vpn_text(device: Device) -> str:
    """Return the state of the VPN in words."""
    if device.vpn_connected and device.vpn_details is not None:
        return f"VPN is ON and connected. Details: {_details_text(device.vpn_details)}"
    if device.vpn_enabled_setting:
        return "VPN is turned ON in settings, but currently not connected."
    return "VPN is turned OFF."


def _details_text(vpn: VpnDetails) -> str:
    """Return the details as the reference prints them: a Python dictionary with an enum member."""
    level = vpn.server_performance
    return (
        f"{{'server_address': {vpn.server_address!r}, 'protocol': {vpn.protocol!r}, "
        f"'server_performance': <PerformanceLevel.{level.upper()}: {level!r}>}}"
    )


_SIGNALS: Mapping[Strength, str] = {
    "none": "📵 No Signal",
    "poor": "📶¹ Poor",
    "fair": "📶² Fair",
    "good": "📶³ Good",
    "excellent": "📶⁴ Excellent",
}


def status_bar(device: Device) -> str:
    """Return the bar as one line."""
    return f"Status Bar: {' | '.join(_parts(device))}"


def status_bar_record(device: Device) -> dict[str, object]:
    """Return what the bar shows as a record."""
    return {
        "airplane_mode": device.airplane_mode,
        "signal_strength": device.network_signal_strength,
        "network_technology": device.network_technology_connected,
        "mobile_data_enabled": device.data_enabled,
        "data_saver_mode": device.data_saver_mode,
        "wifi_enabled": device.wifi_enabled,
        "wifi_connected": device.wifi_connected,
        "wifi_ssid": device.wifi_ssid,
        "vpn_connected": device.vpn_connected,
        "battery_level": device.battery_level,
    }


def _parts(device: Device) -> Iterator[str]:
    if device.airplane_mode:
        yield "✈️ Airplane Mode"
    else:
        yield from _network_parts(device)
    if device.wifi_enabled and device.wifi_connected:
        yield f"📡 Connected to {device.wifi_ssid}" if device.wifi_ssid else "📡 Enabled"
    if device.vpn_connected:
        yield "🔒 VPN Connected"
    yield f"🔋 {device.battery_level}%"


def _network_parts(device: Device) -> Iterator[str]:
    yield _SIGNALS[device.network_signal_strength]
    connected = device.network_technology_connected != "none"
    if connected:
        yield device.network_technology_connected
    if connected and device.data_enabled:
        yield "📱 Data Enabled"
        if device.data_saver_mode:
            yield "🔽 Data Saver"
    else:
        yield "📵 Data Disabled"
