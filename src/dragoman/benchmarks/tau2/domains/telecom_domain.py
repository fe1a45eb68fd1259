"""The telecom domain: databases, policies, and environments that keep CRM and phone in sync.

Changes in the CRM reach the phone, and payments on the phone reach the CRM.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from dragoman.benchmarks.kit.environment import (
    Domain,
    DomainEnvironment,
    MakeDomainEnvironment,
    ToolkitSide,
    decode_database,
)
from dragoman.benchmarks.kit.tool_schemas import Validator
from dragoman.benchmarks.tau2.domains.telecom_agent_tools import CrmToolsWithSetup
from dragoman.benchmarks.tau2.domains.telecom_crm import Crm, CrmData, CrmFile, Line, find_record
from dragoman.benchmarks.tau2.domains.telecom_phone import PaymentRequest, Phone, PhoneFile
from dragoman.benchmarks.tau2.domains.telecom_user_tools import UserToolsWithSetup
from dragoman.core.errors import ToolError
from dragoman.core.rules import Rules
from dragoman.core.tools import Role, Toolset


def synchronize(crm: Crm, phone: Phone) -> None:
    """Bring both databases in step; nothing happens before the phone has a number.

    Raises:
        ToolError: If no line has the phone's number.
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
        bill = find_record(crm.bills, request.bill_id, "Bill")
        crm.bills.put(bill.bill_id, replace(bill, status="Paid"))
    due = crm.bill_with_status(crm.customer_by_number(number), "Awaiting Payment")
    if due is not None or request is not None:
        asked = None if due is None else PaymentRequest(due.bill_id, due.total_due)
        phone.surround(payment_request=asked)


CRM, PHONE = "db.toml", "user_db.toml"
POLICIES = ("main_policy.md", "tech_support_manual.md")


def load_telecom_databases(databases: Mapping[str, bytes]) -> MakeDomainEnvironment:
    """Decode the databases once and return what makes worlds over them."""
    crm_data = CrmData(decode_database(databases[CRM], CrmFile))
    phone_data = decode_database(databases[PHONE], PhoneFile)

    def make_environment(
        rules: Rules, toolsets: Mapping[Role, Toolset], validators: Mapping[str, Validator]
    ) -> DomainEnvironment:
        crm, phone = Crm(crm_data), Phone(phone_data)
        sides: dict[Role, ToolkitSide] = {
            "agent": ToolkitSide(CrmToolsWithSetup(crm), crm, CrmToolsWithSetup.FUNCTIONS),
            "user": ToolkitSide(
                UserToolsWithSetup(phone, rules), phone, UserToolsWithSetup.FUNCTIONS
            ),
        }
        return DomainEnvironment(sides, toolsets, validators, partial(synchronize, crm, phone))

    return make_environment


def compose_policy(texts: Sequence[str]) -> str:
    """Return both parts of the policy, each in its tags."""
    main, support = texts
    return (
        f"<main_policy>\n{main}\n</main_policy>\n"
        f"<tech_support_policy>\n{support}\n</tech_support_policy>"
    )


TELECOM = Domain(
    {"agent": CrmToolsWithSetup.KINDS, "user": UserToolsWithSetup.KINDS},
    {"agent": CRM, "user": PHONE},
    load_telecom_databases,
    POLICIES,
    compose_policy,
    {"agent": CrmToolsWithSetup.FUNCTIONS, "user": UserToolsWithSetup.FUNCTIONS},
)

VARIANTS = {
    name: replace(TELECOM, policy_files=policies, folder="telecom", is_solo=is_solo)
    for name, policies, is_solo in (
        ("telecom-workflow", ("main_policy.md", "tech_support_workflow.md"), False),
        ("telecom-solo", ("main_policy_solo.md", "tech_support_manual.md"), True),
        ("telecom-workflow-solo", ("main_policy_solo.md", "tech_support_workflow_solo.md"), True),
    )
}
"""Telecom with the support policy as a workflow, and with an agent that works alone."""
