"""Setup of one run, built from its configuration, with the external services it names."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from dragoman.composition.concurrency import default_concurrency, timeouts_of
from dragoman.composition.conditions.axes import OWN_OPTIONS, expand_axes, further_layers
from dragoman.composition.conditions.clarification import (
    clarification_layers,
    expand_clarification_judges,
)
from dragoman.composition.conditions.languages import conditions_of, languages_of, rules_of
from dragoman.composition.conditions.personas import (
    expand_personas,
    expand_user_profiles,
    persona_layers,
    require_no_contradiction,
    user_profile_layers,
)
from dragoman.composition.spending import budget_of, models_of, prices_of, with_stated_prices
from dragoman.conditions.language.localization import Localization, english_localization
from dragoman.conditions.resolved_condition import ResolvedCondition, resolve_condition
from dragoman.config.agent_specs import parse_agent, specs_of
from dragoman.config.builtin_names import HUMAN
from dragoman.config.environment import data_folder, environment_variable
from dragoman.config.run_config import RunConfig
from dragoman.core.capabilities import (
    ExternalServices,
    NeedsExternalServices,
    OwnCheck,
    Recorded,
    SearchAccess,
)
from dragoman.core.conditions import CLARIFY, ENGLISH, ITSELF, PLAIN, TEXT, Condition, playable
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UsageError
from dragoman.core.layers import Layer
from dragoman.core.protocols import Check, Judge, Limits, Suite
from dragoman.core.rules import CONVERSATION_RULES, Rules
from dragoman.core.tasks import Task, prerequisite_chain
from dragoman.models.budget import Budget, SpendTracker
from dragoman.models.endpoints.rate_limit import PacingOptions, read_batches, read_rates
from dragoman.models.http.transport import RetryPolicy
from dragoman.models.model_spec import parse_base_url, parse_model_spec
from dragoman.models.prices import NO_PRICES, PriceTable
from dragoman.registry.agents import require_text_calls, text_protocol_factory
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.participants import (
    ResolvedParticipant,
    cannot_hear,
    rename_agent,
    resolve_agent,
    resolve_judge,
    resolve_user,
    resolve_user_check,
)
from dragoman.registry.suites import load_suite, prompts_for
from dragoman.scoring.simulator_validity import UserCheck, scoring_name
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name

if TYPE_CHECKING:
    from dragoman.composition.conditions.voice import VoiceConditions
    from dragoman.conditions.voice.layer import VoiceCondition


SEARCH_KEY = "SERPAPI_API_KEY"

CALL_NOTHING = frozenset({"gold", "silent"})
"""Agents that call no external tools: the plan that `gold` plays has no such calls."""


def external_services(config: RunConfig, connections: ModelClients) -> ExternalServices | None:
    """Return the external services that a run names; None if it names none.

    Raises:
        UsageError: For a model or an address that cannot be reached.
    """
    if not (config.embeddings or config.search):
        return None
    embed = search = None
    if config.embeddings:
        embed = connections.embedding_model(parse_model_spec(config.embeddings)).embed
    if config.search:
        address = parse_base_url(config.search, "search")
        search = SearchAccess(address, environment_variable(SEARCH_KEY), config.patience)
    return ExternalServices(embed, search, _identity(config))


def named_external_services(config: RunConfig) -> ExternalServices | None:
    """Return the identity of the external services that a run names; None if it has none."""
    if not (config.embeddings or config.search):
        return None
    return ExternalServices(identity=_identity(config))


def require_external_services(suite: Suite, config: RunConfig) -> None:
    """Raise UsageError for an external service that is missing or not needed."""
    needed, missing = (
        (suite.needs, suite.missing) if isinstance(suite, NeedsExternalServices) else ("", "")
    )
    for option, given in (("embeddings", config.embeddings), ("search", config.search)):
        if given and option != needed:
            raise UsageError(f"{suite.name} has no use for --{option}: leave it out")
    if missing and not CALL_NOTHING.issuperset(
        map(wrapped_agent_name, specs_of(config.agents).values())
    ):
        raise UsageError(f"{suite.name} {missing}")


def _identity(config: RunConfig) -> str:
    model = parse_model_spec(config.embeddings).identity if config.embeddings else ""
    return content_key("outside-1", model, config.search)


class Setup(msgspec.Struct, frozen=True):
    """A loaded run: suite, tasks, pairs of agent and user, judge, rules and conditions.

    `planned_limits` are the limits that the plan was made with, if the run was resumed with other
    limits. `conditions` are the playable conditions of the grid. `unplayable` gives, by label, the
    reason for each other condition.
    """

    config: RunConfig
    suite: Suite
    tasks: tuple[Task, ...]
    pairs: tuple[tuple[ResolvedParticipant, ResolvedParticipant], ...]
    judge: Judge | None
    rules: Rules
    prompts: str = ""
    users: UserCheck | None = None
    check: Check | None = None
    conditions: tuple[Condition, ...] = (PLAIN,)
    connections: ModelClients | None = None
    prices: PriceTable = NO_PRICES
    budget: Budget | None = None
    localizations: Mapping[str, Localization] = {}
    voices: "VoiceConditions | None" = None
    further: Mapping[tuple[str, str], Layer] = {}
    clarifying: Mapping[str, Layer] = {}
    personas: Mapping[str, Layer] = {}
    exposures: Mapping[str, Layer] = {}
    planned_limits: Limits | None = None
    unplayable: Mapping[str, str] = {}

    @property
    def at_once(self) -> int:
        """The number of conversations at a time."""
        return default_concurrency(self.config)

    @property
    def limits(self) -> Limits:
        """The limits in the keys of cells: those that the run was started with."""
        return self.planned_limits or self.config.limits

    def localization(self, condition: Condition) -> Localization:
        """Return the localization of a condition: what its sides see, read and are told."""
        if condition.localized is None:
            return english_localization(condition)
        return self.localizations[condition.label]

    def voiced(self, condition: Condition) -> "VoiceCondition | None":
        """Return the voice of a condition; None for a condition in text."""
        return None if self.voices is None else self.voices.conditions.get(condition.label)

    def resolve_condition(self, condition: Condition) -> ResolvedCondition:
        """Resolve a condition: language, voice, persona, then the layers of further axes."""
        layers = [
            self.further[axis, value] for axis, value in condition.axes if axis not in OWN_OPTIONS
        ]
        if (persona := self.personas.get(condition.label)) is not None:
            layers.insert(0, persona)
        # Scoring omits layers that need a model; they change nothing that is judged.
        if (exposure := self.exposures.get(condition.label)) is not None:
            layers.append(exposure)
        if (voiced := self.voiced(condition)) is not None:
            from dragoman.conditions.voice.layer import voice_layer

            layers.insert(0, voice_layer(voiced))
        if condition.is_localized:
            layers.insert(0, self.localization(condition).layer)
        # Scoring omits clarifications and has no judge of them.
        if (judged := self.clarifying.get(condition.axis(CLARIFY))) is not None:
            layers.append(judged)
        return resolve_condition(condition, layers)

    async def close(self) -> None:
        """Close the connections of the run's models, and the speech engines."""
        if self.voices is not None:
            await self.voices.speech.close()
        if self.connections is not None:
            await self.connections.close()

    @property
    def cache_enabled(self) -> bool:
        """Whether replies of models are cached."""
        return self.config.cache

    @property
    def judge_name(self) -> str:
        """The judge's name in scores, with the user judge's name if there is one."""
        return scoring_name(self.judge, self.users)

    @property
    def scoring_costs(self) -> bool:
        """Whether scoring asks a model."""
        asks_users = self.users is not None and self.users.judge_name is not None
        return asks_users or (self.judge is not None and self.judge.costs)


