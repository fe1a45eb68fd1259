"""Prices and the budget of a run, from its configuration."""

from collections.abc import Iterable
from pathlib import Path

from dragoman.core.costs import Price
from dragoman.core.errors import UsageError
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.prices import PriceTable, load_prices, price_in_name, prices_with, strip_price
from dragoman.models.realtime_spec import is_realtime, parse_realtime_spec
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name
from dragoman.wiring.agents.agent_names import read_agent
from dragoman.wiring.agents.text_agents import split_options
from dragoman.wiring.chat_models import model_identity
from dragoman.wiring.conditions.clarifying import SPOKEN
from dragoman.wiring.conditions.exposures import BY_MODEL
from dragoman.wiring.grid.config import RunConfig


def prices_of(config: RunConfig) -> PriceTable:
    """Return the prices that ship, with the run's own table laid over them.

    Raises:
        UsageError: Where that cannot be read.
    """
    return load_prices(Path(config.prices) if config.prices else None)


def with_stated(table: PriceTable, models: Iterable[str]) -> PriceTable:
    """Return prices with those laid over them that stand in models' names.

    Args:
        table: The prices.
        models: Models as they are written; others than chat models and realtime ones have no price.

    Raises:
        UsageError: Where one is no price, or a model has two.
    """
    stated: dict[str, Price] = {}
    for written in models:
        price = price_in_name(written)
        if price is None:
            continue
        model = _ledger_name(strip_price(written))
        if stated.setdefault(model, price) != price:
            raise UsageError(f"{model} has two prices: it is one model in what runs cost")
    return prices_with({**table.own, **stated}) if stated else table


def models_of(config: RunConfig) -> Iterable[str]:
    """Yield the models of a run that may state a price, as they are written."""
    for written in config.agents:
        behind = wrapped_agent_name(written)
        named = read_agent(behind)
        yield behind.removeprefix(f"{named.name}=") if named.is_given else behind
    yield from (config.user, config.judge, config.user_judge, config.embeddings)
    yield from (name.removeprefix(SPOKEN) for name in config.clarify)
    yield from (value.removeprefix(BY_MODEL) for value in config.exposures)


def _ledger_name(written: str) -> str:
    if is_realtime(written):
        return parse_realtime_spec(written).name
    return model_identity(split_options(written)[0])[0]


def budget_of(config: RunConfig, prices: PriceTable) -> Budget | None:
    """Return what a run may spend, from now on; None where nothing limits it.

    Raises:
        UsageError: Where the limit is none.
    """
    return Budget(parse_spend_limit(config.max_cost), prices.price_of) if config.max_cost else None
