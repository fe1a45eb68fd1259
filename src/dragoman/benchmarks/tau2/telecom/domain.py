"""The telecom domain: its database files, its policy, and worlds over two databases."""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from dragoman.benchmarks.kit.arguments import Validator
from dragoman.benchmarks.kit.databases import decode_database
from dragoman.benchmarks.kit.world import Domain, DomainWorld, MakeWorld, Side
from dragoman.benchmarks.tau2.telecom.crm import Crm, CrmData
from dragoman.benchmarks.tau2.telecom.crm_records import CrmFile
from dragoman.benchmarks.tau2.telecom.crm_setup import CrmSide
from dragoman.benchmarks.tau2.telecom.phone import Phone
from dragoman.benchmarks.tau2.telecom.phone_records import PhoneFile
from dragoman.benchmarks.tau2.telecom.sync import synchronize
from dragoman.benchmarks.tau2.telecom.user_setup import UserSide
from dragoman.core.rules import Rules
from dragoman.core.tools import Role, Toolset

CRM, PHONE = "db.toml", "user_db.toml"
POLICIES = ("main_policy.md", "tech_support_manual.md")


def load(databases: Mapping[str, bytes]) -> MakeWorld:
    """Decode the databases once and return what makes worlds over them."""
    crm_data = CrmData(decode_database(databases[CRM], CrmFile))
    phone_data = decode_database(databases[PHONE], PhoneFile)

    def make_world(
        rules: Rules, toolsets: Mapping[Role, Toolset], validators: Mapping[str, Validator]
    ) -> DomainWorld:
        crm, phone = Crm(crm_data), Phone(phone_data)
        sides: dict[Role, Side] = {
            "agent": Side(CrmSide(crm), crm, CrmSide.FUNCTIONS),
            "user": Side(UserSide(phone, rules), phone, UserSide.FUNCTIONS),
        }
        return DomainWorld(sides, toolsets, validators, partial(synchronize, crm, phone))

    return make_world


def compose_policy(texts: Sequence[str]) -> str:
    """Return both parts of the policy, each in its tags."""
    main, support = texts
    return (
        f"<main_policy>\n{main}\n</main_policy>\n"
        f"<tech_support_policy>\n{support}\n</tech_support_policy>"
    )


TELECOM = Domain(
    {"agent": CrmSide.KINDS, "user": UserSide.KINDS},
    {"agent": CRM, "user": PHONE},
    load,
    POLICIES,
    compose_policy,
    {"agent": CrmSide.FUNCTIONS, "user": UserSide.FUNCTIONS},
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
