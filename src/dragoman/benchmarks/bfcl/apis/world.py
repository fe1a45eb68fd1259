"""The world of one multi-turn entry: its interfaces, called by name.

Nothing that a model writes is evaluated: a call is a name and values, looked up and passed on. What
goes wrong becomes the error text of the reference, and what a failing call changed stays changed.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import isfinite, isnan

from dragoman.benchmarks.bfcl.apis.catalogue import Api, functions, make_apis
from dragoman.benchmarks.bfcl.apis.long_texts import LongTexts
from dragoman.benchmarks.bfcl.apis.owning import cloned
from dragoman.benchmarks.bfcl.apis.results import Refused, error_text, result_text
from dragoman.benchmarks.kit.tables import differences
from dragoman.core.protocols import StateDelta
from dragoman.core.tools import NO_TOOLS, Change, Role, ToolCall, ToolKind, ToolResult, Toolset

# What an interface may raise when a model sends arguments of the wrong number or type.
_CALL_FAILURES = (
    Refused,
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
)

FORBIDDEN = frozenset(("kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"))
"""Names that the reference refuses to call, whatever they mean."""

_HOLDING = (dict, list)

Apis = Mapping[str, Api]
Attributes = dict[str, object]
States = dict[str, Attributes]


class ApiWorld:
    """The interfaces of one conversation; two worlds share nothing that either can change.

    `begin` makes the interfaces as they are at the start: once for this world, and again where its
    differences from the start are asked for. `tools` are those that the agent is shown.
    """

    __slots__ = ("_apis", "_begin", "_last", "_owners", "_tools")

    def __init__(self, begin: Callable[[], Apis], tools: Toolset = NO_TOOLS) -> None:
        self._begin = begin
        self._tools = tools
        self._apis = begin()
        self._owners = function_owners(tuple(self._apis))
        self._last: States | None = None

    def tools(self, side: Role) -> Toolset:
        """Return the tools that a side has; the user has none."""
        return self._tools if side == "agent" else NO_TOOLS

    def kind(self, name: str) -> ToolKind | None:
        """Return what a function does to the compared state, or None where there is none."""
        owner = self._owners.get(name)
        return None if owner is None else functions(owner)[name]

    def owner(self, call: ToolCall) -> Role | None:
        """Return whose function a call reaches; None where its caller has no such function."""
        return "agent" if call.by == "agent" and call.name in self._owners else None

    def call(self, call: ToolCall) -> ToolResult:
        """Execute a call; a refusal is a result with `error`, never an exception."""
        content, is_error = self._answer(call)
        return ToolResult(call.id, call.name, content, call.by, is_error)

    def contents(self, calls: Iterable[ToolCall]) -> tuple[str, ...]:
        """Execute calls and return what each is answered."""
        return tuple([self.content(call) for call in calls])

    def execute(self, calls: Iterable[ToolCall]) -> None:
        """Execute calls whose answers nobody asks for."""
        for call in calls:
            try:
                self._value(call)
            except _CALL_FAILURES:
                continue

    def content(self, call: ToolCall) -> str:
        """Execute a call and return what it is answered."""
        try:
            return result_text(self._value(call))
        except _CALL_FAILURES as error:
            return error_text(error)

    def state(self) -> States:
        """Return each class's compared attributes as they are now, for keeping and not for changing."""
        return {name: api.state() for name, api in self._apis.items()}

    def take_changes(self) -> tuple[Change, ...]:
        """Return what changed since the last time this was asked."""
        before, self._last = self._last or self._first(), self.state()
        return _changes(before, self._last)

    def delta(self) -> StateDelta:
        """Return the attributes that differ from the start, as canonical text; 5 and 5.0 are one."""
        return {
            (name, attribute): _canonical(now)
            for name, attribute, _, now in _differing(self._first(), self.state())
        }

    def changes(self) -> tuple[Change, ...]:
        """Return all differences from the start, value by value."""
        return _changes(self._first(), self.state())

    def _answer(self, call: ToolCall) -> tuple[str, bool]:
        """Execute a call; return its result as text, and whether it says what went wrong."""
        try:
            value = self._value(call)
            return result_text(value), isinstance(value, dict) and "error" in value
        except _CALL_FAILURES as error:
            return error_text(error), True

    def _first(self) -> States:
        return {name: api.state() for name, api in self._begin().items()}

    def _value(self, call: ToolCall) -> object:
        owner = self._owners.get(call.name)
        if owner is None or call.by != "agent":
            raise Refused(_unknown(call.name))
        if call.malformed:
            raise Refused(f"the arguments could not be read: {call.malformed}")
        arguments = call.arguments
        for value in arguments.values():
            if isinstance(value, _HOLDING):
                arguments = _kept(arguments)
                break
            if isinstance(value, float) and not isfinite(value):
                raise Refused(_endless(value))
        function: Callable[..., object] = getattr(self._apis[owner], call.name)
        if not call.positionals:
            return function(**arguments)
        return function(*map(cloned, call.positionals), **arguments)


