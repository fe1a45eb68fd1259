"""All tables that are generated, by name."""

from collections.abc import Callable

from bench.world import money, places, weather
from bench.world.drawing import Table, as_csv

__all__ = ["TABLES", "as_csv"]

TABLES: dict[str, Callable[[], Table]] = {**money.TABLES, **places.TABLES, **weather.TABLES}
