"""The agent's tools that look things up, and what a change would cost."""

from collections.abc import Iterable
from typing import Any, ClassVar

from dragoman.benchmarks.courier.app import App
from dragoman.benchmarks.courier.office import Office, contact_key
from dragoman.benchmarks.courier.records import Change, Parcel
from dragoman.benchmarks.kit.arithmetic import calculate
from dragoman.benchmarks.kit.tables import Table, readable
from dragoman.core.errors import ToolError
from dragoman.core.texts.unaccented import unaccented
from dragoman.core.tools import ToolKind

MOST_FOUND = 10


class Lookups:
    """The part of the agent's toolkit that changes nothing."""

    KINDS: ClassVar[dict[str, ToolKind]] = {
        "find_customer_by_contact": "read",
        "find_customers_by_name": "read",
        "list_parcels": "read",
        "track_parcel": "read",
        "find_places": "read",
        "get_locker": "read",
        "list_slots": "read",
        "quote_change": "read",
        "calculate": "generic",
    }

    def __init__(self, office: Office, app: App) -> None:
        self._office = office
        self._app = app

    def find_customer_by_contact(self, contact: str) -> str:
        """Find a customer by phone number or e-mail address.

        Args:
            contact: The whole number with its country code, or the whole address.
        """
        customer_id = self._office.data.by_contact.get(contact_key(contact))
        if customer_id is None:
            raise ToolError(f"no customer has the contact {contact[:60]!r}")
        return self._office.customers.text(customer_id)

    def find_customers_by_name(self, name: str, postcode: str) -> str:
        """Find customers by full name and postcode; accents and letter case do not matter.

        Args:
            name: First and last name, spelled as on record.
            postcode: Two letters, a hyphen and four digits, for example "KL-4821".
        """
        customers = self._office.data.customers.records
        wanted = unaccented(name)
        found = [
            key
            for key, customer in customers.items()
            if unaccented(customer.name) == wanted and customer.address.postcode == postcode
        ]
        if not found:
            raise ToolError(f"no customer is called {name[:60]!r} at postcode {postcode[:20]!r}")
        return _list(self._office.customers, found)

    def list_parcels(self, customer_id: str) -> str:
        """List the parcels that a customer sends or receives, with their status.

        Args:
            customer_id: The customer's number, for example "C1001".
        """
        self._office.customer(customer_id)
        numbers = self._office.data.by_party.get(customer_id, [])
        return readable([_line(self._office.parcel(number), customer_id) for number in numbers])

    def track_parcel(self, tracking_number: str) -> str:
        """Show everything that is known of a parcel.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
        """
        self._office.parcel(tracking_number)
        return self._office.parcels.text(tracking_number)

    def find_places(self, town: str) -> str:
        """List the depots and lockers of a town.

        Args:
            town: The town's name.
        """
        depots, lockers, wanted = self._office.depots, self._office.lockers, unaccented(town)
        found_depots = [
            key
            for key, depot in depots.shared.records.items()
            if unaccented(depot.address.town) == wanted
        ]
        found_lockers = [
            key
            for key, locker in lockers.shared.records.items()
            if unaccented(locker.address.town) == wanted
        ]
        if not found_depots and not found_lockers:
            raise ToolError(f"there is neither depot nor locker in {town[:60]!r}")
        return f'{{"depots": {_list(depots, found_depots)}, "lockers": {_list(lockers, found_lockers)}}}'

    def get_locker(self, locker_id: str) -> str:
        """Show a locker's compartments and its session as the company sees them.

        Args:
            locker_id: The locker's number, for example "L07".
        """
        self._office.locker(locker_id)
        return self._office.lockers.text(locker_id)

    def list_slots(self, depot_id: str) -> str:
        """List a depot's redelivery slots that have places left.

        Args:
            depot_id: The depot's code, for example "KLO".
        """
        self._office.depot(depot_id)
        slots = [self._office.slot(key) for key in self._office.data.slots.records]
        return readable([slot for slot in slots if slot.depot_id == depot_id and slot.places > 0])

    def quote_change(self, tracking_number: str, change: Change) -> str:
        """Say what a change of a parcel costs; nothing is charged yet.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
            change: What is to be changed.
        """
        parcel = self._office.parcel(tracking_number)
        return readable({"change": change, "cents": price(self._office, parcel, change)})

    def calculate(self, expression: str) -> str:
        """Work out an arithmetic expression.

        Args:
            expression: Numbers, + - * /, parentheses and spaces.
        """
        return calculate(expression)


def price(office: Office, parcel: Parcel, change: Change) -> int:
    """Return what a change costs in cents, by the plan of whoever may ask for it.

    The redelivery after a first attempt is free.
    """
    if change == "redelivery" and parcel.attempts <= 1:
        return 0
    payer = parcel.sender_id if change == "cancellation" else parcel.recipient_id
    return office.data.tariffs[office.customer(payer).plan][change]


def _line(parcel: Parcel, customer_id: str) -> dict[str, str]:
    return {
        "tracking_number": parcel.tracking_number,
        "status": parcel.status,
        "customer_is": "recipient" if parcel.recipient_id == customer_id else "sender",
        "expected": parcel.expected,
    }


def _list(table: Table[Any], keys: Iterable[str]) -> str:
    return f"[{', '.join(table.text(key) for key in list(keys)[:MOST_FOUND])}]"
