"""What a plan would take, from runs that are stored."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from dragoman.analysis.cells import Outcome
from dragoman.analysis.forecast import Forecast, PlannedCell, forecast
from dragoman.core.costs import BATCHED
from dragoman.models.wire.rationing import MINUTE, read_rates
from dragoman.runs.plan import Cell
from dragoman.simulation.canonical import agent_behind
from dragoman.store.run import open_run
from dragoman.tables.outcomes import chosen_scoring, outcomes
from dragoman.wiring.grid.config import RunConfig
from dragoman.wiring.reach import asks_endpoint
from dragoman.wiring.setup import Setup


def forecast_plan(setup: Setup, cells: Iterable[Cell], folders: Sequence[Path]) -> Forecast:
    """Return what planned conversations would take, at the prices of their setup.

    Args:
        setup: Of the plan.
        cells: The plan.
        folders: Recorded runs, each with its newest scoring.

    Raises:
        StoreError: Where a run cannot be read.
    """
    kinds = Counter((cell.task.suite, cell.condition, cell.agent.name) for cell in cells)
    planned = [
        PlannedCell(suite, condition, agent, _models(setup.config, agent), count)
        for (suite, condition, agent), count in kinds.items()
    ]
    recorded = [outcome for folder in folders for outcome in _recorded(folder)]
    return forecast(planned, recorded, setup.prices.price_of)


def seconds_of(found: Forecast, config: RunConfig) -> float | None:
    """Return how long a plan would take; None where that is not known, as for batches.

    That is its conversations side by side, or longer where a minute's allowance lets go fewer calls.
    """
    if config.batches or found.seconds is None:
        return None
    at_once = max(1, min(config.concurrency, found.conversations))
    return max(found.seconds / at_once, _allowed_seconds(found, config))


def _allowed_seconds(found: Forecast, config: RunConfig) -> float:
    calls: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for line in found.lines:
        provider = line.model.partition("/")[0]
        calls[provider] += round(line.calls or 0)
        tokens[provider] += round((line.input_tokens or 0) + (line.output_tokens or 0))
    minutes = [0.0]
    for name, (requests_a_minute, tokens_a_minute) in read_rates(config.rates).items():
        minutes.append(calls[name] / requests_a_minute if requests_a_minute else 0.0)
        minutes.append(tokens[name] / tokens_a_minute if tokens_a_minute else 0.0)
    return max(minutes) * MINUTE


def _recorded(folder: Path) -> list[Outcome]:
    with open_run(folder, write=False) as store:
        return list(outcomes(store, *chosen_scoring(store, None, None), heads_only=True))


def _models(config: RunConfig, agent: str) -> dict[str, str]:
    """Return the names in ledgers of those who ask an endpoint, by role."""
    written = {
        "agent": agent_behind(agent),
        "user": config.user,
        "judge": config.judge,
        "user judge": config.user_judge,
    }
    return {
        role: _in_ledgers(name, config)
        for role, name in written.items()
        if name and asks_endpoint(name)
    }


def _in_ledgers(written: str, config: RunConfig) -> str:
    name = written.partition("?")[0]
    batched = name.partition("/")[0] in {each.partition("=")[0] for each in config.batches}
    return name + BATCHED if batched else name
