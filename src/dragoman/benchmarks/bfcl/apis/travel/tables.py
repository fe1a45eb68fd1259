"""What flights and currencies cost, and where airports lie: the tables of the TravelAPI."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.benchmarks.bfcl.apis.results import LongList, Refused


class TravelTables(msgspec.Struct, frozen=True):
    """Airports, the nearest one by city, exchange rates, and fares by route and class."""

    airports: list[str]
    nearest_airports: dict[str, str]
    exchange_rates: list[tuple[str, str, float]]
    class_factors: dict[str, int]
    base_costs: list[tuple[str, str, int]]


@cache
def travel_tables() -> TravelTables:
    """Return the tables, read once."""
    content = (files("dragoman.benchmarks.bfcl.apis.travel") / "tables.json").read_bytes()
    return msgspec.json.decode(content, type=TravelTables)


@cache
def _base_costs() -> Mapping[tuple[str, str], int]:
    return {(start, end): cost for start, end, cost in travel_tables().base_costs}


def flight_cost(start: str, end: str, date: str, travel_class: str) -> float:
    """Return what a flight costs in dollars.

    Raises:
        Refused: For a route that is not flown, or a class that there is not.
    """
    base = _base_costs().get((start, end))
    if base is None:
        raise Refused("No available route for the given airports.")
    return float(base * _factor(date, travel_class))


def all_flight_costs(date: str, travel_class: str) -> list[float]:
    """Return what each route costs on a day, in the order of the table; not to be changed."""
    return _all_costs(_factor(date, travel_class))


@cache
def _all_costs(factor: int) -> LongList[float]:
    return LongList(float(cost * factor) for cost in _base_costs().values())


def exchanged(base_currency: str, target_currency: str, value: float) -> float:
    """Return an amount of one currency in another; dollars must be one of the two.

    Raises:
        Refused: Where there is no rate.
    """
    for base, target, rate in travel_tables().exchange_rates:
        if (base_currency, target_currency) == (base, target):
            return float(value * rate)
        if (base_currency, target_currency) == (target, base):
            return round(value / rate, 2)
    raise Refused("No available exchange rate for the given currencies.")


def _factor(date: str, travel_class: str) -> int:
    """Return what a base cost is multiplied by: every other day costs double."""
    factor = travel_tables().class_factors.get(travel_class)
    if factor is None:
        raise Refused("Invalid travel class. Options are: economy, business, first.")
    is_even = sum(map(int, filter(str.isdigit, date))) % 2 == 0
    return factor * 2 if is_even else factor