def build_setup(  # noqa: PLR0913, PLR0917 - what a run is made of
    config: RunConfig,
    given: Mapping[str, ResolvedParticipant] | None = None,
    prices: PriceTable | None = None,
    spend_tracker: SpendTracker | None = None,
    conditions: Sequence[Condition] | None = None,
    left_out: Mapping[str, str] = MappingProxyType({}),
    *,
    sends_calls: bool = True,
) -> Setup:
    """Resolve every name of a configuration.

    Args:
        config: The configuration of the run.
        given: Agents that are already resolved, and the person who plays as `human`.
        prices: The prices to use in place of the configuration's.
        spend_tracker: The spend tracker to use in place of the configuration's budget.
        conditions: The conditions that are played; None for those of the grid.
        left_out: Conditions of the grid that the run was started without, by label, with the
            reason.
        sends_calls: Whether the setup is played; one that is only planned needs no key.

    Raises:
        UsageError: If a name does not exist, or no condition of the grid can be played.
        DataError: If data are missing or damaged.
    """
    prices = with_stated_prices(prices or prices_of(config), models_of(config))
    budget = budget_of(config, prices)
    connections = model_clients(config, spend_tracker or budget, sends_calls=sends_calls)
    suite = load_suite(config.suite, external_services(config, connections))
    is_new = conditions is None
    config = with_scenario(config, suite)
    conditions = grid_of(config, suite) if conditions is None else tuple(conditions)
    rules = rules_of(config.rules, config.suite, conditions)
    config = msgspec.structs.replace(config, rules=rules.name)
    unplayable = {each.label: left_out[each.label] for each in conditions if each.label in left_out}
    conditions = playable(conditions, unplayable)
    judge = resolve_judge(config.judge, connections)
    users = resolve_user_check(config.user, config.user_judge, connections)
    given = given or {}
    require_external_services(suite, config)
    prompts = prompts_for(config.suite, rules)
    offer = text_protocol_factory(suite, rules)
    agents = [
        _provided_agent(written, given) or resolve_agent(written, prompts, connections, offer)
        for written in config.agents
    ]
    shown = localizations(config, conditions, suite, unplayable)
    conditions = playable(conditions, unplayable)
    personas = persona_layers(conditions, config.personas, unplayable)
    exposures = user_profile_layers(
        conditions, config.personas, connections, suite.tasks, unplayable
    )
    conditions = playable(conditions, unplayable)
    spoken = voices(config, conditions, suite, connections, shown, unplayable)
    conditions = playable(conditions, unplayable)
    for agent in agents:
        require_text_calls(suite, agent.participant)
        _require_played(agent, conditions)
    person = given.get(HUMAN) if config.user == HUMAN else None
    pairs = tuple(
        (
            agent,
            person or resolve_user(config.user, agent.participant, prompts, connections),
        )
        for agent in agents
    )
    tasks = chosen_tasks(suite, config.tasks, config.limit)
    if is_new:
        # Only a new run is refused: an older run with a persona card is resumed and played on.
        require_no_contradiction(conditions, tasks)
    check = check_of(suite, rules)
    _require_check(tasks, check)
    prompts_name = f"{prompts.name}@{prompts.digest[:8]}"
    return Setup(
        config,
        suite,
        tasks,
        pairs,
        judge,
        rules,
        prompts_name,
        users,
        check,
        conditions,
        connections=connections,
        prices=prices,
        budget=budget,
        localizations=shown,
        voices=spoken,
        further=further_layers(conditions, suite),
        clarifying=clarification_layers(conditions, suite, connections),
        personas=personas,
        exposures=exposures,
        unplayable=unplayable,
    )


