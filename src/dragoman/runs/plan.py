"""The plan of a run: its grid of agents, conditions, tasks and trials, expanded, and its shards.

The plan is a pure function of the setup of a run. The key of a cell is a hash of everything that
can change its result. A new agent, trial or task therefore changes no other cell, and a changed
file gives new cells instead of silently mixing with old ones. A shard is a part of a plan that one
machine plays; conversations that depend on each other are in one shard.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, overload

import msgspec

from dragoman.composition.conditions.personas import lacks_model
from dragoman.composition.setup import Setup
from dragoman.conditions.resolved_condition import ResolvedCondition
from dragoman.config.run_config import Shard
from dragoman.core.conditions import Condition, condition_text
from dragoman.core.content_keys import (
    content_key,
    derive_seed,
    encoded_parts,
    key_of_encoded,
    named_key,
)
from dragoman.core.errors import StoreError
from dragoman.core.tasks import Task, prerequisite_chain
from dragoman.registry.participants import ResolvedParticipant, cannot_hear
from dragoman.runs.backend import CellSpec
from dragoman.store.run_store import RunStore

_VERSION = "cell-1"


class Cell(msgspec.Struct, frozen=True, gc=False):
    """One planned conversation.

    `before` are the keys of the conversations that precede it in its world, in their order.
    `own_seed` is the seed of an attempt that must not begin like the first one.
    """

    key: str
    task: Task
    condition: Condition
    agent: ResolvedParticipant
    user: ResolvedParticipant
    trial: int
    before: tuple[str, ...] = ()
    own_seed: int | None = None

    @property
    def spec_key(self) -> str:
        """The key of the same conversation with an unnamed agent.

        Random draws follow from this key.
        """
        return named_key(self.key, self.agent.name) if self.agent.spec else self.key

    @property
    def seed(self) -> int:
        """The seed of the conversation; it derives from the key."""
        return conversation_seed(self.spec_key) if self.own_seed is None else self.own_seed

    @property
    def draw(self) -> str:
        """Text that separates cached replies of one trial and attempt from all others."""
        return f"{self.spec_key}-{self.seed}"


def conversation_seed(spec_key: str) -> int:
    """Return the seed of a conversation, by its key without the name of its agent."""
    return derive_seed(spec_key, "conversation")


class GridPlace(msgspec.Struct, frozen=True):
    """Place of one conversation among those that a setup can play."""

    condition: Condition
    agent: str
    task: str
    trial: int


class _AroundTrial(NamedTuple):
    """The common part of the keys of cells that differ only in trial and task, encoded once."""

    before: bytes
    after: bytes

    def at(self, trial: int) -> bytes:
        return b",".join(filter(None, (self.before, str(trial).encode(), self.after)))


class CellBlock:
    """The cells of one agent and its user under one condition."""

    def __init__(
        self,
        setup: Setup,
        resolved_condition: ResolvedCondition,
        pair: tuple[ResolvedParticipant, ResolvedParticipant],
    ) -> None:
        agent, user = pair
        self.condition = resolved_condition.condition
        self.agent = agent
        self.user = user
        self._digest = setup.suite.provenance.digest
        self._around = _AroundTrial(
            encoded_parts(
                self.condition.identity,
                agent.identity,
                user.identity,
                setup.rules,
                setup.limits,
                setup.config.seed,
            ),
            encoded_parts(*resolved_condition.identities),
        )

    def shared(self, trial: int) -> bytes:
        """Return the common part of the keys of a trial."""
        return self._around.at(trial)

    def own(self, task: Task) -> bytes:
        """Return the part of a task's keys that does not depend on the block."""
        return encoded_parts(_VERSION, task.suite, self._digest, task.id, task.digest)

    def cell(self, task: Task, trial: int, tasks: Mapping[str, Task]) -> Cell:
        """Return the cell of a task; its chain is that of its task, played by the same agent."""
        shared = self.shared(trial)
        chain = prerequisite_chain(task, tasks) if task.after else ()
        before = tuple(self.key(self.own(each), shared) for each in chain)
        key = self.key(self.own(task), shared)
        return Cell(key, task, self.condition, self.agent, self.user, trial, before)

    def key(self, own: bytes, shared: bytes) -> str:
        """Return the key of a cell.

        If its agent has a name, the name is mixed into the unnamed key.
        """
        key = key_of_encoded(own, shared)
        return named_key(key, self.agent.name) if self.agent.spec else key

    @property
    def plan_fingerprint(self) -> tuple[str, str, str]:
        """The content of the rows of its cells, apart from their tasks and trials."""
        return condition_text(self.condition), self.agent.name, self.shared(0).decode()


