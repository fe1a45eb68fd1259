"""The telecom agent's 13 tools over the CRM, and hidden functions that set up and check tasks.

Checks come in the reference's order, with its texts.
"""

import math
from typing import Any, ClassVar

from msgspec.structs import replace

from dragoman.benchmarks.kit.tables import ListTable, render
from dragoman.benchmarks.tau2.domains.telecom_crm import (
    TODAY,
    Bill,
    Crm,
    Line,
    LineItem,
    find_record,
)
from dragoman.core.errors import ToolError
from dragoman.core.tools import ToolKind

_CYCLE_END = "2025-02-28"


class CrmTools:
    """The agent's toolkit over one world's database; every method named in KINDS is a tool."""

    KINDS: ClassVar[dict[str, ToolKind]] = {
        "disable_roaming": "write",
        "enable_roaming": "write",
        "get_bills_for_customer": "read",
        "get_customer_by_id": "read",
        "get_customer_by_name": "read",
        "get_customer_by_phone": "read",
        "get_data_usage": "read",
        "get_details_by_id": "read",
        "refuel_data": "write",
        "resume_line": "write",
        "send_payment_request": "write",
        "suspend_line": "write",
        "transfer_to_human_agents": "generic",
    }

    def __init__(self, crm: Crm) -> None:
        self._crm = crm

    # Look-ups

    def get_customer_by_phone(self, phone_number: str) -> str:
        """Find a customer by their own number or that of one of their lines."""
        customer = self._crm.customer_by_number(phone_number)
        return self._crm.customers.text(customer.customer_id)

    def get_customer_by_id(self, customer_id: str) -> str:
        """Show a customer."""
        customer = self._crm.customer(customer_id)
        return self._crm.customers.text(customer.customer_id)

    def get_customer_by_name(self, full_name: str, dob: str) -> str:
        """List the customers of that name, in any letter case, and date of birth."""
        name, customers = full_name.lower(), self._crm.customers
        texts = [
            customers.text(key)
            for key in customers.positions
            if self._crm.customer(key).full_name.lower() == name
            and self._crm.customer(key).date_of_birth == dob
        ]
        return f"[{', '.join(texts)}]"

    def get_details_by_id(self, id: str) -> str:  # noqa: A002 - the argument's published name
        """Show the record that an id's first letter and the id itself name."""
        kinds: dict[str, tuple[str, ListTable[Any]]] = {
            "L": ("Line", self._crm.lines),
            "D": ("Device", self._crm.devices),
            "B": ("Bill", self._crm.bills),
            "C": ("Customer", self._crm.customers),
            "P": ("Plan", self._crm.plans),
        }
        for letter, (kind, table) in kinds.items():
            if id.startswith(letter):
                find_record(table, id, kind)
                return table.text(id)
        raise ToolError(f"Unknown ID format or type: {id}")

    def get_bills_for_customer(self, customer_id: str, limit: int = 12) -> str:
        """List a customer's bills, the latest first."""
        bills = self._crm.bills_of(self._crm.customer(customer_id))
        latest = sorted(bills, key=lambda bill: bill.issue_date, reverse=True)[:limit]
        return f"[{', '.join(self._crm.bills.text(bill.bill_id) for bill in latest)}]"

    def get_data_usage(self, customer_id: str, line_id: str) -> str:
        """Show what a line used of its data."""
        line = self._crm.line_of(customer_id, line_id)
        # The reference prints the numbers of a plain object as strings.
        return render(
            {
                "line_id": line_id,
                "data_used_gb": str(line.data_used_gb),
                "data_limit_gb": str(self._crm.plan_of(line).data_limit_gb),
                "data_refueling_gb": str(line.data_refueling_gb),
                "cycle_end_date": _CYCLE_END,
            }
        )

    def transfer_to_human_agents(self, summary: str) -> str:  # noqa: ARG002
        """Hand the user over; nothing changes."""
        return "Transfer successful"

    # Lines

    def suspend_line(self, customer_id: str, line_id: str, reason: str) -> str:  # noqa: ARG002
        """Suspend an active line."""
        line = self._crm.line_of(customer_id, line_id)
        if line.status != "Active":
            raise ToolError("Line must be active to suspend")
        line = replace(line, status="Suspended", suspension_start_date=TODAY)
        message = "Line suspended successfully. $5/month holding fee will apply."
        return self._store(line, message)

    def resume_line(self, customer_id: str, line_id: str) -> str:
        """Resume a line that is suspended or not yet active."""
        line = self._crm.line_of(customer_id, line_id)
        if line.status not in {"Suspended", "Pending Activation"}:
            raise ToolError("Line must be suspended to resume")
        line = replace(line, status="Active", suspension_start_date=None)
        return self._store(line, "Line resumed successfully")

    def enable_roaming(self, customer_id: str, line_id: str) -> str:
        """Allow a line to roam."""
        changed = self._set_roaming(customer_id, line_id, True)
        return "Roaming enabled successfully" if changed else "Roaming was already enabled"

    def disable_roaming(self, customer_id: str, line_id: str) -> str:
        """Forbid a line to roam."""
        changed = self._set_roaming(customer_id, line_id, False)
        return "Roaming disabled successfully" if changed else "Roaming was already disabled"

    # Money

    def send_payment_request(self, customer_id: str, bill_id: str) -> str:
        """Ask a customer to pay a bill, one at a time."""
        customer = self._crm.customer(customer_id)
        if self._crm.bill_with_status(customer, "Awaiting Payment") is not None:
            raise ToolError("A bill is already awaiting payment for this customer")
        if bill_id not in customer.bill_ids:
            raise ToolError(f"Bill {bill_id} not found for customer {customer_id}")
        bill = find_record(self._crm.bills, bill_id, "Bill")
        self._crm.bills.put(bill_id, replace(bill, status="Awaiting Payment"))
        return f"Payment request sent to the customer for bill {bill_id}"

    def refuel_data(self, customer_id: str, line_id: str, gb_amount: float) -> str:
        """Add data to a line and its price to the customer's next bill."""
        line = self._crm.line_of(customer_id, line_id)
        if gb_amount <= 0:
            raise ToolError("Refuel amount must be positive")
        price = self._crm.plan_of(line).data_refueling_price_per_gb
        line = replace(line, data_refueling_gb=line.data_refueling_gb + gb_amount)
        charge = gb_amount * price
        self._crm.lines.put(line.line_id, line)
        description = f"Data refueling: {gb_amount} GB at ${price}/GB"
        self._crm.charge(self._crm.customer(customer_id), description, charge)
        done = f"Successfully added {gb_amount} GB of data for line {line_id} for ${charge:.2f}"
        return render(
            {
                "message": done,
                "new_data_refueling_gb": str(line.data_refueling_gb),
                "charge": str(charge),
            }
        )

    # Parts

    def _store(self, line: Line, message: str) -> str:
        self._crm.lines.put(line.line_id, line)
        return f'{{"message": {render(message)}, "line": {self._crm.lines.text(line.line_id)}}}'

    def _set_roaming(self, customer_id: str, line_id: str, enabled: bool) -> bool:
        line = self._crm.line_of(customer_id, line_id)
        if line.roaming_enabled == enabled:
            return False
        self._crm.lines.put(line.line_id, replace(line, roaming_enabled=enabled))
        return True


