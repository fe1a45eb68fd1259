"""The courier domain and its bundled suite: databases, environments, splits by difficulty."""

from collections.abc import Mapping
from importlib.resources import files

from dragoman.benchmarks.courier.agent_tools import AgentTools
from dragoman.benchmarks.courier.app_records import AppFile
from dragoman.benchmarks.courier.company_database import CompanyData, CompanyDatabase
from dragoman.benchmarks.courier.locker_state import CustomerApp, CustomerAppData
from dragoman.benchmarks.courier.records import OfficeFile
from dragoman.benchmarks.courier.user_tools import UserToolsWithSetup
from dragoman.benchmarks.kit.conversation_suite import ConversationSuite
from dragoman.benchmarks.kit.environment import (
    Domain,
    DomainEnvironment,
    MakeDomainEnvironment,
    ToolkitSide,
    decode_database,
)
from dragoman.benchmarks.kit.suite_files import suite_from_files
from dragoman.benchmarks.kit.tool_schemas import Validator
from dragoman.core.rules import Rules
from dragoman.core.tools import Role, Toolset

OFFICE, APP = "office.json", "app.json"


def load_courier_databases(databases: Mapping[str, bytes]) -> MakeDomainEnvironment:
    """Decode the databases once and return a function that makes environments over them."""
    office_data = CompanyData(decode_database(databases[OFFICE], OfficeFile))
    app_data = CustomerAppData(decode_database(databases[APP], AppFile))

    def make_environment(
        rules: Rules,  # noqa: ARG001 - no reference differs from this domain's own behaviour
        toolsets: Mapping[Role, Toolset],
        validators: Mapping[str, Validator],
    ) -> DomainEnvironment:
        office, app = CompanyDatabase(office_data), CustomerApp(app_data)
        sides: dict[Role, ToolkitSide] = {
            "agent": ToolkitSide(AgentTools(office, app), office, AgentTools.FUNCTIONS),
            "user": ToolkitSide(UserToolsWithSetup(office, app), app, UserToolsWithSetup.FUNCTIONS),
        }
        return DomainEnvironment(sides, toolsets, validators)

    return make_environment


COURIER = Domain(
    kinds={"agent": AgentTools.KINDS, "user": UserToolsWithSetup.KINDS},
    databases={"agent": OFFICE, "user": APP},
    load=load_courier_databases,
    functions={"agent": AgentTools.FUNCTIONS, "user": UserToolsWithSetup.FUNCTIONS},
    is_always_validated=True,
    records={
        "agent": ("dragoman.benchmarks.courier.records",),
        "user": ("dragoman.benchmarks.courier.app_records",),
    },
)


def courier_suite(split: str = "") -> ConversationSuite:
    """Load the suite, or one split of it."""
    folder = files("dragoman.benchmarks.courier") / "data"
    return suite_from_files(
        "courier", folder, COURIER, {"agent": AgentTools, "user": UserToolsWithSetup}, split
    )