def make_world(
    involved: Sequence[str],
    initial_config: Mapping[str, object],
    long: LongTexts | None = None,
    tools: Toolset = NO_TOOLS,
) -> ApiWorld:
    """Return a fresh world of an entry; `make_apis` says what the arguments are and what it raises."""
    return ApiWorld(lambda: make_apis(involved, initial_config, long), tools)


@lru_cache(maxsize=256)
def function_owners(involved: tuple[str, ...]) -> Mapping[str, str]:
    """Return each function's class; of two classes with one name the later has it."""
    return {function: name for name in involved for function in functions(name)}


def unknown_text(name: str) -> str:
    """Return what the caller of a function that there is not is told."""
    return error_text(_unknown(name))


def _unknown(name: str) -> str:
    parts = name.split(".")
    called = parts[1] if len(parts) > 1 else name
    if called in FORBIDDEN:
        return f"Function call {called} is not allowed."
    return f"name {parts[0]!r} is not defined"


def _kept(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return arguments that a world may keep and write to: the call belongs to its caller.

    An object of objects is how a call inside an argument is read. The reference would execute such
    a call, and what was read cannot be told from an object: it is refused.
    """
    for value in arguments.values():
        if (number := _endless_in(value)) is not None:
            raise Refused(_endless(number))
        if isinstance(value, dict) and value and all(isinstance(v, dict) for v in value.values()):
            raise Refused(f"name {next(iter(value))!r} is not defined")
    return {name: cloned(value) for name, value in arguments.items()}


def _endless_in(value: object) -> float | None:
    """Return a number that is none, as it stands in a value at any depth; None where there is none."""
    if isinstance(value, float):
        return None if isfinite(value) else value
    parts: Iterable[object] = ()
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, list | tuple):
        parts = value
    found = map(_endless_in, parts)
    return next((number for number in found if number is not None), None)


def _endless(value: float) -> str:
    """Return what is said of a number without end: written as Python it is a name that nothing has."""
    return f"name {'nan' if isnan(value) else 'inf'!r} is not defined"


def _differing(before: States, after: States) -> Iterator[tuple[str, str, object, object]]:
    """Yield class, attribute and both values of what differs; what is still shared is not read."""
    for name, attributes in after.items():
        for attribute, now in attributes.items():
            was = before[name][attribute]
            if was is not now and was != now:
                yield name, attribute, was, now


def _changes(before: States, after: States) -> tuple[Change, ...]:
    return tuple(
        change
        for name, attribute, was, now in _differing(before, after)
        for change in differences(_plain(was), _plain(now), (name, attribute))
    )


def _canonical(value: object) -> bytes:
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False).encode()


def _plain(value: object) -> object:
    """Return a value as JSON holds it, so that equal values have one form.

    Keys that are no texts stand in brackets: an interface may have 0 and "0" side by side.
    """
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else f"[{key!r}]": _plain(entry)
            for key, entry in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, set):
        return sorted((_plain(entry) for entry in value), key=repr)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, str | int | float) else None if value is None else str(value)
