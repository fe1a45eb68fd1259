"""What the provider's database means for the user's phone, and payments the other way.

A search for a network is not part of it: a resumed line has no service until something on the
phone triggers one.
"""

from msgspec.structs import replace

from dragoman.benchmarks.tau2.telecom.crm import Crm, find
from dragoman.benchmarks.tau2.telecom.crm_records import Line
from dragoman.benchmarks.tau2.telecom.phone import Phone
from dragoman.benchmarks.tau2.telecom.phone_records import PaymentRequest
from dragoman.core.errors import ToolError


def synchronize(crm: Crm, phone: Phone) -> None:
    """Bring both databases in step; nothing happens before the phone has a number.

    Raises:
        ToolError: Where no line has the phone's number.
    """
    number = phone.surroundings.phone_number
    if number is None:
        return
    line_id = crm.data.line_by_number.get(number)
    if line_id is None:
        raise ToolError(f"Line with phone number {number} not found")
    _show_line(crm, phone, crm.line(line_id))
    _settle_payments(crm, phone, number)


def _show_line(crm: Crm, phone: Phone, line: Line) -> None:
    limit = crm.plan_of(line).data_limit_gb + line.data_refueling_gb
    now = (line.status == "Active", line.roaming_enabled, line.data_used_gb >= limit)
    seen = phone.surroundings
    if now != (seen.line_active, seen.roaming_allowed, seen.mobile_data_usage_exceeded):
        active, roaming, exceeded = now
        phone.surround(
            line_active=active, roaming_allowed=roaming, mobile_data_usage_exceeded=exceeded
        )


def _settle_payments(crm: Crm, phone: Phone, number: str) -> None:
    request = phone.surroundings.payment_request
    if request is not None and not request.paid:
        return
    if request is not None:
        bill = find(crm.bills, request.bill_id, "Bill")
        crm.bills.put(bill.bill_id, replace(bill, status="Paid"))
    due = crm.bill_with_status(crm.customer_by_number(number), "Awaiting Payment")
    if due is not None or request is not None:
        asked = None if due is None else PaymentRequest(due.bill_id, due.total_due)
        phone.surround(payment_request=asked)
