"""Forecasts for a plan from stored runs: cost, time and the smallest drop that it can show."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
from dragoman.composition.conditions.clarification import SPOKEN
from dragoman.composition.conditions.personas import BY_MODEL, INFERRED_PROFILE
from dragoman.composition.external_access import uses_network
from dragoman.composition.setup import CALL_NOTHING, Setup
from dragoman.conditions.clarification.judges import PURPOSE as CLARIFICATION
from dragoman.conditions.persona.profile_inference import PURPOSE as CONTEXT
from dragoman.conditions.voice.channel import RECOGNITION, VoicePath
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import CLARIFY, EXPOSURE, Condition
from dragoman.core.replies import SYNTHESIS
from dragoman.core.usage import SEARCH
from dragoman.dataframes.results import chosen_scoring, outcomes
from dragoman.models.embeddings import PURPOSE as EMBEDDING
from dragoman.models.endpoints.rate_limit import MINUTE, first_given, read_batches, read_rates
from dragoman.models.model_spec import parse_model_spec
from dragoman.models.prices import strip_price
from dragoman.registry.agents import ledger_name
from dragoman.registry.participants import ResolvedParticipant
from dragoman.registry.providers import EMBEDDINGS, addresses_of, base_address_of, limited_as
from dragoman.runs.plan import Cell
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name
from dragoman.speech.specs import LocalSpec, SpeechSpec, parse_recognizer, parse_synthesizer
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
        _planned_cell(setup, suite, condition, agents[agent], count)
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


def _planned_cell(
    setup: Setup, suite: str, condition: Condition, agent: ResolvedParticipant, count: int
) -> PlannedCell:
    models = _models(setup.config, agent)
    further = {
        **_speech_models(setup, condition),
        **_layer_models(setup.config, condition, models.get("agent")),
    }
    if wrapped_agent_name(agent.resolved_by) not in CALL_NOTHING:
        further |= _service_models(setup.config)
    return PlannedCell(suite, condition, agent.name, models, count, further)


_Models = dict[str, tuple[PlannedModel, ...]]


def _speech_models(setup: Setup, condition: Condition) -> _Models:
    """Return the voices and the recognizer of a condition that are at a provider."""
    voiced = setup.voiced(condition)
    if voiced is None:
        return {}
    from dragoman.conditions.voice.layer import LiveVoice, RecordedVoice

    paths: Sequence[VoicePath] = ()
    if isinstance(voiced, LiveVoice):
        paths = (*voiced.users, voiced.agent)
    elif isinstance(voiced, RecordedVoice) and isinstance(voiced.live, Mapping):
        paths = tuple(voiced.live.values())
    speakers = [path.speaker.name for path in paths]
    heard = [path.listener for path in paths]
    listeners = [each.name for each in heard if each is not None and not isinstance(each, str)]
    found = {
        SYNTHESIS: _at_providers(speakers, parse_synthesizer),
        RECOGNITION: _at_providers(listeners, parse_recognizer),
    }
    return {purpose: models for purpose, models in found.items() if models}


def _at_providers(
    names: Iterable[str], parse: Callable[[str], SpeechSpec | LocalSpec]
) -> tuple[PlannedModel, ...]:
    specs = (parse(name) for name in names if uses_network(name))
    models = (
        PlannedModel(spec.name, limited_as(spec.name, (base_address_of(spec),)))
        for spec in specs
        if isinstance(spec, SpeechSpec)
    )
    return tuple(dict.fromkeys(models))


def _layer_models(config: RunConfig, condition: Condition, agent: PlannedModel | None) -> _Models:
    """Return the models that judge clarifications and infer user profiles in a condition."""
    batches = read_batches(config.batches)
    exposure = condition.axis(EXPOSURE)
    written = {
        CLARIFICATION: condition.axis(CLARIFY).removeprefix(SPOKEN),
        CONTEXT: exposure.removeprefix(BY_MODEL),
    }
    found: _Models = {
        purpose: (PlannedModel(*ledger_name(name, batches)),)
        for purpose, name in written.items()
        if uses_network(name)
    }
    if exposure == INFERRED_PROFILE and agent is not None:
        found[CONTEXT] = (agent,)
    return found


def _service_models(config: RunConfig) -> _Models:
    """Return the model of embeddings, and the search engine, which has no model."""
    found: _Models = {}
    if config.embeddings:
        spec = parse_model_spec(strip_price(config.embeddings))
        names = limited_as(spec.name, addresses_of(spec, EMBEDDINGS))
        found[EMBEDDING] = (PlannedModel(spec.name, names),)
    if config.search:
        found[SEARCH] = ()
    return found


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
