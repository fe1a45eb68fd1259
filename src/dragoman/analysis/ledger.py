"""The ledger: what every purpose used of every model, and what that costs."""

from collections.abc import Iterable

import msgspec

from dragoman.core.costs import Cost, PriceOf, cost_of, total_cost
from dragoman.core.usage import Usage, total_usage


class LedgerLine(msgspec.Struct, frozen=True):
    """What one purpose used of one model; `cost` is None where it is not known."""

    usage: Usage
    cost: Cost | None


def ledger(entries: Iterable[Usage], price_of: PriceOf) -> tuple[LedgerLine, ...]:
    """Add usage up by purpose and model, and price it."""
    return tuple(LedgerLine(usage, cost_of(usage, price_of)) for usage in total_usage(entries))


def merged(lines: Iterable[LedgerLine]) -> tuple[LedgerLine, ...]:
    """Add lines of several ledgers up by purpose and model."""
    lines = tuple(lines)
    costs: dict[tuple[str, str], list[Cost | None]] = {}
    for line in lines:
        costs.setdefault((line.usage.purpose, line.usage.model), []).append(line.cost)
    return tuple(
        LedgerLine(usage, total_cost(costs[usage.purpose, usage.model]))
        for usage in total_usage(line.usage for line in lines)
    )


def ledger_cost(lines: Iterable[LedgerLine]) -> Cost | None:
    """Return what a ledger costs; None where it is empty or one line's cost is not known."""
    costs = [line.cost for line in lines]
    return total_cost(costs) if costs else None
