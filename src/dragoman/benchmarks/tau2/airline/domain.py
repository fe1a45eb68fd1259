"""The airline domain: its database file, and worlds over it."""

from collections.abc import Mapping

import msgspec

from dragoman.benchmarks.arguments import Validator
from dragoman.benchmarks.tau2.airline.records import AirlineData, AirlineFile, AirlineTables
from dragoman.benchmarks.tau2.airline.tools import AirlineTools
from dragoman.benchmarks.tau2.world import Domain, DomainWorld, MakeWorld, Side
from dragoman.core.rules import Rules
from dragoman.core.tools import Role, Toolset

DATABASE = "db.json"


def load(databases: Mapping[str, bytes]) -> MakeWorld:
    """Decode the database once and return what makes worlds over it."""
    data = AirlineData(msgspec.json.decode(databases[DATABASE], type=AirlineFile))

    def make_world(
        rules: Rules, toolsets: Mapping[Role, Toolset], validators: Mapping[str, Validator]
    ) -> DomainWorld:
        tables = AirlineTables(data)
        sides: dict[Role, Side] = {"agent": Side(AirlineTools(tables, rules), tables)}
        return DomainWorld(sides, toolsets, validators)

    return make_world


AIRLINE = Domain({"agent": AirlineTools.KINDS}, (DATABASE,), load)