def _provided_agent(
    written: str, given: Mapping[str, ResolvedParticipant]
) -> ResolvedParticipant | None:
    """Return an agent that is already resolved, under its written name.

    None for any other agent.
    """
    named = parse_agent(written)
    found = given.get(written) or given.get(named.spec)
    return None if found is None else rename_agent(found, named)


def grid_of(config: RunConfig, suite: Suite) -> tuple[Condition, ...]:
    """Return the conditions of a grid.

    They are the languages in their scenarios, over every channel and every other axis.
    """
    config = with_scenario(config, suite)
    conditions = conditions_of(config.languages, config.scenarios, config.partition_seeds)
    if _says_how_to_speak(config) or isinstance(suite, Recorded):
        from dragoman.composition.conditions.voice import voice_conditions

        conditions = voice_conditions(conditions, config, suite)
    conditions = expand_personas(conditions, config.personas)
    conditions = expand_user_profiles(conditions, config.exposures)
    conditions = expand_clarification_judges(conditions, config.clarify)
    return expand_axes(conditions, config.axes) if config.axes else conditions


def with_scenario(config: RunConfig, suite: Suite) -> RunConfig:
    """Return a configuration with a scenario, if its languages need one and it names none.

    Raises:
        DataError: If translated artifacts were not pulled.
    """
    if config.scenarios or set(config.languages) <= {ENGLISH}:
        return config
    from dragoman.composition.conditions.localization import default_scenario

    chosen = default_scenario(config.languages, suite, config.assets, data_folder())
    return msgspec.structs.replace(config, scenarios=(chosen,))


