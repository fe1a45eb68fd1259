"""The phone's status bar."""

from collections.abc import Iterator, Mapping

from dragoman.benchmarks.tau2.telecom.phone_records import Device, Strength

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
