"""Records of the company's database; field order is output order, amounts are whole cents.

The text of this module is read as the data model of translations: see `domain`.
"""

from typing import Literal

import msgspec

Plan = Literal["basic", "plus", "business"]
Size = Literal["S", "M", "L"]
Status = Literal[
    "announced",
    "in_transit",
    "at_depot",
    "out_for_delivery",
    "in_locker",
    "held_at_depot",
    "customs_hold",
    "delivered",
    "collected",
    "cancelled",
]
Change = Literal["address", "redelivery", "depot", "locker", "cancellation"]
ClaimKind = Literal["loss", "damage"]
WaiverReason = Literal["missed_window", "goodwill"]
EscalationReason = Literal["dangerous_goods", "threat", "high_value", "suspected_fraud", "minor"]
Party = Literal["recipient", "sender", "nobody verified"]


class Address(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A postal address."""

    street: str
    house_number: str
    postcode: str
    town: str
    country: str


class Customer(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Somebody who sends or receives parcels."""

    customer_id: str
    name: str
    phone: str
    email: str
    plan: Plan
    address: Address


class Fee(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A fee for a parcel, and the reason for its waiver if it was waived."""

    code: str
    cents: int
    status: Literal["due", "waived", "paid"] = "due"
    waived_for: WaiverReason | Literal[""] = ""


class Scan(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """An event of a parcel, with its time and place."""

    time: str
    place: str
    event: str


class Parcel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One parcel.

    `expected` is when it will be brought: empty where it will not be, "unknown" where nobody knows
    yet. `slot_id` is its booked redelivery, `authority` on whose behalf it was last changed, and
    `locker_id` with `compartment` where it lies or is to lie.
    """

    tracking_number: str
    status: Status
    service: Literal["standard", "express"]
    size: Size
    weight_grams: int
    contents: str
    value_cents: int
    insured: bool
    sender_id: str
    recipient_id: str
    address: Address
    depot_id: str
    expected: str
    history: tuple[Scan, ...]
    attempts: int = 0
    fees: tuple[Fee, ...] = ()
    slot_id: str = ""
    locker_id: str = ""
    compartment: str = ""
    authority: Party | Literal[""] = ""


class Depot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A depot, where parcels are sorted and can be picked up."""

    depot_id: str
    name: str
    address: Address
    hours: str


class Slot(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """When a depot's vans can bring a parcel again; `places` are left."""

    slot_id: str
    depot_id: str
    date: str
    weekday: str
    window: str
    places: int


class Compartment(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One door of a locker."""

    size: Size
    state: Literal["free", "reserved", "occupied", "reported_empty"]
    tracking_number: str = ""


class Locker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parcel locker as the company sees it; `session` is what its terminal is allowed to do."""

    locker_id: str
    name: str
    address: Address
    session: Literal["idle", "held", "blocked"]
    compartments: dict[str, Compartment]


class PickupCode(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A code that opens the compartment of a parcel."""

    code: str
    status: Literal["active", "expired"]


class Claim(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A demand for compensation; at most one for a parcel."""

    tracking_number: str
    kind: ClaimKind
    cents: int
    authority: Party


class EscalatedCase(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A conversation that a person takes over."""

    reason: EscalationReason


class OfficeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The company's database file.

    `tariffs` are cents by plan and change; `security_words` are shown to nobody.
    """

    now: str
    tariffs: dict[Plan, dict[Change, int]]
    security_words: dict[str, str]
    depots: dict[str, Depot]
    customers: dict[str, Customer]
    parcels: dict[str, Parcel]
    slots: dict[str, Slot]
    lockers: dict[str, Locker]
    codes: dict[str, PickupCode]
    claims: dict[str, Claim] = {}
    cases: dict[str, EscalatedCase] = {}
