"""The retail domain: its database file, and worlds over it."""

from collections.abc import Mapping

import msgspec

from dragoman.benchmarks.arguments import Validator
from dragoman.benchmarks.tau2.retail.records import RetailData, RetailFile, RetailTables
from dragoman.benchmarks.tau2.retail.tools import RetailTools
from dragoman.benchmarks.tau2.world import Domain, DomainWorld, MakeWorld, Side
from dragoman.core.rules import Rules
from dragoman.core.tools import Role, Toolset

DATABASE = "db.json"


def load(databases: Mapping[str, bytes]) -> MakeWorld:
    """Decode the database once and return what makes worlds over it."""
    data = RetailData(msgspec.json.decode(databases[DATABASE], type=RetailFile))

    def make_world(
        rules: Rules, toolsets: Mapping[Role, Toolset], validators: Mapping[str, Validator]
    ) -> DomainWorld:
        tables = RetailTables(data)
        sides: dict[Role, Side] = {"agent": Side(RetailTools(tables, rules), tables)}
        return DomainWorld(sides, toolsets, validators)

    return make_world


RETAIL = Domain({"agent": RetailTools.KINDS}, (DATABASE,), load)
