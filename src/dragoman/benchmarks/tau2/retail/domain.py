"""The retail domain: its database file, and worlds over it."""

import msgspec

from dragoman.benchmarks.tau2.retail.records import RetailData, RetailFile, RetailTables
from dragoman.benchmarks.tau2.retail.tools import RetailTools
from dragoman.benchmarks.tau2.world import one_database


def share(database: bytes) -> RetailData:
    """Decode the database into what all worlds share."""
    return RetailData(msgspec.json.decode(database, type=RetailFile))


RETAIL = one_database("db.json", share, RetailTables, RetailTools, RetailTools.KINDS)
