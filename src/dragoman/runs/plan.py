"""Which conversations a run consists of: a pure function of its setup.

A cell's key is a hash of everything that can change its result, so adding an agent, a trial or a task
changes no other cell, and a changed file makes other cells instead of silently mixing with old ones.
"""

import msgspec

from dragoman.core.conditions import Condition
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.tasks import Task
from dragoman.wiring.participants import Resolved
from dragoman.wiring.setup import Setup

_VERSION = "cell-1"


class Cell(msgspec.Struct, frozen=True):
    """One planned conversation; `seed` derives from its key."""

    key: str
    seed: int
    task: Task
    condition: Condition
    agent: Resolved
    user: Resolved
    trial: int


def plan(setup: Setup) -> tuple[Cell, ...]:
    """Return the cells of a run, all tasks of the first trial first.

    Conditions that do not apply to the suite have none: see `not_applicable`.
    """
    left_out = not_applicable(setup)
    return tuple(
        _cell(setup, condition, pair, task, trial)
        for trial in range(setup.config.trials)
        for condition in setup.conditions
        if condition.label not in left_out
        for pair in setup.pairs
        for task in setup.tasks
    )


def not_applicable(setup: Setup) -> dict[str, str]:
    """Return by label the conditions that do not apply to the suite, and why."""
    reasons = {entry.label: setup.suite.not_applicable(entry) for entry in setup.conditions}
    return {label: why for label, why in reasons.items() if why}


def conversation_seed(key: str) -> int:
    """Return the seed of a cell's conversation."""
    return derive_seed(key, "conversation")


def _cell(
    setup: Setup, condition: Condition, pair: tuple[Resolved, Resolved], task: Task, trial: int
) -> Cell:
    agent, user = pair
    key = content_key(
        _VERSION,
        task.suite,
        setup.suite.provenance.digest,
        task.id,
        task.digest,
        condition,
        agent.identity,
        user.identity,
        setup.rules,
        setup.config.limits,
        setup.config.seed,
        trial,
    )
    return Cell(key, conversation_seed(key), task, condition, agent, user, trial)
