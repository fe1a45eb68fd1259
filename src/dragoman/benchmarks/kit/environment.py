"""Environments of benchmarks: toolkits over copy-on-write databases, called by tool name.

A task may bring data of its own, which are merged into the domain's databases (tau2-bench 1.1 and
1.6). `OfferedTools` is the environment for suites that judge calls without executing them.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec

from dragoman.benchmarks.kit.tool_schemas import Validator
from dragoman.core.errors import DataError, ToolError
from dragoman.core.protocols import StateDelta
from dragoman.core.rules import Rules
from dragoman.core.tasks import FunctionCall, Task
from dragoman.core.texts.decoding import escape_surrogates
from dragoman.core.tools import NO_TOOLS, Change, Role, ToolCall, ToolKind, ToolResult, Toolset

Record = TypeVar("Record")


def decode_database(content: bytes, kind: type[Record]) -> Record:
    """Decode a database that is JSON or TOML: only JSON starts with a brace.

    Raises:
        msgspec.DecodeError: If it is neither, or not such a database.
    """
    decode = msgspec.json.decode if _is_json(content) else msgspec.toml.decode
    return decode(content, type=kind)


def merge_task_data(
    databases: Mapping[str, bytes], files: Mapping[Role, str], data: Mapping[Role, Any]
) -> dict[str, bytes]:
    """Return the databases with a task's own data laid over them, side by side.

    Objects are merged key by key, at every depth; whatever else is replaced.
    """
    merged = dict(databases)
    for side, own in data.items():
        original = decode_database(merged[files[side]], dict[str, Any])
        merged[files[side]] = msgspec.json.encode(_merge_values(original, own))
    return merged


def _merge_values(base: Any, over: Any) -> Any:  # noqa: ANN401 - whatever a database holds
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    return {
        **base,
        **{
            key: _merge_values(base[key], value) if key in base else value
            for key, value in over.items()
        },
    }


def _is_json(content: bytes) -> bool:
    return content.lstrip()[:1] == b"{"


# Exceptions that a tool of ours may raise when a model sends arguments of the wrong number or type.
_CALL_FAILURES = (
    ToolError,
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
)


class Toolkit(Protocol):
    """One side's tools: methods named in KINDS, taking keywords and returning text."""

    KINDS: ClassVar[dict[str, ToolKind]]


class DatabasePart(Protocol):
    """One named part of a database; a `Table` is one."""

    def take_changes(self, name: str) -> Iterator[Change]:
        """Yield what changed since the last call, then forget it; paths start with the name."""
        ...

    def changes(self, name: str) -> Iterator[Change]:
        """Yield all differences from the shared data."""
        ...

    def delta(self) -> Iterator[tuple[str, bytes]]:
        """Yield key and canonical bytes of everything that differs from the shared data."""
        ...

    def full_text(self) -> str:
        """Return the canonical text of the whole part (slow; for the reference's hash)."""
        ...


class Database(Protocol):
    """One side's database."""

    def by_name(self) -> Iterable[tuple[str, DatabasePart]]:
        """Return the parts with their names, sorted by name."""
        ...


class ToolkitSide:
    """A toolkit with its tables; `functions` names methods that set up and assert."""

    __slots__ = ("functions", "tables", "toolkit")

    def __init__(
        self, toolkit: Toolkit, tables: Database, functions: frozenset[str] = frozenset()
    ) -> None:
        self.toolkit = toolkit
        self.tables = tables
        self.functions = functions


