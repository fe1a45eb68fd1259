"""The telecom provider's CRM database: its records, and look-ups in one environment.

Field order is output order.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from dragoman.benchmarks.kit.tables import ListTable, SharedList
from dragoman.core.errors import ToolError

TODAY = "2025-02-25"
"""The domain's clock stands still at this day."""


class Plan(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The allowances and the price of a phone plan."""

    plan_id: str
    name: str
    data_limit_gb: float
    price_per_month: float
    data_refueling_price_per_gb: float


class EquipmentRecord(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A device as the provider knows it."""

    device_id: str
    device_type: str
    model: str
    imei: str | None = None
    is_esim_capable: bool = False
    activated: bool = False
    activation_date: str | None = None
    last_esim_transfer_date: str | None = None


class Line(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A phone number with its plan, device and use."""

    line_id: str
    phone_number: str
    status: str
    plan_id: str
    device_id: str | None = None
    data_used_gb: float = 0.0
    data_refueling_gb: float = 0.0
    roaming_enabled: bool = False
    contract_end_date: str | None = None
    last_plan_change_date: str | None = None
    last_sim_replacement_date: str | None = None
    suspension_start_date: str | None = None


class LineItem(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One charge of a bill."""

    description: str
    amount: float
    date: str
    item_type: str


class Bill(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A customer's bill for one period."""

    bill_id: str
    customer_id: str
    period_start: str
    period_end: str
    issue_date: str
    total_due: float
    due_date: str
    line_items: list[LineItem]
    status: str


class Address(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A postal address."""

    street: str
    city: str
    state: str
    zip_code: str


class PaymentMethod(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A card or account that pays bills."""

    method_type: str
    account_number_last_4: str
    expiration_date: str


class Customer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A customer with the ids of their lines and bills."""

    customer_id: str
    full_name: str
    date_of_birth: str
    email: str
    phone_number: str
    address: Address
    account_status: str
    payment_methods: list[PaymentMethod]
    line_ids: list[str]
    bill_ids: list[str]
    created_at: str
    last_extension_date: str | None = None
    goodwill_credit_used_this_year: float = 0.0


class CrmFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The database file."""

    plans: list[Plan]
    customers: list[Customer]
    lines: list[Line]
    bills: list[Bill]
    devices: list[EquipmentRecord]


_Record = TypeVar("_Record", bound=msgspec.Struct)


class CrmData:
    """The shared database with the indexes that look-ups need."""

    def __init__(self, file: CrmFile) -> None:
        devices = [_with_printed_times(device) for device in file.devices]
        customers = [
            replace(customer, created_at=_format_time(customer.created_at))
            for customer in file.customers
        ]
        self.plans = SharedList({plan.plan_id: plan for plan in file.plans})
        self.devices = SharedList({device.device_id: device for device in devices})
        self.lines = SharedList({line.line_id: line for line in file.lines})
        self.bills = SharedList({bill.bill_id: bill for bill in file.bills})
        self.customers = SharedList({entry.customer_id: entry for entry in customers})
        self.line_by_number: dict[str, str] = {}
        for line in file.lines:
            self.line_by_number.setdefault(line.phone_number, line.line_id)
        self.customer_by_number = _customers_by_number(customers, self.lines.records)


class Crm:
    """One world's copy-on-write view of the provider's database."""

    __slots__ = ("bills", "customers", "data", "devices", "lines", "plans")

    def __init__(self, data: CrmData) -> None:
        self.data = data
        self.plans: ListTable[Plan] = ListTable(data.plans)
        self.devices: ListTable[EquipmentRecord] = ListTable(data.devices)
        self.lines: ListTable[Line] = ListTable(data.lines)
        self.bills: ListTable[Bill] = ListTable(data.bills)
        self.customers: ListTable[Customer] = ListTable(data.customers)

    def by_name(self) -> tuple[tuple[str, ListTable[Any]], ...]:
        """Return the tables with their names in the database, sorted by name."""
        return (
            ("bills", self.bills),
            ("customers", self.customers),
            ("devices", self.devices),
            ("lines", self.lines),
            ("plans", self.plans),
        )

    def customer(self, customer_id: object) -> Customer:
        """Return a customer by id."""
        return find_record(self.customers, customer_id, "Customer")

    def customer_by_number(self, number: object) -> Customer:
        """Return the first customer with that number, their own or that of one of their lines."""
        key = self.data.customer_by_number.get(number) if isinstance(number, str) else None
        if key is None:
            raise ToolError(f"Customer with phone number {number} not found")
        return self.customer(key)

    def line(self, line_id: object) -> Line:
        """Return a line by id."""
        return find_record(self.lines, line_id, "Line")

    def line_of(self, customer_id: object, line_id: object) -> Line:
        """Return a line that belongs to a customer."""
        if line_id not in self.customer(customer_id).line_ids:
            raise ToolError(f"Line {line_id} not found for customer {customer_id}")
        return self.line(line_id)

    def plan_of(self, line: Line) -> Plan:
        """Return a line's plan."""
        return find_record(self.plans, line.plan_id, "Plan")

    def bills_of(self, customer: Customer) -> list[Bill]:
        """Return a customer's bills in the order in which they were added."""
        return [find_record(self.bills, bill_id, "Bill") for bill_id in customer.bill_ids]

    def bill_with_status(self, customer: Customer, status: str) -> Bill | None:
        """Return a customer's first bill in that status."""
        return next((bill for bill in self.bills_of(customer) if bill.status == status), None)

    def add_bill(self, customer: Customer, bill: Bill) -> None:
        """Add a bill to a customer."""
        self.bills.put(bill.bill_id, bill)
        bill_ids = [*customer.bill_ids, bill.bill_id]
        self.customers.put(customer.customer_id, replace(customer, bill_ids=bill_ids))

    def charge(self, customer: Customer, description: str, amount: float) -> None:
        """Put a charge on a customer's draft bill, on a new one where there is none."""
        item = LineItem(description, amount, TODAY, "Charge")
        draft = self.bill_with_status(customer, "Draft")
        if draft is None:
            self.add_bill(customer, self._new_draft(customer, item))
            return
        total, items = draft.total_due + amount, [*draft.line_items, item]
        self.bills.put(draft.bill_id, replace(draft, total_due=total, line_items=items))

    def _new_draft(self, customer: Customer, item: LineItem) -> Bill:
        # The reference draws this id at random; replays need one that follows from the content.
        seed = f"{customer.customer_id} {len(self.bills.positions)}"
        return Bill(
            bill_id=f"B{hashlib.sha256(seed.encode()).hexdigest()[:8]}",
            customer_id=customer.customer_id,
            period_start="2025-03-01",
            period_end="2025-03-31",
            issue_date="2025-03-01",
            total_due=item.amount,
            due_date="2025-03-15",
            line_items=[item],
            status="Draft",
        )


def find_record(table: ListTable[_Record], key: object, kind: str) -> _Record:
    """Return the record of that id; a key of any type may be asked for."""
    record = table.get(key) if isinstance(key, str) else None
    if record is None:
        raise ToolError(f"{kind} with ID {key} not found")
    return record


def _customers_by_number(
    customers: Iterable[Customer], lines: Mapping[str, Line]
) -> dict[str, str]:
    owners: dict[str, str] = {}
    for customer in customers:
        owners.setdefault(customer.phone_number, customer.customer_id)
        for line_id in customer.line_ids:
            if line_id in lines:
                owners.setdefault(lines[line_id].phone_number, customer.customer_id)
    return owners


def _with_printed_times(device: EquipmentRecord) -> EquipmentRecord:
    activated, moved = device.activation_date, device.last_esim_transfer_date
    return replace(
        device,
        activation_date=activated and _format_time(activated),
        last_esim_transfer_date=moved and _format_time(moved),
    )


def _format_time(time: str) -> str:
    """Return a time as the reference prints it, which is not as its file has it."""
    return time.replace("T", " ")
