"""The user's 30 tools on the phone, with the reference's texts.

Most failures are told in words and are no errors. Where arguments are not validated, two tools
store a value of the wrong type before they fail, as the reference does.
"""

from typing import ClassVar

import msgspec
from msgspec.structs import replace

from dragoman.benchmarks.tau2.telecom.phone import Phone
from dragoman.benchmarks.tau2.telecom.phone_records import (
    NETWORK_MODES,
    PERMISSIONS,
    ApnSettings,
    AppStatus,
    VpnDetails,
)
from dragoman.benchmarks.tau2.telecom.status_bar import status_bar
from dragoman.core.errors import ToolError
from dragoman.core.rules import Rules
from dragoman.core.tools import ToolKind

_SIM_TEXTS = {
    "active": "Your SIM card is active and working.",
    "missing": "No SIM card detected in the phone.",
    "locked_pin": "The SIM card is locked with a PIN code.",
    "locked_puk": "The SIM card is locked with a PUK code.",
}
_SPEED_ADVICE = {
    "Very Poor": "Connection is very slow. Basic web browsing might be difficult.",
    "Poor": "Connection is slow. Web browsing may be sluggish, streaming difficult.",
    "Fair": "Connection is okay for web browsing and some standard definition streaming.",
    "Good": "Connection is good for most activities, including HD streaming.",
    "Excellent": "Connection is very fast.",
}


