"""A tau2 domain as a suite: read once from its files, then shared by every conversation."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import msgspec

from dragoman.benchmarks.arguments import Validator, compile_validators
from dragoman.benchmarks.tau2.airline.domain import AIRLINE
from dragoman.benchmarks.tau2.conductor import HalfDuplex
from dragoman.benchmarks.tau2.databases import laid_over
from dragoman.benchmarks.tau2.retail.domain import RETAIL
from dragoman.benchmarks.tau2.solo import Solo
from dragoman.benchmarks.tau2.tasks import decode_tasks
from dragoman.benchmarks.tau2.telecom.domain import TELECOM, VARIANTS
from dragoman.benchmarks.tau2.world import Domain, DomainWorld, MakeWorld
from dragoman.core.conditions import Condition
from dragoman.core.decoding import UNREADABLE
from dragoman.core.errors import DataError, ToolError, UsageError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Conductor, Limits, Provenance, World, WorldFactory
from dragoman.core.rules import Rules
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolKind, Toolset, ToolSpec

Read = Callable[[str], bytes]
"""Returns the content of one of a domain's files by its short name, or raises DataError."""

DOMAINS: Mapping[str, Domain] = {"airline": AIRLINE, "retail": RETAIL, "telecom": TELECOM}
ALL_DOMAINS: Mapping[str, Domain] = {**DOMAINS, **VARIANTS}

MOST_OWN_DATABASES = 8
"""How many databases with a task's own data in them are kept at a time."""

TASKS = "tasks.json"
SPLITS = "split_tasks.json"
TOOL_FILES: Mapping[Role, str] = {"agent": "tools_openai.json", "user": "user_tools_openai.json"}


class DomainSuite:
    """One domain with its tasks, policy, tools and shared databases.

    `split` names a list of task ids in the domain's split file; None takes all tasks.
    """

    def __init__(
        self,
        name: str,
        read: Read,
        source: Provenance,
        domain: Domain = RETAIL,
        split: str | None = None,
    ) -> None:
        tool_files = {side: TOOL_FILES[side] for side in domain.kinds}
        files = (TASKS, *domain.policy_files, *tool_files.values(), *domain.databases.values())
        content = {file: read(file) for file in files}
        self.name = name
        digest = content_key(*(content[file].decode("utf-8", "replace") for file in files))
        self.provenance = msgspec.structs.replace(source, digest=digest)
        self.toolsets: Mapping[Role, Toolset] = {
            side: decode_tools(content[file], domain.kinds[side], f"{name}: {file}")
            for side, file in tool_files.items()
        }
        tasks = decode_tasks(content[TASKS], name, domain, f"{name}: {TASKS}")
        self.tasks: Sequence[Task] = (
            tasks if split is None else _split(tasks, read(SPLITS), split, f"{name}: {SPLITS}")
        )
        self._policy = domain.compose_policy(
            [_text(content[file], f"{name}: {file}") for file in domain.policy_files]
        )
        self._domain = domain
        self._databases = {file: content[file] for file in domain.databases.values()}

    def not_applicable(self, condition: Condition) -> str:
        """Return why the domain cannot be played under a condition; "" where it can."""
        spoken_by_nobody = condition.voice != "text" or condition.persona != "none"
        if self._domain.is_solo and spoken_by_nobody:
            return "nobody speaks in solo mode: it has neither voice nor persona"
        return ""

    def policy(self, task: Task) -> str:  # noqa: ARG002 - one policy serves every task of the domain
        """Return the domain's policy."""
        return self._policy

    def factory(self, rules: Rules) -> WorldFactory:
        """Return what makes worlds under a rule set."""
        make_world = self._make_world
        validators = self._validators if rules.arguments_are_validated else {}

        def fresh(task: Task) -> DomainWorld:
            own = None if task.initial_state is None else task.initial_state.data
            make = self._world_over(task, rules) if own else make_world
            world = make(rules, self.toolsets, validators)
            _set_up(world, task)
            return world.solo() if self._domain.is_solo else world

        return fresh

    def conductor(self, task: Task, world: World, rules: Rules, limits: Limits) -> Conductor:
        """Return the protocol of one conversation."""
        return (Solo if self._domain.is_solo else HalfDuplex)(world, rules, limits, task.history)

    def _world_over(self, task: Task, rules: Rules) -> MakeWorld:
        """Return what makes worlds over the databases with a task's own data in them."""
        if "user" in self._domain.databases and not rules.initial_data_keep_their_side:
            raise DataError(
                f"{self.name}: task {task.id} brings its own data, which {rules.name} puts into the "
                "other side's database: use other --rules"
            )
        data = {} if task.initial_state is None else task.initial_state.data
        try:
            return self._load_over(msgspec.json.encode(data))
        except UNREADABLE as error:
            raise DataError(
                f"{self.name}: task {task.id}: its own data do not fit the database ({error})"
            ) from error

    @cached_property
    def _load_over(self) -> Callable[[bytes], MakeWorld]:
        def load(data: bytes) -> MakeWorld:
            own = msgspec.json.decode(data)
            return self._domain.load(laid_over(self._databases, self._domain.databases, own))

        return lru_cache(maxsize=MOST_OWN_DATABASES)(load)

    @cached_property
    def _validators(self) -> Mapping[str, Validator]:
        return {
            name: validator
            for toolset in self.toolsets.values()
            for name, validator in compile_validators(toolset).items()
        }

    @cached_property
    def _make_world(self) -> MakeWorld:
        try:
            return self._domain.load(self._databases)
        except UNREADABLE as error:
            raise DataError(
                f"{self.name}: the database is damaged ({error}): pull it again"
            ) from error


