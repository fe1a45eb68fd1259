"""The airline domain: its database file, and worlds over it."""

from dragoman.benchmarks.tau2.airline.records import AirlineData, AirlineFile, AirlineTables
from dragoman.benchmarks.tau2.airline.tools import AirlineTools
from dragoman.benchmarks.tau2.databases import decode_database
from dragoman.benchmarks.tau2.world import one_database


def share(database: bytes) -> AirlineData:
    """Decode the database into what all worlds share."""
    return AirlineData(decode_database(database, AirlineFile))


AIRLINE = one_database("db.json", share, AirlineTables, AirlineTools, AirlineTools.KINDS)
