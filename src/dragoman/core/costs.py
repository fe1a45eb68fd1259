"""What usage costs, in US dollars: what is not known is None, never 0."""

from collections.abc import Callable, Iterable
from decimal import Decimal

import msgspec

from dragoman.core.usage import Usage

NOTHING = Decimal(0)
_PER_TOKEN = Decimal("1e-6")


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a model costs, in US dollars per million tokens.

    Cached input costs as much as other input where `cached_input` is None.
    """

    input: Decimal
    output: Decimal
    cached_input: Decimal | None = None


PriceOf = Callable[[str], Price | None]
"""Returns the price of a model by its name in ledgers; None where it is not known."""


def unpriced(model: str) -> Price | None:  # noqa: ARG001 - obeys PriceOf
    """Return None: for whoever has no prices at hand."""
    return None


class Cost(msgspec.Struct, frozen=True):
    """What calls cost, in US dollars.

    `nominal` is what all of them cost, `paid` leaves out those that our own cache answered.
    """

    nominal: Decimal
    paid: Decimal


FREE = Cost(NOTHING, NOTHING)


def cost_of(usage: Usage, price_of: PriceOf) -> Cost | None:
    """Return what usage costs; None where its tokens or its model's price are not known."""
    if not usage.calls:
        return FREE
    price = price_of(usage.model)
    if price is None:
        return None
    nominal = _price_of_tokens(price, usage.input_tokens, usage.output_tokens, usage.cached_tokens)
    paid = _price_of_tokens(
        price,
        _less(usage.input_tokens, usage.replayed_input_tokens),
        _less(usage.output_tokens, usage.replayed_output_tokens),
        _less(usage.cached_tokens, usage.replayed_cached_tokens),
    )
    return None if nominal is None or paid is None else Cost(nominal, paid)


def total_cost(costs: Iterable[Cost | None]) -> Cost | None:
    """Add costs up; one unknown makes the sum unknown."""
    nominal = paid = NOTHING
    for cost in costs:
        if cost is None:
            return None
        nominal, paid = nominal + cost.nominal, paid + cost.paid
    return Cost(nominal, paid)


def _less(all_tokens: int | None, replayed: int | None) -> int | None:
    return None if all_tokens is None or replayed is None else all_tokens - replayed


def _price_of_tokens(
    price: Price, sent: int | None, received: int | None, cached: int | None
) -> Decimal | None:
    if sent is None or received is None:
        return None
    # A provider that does not tell what it had cached is priced as if nothing had been.
    reused = min(cached or 0, sent)
    cached_price = price.input if price.cached_input is None else price.cached_input
    dollars = (sent - reused) * price.input + reused * cached_price + received * price.output
    return dollars * _PER_TOKEN
