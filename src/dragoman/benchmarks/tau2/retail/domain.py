"""The retail domain: its database file, and worlds over it."""

from dragoman.benchmarks.kit.databases import decode_database
from dragoman.benchmarks.kit.world import one_database
from dragoman.benchmarks.tau2.retail.records import RetailData, RetailFile, RetailTables
from dragoman.benchmarks.tau2.retail.tools import RetailTools


def share(database: bytes) -> RetailData:
    """Decode the database into what all worlds share."""
    return RetailData(decode_database(database, RetailFile))


RETAIL = one_database("db.json", share, RetailTables, RetailTools, RetailTools.KINDS)
