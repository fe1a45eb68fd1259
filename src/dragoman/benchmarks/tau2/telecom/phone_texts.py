"""What the phone says of itself: the reference's sentences, and parts of records."""

import msgspec

from dragoman.benchmarks.tau2.telecom.phone_records import (
    PERMISSIONS,
    AppStatus,
    Device,
    VpnDetails,
)

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
