"""The records of the provider's database; field order is output order."""

import msgspec

TODAY = "2025-02-25"
"""The domain's clock stands still at this day."""


class Plan(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What a line may use and what it costs."""

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
    """What a customer owes for one period."""

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
