"""The courier domain: its database files, and worlds over both."""

from collections.abc import Mapping

from dragoman.benchmarks.courier.app import App, AppData
from dragoman.benchmarks.courier.app_records import AppFile
from dragoman.benchmarks.courier.desk import Desk
from dragoman.benchmarks.courier.office import Office, OfficeData
from dragoman.benchmarks.courier.records import OfficeFile
from dragoman.benchmarks.courier.user_setup import UserSide
from dragoman.benchmarks.kit.arguments import Validator
from dragoman.benchmarks.kit.databases import decode_database
from dragoman.benchmarks.kit.world import Domain, DomainWorld, MakeWorld, Side
from dragoman.core.rules import Rules
from dragoman.core.tools import Role, Toolset

OFFICE, APP = "office.json", "app.json"


def load(databases: Mapping[str, bytes]) -> MakeWorld:
    """Decode the databases once and return what makes worlds over them."""
    office_data = OfficeData(decode_database(databases[OFFICE], OfficeFile))
    app_data = AppData(decode_database(databases[APP], AppFile))

    def make_world(
        rules: Rules,  # noqa: ARG001 - no reference differs from this domain's own behaviour
        toolsets: Mapping[Role, Toolset],
        validators: Mapping[str, Validator],
    ) -> DomainWorld:
        office, app = Office(office_data), App(app_data)
        sides: dict[Role, Side] = {
            "agent": Side(Desk(office, app), office, Desk.FUNCTIONS),
            "user": Side(UserSide(office, app), app, UserSide.FUNCTIONS),
        }
        return DomainWorld(sides, toolsets, validators)

    return make_world


COURIER = Domain(
    kinds={"agent": Desk.KINDS, "user": UserSide.KINDS},
    databases={"agent": OFFICE, "user": APP},
    load=load,
    functions={"agent": Desk.FUNCTIONS, "user": UserSide.FUNCTIONS},
    is_always_validated=True,
    records={
        "agent": ("dragoman.benchmarks.courier.records",),
        "user": ("dragoman.benchmarks.courier.app_records",),
    },
)
