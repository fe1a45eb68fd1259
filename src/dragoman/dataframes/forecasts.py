"""Forecasts for a plan from stored runs: cost, time and the smallest drop that it can show."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.forecast import (
    Forecast,
    ForecastLine,
    MeanConsumption,
    PlannedCell,
    PlannedModel,
    forecast,
)
from dragoman.analysis.power import ASSUMED, Detectable, TaskVariance, detectable, variance_of
from dragoman.composition.concurrency import default_concurrency
from dragoman.composition.external_access import uses_network
from dragoman.composition.setup import Setup
from dragoman.config.run_config import RunConfig
from dragoman.dataframes.results import chosen_scoring, outcomes
from dragoman.models.endpoints.rate_limit import MINUTE, first_given, read_batches, read_rates
from dragoman.registry.agents import ledger_name
from dragoman.registry.participants import ResolvedParticipant
from dragoman.runs.plan import Cell
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name
from dragoman.store.run_store import open_run


def forecast_plan(
    setup: Setup,
    cells: Iterable[Cell],
    folders: Sequence[Path],
    averages: MeanConsumption | None = None,
) -> Forecast:
    """Forecast the consumption of planned conversations, at the prices of their setup.

    Args:
        setup: Setup of the plan.
        cells: The plan.
        folders: Recorded runs, each with its newest scoring.
        averages: Stated consumption of a conversation without a similar recorded one; None if it is
            not stated.

    Raises:
        StoreError: If a run cannot be read.
    """
    kinds = Counter((cell.task.suite, cell.condition, cell.agent.name) for cell in cells)
    agents = {agent.name: agent for agent, _ in setup.pairs}
    planned = [
        PlannedCell(suite, condition, agent, _models(setup.config, agents[agent]), count)
        for (suite, condition, agent), count in kinds.items()
    ]
    recorded = [outcome for folder in folders for outcome in _load_recorded_outcomes(folder)]
    return forecast(planned, recorded, setup.prices.price_of, averages)


def seconds_of(found: Forecast, config: RunConfig) -> float | None:
    """Return how long a plan would take; None if that is not known, as for batches.

    That is its conversations side by side, or longer where a minute's allowance lets go fewer
    calls.
    """
    if config.batches or found.seconds is None:
        return None
    at_once = max(1, min(default_concurrency(config), found.conversations))
    return max(found.seconds / at_once, _allowed_seconds(found, config))


def _allowed_seconds(found: Forecast, config: RunConfig) -> float:
    """Return the seconds that calls take under the allowance per minute.

    Each endpoint has the allowance for itself.
    """
    rates = read_rates(config.rates)
    minutes = [0.0]
    for lines in _by_endpoint(found.lines):
        names = [name for line in lines for name in line.limited_as]
        requests, tokens = first_given(rates, names) or (None, None)
        asked = sum(line.calls or 0.0 for line in lines)
        used = sum((line.input_tokens or 0.0) + (line.output_tokens or 0.0) for line in lines)
        minutes += [asked / requests if requests else 0.0, used / tokens if tokens else 0.0]
    return max(minutes) * MINUTE


def _by_endpoint(lines: Iterable[ForecastLine]) -> Iterable[Sequence[ForecastLine]]:
    """Return lines by the addresses that they ask.

    Lines of a provider without an address join the first lines of that provider with one.
    """
    found: dict[tuple[str, ...], list[ForecastLine]] = {}
    for line in sorted(lines, key=lambda each: len(each.limited_as) == 1):
        provider, *origins = line.limited_as
        own = (key for key, others in found.items() if provider == others[0].limited_as[0])
        found.setdefault(tuple(origins) or next(own, (provider,)), []).append(line)
    return found.values()


def _load_recorded_outcomes(folder: Path) -> list[ConversationResult]:
    with open_run(folder, write=False) as store:
        return list(outcomes(store, *chosen_scoring(store, None, None), heads_only=True))


def _models(config: RunConfig, agent: ResolvedParticipant) -> dict[str, PlannedModel]:
    """Return those who ask an endpoint, by role."""
    written = {
        "agent": agent.resolved_by,
        "user": config.user,
        "judge": config.judge,
        "user judge": config.user_judge,
    }
    batches = read_batches(config.batches)
    called = {"agent": agent.name} if agent.spec else {}
    return {
        role: PlannedModel(*ledger_name(name, batches, wrapped_agent_name(called.get(role, ""))))
        for role, name in written.items()
        if name and uses_network(name)
    }


def planned_power(cells: Iterable[Cell], like: Sequence[Path]) -> tuple[Detectable, ...]:
    """Return the smallest drop that a plan can show, suite by suite.

    Args:
        cells: The plan.
        like: Recorded runs; the first with conversations of a suite determines the variance of its
            tasks.

    Raises:
        StoreError: If a run cannot be read.
    """
    suites: dict[str, tuple[set[str], set[int]]] = {}
    for cell in cells:
        tasks, trials = suites.setdefault(cell.task.suite, (set(), set()))
        tasks.add(cell.task.id)
        trials.add(cell.trial)
    recorded = [_recorded_cells(folder, suites.keys()) for folder in like]
    return tuple(
        detectable(
            suite,
            len(tasks),
            len(trials),
            next((found[suite] for found in recorded if suite in found), ASSUMED),
        )
        for suite, (tasks, trials) in suites.items()
    )


def _recorded_cells(folder: Path, suites: Collection[str]) -> dict[str, TaskVariance]:
    """Return how much the tasks of these suites vary in a run, of those that it has."""
    found: dict[str, list[ConversationResult]] = {}
    with open_run(folder, write=False) as store:
        for row in outcomes(store, *chosen_scoring(store, None, None), heads_only=True):
            if row.suite in suites:
                found.setdefault(row.suite, []).append(row)
    return {suite: variance_of(rows) for suite, rows in found.items()}