def _says_how_to_speak(config: RunConfig) -> bool:
    """Return whether a configuration has an option that only spoken conditions use."""
    has_engines = bool(config.voices or config.asr or config.speakers)
    return has_engines or config.transcript_form == "raw"


def voices(  # noqa: PLR0913, PLR0917 - what a run is made of
    config: RunConfig,
    conditions: Sequence[Condition],
    suite: Suite,
    connections: ModelClients,
    shown: Mapping[str, Localization],
    unplayable: dict[str, str] | None = None,
) -> "VoiceConditions | None":
    """Return the engines and voices of spoken conditions; None if none is spoken.

    `unplayable` receives, by label, the reason why a condition cannot be spoken or recognized; None
    raises an error.
    """
    if all(condition.voice == TEXT for condition in conditions):
        return None
    from dragoman.composition.conditions.voice import voices_of_run

    return voices_of_run(config, conditions, suite, connections, shown, unplayable)


def scoring_setup(
    config: RunConfig,
    prices: PriceTable | None = None,
    conditions: Sequence[Condition] | None = None,
) -> Setup:
    """Resolve the names that scoring needs, without agents, which may no longer exist."""
    prices = with_stated_prices(prices or prices_of(config), models_of(config))
    suite = load_suite(config.suite, named_external_services(config))
    conditions = grid_of(config, suite) if conditions is None else tuple(conditions)
    rules = rules_of(config.rules, config.suite, conditions)
    unplayable: dict[str, str] = {}
    shown = localizations(config, conditions, suite, unplayable)
    personas = persona_layers(conditions, config.personas, unplayable)
    conditions = tuple(each for each in conditions if each.label not in unplayable)
    tasks = chosen_tasks(suite, config.tasks, config.limit)
    budget = budget_of(config, prices)
    connections = model_clients(config, budget)
    return Setup(
        config,
        suite,
        tasks,
        (),
        resolve_judge(config.judge, connections),
        rules,
        users=resolve_user_check(config.user, config.user_judge, connections),
        check=check_of(suite, rules),
        conditions=conditions,
        connections=connections,
        prices=prices,
        budget=budget,
        localizations=shown,
        further=further_layers(conditions, suite),
        personas=personas,
        unplayable=unplayable,
    )


