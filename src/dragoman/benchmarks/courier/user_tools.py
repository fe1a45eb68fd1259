"""The customer's tools in courier, and hidden functions that set up and check tasks.

Tools are the app on the phone, and the terminal and doors of a locker.
"""

from typing import ClassVar

from msgspec.structs import replace

from dragoman.benchmarks.courier import locker_state
from dragoman.benchmarks.courier.app_records import NEWEST_APP
from dragoman.benchmarks.courier.company_database import CompanyDatabase
from dragoman.benchmarks.courier.locker_state import CustomerApp
from dragoman.benchmarks.courier.records import Parcel
from dragoman.core.errors import ToolError
from dragoman.core.tools import ToolKind


class UserTools:
    """The customer's toolkit in one world; every method named in KINDS is a tool."""

    KINDS: ClassVar[dict[str, ToolKind]] = {
        "check_phone": "read",
        "toggle_bluetooth": "write",
        "grant_location_permission": "write",
        "update_app": "write",
        "read_messages": "read",
        "scan_label": "read",
        "read_display": "read",
        "reboot_terminal": "write",
        "enter_pickup_code": "write",
        "open_compartment": "write",
        "close_compartment": "write",
        "report_compartment_empty": "write",
    }

    def __init__(self, office: CompanyDatabase, app: CustomerApp) -> None:
        self._office = office
        self._app = app

    # The phone

    def check_phone(self) -> str:
        """Look at the app's version, at Bluetooth and at the app's permissions."""
        phone = self._app.phone
        bluetooth = "on" if phone.bluetooth_on else "off"
        location = "allowed" if phone.location_allowed else "not allowed"
        return f"App version {phone.app_version}. Bluetooth is {bluetooth}. Location is {location}."

    def toggle_bluetooth(self) -> str:
        """Switch Bluetooth on if it is off, and off if it is on."""
        self._app.set_phone(bluetooth_on=not self._app.phone.bluetooth_on)
        return f"Bluetooth is now {'on' if self._app.phone.bluetooth_on else 'off'}."

    def grant_location_permission(self) -> str:
        """Allow the app to use the location."""
        self._app.set_phone(location_allowed=True)
        return "The app may now use the location."

    def update_app(self) -> str:
        """Install the newest version of the app."""
        self._app.set_phone(app_version=NEWEST_APP)
        return f"The app is now version {NEWEST_APP}."

    def read_messages(self) -> str:
        """Read the messages of the parcel service in the app."""
        keys = sorted({*self._app.messages.shared.records, *self._app.messages.own})
        messages = [self._app.messages.get(key) for key in keys]
        lines = [f"{entry.title}: {entry.text}" for entry in messages if entry is not None]
        return "\n".join(lines) or "There are no messages."

    def scan_label(self) -> str:
        """Scan the label or card that you hold, to read its tracking number."""
        if not self._app.visit.label:
            raise ToolError("you hold neither a card nor a parcel")
        return f"The number on it is {self._app.visit.label}."

    # The locker

    def read_display(self) -> str:
        """Read what the locker's display says."""
        return locker_state.display(self._office, self._app)

    def reboot_terminal(self) -> str:
        """Restart the locker's terminal with the button under the display."""
        self._require_locker()
        if self._app.visit.open_compartment:
            raise ToolError("a compartment is open: close it first")
        self._app.set_visit(terminal="running")
        return f"The terminal restarts. {self.read_display()}"

    def enter_pickup_code(self, code: str) -> str:
        """Enter a pick-up code at the locker.

        Args:
            code: The six digits.
        """
        locker_id = self._require_ready()
        for number in self._numbers_here(locker_id):
            known = self._office.codes.get(number)
            if known is not None and known.code == code:
                if known.status == "expired":
                    return "The display says: CODE EXPIRED"
                return locker_state.open_door(self._app, self._office.parcel(number))
        return locker_state.count_wrong_code(self._office, self._app)

    def open_compartment(self, tracking_number: str) -> str:
        """Open the compartment of your parcel with the app, without a code.

        Args:
            tracking_number: The number of the parcel, two letters and nine digits.
        """
        locker_id = self._require_ready()
        if reason := self._app.why_not_connected():
            raise ToolError(f"the app cannot connect to the locker: {reason}")
        parcel = self._office.parcel(tracking_number)
        if tracking_number not in self._numbers_here(locker_id) or not self._is_mine(parcel):
            raise ToolError(f"the app shows no parcel {tracking_number} for you at this locker")
        return locker_state.open_door(self._app, parcel)

    def close_compartment(self) -> str:
        """Close the compartment that is open."""
        self._require_locker()
        return locker_state.close_door(self._office, self._app)

    def report_compartment_empty(self, compartment: str) -> str:
        """Report in the app that a compartment was empty when you opened it.

        Args:
            compartment: The number on the door, for example "07".
        """
        locker = self._office.locker(self._require_locker())
        reported = locker.compartments.get(compartment)
        if reported is None or not reported.tracking_number:
            raise ToolError(f"no parcel of yours is registered in compartment {compartment[:20]!r}")
        if not self._is_mine(self._office.parcel(reported.tracking_number)):
            raise ToolError(f"no parcel of yours is registered in compartment {compartment[:20]!r}")
        locker_state.put_compartment(
            self._office, locker, compartment, replace(reported, state="reported_empty")
        )
        return f"You reported compartment {compartment} as empty."

    # Parts

    def _require_locker(self) -> str:
        if not self._app.visit.locker_id:
            raise ToolError("you are not at a locker")
        return self._app.visit.locker_id

    def _require_ready(self) -> str:
        """Return the locker whose terminal takes entries; refuse with what its display says."""
        locker_id = self._require_locker()
        shown = locker_state.display(self._office, self._app)
        if "READY" not in shown:
            raise ToolError(shown)
        return locker_id

    def _numbers_here(self, locker_id: str) -> list[str]:
        compartments = self._office.locker(locker_id).compartments.values()
        return [entry.tracking_number for entry in compartments if entry.state == "occupied"]

    def _is_mine(self, parcel: Parcel) -> bool:
        return parcel.recipient_id == self._app.phone.customer_id


