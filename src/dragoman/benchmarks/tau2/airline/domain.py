"""The airline domain: its database file, and worlds over it."""

from dragoman.benchmarks.kit.databases import decode_database
from dragoman.benchmarks.kit.world import one_database
from dragoman.benchmarks.tau2.airline.records import AirlineData, AirlineFile, AirlineTables
from dragoman.benchmarks.tau2.airline.tools import AirlineTools


def share(database: bytes) -> AirlineData:
    """Decode the database into what all worlds share."""
    return AirlineData(decode_database(database, AirlineFile))


AIRLINE = one_database("db.json", share, AirlineTables, AirlineTools, AirlineTools.KINDS)
