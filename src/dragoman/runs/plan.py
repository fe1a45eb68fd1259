"""Which conversations a run consists of: a pure function of its setup.

A cell's key is a hash of everything that can change its result, so adding an agent, a trial or a task
changes no other cell, and a changed file makes other cells instead of silently mixing with old ones.
"""

import functools
from collections.abc import Callable, Iterable

import msgspec

from dragoman.conditions.layers import Realisation
from dragoman.core.conditions import Condition
from dragoman.core.errors import StoreError
from dragoman.core.keys import derive_seed, encoded_parts, key_of_encoded
from dragoman.core.tasks import Task, chain_before
from dragoman.runs.backend import PlainCell
from dragoman.wiring.conditions.exposures import lacks_model
from dragoman.wiring.participants import Resolved, cannot_hear
from dragoman.wiring.setup import Setup

_VERSION = "cell-1"


class Cell(msgspec.Struct, frozen=True, gc=False):
    """One planned conversation.

    `before` are the keys of the conversations that its world begins after, in their order.
    `own_seed` is the seed of an attempt that is not to begin as the first one.
    """

    key: str
    task: Task
    condition: Condition
    agent: Resolved
    user: Resolved
    trial: int
    before: tuple[str, ...] = ()
    own_seed: int | None = None

    @property
    def seed(self) -> int:
        """The seed of the conversation; it derives from the key."""
        return conversation_seed(self.key) if self.own_seed is None else self.own_seed


class Place(msgspec.Struct, frozen=True):
    """Where one conversation stands among all that a setup can play."""

    condition: Condition
    agent: str
    task: str
    trial: int


def plan(setup: Setup) -> tuple[Cell, ...]:
    """Return the cells of a grid, all tasks of the first trial first.

    What does not apply to the suite or to an agent has none: see `not_applicable`.
    """
    left_out = _not_of_suite(setup)
    played = [
        setup.realised(condition)
        for condition in setup.conditions
        if condition.label not in left_out
    ]
    return tuple(
        cell
        for trial in range(setup.config.trials)
        for realisation in played
        for pair in setup.pairs
        if not _not_of_agent(pair[0], realisation.condition)
        for cell in _cells(setup, realisation, pair, trial, setup.tasks)
    )


def cells_at(setup: Setup, places: Iterable[Place]) -> tuple[Cell, ...]:
    """Return the cells at these places, each behind those that its world begins after.

    Raises:
        StoreError: Where the setup has no such conversation.
    """
    tasks = {task.id: task for task in setup.tasks}
    pairs = {agent.name: (agent, user) for agent, user in setup.pairs}
    left_out = _not_of_suite(setup)
    realised = {
        entry: setup.realised(entry) for entry in setup.conditions if entry.label not in left_out
    }
    cells: dict[str, Cell] = {}
    for place in places:
        if place.task not in tasks or place.agent not in pairs or place.condition not in realised:
            raise StoreError(
                f"there is no conversation about task {place.task} with agent {place.agent} as "
                f"{place.condition.label}: data or agents have changed"
            )
        task = tasks[place.task]
        played = (*chain_before(task, tasks), task)
        found = _cells(setup, realised[place.condition], pairs[place.agent], place.trial, played)
        cells |= {cell.key: cell for cell in found if cell.key not in cells}
    return tuple(cells.values())


def plain_cell(cell: Cell, attempt: int) -> PlainCell:
    """Return a cell as data."""
    return PlainCell(
        key=cell.key,
        seed=cell.seed,
        task=cell.task.id,
        condition=cell.condition,
        agent=cell.agent.name,
        user=cell.user.name,
        trial=cell.trial,
        before=cell.before,
        attempt=attempt,
    )


def cells_from(setup: Setup) -> Callable[[PlainCell], Cell]:
    """Return what makes a description of a setup's cell that cell again.

    What is returned raises StoreError where it is another one here: data, prompts or agents differ.
    """
    tasks = {task.id: task for task in setup.tasks}
    pairs = {agent.name: (agent, user) for agent, user in setup.pairs}
    realised = functools.cache(setup.realised)

    def cell_from(plain: PlainCell) -> Cell:
        is_known = plain.condition in setup.conditions
        if is_known and plain.task in tasks and plain.agent in pairs:
            pair = pairs[plain.agent]
            realisation = realised(plain.condition)
            key = _Keys(setup, realisation, pair, plain.trial)
            found = _cell(key, realisation, pair, tasks[plain.task], plain.trial)
            if found.key == plain.key:
                return msgspec.structs.replace(found, own_seed=plain.seed, before=plain.before)
        raise StoreError(
            f"task {plain.task} with agent {plain.agent} is another conversation where it should "
            "be played: data, prompts or agents differ there"
        )

    return cell_from


def not_applicable(setup: Setup) -> dict[str, str]:
    """Return by label what does not apply, and why: conditions to the suite, or to an agent."""
    found = _not_of_suite(setup)
    return found | {
        f"{condition.label}, agent {agent.name}": why
        for condition in setup.conditions
        if condition.label not in found
        for agent, _ in setup.pairs
        if (why := _not_of_agent(agent, condition))
    }


def _not_of_agent(agent: Resolved, condition: Condition) -> str:
    return cannot_hear(agent, condition) or lacks_model(agent, condition)


def _not_of_suite(setup: Setup) -> dict[str, str]:
    """Return by label the conditions that do not apply to the suite, and why."""
    reasons = {entry.label: setup.suite.not_applicable(entry) for entry in setup.conditions}
    return {label: why for label, why in reasons.items() if why}


def conversation_seed(key: str) -> int:
    """Return the seed of a cell's conversation."""
    return derive_seed(key, "conversation")


def _cells(
    setup: Setup,
    realisation: Realisation,
    pair: tuple[Resolved, Resolved],
    trial: int,
    played: Iterable[Task],
) -> tuple[Cell, ...]:
    """Return one cell per task; a cell's chain is that of its task, played by the same agent."""
    tasks = {task.id: task for task in played}
    key = _Keys(setup, realisation, pair, trial)
    cells = {name: _cell(key, realisation, pair, task, trial) for name, task in tasks.items()}
    return tuple(
        cell
        if not cell.task.after
        else msgspec.structs.replace(
            cell, before=tuple(cells[task.id].key for task in chain_before(cell.task, tasks))
        )
        for cell in cells.values()
    )


def _cell(
    key: "_Keys",
    realisation: Realisation,
    pair: tuple[Resolved, Resolved],
    task: Task,
    trial: int,
) -> Cell:
    return Cell(key.of(task), task, realisation.condition, *pair, trial)


class _Keys:
    """The keys of cells that differ in their task alone; what they share is encoded once."""

    def __init__(
        self,
        setup: Setup,
        realisation: Realisation,
        pair: tuple[Resolved, Resolved],
        trial: int,
    ) -> None:
        self._digest = setup.suite.provenance.digest
        agent, user = pair
        self._shared = encoded_parts(
            realisation.condition.identity,
            agent.identity,
            user.identity,
            setup.rules,
            setup.config.limits,
            setup.config.seed,
            trial,
            *realisation.identities,
        )

    def of(self, task: Task) -> str:
        """Return the key of a task's cell."""
        own = encoded_parts(_VERSION, task.suite, self._digest, task.id, task.digest)
        return key_of_encoded(own, self._shared)
