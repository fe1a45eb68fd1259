"""The customer's side of tasks: functions that set it up and that judge it in the end."""

from typing import ClassVar

from dragoman.benchmarks.courier.user_tools import UserTools


class UserSide(UserTools):
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
        """Whether the app can reach lockers."""
        return not self._app.why_not_connected()

    def assert_display(self, text: str) -> bool:
        """Whether the terminal's display says a text."""
        return text in self.read_display()
