"""Which conversations a run consists of: a pure function of its setup.

A cell's key is a hash of everything that can change its result, so adding an agent, a trial or a task
changes no other cell, and a changed file makes other cells instead of silently mixing with old ones.
"""

import msgspec

from dragoman.conditions.layers import Realisation
from dragoman.core.conditions import Condition
from dragoman.core.errors import StoreError
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.tasks import Task, chain_before
from dragoman.runs.backend import PlainCell
from dragoman.wiring.config import Place
from dragoman.wiring.participants import Resolved
from dragoman.wiring.setup import Setup

_VERSION = "cell-1"


class Cell(msgspec.Struct, frozen=True):
    """One planned conversation; `seed` derives from its key.

    `before` are the keys of the conversations that its world begins after, in their order.
    """

    key: str
    seed: int
    task: Task
    condition: Condition
    agent: Resolved
    user: Resolved
    trial: int
    before: tuple[str, ...] = ()


def plan(setup: Setup) -> tuple[Cell, ...]:
    """Return the cells of a run, all tasks of the first trial first.

    Conditions that do not apply to the suite have none: see `not_applicable`. Where the configuration
    names places there are these cells alone, and those that their worlds begin after.
    """
    left_out = not_applicable(setup)
    played = [
        setup.realised(condition)
        for condition in setup.conditions
        if condition.label not in left_out
    ]
    cells = tuple(
        cell
        for trial in range(setup.config.trials)
        for realisation in played
        for pair in setup.pairs
        for cell in _cells(setup, realisation, pair, trial)
    )
    places = frozenset(setup.config.places)
    if not places:
        return cells
    needed = {key for cell in cells if _place(cell) in places for key in (*cell.before, cell.key)}
    return tuple(cell for cell in cells if cell.key in needed)


def _place(cell: Cell) -> Place:
    return Place(cell.condition, cell.agent.name, cell.task.id, cell.trial)


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


def cell_from(setup: Setup, plain: PlainCell) -> Cell:
    """Return the cell of a setup that was described.

    Raises:
        StoreError: Where it is another one here: data, prompts or agents differ.
    """
    tasks = {task.id: task for task in setup.tasks}
    pairs = {agent.name: (agent, user) for agent, user in setup.pairs}
    is_known = plain.condition in setup.conditions
    if is_known and plain.task in tasks and plain.agent in pairs:
        realisation, pair = setup.realised(plain.condition), pairs[plain.agent]
        found = _cell(setup, realisation, pair, tasks[plain.task], plain.trial)
        if found.key == plain.key:
            return msgspec.structs.replace(found, seed=plain.seed, before=plain.before)
    raise StoreError(
        f"task {plain.task} with agent {plain.agent} is another conversation where it should be "
        "played: data, prompts or agents differ there"
    )


def not_applicable(setup: Setup) -> dict[str, str]:
    """Return by label the conditions that do not apply to the suite, and why."""
    reasons = {entry.label: setup.suite.not_applicable(entry) for entry in setup.conditions}
    return {label: why for label, why in reasons.items() if why}


def conversation_seed(key: str) -> int:
    """Return the seed of a cell's conversation."""
    return derive_seed(key, "conversation")


def _cells(
    setup: Setup, realisation: Realisation, pair: tuple[Resolved, Resolved], trial: int
) -> tuple[Cell, ...]:
    """Return one cell per task; a cell's chain is that of its task, played by the same agent."""
    tasks = {task.id: task for task in setup.tasks}
    cells = {name: _cell(setup, realisation, pair, task, trial) for name, task in tasks.items()}
    return tuple(
        cell
        if not cell.task.after
        else msgspec.structs.replace(
            cell, before=tuple(cells[task.id].key for task in chain_before(cell.task, tasks))
        )
        for cell in cells.values()
    )


def _cell(
    setup: Setup, realisation: Realisation, pair: tuple[Resolved, Resolved], task: Task, trial: int
) -> Cell:
    agent, user = pair
    condition = realisation.condition
    key = content_key(
        _VERSION,
        task.suite,
        setup.suite.provenance.digest,
        task.id,
        task.digest,
        condition.identity,
        agent.identity,
        user.identity,
        setup.rules,
        setup.config.limits,
        setup.config.seed,
        trial,
        *realisation.identities,
    )
    return Cell(key, conversation_seed(key), task, condition, agent, user, trial)
