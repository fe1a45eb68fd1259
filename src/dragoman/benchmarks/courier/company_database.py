"""The company's database in one environment: tables, indexes and consistency checks.

Tracking numbers are two letters, eight digits and a check digit (UPU S10).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from dragoman.benchmarks.courier.records import (
    Claim,
    Customer,
    Depot,
    EscalatedCase,
    Locker,
    OfficeFile,
    Parcel,
    Party,
    PickupCode,
    Slot,
)
from dragoman.benchmarks.kit.tables import SharedTable, Table, readable
from dragoman.core.errors import ToolError

_SHAPE = re.compile(r"[A-Z]{2}\d{9}")
_WEIGHTS = (8, 6, 4, 2, 3, 5, 9, 7)


def check_digit(digits: str) -> str:
    """Return the digit that follows eight digits (the rule of S10 labels)."""
    total = sum(
        weight * int(digit) for weight, digit in zip(_WEIGHTS, digits[: len(_WEIGHTS)], strict=True)
    )
    rest = 11 - total % 11
    return {10: "0", 11: "5"}.get(rest, str(rest))


def require_tracking_number(number: str) -> None:
    """Raise ToolError with the reason if a text cannot be a tracking number."""
    if not _SHAPE.fullmatch(number) or not number.isascii():
        raise ToolError(
            f"{number[:20]!r} is no tracking number: two capital letters and nine digits, no spaces"
        )
    if check_digit(number[2:10]) != number[10]:
        raise ToolError(f"{number} is mistyped or misheard: its last digit does not fit the others")


_Record = TypeVar("_Record", bound=msgspec.Struct)


class CompanyData:
    """The shared database with the indexes that look-ups need."""

    def __init__(self, file: OfficeFile) -> None:
        _require_consistent(file)
        self.now = file.now
        self.tariffs = file.tariffs
        self.security_words = file.security_words
        self.depots: SharedTable[Depot] = SharedTable(file.depots, readable)
        self.customers: SharedTable[Customer] = SharedTable(file.customers, readable)
        self.parcels: SharedTable[Parcel] = SharedTable(file.parcels, readable)
        self.slots: SharedTable[Slot] = SharedTable(file.slots, readable)
        self.lockers: SharedTable[Locker] = SharedTable(file.lockers, readable)
        self.codes: SharedTable[PickupCode] = SharedTable(file.codes, readable)
        self.claims: SharedTable[Claim] = SharedTable(file.claims, readable)
        self.cases: SharedTable[EscalatedCase] = SharedTable(file.cases, readable)
        self.by_contact: dict[str, str] = {}
        self.by_party: dict[str, list[str]] = {}
        for customer in file.customers.values():
            self.by_contact[contact_key(customer.phone)] = customer.customer_id
            self.by_contact[contact_key(customer.email)] = customer.customer_id
        for number, parcel in file.parcels.items():
            for party in {parcel.sender_id, parcel.recipient_id}:
                self.by_party.setdefault(party, []).append(number)


class CompanyDatabase:
    """One environment's copy-on-write view of the company's database.

    `verified` holds the customers who proved their identity in this conversation. This set ends
    with the conversation and is not recorded; the record shows on whose behalf a parcel was
    changed.
    """

    def __init__(self, data: CompanyData) -> None:
        self.data = data
        self.depots: Table[Depot] = Table(data.depots)
        self.customers: Table[Customer] = Table(data.customers)
        self.parcels: Table[Parcel] = Table(data.parcels)
        self.slots: Table[Slot] = Table(data.slots)
        self.lockers: Table[Locker] = Table(data.lockers)
        self.codes: Table[PickupCode] = Table(data.codes)
        self.claims: Table[Claim] = Table(data.claims)
        self.cases: Table[EscalatedCase] = Table(data.cases)
        self.verified: set[str] = set()

    def by_name(self) -> tuple[tuple[str, Table[Any]], ...]:
        """Return the tables with their names in the database, sorted by name."""
        return (
            ("cases", self.cases),
            ("claims", self.claims),
            ("codes", self.codes),
            ("customers", self.customers),
            ("depots", self.depots),
            ("lockers", self.lockers),
            ("parcels", self.parcels),
            ("slots", self.slots),
        )

    def customer(self, customer_id: str) -> Customer:
        """Return a customer by id."""
        return _require_record(self.customers, customer_id, "customer")

    def parcel(self, tracking_number: str) -> Parcel:
        """Return a parcel by its number; a number that cannot be right is refused as such."""
        require_tracking_number(tracking_number)
        return _require_record(self.parcels, tracking_number, "parcel")

    def depot(self, depot_id: str) -> Depot:
        """Return a depot by id."""
        return _require_record(self.depots, depot_id, "depot")

    def slot(self, slot_id: str) -> Slot:
        """Return a redelivery slot by id."""
        return _require_record(self.slots, slot_id, "slot")

    def locker(self, locker_id: str) -> Locker:
        """Return a locker by id."""
        return _require_record(self.lockers, locker_id, "locker")

    def authority(self, parcel: Parcel) -> Party:
        """Return on whose behalf a parcel can be changed, as far as identities were verified."""
        if parcel.recipient_id in self.verified:
            return "recipient"
        return "sender" if parcel.sender_id in self.verified else "nobody verified"


def contact_key(contact: str) -> str:
    """Return a phone number or e-mail address without what people write differently."""
    return "".join(contact.casefold().split())


def _require_record(table: Table[_Record], key: str, kind: str) -> _Record:
    record = table.get(key)
    if record is None:
        raise ToolError(f"there is no {kind} {key[:40]!r}")
    return record


def _require_consistent(file: OfficeFile) -> None:
    fault = next(_faults(file), None)
    if fault is not None:
        raise msgspec.ValidationError(fault)


def _faults(file: OfficeFile) -> Iterator[str]:
    """Yield what does not fit together in a database file."""
    tables: Iterable[tuple[str, dict[str, Any]]] = (
        ("customer_id", file.customers),
        ("depot_id", file.depots),
        ("tracking_number", file.parcels),
        ("slot_id", file.slots),
        ("locker_id", file.lockers),
    )
    for field, records in tables:
        for key, record in records.items():
            if getattr(record, field) != key:
                yield f"{key} is filed under another {field}"
    if set(file.security_words) != set(file.customers):
        yield "security words and customers differ"
    for slot in file.slots.values():
        if slot.depot_id not in file.depots:
            yield f"slot {slot.slot_id} belongs to no depot"
    for parcel in file.parcels.values():
        yield from _parcel_faults(parcel, file)
    for locker in file.lockers.values():
        yield from _locker_faults(locker, file)


def _parcel_faults(parcel: Parcel, file: OfficeFile) -> Iterator[str]:
    number = parcel.tracking_number
    if check_digit(number[2:10]) != number[10:]:
        yield f"{number} has a wrong check digit"
    if not {parcel.sender_id, parcel.recipient_id} <= set(file.customers):
        yield f"{number} has an unknown sender or recipient"
    if parcel.depot_id not in file.depots:
        yield f"{number} has an unknown depot"
    if parcel.status == "in_locker":
        locker = file.lockers.get(parcel.locker_id)
        compartment = locker.compartments.get(parcel.compartment) if locker else None
        if compartment is None or compartment.tracking_number != number:
            yield f"{number} is not in the compartment that it names"
        if number not in file.codes:
            yield f"{number} lies in a locker and has no code"


def _locker_faults(locker: Locker, file: OfficeFile) -> Iterator[str]:
    for name, compartment in locker.compartments.items():
        number = compartment.tracking_number
        if (compartment.state == "free") == bool(number):
            yield f"compartment {name} of {locker.locker_id} is {compartment.state} with {number!r}"
        if number and number not in file.parcels:
            yield f"compartment {name} of {locker.locker_id} holds an unknown parcel"
