"""The airline domain: its database file, and worlds over it."""

import msgspec

from dragoman.benchmarks.tau2.airline.records import AirlineData, AirlineFile, AirlineTables
from dragoman.benchmarks.tau2.airline.tools import AirlineTools
from dragoman.benchmarks.tau2.world import one_database


def share(database: bytes) -> AirlineData:
    """Decode the database into what all worlds share."""
    return AirlineData(msgspec.json.decode(database, type=AirlineFile))


AIRLINE = one_database("db.json", share, AirlineTables, AirlineTools, AirlineTools.KINDS)