class UserToolsWithSetup(UserTools):
    """The customer's toolkit with what no participant sees: the methods named in FUNCTIONS."""

    FUNCTIONS: ClassVar[frozenset[str]] = frozenset(
        {
            "assert_app_can_connect",
            "assert_display",
            "have_app",
            "hold_label",
            "find_compartment_empty",
            "freeze_terminal",
            "sign_in",
            "stand_at_locker",
        }
    )

    def sign_in(self, customer_id: str) -> None:
        """Have the app signed in to a customer's account."""
        self._office.customer(customer_id)
        self._app.set_phone(customer_id=customer_id)

    def have_app(self, version: str, bluetooth: bool, location: bool) -> None:
        """Have the phone in a certain state."""
        self._app.set_phone(app_version=version, bluetooth_on=bluetooth, location_allowed=location)

    def hold_label(self, tracking_number: str) -> None:
        """Hold a card or label with a parcel's number."""
        self._office.parcel(tracking_number)
        self._app.set_visit(label=tracking_number)

    def stand_at_locker(self, locker_id: str) -> None:
        """Stand in front of a locker."""
        self._office.locker(locker_id)
        self._app.set_visit(locker_id=locker_id)

    def freeze_terminal(self) -> None:
        """Have the terminal frozen."""
        self._app.set_visit(terminal="frozen")

    def find_compartment_empty(self, compartment: str) -> None:
        """Have a compartment hold nothing, whatever the company believes."""
        self._app.set_visit(empty_inside=(*self._app.visit.empty_inside, compartment))

    def assert_app_can_connect(self) -> bool:
        """Return whether the app can reach lockers."""
        return not self._app.why_not_connected()

    def assert_display(self, text: str) -> bool:
        """Return whether the terminal's display says a text."""
        return text in self.read_display()
