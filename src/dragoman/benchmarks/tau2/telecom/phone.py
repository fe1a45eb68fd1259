"""The user's phone in one world, and what follows from its state: network, speed, MMS."""

from collections.abc import Mapping
from typing import Any

from dragoman.benchmarks.kit.state_shapes import SingleObject
from dragoman.benchmarks.tau2.telecom.phone_records import (
    ApnSettings,
    Device,
    PhoneFile,
    Strength,
    Surroundings,
    Technology,
    VpnDetails,
)

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
    """One world's copy-on-write view of the phone and its surroundings.

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
        """What surrounds it now."""
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
        """Return megabits per second, None where there is no connection, and a word for it."""
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
