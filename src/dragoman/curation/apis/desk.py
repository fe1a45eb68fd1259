"""The chat models that steps ask: opened by their names, within a budget, and closed."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from dragoman.composition.concurrency import require_read_timeout, timeouts_of
from dragoman.composition.spending import with_stated_prices
from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatModel
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.http.transport import RetryPolicy
from dragoman.models.prices import load_prices
from dragoman.registry.chat_models import translation_model
from dragoman.registry.model_clients import ModelClients

T = TypeVar("T")


class ModelTerms(msgspec.Struct, frozen=True):
    """How models are asked.

    Attributes:
        concurrency: Items under way at the same time.
        max_cost: When to stop, such as "5 USD"; "" for never.
        prices: A price table of one's own.
        patience: Seconds to wait for a request, or a silent endpoint; None for the usual.
        read_timeout: Seconds a server may be silent during a call; None for what fits its address.
    """

    concurrency: int = 8
    max_cost: str = ""
    prices: Path | None = None
    patience: float | None = None
    read_timeout: float | None = None

    def __post_init__(self) -> None:
        """See that they make sense.

        Raises:
            UsageError: For a number below 1.
        """
        for option, number in {"concurrency": self.concurrency, "patience": self.patience}.items():
            if number is not None and not number >= 1:
                raise UsageError(f"--{option} {number:g}: at least 1")
        require_read_timeout(self.read_timeout)


def model_names(written: str) -> tuple[str, ...]:
    """Return the names in a list by commas, each once.

    Raises:
        UsageError: Where there is none.
    """
    names = tuple(dict.fromkeys(name.strip() for name in written.split(",") if name.strip()))
    if not names:
        raise UsageError("no model: name one with --model PROVIDER/MODEL, several by commas")
    return names


async def with_models(
    names: tuple[str, ...],
    terms: ModelTerms,
    work: Callable[[Mapping[str, ChatModel]], Awaitable[T]],
) -> T:
    """Open models, at temperature 0 where nothing else is asked for, have work done with them, and close.

    Args:
        names: As `--model` takes them.
        terms: How they are asked.
        work: Is given the models by these names.

    Raises:
        UsageError: For a model that does not exist, or whose key or address is missing.
    """
    patience = RetryPolicy()
    if terms.patience is not None:
        patience = RetryPolicy(seconds=terms.patience, outage=terms.patience)
    connections = ModelClients(timeouts_of(terms.read_timeout), patience, _budget(terms, names))
    try:
        return await work({name: translation_model(name, connections) for name in names})
    finally:
        await connections.close()


def _budget(terms: ModelTerms, names: Iterable[str]) -> Budget | None:
    if not terms.max_cost:
        return None
    prices = with_stated_prices(load_prices(terms.prices), names)
    return Budget(parse_spend_limit(terms.max_cost), prices.price_of, goes_on="the same command")
