"""The telecom user's 30 tools on the phone, and hidden functions that set up and check tasks.

Results are the reference's texts, or the records that SEATauBench returns.
"""

from collections.abc import Mapping
from typing import ClassVar, Literal

import msgspec
from msgspec.structs import replace

from dragoman.benchmarks.kit.tables import render
from dragoman.benchmarks.tau2.domains.telecom_phone import (
    NETWORK_MODES,
    PERMISSIONS,
    SIM_TEXTS,
    SPEED_ADVICE,
    ApnSettings,
    AppPermissions,
    AppStatus,
    Phone,
    app_record,
    granted_permissions,
    on_or_off,
    status_bar,
    status_bar_record,
    vpn_text,
    wifi_text,
    yes_or_no,
)
from dragoman.core.errors import ToolError
from dragoman.core.rules import Rules
from dragoman.core.tools import ToolKind

_NO_APP = "app_not_found"


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
        self._in_records = rules.phone_answers_in_records

    # The mobile network

    def check_status_bar(self) -> str:
        """Show the status bar."""
        device = self._phone.device
        return self._reply(status_bar(device), {"status_bar": status_bar_record(device)})

    def check_network_status(self) -> str:
        """Show the state of all connections."""
        device = self._phone.device
        lines = [
            f"Airplane Mode: {on_or_off(device.airplane_mode)}",
            f"SIM Card Status: {self._phone.sim_status}",
            f"Cellular Connection: {device.network_connection_status}",
            f"Cellular Signal: {device.network_signal_strength}",
            f"Cellular Network Type: {device.network_technology_connected}",
            f"Mobile Data Enabled: {yes_or_no(device.data_enabled)}",
            f"Data Roaming Enabled: {yes_or_no(device.roaming_enabled)}",
            f"Wi-Fi Radio: {on_or_off(device.wifi_enabled)}",
            f"Wi-Fi Connected: {yes_or_no(device.wifi_connected)}",
        ]
        if device.wifi_connected:
            lines.append(f"Connected Wi-Fi Network: {device.wifi_ssid}")
        return self._reply(
            "\n".join(lines),
            {
                "airplane_mode": device.airplane_mode,
                "sim_status": self._phone.sim_status,
                "cellular_connection": device.network_connection_status,
                "cellular_signal": device.network_signal_strength,
                "cellular_network_type": device.network_technology_connected,
                "mobile_data_enabled": device.data_enabled,
                "data_roaming_enabled": device.roaming_enabled,
                "wifi_enabled": device.wifi_enabled,
                "wifi_connected": device.wifi_connected,
                "wifi_ssid": device.wifi_ssid,
            },
        )

    def check_network_mode_preference(self) -> str:
        """Show which networks the phone prefers."""
        mode: object = self._phone.device.network_mode_preference
        if not isinstance(mode, str):
            raise _without_value(mode)
        return self._reply(f"Network Mode Preference: {mode}", {"network_mode_preference": mode})

    def set_network_mode_preference(self, mode: object) -> str:
        """Choose which networks the phone prefers."""
        if isinstance(mode, str) and mode not in NETWORK_MODES:
            return self._no_such_mode(mode)
        if self._strict and not isinstance(mode, str):
            raise ToolError("mode must be a string")
        self._phone.set(network_mode_preference=mode)
        self._phone.search_network()
        if mode is None:
            return self._no_such_mode(mode)
        if not isinstance(mode, str):
            raise _without_value(mode)
        text = f"Preferred Network Mode set to: {mode}"
        return self._done(text, {"network_mode_preference": mode})

    def run_speed_test(self) -> str:
        """Measure the mobile connection."""
        speed, word = self._phone.speed_test()
        if speed is None:
            failure = {"success": False, "error_code": "no_connection", "speed_mbps": None}
            return self._reply(f"Speed test failed: {word}.", {**failure, "performance": "unknown"})
        performance = word.lower().replace(" ", "_")
        return self._reply(
            f"Speed Test Result: {speed:.2f} Mbps ({word}). {SPEED_ADVICE[word]}",
            {"success": True, "speed_mbps": speed, "performance": performance},
        )

    def toggle_airplane_mode(self) -> str:
        """Flip airplane mode."""
        on = not self._phone.device.airplane_mode
        self._phone.switch_airplane_mode(on)
        return self._done(f"Airplane Mode is now {on_or_off(on)}.", {"airplane_mode": on})

    def toggle_data(self) -> str:
        """Flip mobile data."""
        on = not self._phone.device.data_enabled
        self._phone.switch_data(on)
        return self._done(f"Mobile Data is now {on_or_off(on)}.", {"mobile_data_enabled": on})

    def toggle_roaming(self) -> str:
        """Flip data roaming."""
        on = not self._phone.device.roaming_enabled
        self._phone.switch_roaming(on)
        return self._done(f"Data Roaming is now {on_or_off(on)}.", {"data_roaming_enabled": on})

    def check_data_restriction_status(self) -> str:
        """Show whether data saver mode is on."""
        on = self._phone.device.data_saver_mode
        text = "Data Saver mode is ON (limits data usage)." if on else "Data Saver mode is OFF."
        return self._reply(text, {"data_saver_mode": on})

    def toggle_data_saver_mode(self) -> str:
        """Flip data saver mode."""
        on = not self._phone.device.data_saver_mode
        self._phone.set(data_saver_mode=on)
        return self._done(f"Data Saver Mode is now {on_or_off(on)}.", {"data_saver_mode": on})

    # SIM card, APN and restarting

    def check_sim_status(self) -> str:
        """Show the SIM card's status."""
        status = self._phone.sim_status
        return self._reply(SIM_TEXTS[status], {"sim_status": status})

    def reseat_sim_card(self) -> str:
        """Take the SIM card out and put it back."""
        self._phone.set(sim_card_missing=False)
        self._phone.search_network()
        record = {"sim_status": self._phone.sim_status}
        return self._done("SIM card re-seated successfully.", record)

    def check_apn_settings(self) -> str:
        """Show the settings of the data network."""
        apn = self._phone.apn
        url = "Not Set" if apn.mmsc_url is None else apn.mmsc_url
        return self._reply(
            f"Current APN Name: {apn.apn_name}\nMMSC URL (for picture messages): {url}\n"
            "(These are technical settings, usually best left unchanged.)",
            {
                "apn_name": apn.apn_name,
                "mmsc_url": apn.mmsc_url,
                "reset_at_reboot": apn.reset_at_reboot,
            },
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
        apn = self._phone.apn
        text = f"APN settings set to: {apn.apn_name}"
        return self._done(text, {"apn_name": apn.apn_name, "mmsc_url": apn.mmsc_url})

    def reset_apn_settings(self) -> str:
        """Let the next restart bring the provider's settings back."""
        self._phone.set(active_apn_settings=replace(self._phone.apn, reset_at_reboot=True))
        self._phone.search_network()
        return self._done("APN settings will reset at reboot.", {"reset_at_reboot": True})

    def reboot_device(self) -> str:
        """Restart the phone."""
        lines = ["Restarting network services..."]
        resets = self._phone.apn.reset_at_reboot
        if resets:
            lines.insert(0, "Resetting APN settings...")
            self._phone.set(active_apn_settings=ApnSettings())
        self._phone.search_network()
        device, apn = self._phone.device, self._phone.apn
        return self._reply(
            "\n".join((*lines, status_bar(device))),
            {
                "success": True,
                "apn_reset": resets,
                "network_restarted": True,
                "network_connection_status": device.network_connection_status,
                "status_bar": status_bar_record(device),
                "apn_name": apn.apn_name,
                "apn_reset_at_reboot": apn.reset_at_reboot,
            },
        )

    # Wi-Fi and VPN

    def check_wifi_status(self) -> str:
        """Show the state of Wi-Fi."""
        device = self._phone.device
        return self._reply(
            wifi_text(device),
            {
                "wifi_enabled": device.wifi_enabled,
                "wifi_connected": device.wifi_connected,
                "wifi_ssid": device.wifi_ssid,
                "wifi_signal_strength": device.wifi_signal_strength,
            },
        )

    def toggle_wifi(self) -> str:
        """Flip the Wi-Fi radio, which connects to nothing by itself."""
        if self._phone.device.airplane_mode:
            record = {"wifi_enabled": self._phone.device.wifi_enabled}
            text = "Cannot change Wi-Fi settings while Airplane Mode is ON."
            return self._failed(text, {"error_code": "airplane_mode_on", **record})
        on = not self._phone.device.wifi_enabled
        self._phone.set(wifi_enabled=on)
        if not on:
            self._phone.drop_wifi()
        return self._done(f"Wi-Fi is now {on_or_off(on)}.", {"wifi_enabled": on})

    def check_wifi_calling_status(self) -> str:
        """Show whether Wi-Fi calling is on."""
        device = self._phone.device
        return self._reply(
            f"Wi-Fi Calling is currently turned {on_or_off(device.wifi_calling_enabled)}.",
            {
                "enabled": device.wifi_calling_enabled,
                "mms_enabled": device.wifi_calling_mms_over_wifi,
            },
        )

    def toggle_wifi_calling(self) -> str:
        """Flip Wi-Fi calling."""
        on = not self._phone.device.wifi_calling_enabled
        self._phone.set(wifi_calling_enabled=on)
        return self._done(f"Wi-Fi Calling is now {on_or_off(on)}.", {"wifi_calling_enabled": on})

    def check_vpn_status(self) -> str:
        """Show the state of the VPN."""
        device = self._phone.device
        return self._reply(
            vpn_text(device),
            {
                "enabled_setting": device.vpn_enabled_setting,
                "connected": device.vpn_connected,
                "details": device.vpn_details and msgspec.structs.asdict(device.vpn_details),
            },
        )

    def connect_vpn(self) -> str:
        """Connect to the VPN."""
        if not self._phone.connect_vpn():
            record = {"success": True, "vpn_connected": True, "already_connected": True}
            return self._reply("VPN already connected.", record)
        return self._done("VPN connected successfully.", {"vpn_connected": True})

    def disconnect_vpn(self) -> str:
        """Disconnect from the VPN."""
        if self._phone.disconnect_vpn():
            return self._done(
                "VPN disconnected successfully.", {"vpn_connected": False, "error_code": None}
            )
        return self._failed(
            "No active VPN connection to disconnect.",
            {"vpn_connected": False, "error_code": "no_active_vpn"},
        )

    # Apps

    def check_installed_apps(self) -> str:
        """List the apps."""
        names = list(self._phone.device.app_statuses)
        text = f"The following apps are installed on the phone: {', '.join(names)}"
        return self._reply(text, {"installed_apps": names})

    def check_app_status(self, app_name: str) -> str:
        """Show an app with its permissions, one a line."""
        app = self._phone.device.app_statuses.get(app_name)
        if app is None:
            return self._no_such_app(app_name)
        granted = granted_permissions(app)
        if not granted:
            text = f"Status for App: {app_name}\n - Permissions: None granted."
            return self._reply(text, app_record(app))
        lines = [f"Status for App: {app_name}", " - Permissions Granted:"]
        text = "\n".join([*lines, *(f"   - {name}" for name in granted)])
        return self._reply(text, app_record(app))

    def check_app_permissions(self, app_name: str) -> str:
        """Show an app's permissions."""
        app = self._phone.device.app_statuses.get(app_name)
        if app is None:
            return self._no_such_app(app_name)
        granted = granted_permissions(app)
        if granted:
            text = f"App '{app_name}' has permission for: {', '.join(granted)}."
        else:
            text = f"App '{app_name}' currently has no permissions granted."
        return self._reply(text, app_record(app))

    def grant_app_permission(self, app_name: str, permission: str) -> str:
        """Let an app do something."""
        permission = permission.lower()
        app = self._phone.device.app_statuses.get(app_name)
        asked: dict[str, object] = {"app_name": app_name, "permission": permission}
        if app is None:
            text = f"Error. App '{app_name}' not found. Cannot grant permission."
            return self._failed(text, {**asked, "permissions": None, "error_code": _NO_APP})
        if permission not in PERMISSIONS:
            text = (
                f"Error. Permission '{permission}' not tracked for app '{app_name}', "
                f"available permissions: {list(PERMISSIONS)}"
            )
            now = {"permissions": msgspec.structs.asdict(app.permissions)}
            return self._failed(text, {**asked, **now, "error_code": "invalid_permission"})
        permissions = self._set_permission(app, permission, True)
        text = f"Success. Permission '{permission}' granted to app '{app_name}'."
        now = {"permissions": msgspec.structs.asdict(permissions)}
        return self._done(text, {**asked, **now, "error_code": None})

    def can_send_mms(self) -> str:
        """Show whether picture messages can be sent."""
        works = self._phone.can_send_mms
        text = f"Your messaging app {'can' if works else 'cannot'} send MMS messages."
        return self._reply(text, {"can_send_mms": works})

    # Payments

    def check_payment_request(self) -> str:
        """Show what the provider asks the user to pay."""
        request = self._phone.surroundings.payment_request
        if request is None:
            text = "No payment request has been made."
            return self._reply(text, {"payment_request_exists": False})
        bill, amount = request.bill_id, request.amount_due
        return self._reply(
            f"You have a payment request for bill {bill} of {amount} USD.",
            {"payment_request_exists": True, **msgspec.structs.asdict(request)},
        )

    def make_payment(self) -> str:
        """Pay what the provider asks for."""
        request = self._phone.surroundings.payment_request
        if request is None:
            failure = {"success": False, "payment_request_exists": False}
            return self._reply(
                "You do not have a payment request.",
                {**failure, "error_code": "no_payment_request"},
            )
        paid = replace(request, paid=True)
        self._phone.surround(payment_request=paid)
        success = {"success": True, "payment_request_exists": True}
        return self._reply(
            f"Payment of {request.amount_due} USD has been made for bill {request.bill_id}.",
            {**success, **msgspec.structs.asdict(paid)},
        )

    # Parts

    def _reply(self, text: str, record: Mapping[str, object]) -> str:
        return render(record) if self._in_records else text

    def _done(self, text: str, record: Mapping[str, object]) -> str:
        return self._with_bar(text, {"success": True, **record})

    def _failed(self, text: str, record: Mapping[str, object]) -> str:
        return self._with_bar(text, {"success": False, **record})

    def _with_bar(self, text: str, record: Mapping[str, object]) -> str:
        device = self._phone.device
        bar = {"status_bar": status_bar_record(device)}
        return self._reply(f"{text}\n{status_bar(device)}", {**record, **bar})

    def _no_such_mode(self, mode: str | None) -> str:
        failure = {"error_code": "invalid_network_mode", "provided_mode": mode}
        return self._failed(
            f"Failed to set network mode: '{mode}' is not a valid option. "
            f"Please use one of: {', '.join(NETWORK_MODES)}",
            {**failure, "valid_modes": list(NETWORK_MODES)},
        )

    def _no_such_app(self, app_name: str) -> str:
        record = {"found": False, "app_name": app_name, "error_code": _NO_APP}
        return self._reply(f"App '{app_name}' not found on this phone.", record)

    def _read_apn_settings(self, settings: dict[str, object]) -> ApnSettings:
        try:
            return msgspec.convert(settings, ApnSettings, strict=self._strict)
        except msgspec.ValidationError as error:
            raise ToolError(f"invalid APN settings: {error}") from error

    def _set_permission(self, app: AppStatus, permission: str, granted: bool) -> AppPermissions:
        permissions = replace(app.permissions, **{permission: granted})
        apps = self._phone.device.app_statuses
        app = replace(app, permissions=permissions)
        self._phone.set(app_statuses={**apps, app.app_name: app})
        return permissions


def _without_value(mode: object) -> ToolError:
    """Return the error that the reference raises if a stored mode is not a mode."""
    return ToolError(f"'{type(mode).__name__}' object has no attribute 'value'")


class UserToolsWithSetup(UserTools):
    """The user's toolkit with what no participant sees: the methods named in FUNCTIONS."""

    FUNCTIONS: ClassVar[frozenset[str]] = frozenset(
        {
            "assert_can_send_mms",
            "assert_internet_speed",
            "assert_mobile_data_status",
            "assert_service_status",
            "break_apn_mms_setting",
            "break_apn_settings",
            "break_vpn",
            "lock_sim_card",
            "remove_app_permission",
            "set_user_info",
            "set_user_location",
            "set_wifi_calling",
            "simulate_network_search",
            "turn_airplane_mode_on",
            "turn_data_off",
            "turn_data_saver_mode_on",
            "turn_roaming_off",
            "turn_roaming_on",
            "unseat_sim_card",
        }
    )

    # The user

    def set_user_info(self, name: str, phone_number: str) -> None:
        """Say whose phone it is."""
        self._phone.surround(name=name, phone_number=phone_number)

    def set_user_location(self, abroad: bool) -> None:
        """Say whether the user is abroad."""
        self._phone.surround(is_abroad=abroad)

    # Switches

    def turn_airplane_mode_on(self) -> None:
        """Have airplane mode on."""
        self._phone.switch_airplane_mode(True)

    def turn_roaming_on(self) -> None:
        """Have data roaming on."""
        self._phone.switch_roaming(True)

    def turn_roaming_off(self) -> None:
        """Have data roaming off."""
        self._phone.switch_roaming(False)

    def turn_data_off(self) -> None:
        """Have mobile data off."""
        self._phone.switch_data(False)

    def turn_data_saver_mode_on(self) -> None:
        """Have data saver mode on."""
        self._phone.set(data_saver_mode=True)

    def set_wifi_calling(self, enabled: bool, mms_over_wifi: bool) -> None:
        """Set both switches of Wi-Fi calling."""
        self._phone.set(wifi_calling_enabled=enabled, wifi_calling_mms_over_wifi=mms_over_wifi)

    # Faults

    def simulate_network_search(self) -> None:
        """Let the phone search for a network."""
        self._phone.search_network()

    def unseat_sim_card(self) -> None:
        """Take the SIM card out."""
        self._phone.set(sim_card_missing=True)
        self._phone.search_network()

    def lock_sim_card(self, mode: Literal["pin", "puk"]) -> None:
        """Lock the SIM card."""
        self._phone.set(sim_card_status=f"locked_{mode}")
        self._phone.search_network()

    def break_apn_settings(self) -> None:
        """Name a data network that does not exist."""
        self._phone.set(active_apn_settings=replace(self._phone.apn, apn_name="broken"))
        self._phone.search_network()

    def break_apn_mms_setting(self) -> None:
        """Forget the address for picture messages."""
        self._phone.set(active_apn_settings=replace(self._phone.apn, mmsc_url=None))

    def break_vpn(self) -> None:
        """Connect to a VPN whose server is slow, now and later."""
        self._phone.vpn_details = replace(self._phone.vpn_details, server_performance="poor")
        self._phone.set(vpn_connected=True, vpn_details=self._phone.vpn_details)

    def remove_app_permission(self, app_name: str, permission: str) -> None:
        """Forbid an app to do something."""
        app = self._phone.device.app_statuses.get(app_name)
        if app is None:
            raise ToolError(f"no app {app_name!r}")
        self._set_permission(app, permission, False)

    # Assertions

    def assert_service_status(self, expected_status: str) -> bool:
        """Return whether the mobile network is in that state."""
        return self._phone.device.network_connection_status == expected_status

    def assert_mobile_data_status(self, expected_status: bool) -> bool:
        """Return whether mobile data works as expected."""
        return self._phone.mobile_data_works == expected_status

    def assert_internet_speed(
        self, expected_speed: float, expected_desc: str | None = None
    ) -> bool:
        """Return whether the connection is that fast, in megabits per second and in words."""
        speed, word = self._phone.speed_test()
        if speed is None or speed < expected_speed:
            return False
        return expected_desc is None or word.lower() == expected_desc.lower()

    def assert_can_send_mms(self, expected_status: bool) -> bool:
        """Return whether picture messages can be sent as expected."""
        return self._phone.can_send_mms == expected_status
