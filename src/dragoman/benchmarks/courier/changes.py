"""The agent's tools that change parcels.

They refuse what a company's system refuses (what does not exist, a wrong status, no room). Whether
a change should be made is the policy's matter: who asked is recorded, not checked.
"""

from typing import ClassVar

from msgspec.structs import replace

from dragoman.benchmarks.courier.locker_state import put_compartment, reset_session, send_code
from dragoman.benchmarks.courier.lookups import Lookups, price
from dragoman.benchmarks.courier.records import (
    Address,
    Change,
    Fee,
    Locker,
    Parcel,
    Size,
    Status,
)
from dragoman.core.errors import ToolError
from dragoman.core.tools import ToolKind

LONGEST_LINE = 80
HEAVIEST_FOR_LOCKERS_GRAMS = 20_000
SIZES: tuple[Size, ...] = ("S", "M", "L")
BEFORE_THE_VAN: tuple[Status, ...] = ("announced", "in_transit", "at_depot", "held_at_depot")


class Changes(Lookups):
    """The part of the agent's toolkit that changes where parcels go."""

    KINDS: ClassVar[dict[str, ToolKind]] = {
        **Lookups.KINDS,
        "change_address": "write",
        "book_redelivery": "write",
        "hold_at_depot": "write",
        "redirect_to_locker": "write",
        "cancel_shipment": "write",
        "send_pickup_code": "write",
        "reset_locker_session": "write",
    }

    def change_address(  # noqa: PLR0913, PLR0917 - an address has five lines
        self,
        tracking_number: str,
        street: str,
        house_number: str,
        postcode: str,
        town: str,
        country: str,
    ) -> str:
        """Send a parcel to another address and charge the fee.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
            street: The street's name without the house number.
            house_number: The house number, for example "12" or "12a".
            postcode: Two letters, a hyphen and four digits.
            town: The town.
            country: The country.
        """
        parcel = self._changeable(tracking_number, "address")
        address = Address(street, house_number, postcode, town, country)
        lines = (street, house_number, postcode, town, country)
        if any(not line.strip() or len(line) > LONGEST_LINE for line in lines):
            raise ToolError(f"every line of an address has 1 to {LONGEST_LINE} characters")
        if address == parcel.address:
            raise ToolError(f"{tracking_number} goes to that address already")
        return self._change(self._unreserved(parcel), "address", address=address)

    def book_redelivery(self, tracking_number: str, slot_id: str) -> str:
        """Book a slot in which a parcel is brought again, and charge the fee if there is one.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
            slot_id: The slot's code, as listed by list_slots.
        """
        parcel, slot = self._changeable(tracking_number, "redelivery"), self._office.slot(slot_id)
        if parcel.status not in {"at_depot", "held_at_depot"} or not parcel.attempts:
            raise ToolError(f"{tracking_number} is not at a depot after a delivery attempt")
        if slot.depot_id != parcel.depot_id:
            raise ToolError(f"{slot_id} is a slot of {slot.depot_id}, not of {parcel.depot_id}")
        if slot_id == parcel.slot_id:
            raise ToolError(f"{tracking_number} has that slot already")
        if slot.places < 1:
            raise ToolError(f"{slot_id} has no place left")
        if parcel.slot_id:
            given_back = self._office.slot(parcel.slot_id)
            self._office.slots.put(
                parcel.slot_id, replace(given_back, places=given_back.places + 1)
            )
        self._office.slots.put(slot_id, replace(slot, places=slot.places - 1))
        expected = f"{slot.date} {slot.window}"
        return self._change(
            parcel, "redelivery", slot_id=slot_id, expected=expected, status="at_depot"
        )

    def hold_at_depot(self, tracking_number: str, depot_id: str) -> str:
        """Keep a parcel at a depot for pick-up, and charge the fee if there is one.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
            depot_id: The depot's code, as listed by find_places.
        """
        parcel = self._changeable(tracking_number, "depot")
        self._office.depot(depot_id)
        if parcel.status == "held_at_depot" and parcel.depot_id == depot_id:
            raise ToolError(f"{tracking_number} is held at {depot_id} already")
        return self._change(
            self._unreserved(parcel),
            "depot",
            depot_id=depot_id,
            expected="",
            status="held_at_depot",
        )

    def redirect_to_locker(self, tracking_number: str, locker_id: str) -> str:
        """Send a parcel to a locker, reserve the smallest compartment that fits, charge the fee.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
            locker_id: The locker's number, as listed by find_places.
        """
        parcel = self._changeable(tracking_number, "locker")
        locker = self._office.locker(locker_id)
        if parcel.weight_grams > HEAVIEST_FOR_LOCKERS_GRAMS:
            raise ToolError(f"{tracking_number} is too heavy for a locker")
        if parcel.locker_id == locker_id:
            raise ToolError(f"{tracking_number} goes to {locker_id} already")
        name = _free_compartment(locker, parcel.size)
        taken = replace(
            locker.compartments[name], state="reserved", tracking_number=tracking_number
        )
        parcel = self._unreserved(parcel)
        put_compartment(self._office, locker, name, taken)
        return self._change(parcel, "locker", locker_id=locker_id, compartment=name)

    def cancel_shipment(self, tracking_number: str) -> str:
        """Cancel a shipment for good and charge the fee. This cannot be undone.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
        """
        parcel = self._changeable(tracking_number, "cancellation")
        parcel = self._unreserved(parcel)
        return self._change(parcel, "cancellation", expected="", status="cancelled")

    def send_pickup_code(self, tracking_number: str) -> str:
        """Send the code for a parcel that lies in a locker to its recipient's app.

        A code that had expired is valid again; the code itself is shown to the recipient alone.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
        """
        parcel = self._office.parcel(tracking_number)
        if parcel.status != "in_locker":
            raise ToolError(f"{tracking_number} is {parcel.status}, not in a locker")
        send_code(self._office, self._app, parcel)
        authority = self._office.authority(parcel)
        self._office.parcels.put(tracking_number, replace(parcel, authority=authority))
        return "The code was sent to the recipient's app."

    def reset_locker_session(self, locker_id: str) -> str:
        """Let a locker's terminal start anew after it was held or blocked.

        Args:
            locker_id: The locker's number, for example "L07".
        """
        reset_session(self._office, self._app, locker_id)
        return self._office.lockers.text(locker_id)

    # Parts

    def _changeable(self, tracking_number: str, change: Change) -> Parcel:
        parcel = self._office.parcel(tracking_number)
        if parcel.status not in BEFORE_THE_VAN:
            raise ToolError(f"{tracking_number} is {parcel.status}: too late for this ({change})")
        return parcel

    def _change(self, parcel: Parcel, change: Change, **fields: object) -> str:
        """Store a changed parcel with its fee and on whose behalf it was changed."""
        cents = price(self._office, parcel, change)
        fees = (*parcel.fees, Fee(change, cents)) if cents else parcel.fees
        authority = self._office.authority(parcel)
        changed = replace(parcel, fees=fees, authority=authority, **fields)
        self._office.parcels.put(parcel.tracking_number, changed)
        return self._office.parcels.text(parcel.tracking_number)

    def _unreserved(self, parcel: Parcel) -> Parcel:
        """Return a parcel without the compartment that was kept for it, which is free again."""
        if not parcel.locker_id:
            return parcel
        locker = self._office.locker(parcel.locker_id)
        kept = locker.compartments[parcel.compartment]
        put_compartment(
            self._office,
            locker,
            parcel.compartment,
            replace(kept, state="free", tracking_number=""),
        )
        return replace(parcel, locker_id="", compartment="")


def _free_compartment(locker: Locker, size: Size) -> str:
    for fitting in SIZES[SIZES.index(size) :]:
        for name, compartment in locker.compartments.items():
            if compartment.size == fitting and compartment.state == "free":
                return name
    raise ToolError(f"{locker.locker_id} has no free compartment for size {size}")