class CrmToolsWithSetup(CrmTools):
    """The agent's toolkit with what no participant sees: the methods named in FUNCTIONS."""

    FUNCTIONS: ClassVar[frozenset[str]] = frozenset(
        {
            "assert_data_refueling_amount",
            "assert_no_overdue_bill",
            "set_data_usage",
            "suspend_line_for_overdue_bill",
        }
    )

    def set_data_usage(self, customer_id: str, line_id: str, data_used_gb: float) -> None:
        """Let a line have used that much data."""
        line = self._crm.line_of(customer_id, line_id)
        self._crm.lines.put(line.line_id, replace(line, data_used_gb=data_used_gb))

    def suspend_line_for_overdue_bill(
        self, customer_id: str, line_id: str, new_bill_id: str, contract_ended: bool
    ) -> None:
        """Suspend an active line over a new bill that is overdue."""
        line = self._crm.line_of(customer_id, line_id)
        customer = self._crm.customer(customer_id)
        if line.status != "Active":
            raise ToolError("Line must be active to suspend")
        if self._crm.bill_with_status(customer, "Overdue") is not None:
            raise ToolError("The customer has an overdue bill already")
        price = self._crm.plan_of(line).price_per_month
        bill = Bill(
            bill_id=new_bill_id,
            customer_id=customer_id,
            period_start="2025-01-01",
            period_end="2025-01-31",
            issue_date="2025-01-01",
            total_due=price,
            due_date="2025-01-15",
            line_items=[LineItem(f"Charge for line {line_id}", price, TODAY, "Charge")],
            status="Overdue",
        )
        self._crm.add_bill(customer, bill)
        line = replace(line, status="Suspended", suspension_start_date=TODAY)
        if contract_ended:
            line = replace(line, contract_end_date="2025-01-31")
        self._crm.lines.put(line_id, line)

    def assert_data_refueling_amount(
        self, customer_id: str, line_id: str, expected_amount: float
    ) -> bool:
        """Return whether that much data was added to a line."""
        amount = self._crm.line_of(customer_id, line_id).data_refueling_gb
        return math.isclose(amount, expected_amount, rel_tol=0, abs_tol=1e-6)

    def assert_no_overdue_bill(self, overdue_bill_id: str) -> bool:
        """Return whether a bill is paid; one that does not exist needs no paying."""
        bill = self._crm.bills.get(overdue_bill_id)
        return bill is None or bill.status == "Paid"
