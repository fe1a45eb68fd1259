"""The phone's side of tasks: functions that set it up and that judge it in the end."""

from typing import ClassVar, Literal

from msgspec.structs import replace

from dragoman.benchmarks.tau2.telecom.user_tools import UserTools
from dragoman.core.errors import ToolError


class UserSide(UserTools):
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
        """Whether the mobile network is in that state."""
        return self._phone.device.network_connection_status == expected_status

    def assert_mobile_data_status(self, expected_status: bool) -> bool:
        """Whether mobile data works as expected."""
        return self._phone.mobile_data_works == expected_status

    def assert_internet_speed(
        self, expected_speed: float, expected_desc: str | None = None
    ) -> bool:
        """Whether the connection is that fast, in megabits per second and in words."""
        speed, word = self._phone.speed_test()
        if speed is None or speed < expected_speed:
            return False
        return expected_desc is None or word.lower() == expected_desc.lower()

    def assert_can_send_mms(self, expected_status: bool) -> bool:
        """Whether picture messages can be sent as expected."""
        return self._phone.can_send_mms == expected_status
