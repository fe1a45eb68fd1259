"""The retail domain: its database file, and worlds over it."""

from collections.abc import Callable, Mapping

import msgspec

from dragoman.benchmarks.arguments import Validator
from dragoman.benchmarks.tau2.retail.records import RetailData, RetailFile, RetailTables
from dragoman.benchmarks.tau2.retail.tools import RetailTools
from dragoman.benchmarks.tau2.world import DomainWorld, Side
from dragoman.core.rules import Rules
from dragoman.core.tools import Role, ToolKind, Toolset

KINDS: Mapping[Role, Mapping[str, ToolKind]] = {"agent": RetailTools.KINDS}

MakeWorld = Callable[[Rules, Mapping[Role, Toolset], Mapping[str, Validator]], DomainWorld]


def load(database: bytes) -> MakeWorld:
    """Decode the database once and return what makes worlds over it.

    Raises:
        msgspec.DecodeError: Where the file is not a retail database.
    """
    data = RetailData(msgspec.json.decode(database, type=RetailFile))

    def make_world(
        rules: Rules, toolsets: Mapping[Role, Toolset], validators: Mapping[str, Validator]
    ) -> DomainWorld:
        tables = RetailTables(data)
        return DomainWorld(
            {"agent": Side(RetailTools(tables, rules), tables)}, toolsets, validators
        )

    return make_world