class DomainEnvironment:
    """The environment of one conversation in one domain.

    `synchronize` keeps two databases in step: it runs at the start and after every successful call
    and function; what it raises is the failure of the call.
    """

    def __init__(
        self,
        sides: Mapping[Role, ToolkitSide],
        toolsets: Mapping[Role, Toolset],
        validators: Mapping[str, Validator],
        synchronize: Callable[[], None] | None = None,
        *,
        is_solo: bool = False,
    ) -> None:
        self._sides = sides
        self._is_solo = is_solo
        self._toolsets = toolsets
        self._validators = validators
        self._synchronize = synchronize
        if synchronize is not None:
            synchronize()

    def unsynchronized(self) -> "DomainEnvironment":
        """Return this same world without what keeps its databases in step."""
        return DomainEnvironment(
            self._sides, self._toolsets, self._validators, is_solo=self._is_solo
        )

    def solo(self) -> "DomainEnvironment":
        """Return this same world with the agent in charge of both sides' tools."""
        sides, toolsets = self._sides, self._toolsets
        return DomainEnvironment(sides, toolsets, self._validators, self._synchronize, is_solo=True)

    def tools(self, side: Role) -> Toolset:
        """Return the tools that a side has."""
        return self._toolsets.get(side, NO_TOOLS)

    def kind(self, name: str) -> ToolKind | None:
        """Return what a tool does; the agent's tools are looked up first."""
        for side in self._sides.values():
            if name in side.toolkit.KINDS:
                return side.toolkit.KINDS[name]
        return None

    def owner(self, call: ToolCall) -> Role | None:
        """Return whose tool a call reaches; None where its caller has no such tool."""
        side = self._side_of(call)
        if side is None or call.name not in self._sides[side].toolkit.KINDS:
            return None
        return side

    def call(self, call: ToolCall) -> ToolResult:
        """Execute a call; what it changed is asked for with `take_changes`."""
        try:
            return ToolResult(call.id, call.name, self._execute(call), call.by)
        except _CALL_FAILURES as error:
            return ToolResult(
                call.id, call.name, escape_surrogates(f"Error: {error}"), call.by, True
            )

    def take_changes(self) -> tuple[Change, ...]:
        """Return what changed since the last time this was asked."""
        return tuple(
            _of_side(side, change)
            for side, part in self._sides.items()
            for name, table in part.tables.by_name()
            for change in table.take_changes(name)
        )

    def run_function(self, call: FunctionCall) -> object:
        """Run a set-up or assertion function; those may be tools as well.

        Raises:
            DataError: If the side does not have the function.
        """
        side = self._sides.get(call.side)
        if side is None or call.name not in {*side.functions, *side.toolkit.KINDS}:
            raise DataError(f"this domain has no function {call.name!r} on the {call.side}'s side")
        value: object = getattr(side.toolkit, call.name)(**call.arguments)
        if self._synchronize is not None:
            self._synchronize()
        return value

    def delta(self) -> StateDelta:
        """Return the canonical text of every record that differs from the data."""
        return {
            (side, name, key): text
            for side, part in self._sides.items()
            for name, table in part.tables.by_name()
            for key, text in table.delta()
        }

    def changes(self) -> tuple[Change, ...]:
        """Return all differences from the data."""
        return tuple(
            _of_side(side, change)
            for side, part in self._sides.items()
            for name, table in part.tables.by_name()
            for change in table.changes(name)
        )

    def fingerprint(self) -> Mapping[Role, str | None]:
        """Return the reference's SHA-256 of each side's whole database."""
        hashes: dict[Role, str | None] = {"agent": None, "user": None}
        for side, text in self.full_texts().items():
            hashes[side] = hashlib.sha256(text.encode()).hexdigest()
        return hashes

    def full_texts(self) -> Mapping[Role, str]:
        """Return each side's whole database as the canonical JSON that the reference hashes."""
        return {side: _full_text(part.tables) for side, part in self._sides.items()}

    def _execute(self, call: ToolCall) -> str:
        side = self._side_of(call)
        if side is None:
            raise ToolError("User tools not available")
        toolkit = self._sides[side].toolkit
        if call.name not in toolkit.KINDS:
            raise ToolError(f"Tool '{call.name}' not found.")
        if call.malformed:
            raise ToolError(f"the arguments could not be read: {call.malformed}")
        validate = self._validators.get(call.name)
        if validate is not None:
            validate(call.arguments)
        text: object = getattr(toolkit, call.name)(**call.arguments)
        if self._synchronize is not None:
            self._synchronize()
        if not isinstance(text, str):
            raise DataError(f"the tool {call.name} returned {type(text).__name__}, not text")
        return escape_surrogates(text)

    def _side_of(self, call: ToolCall) -> Role | None:
        """Return where a call goes; alone, the agent's calls go to the user's tools first."""
        user = self._sides.get("user")
        if self._is_solo and call.by == "agent" and user and call.name in user.toolkit.KINDS:
            return "user"
        return call.by if call.by in self._sides else None


