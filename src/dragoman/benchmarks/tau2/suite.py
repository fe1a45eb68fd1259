"""A tau2 domain as a suite: read once from its files, then shared by every conversation."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from dragoman.benchmarks.arguments import Validator, compile_validators
from dragoman.benchmarks.tau2.conductor import HalfDuplex
from dragoman.benchmarks.tau2.retail import domain as retail
from dragoman.benchmarks.tau2.tasks import decode_tasks
from dragoman.benchmarks.tau2.world import DomainWorld
from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Limits, Provenance, World, WorldFactory
from dragoman.core.rules import Rules
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolKind, Toolset, ToolSpec

Read = Callable[[str], bytes]
"""Returns the content of one of a domain's files by its short name, or raises DataError."""

FILES = ("db.json", "tasks.json", "policy.md", "tools_openai.json")


class DomainSuite:
    """One domain with its tasks, policy, tools and shared database."""

    def __init__(self, name: str, read: Read, source: Provenance) -> None:
        content = {file: read(file) for file in FILES}
        self.name = name
        digest = content_key(
            *(content_key(content[file].decode("utf-8", "replace")) for file in FILES)
        )
        self.provenance = msgspec.structs.replace(source, digest=digest)
        self.toolsets: Mapping[Role, Toolset] = {
            "agent": decode_tools(
                content["tools_openai.json"], retail.KINDS["agent"], f"{name}: tools"
            )
        }
        self.tasks: Sequence[Task] = decode_tasks(
            content["tasks.json"], name, retail.KINDS, f"{name}: tasks"
        )
        self._policy = content["policy.md"].decode("utf-8")
        self._database = content["db.json"]

    def policy(self, task: Task) -> str:  # noqa: ARG002 - one policy serves every task of the domain
        """Return the domain's policy."""
        return self._policy

    def factory(self, rules: Rules) -> WorldFactory:
        """Return what makes worlds under a rule set."""
        make_world = self._make_world
        validators = self._validators if rules.arguments_are_validated else {}

        def fresh(task: Task) -> DomainWorld:
            world = make_world(rules, self.toolsets, validators)
            for function in () if task.initial_state is None else task.initial_state.functions:
                world.run_function(function)
            return world

        return fresh

    def conductor(self, task: Task, world: World, rules: Rules, limits: Limits) -> HalfDuplex:  # noqa: ARG002 - the protocol is the same for every task
        """Return the protocol of one conversation."""
        return HalfDuplex(world, rules, limits)

    @cached_property
    def _validators(self) -> Mapping[str, Validator]:
        return compile_validators(self.toolsets["agent"])

    @cached_property
    def _make_world(self) -> retail.MakeWorld:
        try:
            return retail.load(self._database)
        except msgspec.DecodeError as error:
            raise DataError(
                f"{self.name}: the database is damaged ({error}): pull it again"
            ) from error


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
    except msgspec.DecodeError as error:
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