def localizations(
    config: RunConfig,
    conditions: Sequence[Condition],
    suite: Suite,
    unplayable: dict[str, str] | None = None,
) -> Mapping[str, Localization]:
    """Return the localization of each condition in another language, by label.

    `unplayable` receives, by label, the reason why a condition lacks translated artifacts; None
    raises an error.

    Raises:
        UnplayableConditionError: If a suite has no translated artifacts.
        DataError: If artifacts are missing or damaged.
    """
    localized = [entry for entry in conditions if entry.localized is not None]
    if not localized:
        return {}
    from dragoman.composition.conditions.localization import SuiteArtifacts, localizations_of
    from dragoman.composition.conditions.translated_questions import (
        question_localizations,
        question_source,
    )
    from dragoman.conditions.language.tool_view_rules import DEFAULT_VIEW_RULES, VIEW_RULES

    languages = languages_of(config.languages)
    benchmark = question_source(localized, suite)
    if benchmark is not None:
        return question_localizations(
            localized, languages, suite, benchmark, config.assets, unplayable
        )
    artifacts = SuiteArtifacts(suite, config.assets, data_folder())
    view_rules = VIEW_RULES.get(config.rules, DEFAULT_VIEW_RULES)
    return localizations_of(localized, languages, suite, artifacts, view_rules, unplayable)


def check_of(suite: Suite, rules: Rules) -> Check | None:
    """Return a suite's own check; None if its tasks' criteria are sufficient.

    Raises:
        UsageError: If the suite cannot be judged by these rules.
    """
    own = suite.check(rules) if isinstance(suite, OwnCheck) else None
    if own is None:
        CONVERSATION_RULES.find(rules.name, suite.name)
    return own


def _require_check(tasks: Sequence[Task], check: Check | None) -> None:
    """Raise DataError for tasks that need an earlier task's effects but have no check.

    Without a check, states would be judged in worlds that lack these effects.
    """
    after = next((task for task in tasks if task.after), None)
    if after is not None and check is None:
        raise DataError(f"task {after.id} comes after others: its suite needs a check of its own")


def _require_played(agent: ResolvedParticipant, conditions: Sequence[Condition]) -> None:
    """Raise UsageError for an agent that cannot be played under any condition."""
    reasons = [cannot_hear(agent, condition) for condition in conditions]
    if reasons and all(reasons):
        raise UsageError(f"--asr {ITSELF}: {reasons[0]}")


def model_clients(
    config: RunConfig, budget: SpendTracker | None, *, sends_calls: bool = True
) -> ModelClients:
    """Return the model clients of a run, with its time-outs, retries and rate limits.

    Raises:
        UsageError: If a rate is malformed.
    """
    retry_policy = RetryPolicy(seconds=config.patience, outage=config.patience)
    timeouts = timeouts_of(config.read_timeout)
    pacing = PacingOptions(
        read_rates(config.rates, config.workers), config.hedge, read_batches(config.batches)
    )
    return ModelClients(
        timeouts,
        retry_policy,
        budget,
        pacing,
        cache_enabled=config.cache,
        sends_calls=sends_calls,
    )


def with_prerequisites(tasks: Sequence[Task], by_id: Mapping[str, Task]) -> tuple[Task, ...]:
    """Return tasks together with the tasks that they come after, each behind its own chain.

    Raises:
        DataError: If a chain cannot be played.
    """
    played: dict[str, Task] = {}
    for task in tasks:
        for each in (*prerequisite_chain(task, by_id), task):
            played[each.id] = each
    return tuple(played.values())


def chosen_tasks(suite: Suite, ids: Sequence[str], limit: int | None) -> tuple[Task, ...]:
    """Return the tasks of a suite that a run plays, with the tasks that they come after.

    Raises:
        UsageError: For an id that the suite does not have.
        DataError: If a task's chain cannot be played.
    """
    by_id = {task.id: task for task in suite.tasks}
    unknown = [task_id for task_id in ids if task_id not in by_id]
    if unknown:
        raise UsageError(
            f"{suite.name} has no task {unknown[0]!r}: its ids are {_some(list(by_id))}"
        )
    tasks = tuple(by_id[task_id] for task_id in dict.fromkeys(ids)) or tuple(suite.tasks)
    return with_prerequisites(tasks[:limit], by_id)


def _some(ids: list[str]) -> str:
    return ", ".join(ids) if len(ids) <= 6 else f"{ids[0]}, {ids[1]}, ... {ids[-1]}"  # noqa: PLR2004