class PlannedCells(Sequence[Cell]):
    """The cells of a grid: all blocks of the first trial, then those of the next.

    Args:
        blocks: The blocks, in their order.
        tasks: The tasks of each block, by id.
        trials: Number of trials.
    """

    def __init__(self, blocks: Sequence[CellBlock], tasks: Mapping[str, Task], trials: int) -> None:
        self._blocks = blocks
        self._by_id = tasks
        self._tasks = tuple(tasks.values())
        self._trials = trials

    def __len__(self) -> int:
        return self._trials * len(self._blocks) * len(self._tasks)

    @overload
    def __getitem__(self, index: int) -> Cell: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Cell, ...]: ...
    def __getitem__(self, index: int | slice) -> Cell | tuple[Cell, ...]:
        if isinstance(index, slice):
            return tuple(self[place] for place in range(len(self))[index])
        block, task = divmod(range(len(self))[index], len(self._tasks))
        trial, block = divmod(block, len(self._blocks))
        return self._blocks[block].cell(self._tasks[task], trial, self._by_id)

    def __iter__(self) -> Iterator[Cell]:
        if self.has_chains:
            yield from (self[place] for place in range(len(self)))
            return
        own = self._own
        for trial in range(self._trials):
            for block in self._blocks:
                shared = block.shared(trial)
                of_block = (block.condition, block.agent, block.user, trial)
                for task, encoded in zip(self._tasks, own, strict=True):
                    yield Cell(block.key(encoded, shared), task, *of_block)

    @property
    def has_chains(self) -> bool:
        """Whether some conversations begin where others ended."""
        return any(task.after for task in self._tasks)

    @functools.cached_property
    def _own(self) -> tuple[bytes, ...]:
        return tuple(block.own(task) for block in self._blocks[:1] for task in self._tasks)

    @property
    def plan_fingerprint(self) -> str:
        """A hash of all inputs of the cells: equal hashes mean equal keys in the same order."""
        own = [encoded.decode() for encoded in self._own]
        return content_key(own, [block.plan_fingerprint for block in self._blocks], self._trials)


def plan_cells(setup: Setup) -> tuple[Cell, ...]:
    """Return the cells of a grid, all tasks of the first trial first.

    Conditions that do not apply to the suite or to an agent have no cells: see `not_applicable`.
    """
    return tuple(lazy_plan(setup))


def lazy_plan(setup: Setup) -> PlannedCells:
    """Return the same cells as a sequence that creates each on demand."""
    left_out = _not_of_suite(setup)
    played = [
        setup.resolve_condition(condition)
        for condition in setup.conditions
        if condition.label not in left_out
    ]
    blocks = [
        CellBlock(setup, resolved_condition, pair)
        for resolved_condition in played
        for pair in setup.pairs
        if not _not_of_agent(pair[0], resolved_condition.condition)
    ]
    return PlannedCells(blocks, {task.id: task for task in setup.tasks}, setup.config.trials)


def cells_at(setup: Setup, places: Iterable[GridPlace]) -> tuple[Cell, ...]:
    """Return the cells at these places, each after its prerequisites.

    Raises:
        StoreError: If the setup has no such conversation.
    """
    tasks = {task.id: task for task in setup.tasks}
    agents = {agent.name for agent, _ in setup.pairs}
    left_out = _not_of_suite(setup)
    applicable = {entry for entry in setup.conditions if entry.label not in left_out}
    block_of = _blocks(setup)
    cells: dict[str, Cell] = {}
    for place in places:
        if (
            place.task not in tasks
            or place.agent not in agents
            or place.condition not in applicable
        ):
            raise StoreError(
                f"the setup has no conversation about task {place.task} with agent {place.agent} "
                f"as {place.condition.label}: data or agents have changed"
            )
        block, task = block_of(place.condition, place.agent), tasks[place.task]
        for each in (*prerequisite_chain(task, tasks), task):
            cell = block.cell(each, place.trial, tasks)
            cells.setdefault(cell.key, cell)
    return tuple(cells.values())


