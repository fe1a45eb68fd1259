"""All generated tables, by name."""

from collections.abc import Callable

from bench.world import calendars, money, people, places, travel, weather
from bench.world.drawing import Table, as_csv

__all__ = ["TABLES", "as_csv"]

TABLES: dict[str, Callable[[], Table]] = {
    **calendars.TABLES,
    **money.TABLES,
    **people.TABLES,
    **places.TABLES,
    **travel.TABLES,
    **weather.TABLES,
}
