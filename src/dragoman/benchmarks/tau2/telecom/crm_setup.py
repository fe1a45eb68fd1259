"""The provider's side of tasks: functions that set it up and that judge it in the end."""

import math
from typing import ClassVar

from msgspec.structs import replace

from dragoman.benchmarks.tau2.telecom.crm_records import TODAY, Bill, LineItem
from dragoman.benchmarks.tau2.telecom.crm_tools import CrmTools
from dragoman.core.errors import ToolError


class CrmSide(CrmTools):
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
        """Whether that much data was added to a line."""
        amount = self._crm.line_of(customer_id, line_id).data_refueling_gb
        return math.isclose(amount, expected_amount, rel_tol=0, abs_tol=1e-6)

    def assert_no_overdue_bill(self, overdue_bill_id: str) -> bool:
        """Whether a bill is paid; one that does not exist needs no paying."""
        bill = self._crm.bills.get(overdue_bill_id)
        return bill is None or bill.status == "Paid"