def _blocks(setup: Setup) -> Callable[[Condition, str], CellBlock]:
    """Return a cached function that makes the block of a condition and an agent."""
    pairs = {agent.name: (agent, user) for agent, user in setup.pairs}
    return functools.cache(
        lambda condition, agent: CellBlock(setup, setup.resolve_condition(condition), pairs[agent])
    )


def cell_spec(cell: Cell, attempt: int) -> CellSpec:
    """Return a cell as data."""
    return CellSpec(
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


def cell_rebuilder(setup: Setup) -> Callable[[CellSpec], Cell]:
    """Return a function that rebuilds a setup's cell from its description.

    The function raises StoreError if the rebuilt cell differs: data, prompts or agents have
    changed.
    """
    tasks = {task.id: task for task in setup.tasks}
    agents = {agent.name for agent, _ in setup.pairs}
    block_of = _blocks(setup)

    def cell_from(plain: CellSpec) -> Cell:
        is_known = plain.condition in setup.conditions
        if is_known and plain.task in tasks and plain.agent in agents:
            block = block_of(plain.condition, plain.agent)
            found = block.cell(tasks[plain.task], plain.trial, tasks)
            if found.key == plain.key:
                return msgspec.structs.replace(found, own_seed=plain.seed, before=plain.before)
        raise StoreError(
            f"task {plain.task} with agent {plain.agent} is another conversation where it should "
            "be played: data, prompts or agents differ there"
        )

    return cell_from


def not_applicable(setup: Setup) -> dict[str, str]:
    """Return the conditions that are not played, by label, with reasons.

    These are conditions that cannot be played here, that do not apply to the suite, or that do not
    fit an agent.
    """
    found = {**setup.unplayable, **_not_of_suite(setup)}
    return found | {
        f"{condition.label}, agent {agent.name}": why
        for condition in setup.conditions
        if condition.label not in found
        for agent, _ in setup.pairs
        if (why := _not_of_agent(agent, condition))
    }


def _not_of_agent(agent: ResolvedParticipant, condition: Condition) -> str:
    return cannot_hear(agent, condition) or lacks_model(agent, condition)


def _not_of_suite(setup: Setup) -> dict[str, str]:
    """Return the conditions that do not apply to the suite, by label, with reasons."""
    reasons = {entry.label: setup.suite.not_applicable(entry) for entry in setup.conditions}
    return {label: why for label, why in reasons.items() if why}


_Chain = tuple[str, Sequence[str]]
"""The key of a cell, and the keys of the cells that precede it in its world."""


def cells_of_shard(cells: Sequence[Cell], share: Shard) -> tuple[Cell, ...]:
    """Return the cells of a shard, in the plan's order.

    The shard of a cell depends only on its key, so another cell in the plan moves none.
    Conversations that follow others are in the same shard as these, whose keys decide.
    """
    is_in = _membership(((cell.key, cell.before) for cell in cells), share)
    return tuple(cell for cell in cells if is_in(cell.key))


def count_left_of_shard(store: RunStore, share: Shard) -> int:
    """Return the number of unplayed conversations in a shard of a stored run.

    Raises:
        StoreError: If the run cannot be read.
    """
    is_in = _membership(_chains(store), share)
    return sum(map(is_in, store.unplayed().values()))


def _chains(store: RunStore) -> Iterator[_Chain]:
    tasks = store.tasks()
    if not any(task.after for task in tasks.values()):
        return
    cells = store.cells()
    keys = {(cell.condition, cell.agent, cell.trial, cell.task): cell.key for cell in cells}
    for cell in cells:
        around = (cell.condition, cell.agent, cell.trial)
        chain = prerequisite_chain(tasks[cell.task], tasks)
        yield cell.key, [keys[*around, each.id] for each in chain]


def _membership(chains: Iterable[_Chain], share: Shard) -> Callable[[str], bool]:
    """Return a function that tells from a cell's key whether the cell is in a shard."""
    together = _groups(chains)

    def is_in(key: str) -> bool:
        return derive_seed(together(key), "share") % share.of == share.number - 1

    return is_in


def _groups(chains: Iterable[_Chain]) -> Callable[[str], str]:
    """Return a function from a cell's key to the key that represents its group."""
    leads: dict[str, str] = {}

    def lead(key: str) -> str:
        while leads.get(key, key) != key:
            key = leads[key]
        return key

    for own, before in chains:
        if before:
            # A conversation that only follows others never represents its group: a new one would
            # move the group.
            roots = sorted({lead(key) for key in before})
            for key in (*roots, own):
                leads[key] = roots[0]
    return lead
