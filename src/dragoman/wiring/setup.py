"""Everything one run needs, built from its configuration."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.protocols import Judge, Suite
from dragoman.core.rules import Rules, find_rules
from dragoman.core.scores import NO_JUDGE
from dragoman.core.tasks import Task
from dragoman.wiring.config import RunConfig
from dragoman.wiring.participants import Resolved, resolve_agent, resolve_judge, resolve_user
from dragoman.wiring.prompts import prompts_for
from dragoman.wiring.suites import load_suite


class Setup(msgspec.Struct, frozen=True):
    """A loaded run: suite, tasks, pairs of agent and user, judge and rules."""

    config: RunConfig
    suite: Suite
    tasks: tuple[Task, ...]
    pairs: tuple[tuple[Resolved, Resolved], ...]
    judge: Judge | None
    rules: Rules
    prompts: str = ""

    @property
    def judge_name(self) -> str:
        """The judge's name in scores."""
        return NO_JUDGE if self.judge is None else self.judge.name


def build_setup(config: RunConfig, given: Mapping[str, Resolved] | None = None) -> Setup:
    """Resolve every name of a configuration; agents in `given` are taken as they are.

    Raises:
        UsageError: For a name that does not exist.
        DataError: For data that are missing or damaged.
    """
    rules = find_rules(config.rules)
    judge = resolve_judge(config.judge)
    given = given or {}
    suite = load_suite(config.suite)
    prompts = prompts_for(config.suite, rules)
    agents = [given.get(spec) or resolve_agent(spec, prompts) for spec in config.agents]
    pairs = tuple(
        (agent, resolve_user(config.user, agent.participant, prompts)) for agent in agents
    )
    tasks = chosen_tasks(suite, config.tasks, config.limit)
    return Setup(config, suite, tasks, pairs, judge, rules, f"{prompts.name}@{prompts.digest[:8]}")


def scoring_setup(config: RunConfig) -> Setup:
    """Resolve what scoring needs, and no agents: they may be gone since the run."""
    suite = load_suite(config.suite)
    tasks = chosen_tasks(suite, config.tasks, config.limit)
    return Setup(config, suite, tasks, (), resolve_judge(config.judge), find_rules(config.rules))


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