def _full_text(tables: Database) -> str:
    parts = (f'"{name}": {part.full_text()}' for name, part in tables.by_name())
    return f"{{{', '.join(parts)}}}"


def _of_side(side: Role, change: Change) -> Change:
    return change if change.side == side else msgspec.structs.replace(change, side=side)


class DomainEnvironmentFactory(Protocol):
    """Makes worlds of this kind; a `EnvironmentFactory`."""

    def __call__(self, task: Task) -> DomainEnvironment:
        """Return a fresh world in the task's initial state."""
        ...


MakeDomainEnvironment = Callable[
    [Rules, Mapping[Role, Toolset], Mapping[str, Validator]], DomainEnvironment
]
"""Function that makes environments from rules, shown tools and argument validators."""


class Domain(msgspec.Struct, frozen=True):
    """The specifics of one domain: tools, databases and environments.

    Attributes:
        kinds: The tools of each side, by name.
        databases: The database file of each side that has one.
        functions: The set-up and assertion functions of each side, in addition to the tools.
        load: Function that decodes the databases once and returns a maker of environments over
            them; it raises msgspec.DecodeError if they are damaged.
        folder: Folder of its files; empty for the domain's own name.
        is_solo: Whether the agent works alone, from a ticket, with the tools of both sides.
        is_always_validated: Whether arguments are checked under every rule set: a domain without a
            reference has no laxity to repeat.
        policy_files: The files that `compose_policy` makes the policy of.
        compose_policy: Returns the policy, from the texts of those files in their order.
        records: The modules with the records of each side, by the names that import them: their
            text tells translations which values fields have. It is read, not run.
    """

    kinds: Mapping[Role, Mapping[str, ToolKind]]
    databases: Mapping[Role, str]
    load: Callable[[Mapping[str, bytes]], MakeDomainEnvironment]
    policy_files: tuple[str, ...] = ("policy.md",)
    compose_policy: Callable[[Sequence[str]], str] = "".join
    functions: Mapping[Role, frozenset[str]] = {}
    folder: str = ""
    is_solo: bool = False
    is_always_validated: bool = False
    records: Mapping[Role, tuple[str, ...]] = {}


Shared = TypeVar("Shared")
View = TypeVar("View", bound=Database)


def single_database_domain(
    file: str,
    share: Callable[[bytes], Shared],
    view: Callable[[Shared], View],
    toolkit: Callable[[View, Rules], Toolkit],
    kinds: Mapping[str, ToolKind],
) -> Domain:
    """Return a domain in which only the agent has tools, over one database file.

    Args:
        file: The database file.
        share: Decodes it, once, into what all worlds share.
        view: Makes one world's copy-on-write view.
        toolkit: Makes the tools over a view.
        kinds: The tools.
    """

    def load(databases: Mapping[str, bytes]) -> MakeDomainEnvironment:
        shared = share(databases[file])

        def make_environment(
            rules: Rules, toolsets: Mapping[Role, Toolset], validators: Mapping[str, Validator]
        ) -> DomainEnvironment:
            tables = view(shared)
            return DomainEnvironment(
                {"agent": ToolkitSide(toolkit(tables, rules), tables)}, toolsets, validators
            )

        return make_environment

    return Domain({"agent": kinds}, {"agent": file}, load)


class OfferedTools:
    """The functions of one question; the agent sees them and nobody executes them."""

    def __init__(self, tools: Toolset) -> None:
        self._tools = tools

    def tools(self, side: Role) -> Toolset:
        """Return the functions on offer."""
        return self._tools if side == "agent" else NO_TOOLS

    def kind(self, name: str) -> ToolKind | None:
        """Return that nothing is known of what a function would do."""
        return "generic" if name in self._tools else None

    def owner(self, call: ToolCall) -> Role | None:
        """Return the agent for every function on offer."""
        return "agent" if call.name in self._tools and call.by == "agent" else None

    def call(self, call: ToolCall) -> ToolResult:
        """Refuse: there is nothing behind the functions."""
        content = "This function is on offer only: it is not executed."
        return ToolResult(call.id, call.name, content, call.by, error=True)

    def take_changes(self) -> tuple[Change, ...]:
        """Return no changes."""
        return ()

    def delta(self) -> StateDelta:
        """Return no differences."""
        return {}
