"""Everything one run needs, built from its configuration."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.conditions import Condition
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Check, Judge, Suite
from dragoman.core.rules import Rules, find_rules
from dragoman.core.tasks import Task
from dragoman.models.budget import Budget
from dragoman.models.prices import NO_PRICES, PriceTable
from dragoman.models.transport import Patience, Timeouts
from dragoman.scoring.user_check import UserCheck, scoring_name
from dragoman.wiring.config import RunConfig
from dragoman.wiring.connections import Connections
from dragoman.wiring.participants import (
    HUMAN,
    Resolved,
    resolve_agent,
    resolve_judge,
    resolve_user,
    resolve_user_check,
)
from dragoman.wiring.prompts import prompts_for
from dragoman.wiring.spending import budget_of, prices_of
from dragoman.wiring.suites import load_suite
from dragoman.wiring.text_agents import offer_of, require_text


class Setup(msgspec.Struct, frozen=True):
    """A loaded run: suite, tasks, pairs of agent and user, judge, rules and conditions."""

    config: RunConfig
    suite: Suite
    tasks: tuple[Task, ...]
    pairs: tuple[tuple[Resolved, Resolved], ...]
    judge: Judge | None
    rules: Rules
    prompts: str = ""
    users: UserCheck | None = None
    check: Check | None = None
    conditions: tuple[Condition, ...] = (Condition(),)
    connections: Connections | None = None
    prices: PriceTable = NO_PRICES
    budget: Budget | None = None

    async def close(self) -> None:
        """Close the connections of the run's models."""
        if self.connections is not None:
            await self.connections.close()

    @property
    def remembers(self) -> bool:
        """Whether replies of models are remembered."""
        return self.config.cache

    @property
    def judge_name(self) -> str:
        """The name in scores: the judge's, and the user judge's where there is one."""
        return scoring_name(self.judge, self.users)

    @property
    def scoring_costs(self) -> bool:
        """Whether scoring asks a model."""
        asks_users = self.users is not None and self.users.judge_name is not None
        return asks_users or (self.judge is not None and self.judge.costs)


def build_setup(
    config: RunConfig,
    given: Mapping[str, Resolved] | None = None,
    prices: PriceTable | None = None,
) -> Setup:
    """Resolve every name of a configuration.

    Args:
        config: What is to be run.
        given: Agents that are taken as they are, and the person who plays as `human`.
        prices: The prices to use, where the configuration's are not to be read.

    Raises:
        UsageError: For a name that does not exist.
        DataError: For data that are missing or damaged.
    """
    rules = find_rules(config.rules)
    prices = prices or prices_of(config)
    budget = budget_of(config, prices)
    connections = connections_of(config, budget)
    judge = resolve_judge(config.judge, connections)
    users = resolve_user_check(config.user, config.user_judge, connections)
    given = given or {}
    suite = load_suite(config.suite)
    prompts = prompts_for(config.suite, rules)
    offer = offer_of(suite, rules)
    agents = [
        given.get(spec) or resolve_agent(spec, prompts, connections, offer)
        for spec in config.agents
    ]
    for agent in agents:
        require_text(suite, agent.participant)
    person = given.get(HUMAN) if config.user == HUMAN else None
    pairs = tuple(
        (agent, person or resolve_user(config.user, agent.participant, prompts, connections))
        for agent in agents
    )
    tasks = chosen_tasks(suite, config.tasks, config.limit)
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
        suite.check(rules),
        connections=connections,
        prices=prices,
        budget=budget,
    )


def scoring_setup(config: RunConfig, prices: PriceTable | None = None) -> Setup:
    """Resolve what scoring needs, and no agents: they may be gone since the run."""
    prices = prices or prices_of(config)
    suite, rules = load_suite(config.suite), find_rules(config.rules)
    tasks = chosen_tasks(suite, config.tasks, config.limit)
    budget = budget_of(config, prices)
    connections = connections_of(config, budget)
    return Setup(
        config,
        suite,
        tasks,
        (),
        resolve_judge(config.judge, connections),
        rules,
        users=resolve_user_check(config.user, config.user_judge, connections),
        check=suite.check(rules),
        connections=connections,
        prices=prices,
        budget=budget,
    )


def connections_of(config: RunConfig, budget: Budget | None) -> Connections:
    """Return what the models of a run share, with its time-outs and patience."""
    total = max(Timeouts().total, config.read_timeout)
    patience = Patience(seconds=config.patience, outage=config.patience)
    return Connections(
        Timeouts(read=config.read_timeout, total=total), patience, budget, remembers=config.cache
    )


def chosen_tasks(suite: Suite, ids: Sequence[str], limit: int | None) -> tuple[Task, ...]:
    """Return the tasks of a suite that a run is to play.

    Raises:
        UsageError: For an id that the suite does not have.
    """
    by_id = {task.id: task for task in suite.tasks}
    unknown = [task_id for task_id in ids if task_id not in by_id]
    if unknown:
        raise UsageError(
            f"{suite.name} has no task {unknown[0]!r}: its ids are {_some(list(by_id))}"
        )
    tasks = tuple(by_id[task_id] for task_id in dict.fromkeys(ids)) or tuple(suite.tasks)
    return tasks[:limit]


def _some(ids: list[str]) -> str:
    return ", ".join(ids) if len(ids) <= 6 else f"{ids[0]}, {ids[1]}, ... {ids[-1]}"  # noqa: PLR2004 - one line
