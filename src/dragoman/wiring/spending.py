"""Prices and the budget of a run, from its configuration."""

from pathlib import Path

from dragoman.models.spending.budget import Budget, parse_limit
from dragoman.models.spending.prices import PriceTable, load_prices
from dragoman.wiring.grid.config import RunConfig


def prices_of(config: RunConfig) -> PriceTable:
    """Return the prices that ship, with the run's own table laid over them.

    Raises:
        UsageError: Where that cannot be read.
    """
    return load_prices(Path(config.prices) if config.prices else None)


def budget_of(config: RunConfig, prices: PriceTable) -> Budget | None:
    """Return what a run may spend, from now on; None where nothing limits it.

    Raises:
        UsageError: Where the limit is none.
    """
    return Budget(parse_limit(config.max_cost), prices.price_of) if config.max_cost else None
