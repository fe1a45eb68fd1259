"""The agent's tools in courier: look-ups, changes, identity checks, refunds and escalation."""

from collections.abc import Iterable
from typing import Any, ClassVar

from msgspec.structs import replace

from dragoman.benchmarks.courier.company_database import CompanyDatabase, contact_key
from dragoman.benchmarks.courier.locker_state import (
    CustomerApp,
    put_compartment,
    reset_session,
    send_code,
)
from dragoman.benchmarks.courier.records import (
    Address,
    Change,
    Claim,
    ClaimKind,
    EscalatedCase,
    EscalationReason,
    Fee,
    Locker,
    Parcel,
    Size,
    Status,
    WaiverReason,
)
from dragoman.benchmarks.kit.calculator import calculate
from dragoman.benchmarks.kit.tables import Table, readable
from dragoman.core.errors import ToolError
from dragoman.core.texts.characters import strip_accents
from dragoman.core.tools import ToolKind

MOST_FOUND = 10


class LookupTools:
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

    def __init__(self, office: CompanyDatabase, app: CustomerApp) -> None:
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
        wanted = strip_accents(name)
        found = [
            key
            for key, customer in customers.items()
            if strip_accents(customer.name) == wanted and customer.address.postcode == postcode
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
        depots, lockers, wanted = self._office.depots, self._office.lockers, strip_accents(town)
        found_depots = [
            key
            for key, depot in depots.shared.records.items()
            if strip_accents(depot.address.town) == wanted
        ]
        found_lockers = [
            key
            for key, locker in lockers.shared.records.items()
            if strip_accents(locker.address.town) == wanted
        ]
        if not found_depots and not found_lockers:
            raise ToolError(f"there is neither depot nor locker in {town[:60]!r}")
        return (
            f'{{"depots": {_list(depots, found_depots)}, "lockers": '
            f"{_list(lockers, found_lockers)}}}"
        )

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
        return readable({"change": change, "cents": change_price(self._office, parcel, change)})

    def calculate(self, expression: str) -> str:
        """Work out an arithmetic expression.

        Args:
            expression: Numbers, + - * /, parentheses and spaces.
        """
        return calculate(expression)


def change_price(office: CompanyDatabase, parcel: Parcel, change: Change) -> int:
    """Return a change's price in cents, by the plan of the customer who may request it.

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


LONGEST_LINE = 80
HEAVIEST_FOR_LOCKERS_GRAMS = 20_000
SIZES: tuple[Size, ...] = ("S", "M", "L")
BEFORE_THE_VAN: tuple[Status, ...] = ("announced", "in_transit", "at_depot", "held_at_depot")


class ChangeTools(LookupTools):
    """The part of the agent's toolkit that changes where parcels go."""

    KINDS: ClassVar[dict[str, ToolKind]] = {
        **LookupTools.KINDS,
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
        cents = change_price(self._office, parcel, change)
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


class AgentTools(ChangeTools):
    """The agent's toolkit in one world; every method named in KINDS is a tool."""

    KINDS: ClassVar[dict[str, ToolKind]] = {
        **ChangeTools.KINDS,
        "verify_identity": "write",
        "waive_fee": "write",
        "file_claim": "write",
        "escalate_to_human": "write",
    }
    FUNCTIONS: ClassVar[frozenset[str]] = frozenset({"assert_status", "expire_code", "set_session"})

    def verify_identity(self, customer_id: str, postcode: str, security_word: str) -> str:
        """Check that the caller is a customer, by what only that customer knows.

        Args:
            customer_id: Who the caller says they are, for example "C1001".
            postcode: The postcode that the caller names.
            security_word: The security word that the caller names, in any letter case.
        """
        customer = self._office.customer(customer_id)
        word = self._office.data.security_words[customer_id]
        if customer.address.postcode != postcode or strip_accents(word) != strip_accents(
            security_word
        ):
            raise ToolError("postcode and security word do not both match: ask again")
        self._office.verified.add(customer_id)
        return f"{customer_id} is verified for this conversation."

    def waive_fee(self, tracking_number: str, code: str, reason: WaiverReason) -> str:
        """Waive a fee that is due.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
            code: The fee's code as the parcel shows it, for example "redelivery".
            reason: Why it is waived.
        """
        parcel = self._office.parcel(tracking_number)
        due = [at for at, fee in enumerate(parcel.fees) if (fee.code, fee.status) == (code, "due")]
        if not due:
            raise ToolError(f"{tracking_number} has no fee {code[:40]!r} that is due")
        fees = list(parcel.fees)
        fees[due[0]] = replace(fees[due[0]], status="waived", waived_for=reason)
        authority = self._office.authority(parcel)
        self._office.parcels.put(
            tracking_number, replace(parcel, fees=tuple(fees), authority=authority)
        )
        return self._office.parcels.text(tracking_number)

    def file_claim(self, tracking_number: str, kind: ClaimKind, cents: int) -> str:
        """File a claim for compensation; there is one claim for a parcel at most.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
            kind: What happened to the parcel.
            cents: The amount in cents, at most the declared value.
        """
        parcel = self._office.parcel(tracking_number)
        if self._office.claims.get(tracking_number) is not None:
            raise ToolError(f"{tracking_number} has a claim already")
        if not 0 < cents <= parcel.value_cents:
            raise ToolError(f"the amount must be 1 to {parcel.value_cents} cents")
        claim = Claim(tracking_number, kind, cents, self._office.authority(parcel))
        self._office.claims.put(tracking_number, claim)
        return self._office.claims.text(tracking_number)

    def escalate_to_human(self, reason: EscalationReason, summary: str) -> str:  # noqa: ARG002
        """Hand the customer over to a person, for one of the reasons of the policy.

        Args:
            reason: Why a person must take over.
            summary: What that person should know.
        """
        self._office.cases.put(reason, EscalatedCase(reason))
        return "A person takes over."

    # Functions that set tasks up and judge them

    def expire_code(self, tracking_number: str) -> None:
        """Have the code of a parcel in a locker expired."""
        code = self._office.codes.get(tracking_number)
        if code is None:
            raise ToolError(f"{tracking_number} has no code")
        self._office.codes.put(tracking_number, replace(code, status="expired"))

    def set_session(self, locker_id: str, session: str) -> None:
        """Have a locker's session held, blocked or idle."""
        locker = self._office.locker(locker_id)
        self._office.lockers.put(locker_id, replace(locker, session=session))

    def assert_status(self, tracking_number: str, status: str) -> bool:
        """Return whether a parcel is in a status."""
        return self._office.parcel(tracking_number).status == status