def _set_up(world: DomainWorld, task: Task) -> None:
    for function in () if task.initial_state is None else task.initial_state.functions:
        try:
            world.run_function(function)
        except (ToolError, TypeError, ValueError, LookupError) as error:
            raise DataError(
                f"{task.suite}: task {task.id} cannot be set up: {function.name}: {error}"
            ) from error
    world.take_changes()


def _split(tasks: Sequence[Task], content: bytes, split: str, where: str) -> tuple[Task, ...]:
    """Return the tasks of a split, in the order of the task file."""
    try:
        splits = msgspec.json.decode(content, type=dict[str, list[str]])
    except UNREADABLE as error:
        raise DataError(f"{where}: damaged ({error})") from error
    if split not in splits:
        raise UsageError(f"{where}: no split {split!r}: choose {', '.join(sorted(splits))}")
    ids = set(splits[split])
    unknown = ids - {task.id for task in tasks}
    if unknown:
        raise DataError(f"{where}: split {split} names the unknown task {min(unknown)!r}")
    return tuple(task for task in tasks if task.id in ids)


def _text(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: damaged ({error})") from error


class _Function(msgspec.Struct):
    name: str
    description: str
    parameters: dict[str, Any]


class _Tool(msgspec.Struct):
    function: _Function


def decode_tools(content: bytes, kinds: Mapping[str, ToolKind], where: str) -> Toolset:
    """Decode OpenAI function schemas and check them against the tools that exist.

    Raises:
        DataError: Where the file is damaged, or names other tools than the domain has.
    """
    try:
        functions = [tool.function for tool in msgspec.json.decode(content, type=list[_Tool])]
    except UNREADABLE as error:
        raise DataError(f"{where}: damaged ({error})") from error
    if {function.name for function in functions} != set(kinds):
        differing = sorted({function.name for function in functions} ^ set(kinds))
        raise DataError(f"{where}: schemas and tools differ in {', '.join(differing)}")
    return Toolset(
        tuple(
            ToolSpec(entry.name, entry.description, entry.parameters, kinds[entry.name])
            for entry in functions
        )
    )