class UserTools:
    """The user's toolkit on one world's phone; every method named in KINDS is a tool."""

    KINDS: ClassVar[dict[str, ToolKind]] = {
        "can_send_mms": "read",
        "check_apn_settings": "read",
        "check_app_permissions": "read",
        "check_app_status": "read",
        "check_data_restriction_status": "read",
        "check_installed_apps": "read",
        "check_network_mode_preference": "read",
        "check_network_status": "read",
        "check_payment_request": "read",
        "check_sim_status": "read",
        "check_status_bar": "read",
        "check_vpn_status": "read",
        "check_wifi_calling_status": "read",
        "check_wifi_status": "read",
        "connect_vpn": "write",
        "disconnect_vpn": "write",
        "grant_app_permission": "write",
        "make_payment": "write",
        "reboot_device": "write",
        "reseat_sim_card": "write",
        "reset_apn_settings": "write",
        "run_speed_test": "read",
        "set_apn_settings": "write",
        "set_network_mode_preference": "write",
        "toggle_airplane_mode": "write",
        "toggle_data": "write",
        "toggle_data_saver_mode": "write",
        "toggle_roaming": "write",
        "toggle_wifi": "write",
        "toggle_wifi_calling": "write",
    }

    def __init__(self, phone: Phone, rules: Rules) -> None:
        self._phone = phone
        self._strict = rules.arguments_are_validated

    # The mobile network

    def check_status_bar(self) -> str:
        """Show the status bar."""
        return status_bar(self._phone.device)

    def check_network_status(self) -> str:
        """Show the state of all connections."""
        device = self._phone.device
        lines = [
            f"Airplane Mode: {_on(device.airplane_mode)}",
            f"SIM Card Status: {self._phone.sim_status}",
            f"Cellular Connection: {device.network_connection_status}",
            f"Cellular Signal: {device.network_signal_strength}",
            f"Cellular Network Type: {device.network_technology_connected}",
            f"Mobile Data Enabled: {_yes(device.data_enabled)}",
            f"Data Roaming Enabled: {_yes(device.roaming_enabled)}",
            f"Wi-Fi Radio: {_on(device.wifi_enabled)}",
            f"Wi-Fi Connected: {_yes(device.wifi_connected)}",
        ]
        if device.wifi_connected:
            lines.append(f"Connected Wi-Fi Network: {device.wifi_ssid}")
        return "\n".join(lines)

    def check_network_mode_preference(self) -> str:
        """Show which networks the phone prefers."""
        return f"Network Mode Preference: {self._phone.device.network_mode_preference}"

    def set_network_mode_preference(self, mode: object) -> str:
        """Choose which networks the phone prefers."""
        if isinstance(mode, str) and mode not in NETWORK_MODES:
            return self._with_bar(_no_such_mode(mode))
        if self._strict and not isinstance(mode, str):
            raise ToolError("mode must be a string")
        self._phone.set(network_mode_preference=mode)
        self._phone.search_network()
        if mode is None:
            return self._with_bar(_no_such_mode(mode))
        if not isinstance(mode, str):
            raise ToolError("the mode is not a string")
        return self._with_bar(f"Preferred Network Mode set to: {mode}")

    def run_speed_test(self) -> str:
        """Measure the mobile connection."""
        speed, word = self._phone.speed_test()
        if speed is None:
            return f"Speed test failed: {word}."
        return f"Speed Test Result: {speed:.2f} Mbps ({word}). {_SPEED_ADVICE[word]}"

    def toggle_airplane_mode(self) -> str:
        """Flip airplane mode."""
        on = not self._phone.device.airplane_mode
        self._phone.switch_airplane_mode(on)
        return self._with_bar(f"Airplane Mode is now {_on(on)}.")

    def toggle_data(self) -> str:
        """Flip mobile data."""
        on = not self._phone.device.data_enabled
        self._phone.switch_data(on)
        return self._with_bar(f"Mobile Data is now {_on(on)}.")

    def toggle_roaming(self) -> str:
        """Flip data roaming."""
        on = not self._phone.device.roaming_enabled
        self._phone.switch_roaming(on)
        return self._with_bar(f"Data Roaming is now {_on(on)}.")

    def check_data_restriction_status(self) -> str:
        """Show whether data saver mode is on."""
        if self._phone.device.data_saver_mode:
            return "Data Saver mode is ON (limits data usage)."
        return "Data Saver mode is OFF."

    def toggle_data_saver_mode(self) -> str:
        """Flip data saver mode."""
        on = not self._phone.device.data_saver_mode
        self._phone.set(data_saver_mode=on)
        return self._with_bar(f"Data Saver Mode is now {_on(on)}.")

    # SIM card, APN and restarting

    def check_sim_status(self) -> str:
        """Show the SIM card's status."""
        return _SIM_TEXTS[self._phone.sim_status]

    def reseat_sim_card(self) -> str:
        """Take the SIM card out and put it back."""
        self._phone.set(sim_card_missing=False)
        self._phone.search_network()
        return self._with_bar("SIM card re-seated successfully.")

    def check_apn_settings(self) -> str:
        """Show the settings of the data network."""
        apn = self._phone.apn
        url = "Not Set" if apn.mmsc_url is None else apn.mmsc_url
        return (
            f"Current APN Name: {apn.apn_name}\nMMSC URL (for picture messages): {url}\n"
            "(These are technical settings, usually best left unchanged.)"
        )

    def set_apn_settings(self, apn_settings: object) -> str:
        """Replace the settings of the data network."""
        settings = apn_settings
        if isinstance(settings, dict):
            settings = self._read_apn_settings(settings)
        elif self._strict:
            raise ToolError("apn_settings must be an object")
        self._phone.set(active_apn_settings=settings)
        self._phone.search_network()
        return self._with_bar(f"APN settings set to: {self._phone.apn.apn_name}")

    def reset_apn_settings(self) -> str:
        """Let the next restart bring the provider's settings back."""
        self._phone.set(active_apn_settings=replace(self._phone.apn, reset_at_reboot=True))
        self._phone.search_network()
        return self._with_bar("APN settings will reset at reboot.")

    def reboot_device(self) -> str:
        """Restart the phone."""
        lines = ["Restarting network services..."]
        if self._phone.apn.reset_at_reboot:
            lines.insert(0, "Resetting APN settings...")
            self._phone.set(active_apn_settings=ApnSettings())
        self._phone.search_network()
        return self._with_bar("\n".join(lines))

    # Wi-Fi and VPN

    def check_wifi_status(self) -> str:
        """Show the state of Wi-Fi."""
        device = self._phone.device
        if not device.wifi_enabled:
            return "Wi-Fi is turned OFF."
        if not device.wifi_connected:
            return "Wi-Fi is ON but not connected to any network."
        return (
            f"Wi-Fi is ON and connected to '{device.wifi_ssid}'. "
            f"Signal strength: {device.wifi_signal_strength}."
        )

    def toggle_wifi(self) -> str:
        """Flip the Wi-Fi radio, which connects to nothing by itself."""
        if self._phone.device.airplane_mode:
            return self._with_bar("Cannot change Wi-Fi settings while Airplane Mode is ON.")
        on = not self._phone.device.wifi_enabled
        self._phone.set(wifi_enabled=on)
        if not on:
            self._phone.drop_wifi()
        return self._with_bar(f"Wi-Fi is now {_on(on)}.")

    def check_wifi_calling_status(self) -> str:
        """Show whether Wi-Fi calling is on."""
        return f"Wi-Fi Calling is currently turned {_on(self._phone.device.wifi_calling_enabled)}."

    def toggle_wifi_calling(self) -> str:
        """Flip Wi-Fi calling."""
        on = not self._phone.device.wifi_calling_enabled
        self._phone.set(wifi_calling_enabled=on)
        return self._with_bar(f"Wi-Fi Calling is now {_on(on)}.")

    def check_vpn_status(self) -> str:
        """Show the state of the VPN."""
        device = self._phone.device
        if device.vpn_connected and device.vpn_details is not None:
            return f"VPN is ON and connected. Details: {_vpn_text(device.vpn_details)}"
        if device.vpn_enabled_setting:
            return "VPN is turned ON in settings, but currently not connected."
        return "VPN is turned OFF."

    def connect_vpn(self) -> str:
        """Connect to the VPN."""
        if not self._phone.connect_vpn():
            return "VPN already connected."
        return self._with_bar("VPN connected successfully.")

    def disconnect_vpn(self) -> str:
        """Disconnect from the VPN."""
        if self._phone.disconnect_vpn():
            return self._with_bar("VPN disconnected successfully.")
        return self._with_bar("No active VPN connection to disconnect.")

    # Apps

    def check_installed_apps(self) -> str:
        """List the apps."""
        names = ", ".join(self._phone.device.app_statuses)
        return f"The following apps are installed on the phone: {names}"

    def check_app_status(self, app_name: str) -> str:
        """Show an app with its permissions, one a line."""
        app = self._phone.device.app_statuses.get(app_name)
        if app is None:
            return f"App '{app_name}' not found on this phone."
        granted = _granted(app)
        if not granted:
            return f"Status for App: {app_name}\n - Permissions: None granted."
        lines = [f"Status for App: {app_name}", " - Permissions Granted:"]
        return "\n".join([*lines, *(f"   - {name}" for name in granted)])

    def check_app_permissions(self, app_name: str) -> str:
        """Show an app's permissions."""
        app = self._phone.device.app_statuses.get(app_name)
        if app is None:
            return f"App '{app_name}' not found on this phone."
        granted = _granted(app)
        if not granted:
            return f"App '{app_name}' currently has no permissions granted."
        return f"App '{app_name}' has permission for: {', '.join(granted)}."

    def grant_app_permission(self, app_name: str, permission: str) -> str:
        """Let an app do something."""
        permission = permission.lower()
        app = self._phone.device.app_statuses.get(app_name)
        if app is None:
            return self._with_bar(f"Error. App '{app_name}' not found. Cannot grant permission.")
        if permission not in PERMISSIONS:
            return self._with_bar(
                f"Error. Permission '{permission}' not tracked for app '{app_name}', "
                f"available permissions: {list(PERMISSIONS)}"
            )
        self._set_permission(app, permission, True)
        return self._with_bar(f"Success. Permission '{permission}' granted to app '{app_name}'.")

    def can_send_mms(self) -> str:
        """Show whether picture messages can be sent."""
        can = "can" if self._phone.can_send_mms else "cannot"
        return f"Your messaging app {can} send MMS messages."

    # Payments

    def check_payment_request(self) -> str:
        """Show what the provider asks the user to pay."""
        request = self._phone.surroundings.payment_request
        if request is None:
            return "No payment request has been made."
        bill, amount = request.bill_id, request.amount_due
        return f"You have a payment request for bill {bill} of {amount} USD."

    def make_payment(self) -> str:
        """Pay what the provider asks for."""
        request = self._phone.surroundings.payment_request
        if request is None:
            return "You do not have a payment request."
        self._phone.surround(payment_request=replace(request, paid=True))
        return f"Payment of {request.amount_due} USD has been made for bill {request.bill_id}."

    # Parts

    def _with_bar(self, text: str) -> str:
        return f"{text}\n{status_bar(self._phone.device)}"

    def _read_apn_settings(self, settings: dict[str, object]) -> ApnSettings:
        try:
            return msgspec.convert(settings, ApnSettings, strict=self._strict)
        except msgspec.ValidationError as error:
            raise ToolError(f"invalid APN settings: {error}") from error

    def _set_permission(self, app: AppStatus, permission: str, granted: bool) -> None:
        permissions = replace(app.permissions, **{permission: granted})
        apps = self._phone.device.app_statuses
        app = replace(app, permissions=permissions)
        self._phone.set(app_statuses={**apps, app.app_name: app})


def _on(state: bool) -> str:
    return "ON" if state else "OFF"


def _yes(state: bool) -> str:
    return "Yes" if state else "No"


def _no_such_mode(mode: str | None) -> str:
    return (
        f"Failed to set network mode: '{mode}' is not a valid option. "
        f"Please use one of: {', '.join(NETWORK_MODES)}"
    )


def _granted(app: AppStatus) -> list[str]:
    return [name for name in PERMISSIONS if getattr(app.permissions, name)]


def _vpn_text(vpn: VpnDetails) -> str:
    """Return the details as the reference prints them: a Python dictionary with an enum member."""
    level = vpn.server_performance
    return (
        f"{{'server_address': {vpn.server_address!r}, 'protocol': {vpn.protocol!r}, "
        f"'server_performance': <PerformanceLevel.{level.upper()}: {level!r}>}}"
    )
