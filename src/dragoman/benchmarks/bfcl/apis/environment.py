"""Environment of a multi-turn entry: its APIs by class name, with functions called by name.

APIs are plain functions. In the asynchronous environment, a call that needs an external answer (web
search, embeddings) raises an exception and is repeated when the answer has arrived. A function must
therefore ask before it changes anything.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from math import isfinite, isnan
from typing import Generic, Protocol, TypeVar, cast

import msgspec

from dragoman.benchmarks.bfcl.apis.results import ApiRefusal, LongTexts, error_text, result_text
from dragoman.benchmarks.bfcl.apis.scenario_values import deep_copy
from dragoman.benchmarks.kit.tables import differences
from dragoman.core.errors import DataError
from dragoman.core.protocols import StateDelta
from dragoman.core.tools import NO_TOOLS, Change, Role, ToolCall, ToolKind, ToolResult, Toolset
from dragoman.core.usage import Usage


class Api(Protocol):
    """One interface in one world; its public methods are the functions that may be called."""

    def state(self) -> dict[str, object]:
        """Return the attributes by which states are compared; the caller must not change them."""
        ...


class ApiEntry(msgspec.Struct, frozen=True):
    """The module of an API class, and the functions that can change its state.

    `moves` change only hidden state: the current position, and the next random draw.
    """

    module: str
    writes: tuple[str, ...]
    moves: tuple[str, ...] = ()


class _Catalogue(msgspec.Struct, frozen=True):
    apis: dict[str, ApiEntry]


MakeApi = Callable[[Mapping[str, object], LongTexts | None], Api]
"""Makes an interface from its scenario ({}: the built-in one) and what long contexts add."""


@cache
def _entries() -> Mapping[str, ApiEntry]:
    text = files(__package__).joinpath("catalogue.toml").read_bytes()
    return msgspec.toml.decode(text, type=_Catalogue).apis


@cache
def _api_class(name: str) -> type:
    """Return the class of that name, or raise DataError."""
    entry = _entries().get(name)
    if entry is None:
        raise DataError(f"unknown class {name!r}: choose of {', '.join(_entries())}")
    module = import_module(f"{__package__}.{entry.module}")
    return cast("type", getattr(module, name))


def make_apis(
    involved: Sequence[str], initial_config: Mapping[str, object], long: LongTexts | None
) -> dict[str, Api]:
    """Return fresh APIs for an entry, in its order.

    Args:
        involved: The names of the classes.
        initial_config: A scenario by class; it is shared and never written to. A class without a
            scenario starts from the built-in one; a class that is not involved is ignored.
        long: The texts that make contexts long; None for ordinary entries.

    Raises:
        DataError: If a class does not exist, or a scenario is not an object.
    """
    apis: dict[str, Api] = {}
    for name in involved:
        scenario = initial_config.get(name, {})
        if not isinstance(scenario, Mapping):
            raise DataError(f"the initial configuration of {name} is not an object")
        apis[name] = cast("MakeApi", _api_class(name))(scenario, long)
    return apis


@cache
def public_functions(name: str) -> Mapping[str, ToolKind]:
    """Return the functions of a class with what they do, in the order they are defined."""
    writes = frozenset(_entries()[name].writes)
    return {
        function: "write" if function in writes else "read"
        for function, value in vars(_api_class(name)).items()
        if callable(value) and not function.startswith("_") and function != "state"
    }


@cache
def _looks(name: str) -> frozenset[str]:
    moves = _entries()[name].moves
    return frozenset(
        n for n, kind in public_functions(name).items() if kind == "read" and n not in moves
    )


def is_read_only(of_class: str, function: str) -> bool:
    """Return whether a function of a class changes nothing that later calls depend on."""
    return function in _looks(of_class)


# Exceptions that an API may raise when a model sends arguments of the wrong number or type.
_CALL_FAILURES = (
    ApiRefusal,
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


class ApiEnvironment:
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
        return None if owner is None else public_functions(owner)[name]

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
        """Return each class's compared attributes in their current state.

        The result is for storage and must not be changed.
        """
        return {name: api.state() for name, api in self._apis.items()}

    def take_changes(self) -> tuple[Change, ...]:
        """Return what changed since the last time this was asked."""
        before, self._last = self._last or self._first(), self.state()
        return _changes(before, self._last)

    def delta(self) -> StateDelta:
        """Return the attributes that differ from the start, as canonical text.

        The values 5 and 5.0 are equal.
        """
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
            raise ApiRefusal(_unknown(call.name))
        if call.malformed:
            raise ApiRefusal(f"the arguments could not be read: {call.malformed}")
        arguments = call.arguments
        for value in arguments.values():
            if isinstance(value, _HOLDING):
                arguments = _copy_arguments(arguments)
                break
            if isinstance(value, float) and not isfinite(value):
                raise ApiRefusal(_endless(value))
        function: Callable[..., object] = getattr(self._apis[owner], call.name)
        if not call.positionals:
            return function(**arguments)
        return function(*map(deep_copy, call.positionals), **arguments)


def make_environment(
    involved: Sequence[str],
    initial_config: Mapping[str, object],
    long: LongTexts | None = None,
    tools: Toolset = NO_TOOLS,
) -> ApiEnvironment:
    """Return a fresh environment of an entry.

    `make_apis` describes the arguments and the exceptions.
    """
    return ApiEnvironment(lambda: make_apis(involved, initial_config, long), tools)


@lru_cache(maxsize=256)
def function_owners(involved: tuple[str, ...]) -> Mapping[str, str]:
    """Return each function's class; of two classes with one name the later has it."""
    return {function: name for name in involved for function in public_functions(name)}


def unknown_function_text(name: str) -> str:
    """Return what the caller of a function that there is not is told."""
    return error_text(_unknown(name))


def _unknown(name: str) -> str:
    parts = name.split(".")
    called = parts[1] if len(parts) > 1 else name
    if called in FORBIDDEN:
        return f"Function call {called} is not allowed."
    return f"name {parts[0]!r} is not defined"


def _copy_arguments(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return arguments that a world may keep and write to: the call belongs to its caller.

    An object of objects is how a call inside an argument is read. The reference would execute such
    a call, and what was read cannot be told from an object: it is refused.
    """
    for value in arguments.values():
        if (number := _endless_in(value)) is not None:
            raise ApiRefusal(_endless(number))
        if isinstance(value, dict) and value and all(isinstance(v, dict) for v in value.values()):
            raise ApiRefusal(f"name {next(iter(value))!r} is not defined")
    return {name: deep_copy(value) for name, value in arguments.items()}


def _endless_in(value: object) -> float | None:
    """Return the first non-finite number in a value, at any depth.

    None if every number in the value is finite.
    """
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
    """Return the error message for a non-finite number.

    Written as Python, such a number is an undefined name.
    """
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

    Keys that are not texts are written in brackets, because an API may have both 0 and "0".
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


Question = TypeVar("Question")
Answer = TypeVar("Answer")


class AnswerPending(Exception):  # noqa: N818 - says what happens to a call
    """A call needs an answer that is not there yet; `fetch` gets it."""

    def __init__(self, fetch: Callable[[], Awaitable[None]]) -> None:
        super().__init__("the call waits for an answer from outside")
        self.fetch = fetch


class AnswerCache(Generic[Question, Answer]):
    """A cache of external answers; each answer is kept for the duration of one call.

    Args:
        ask: Returns an answer and what it consumed; raises ParticipantError where it cannot.
    """

    def __init__(self, ask: Callable[[Question], Awaitable[tuple[Answer, Usage | None]]]) -> None:
        self._ask = ask
        self._answers: dict[Question, Answer] = {}
        self._usage: list[Usage] = []

    def of(self, question: Question) -> Answer:
        """Return the answer, or raise AnswerPending if it must be fetched first."""
        if question not in self._answers:
            raise AnswerPending(lambda: self._fetch(question))
        return self._answers[question]

    def forget(self) -> None:
        """Forget all answers, so that the next call asks again."""
        self._answers.clear()

    def take_usage(self) -> tuple[Usage, ...]:
        """Return the usage of answers since the last call of this method."""
        used, self._usage = tuple(self._usage), []
        return used

    async def _fetch(self, question: Question) -> None:
        self._answers[question], usage = await self._ask(question)
        if usage is not None:
            self._usage.append(usage)


class AnswerSource(Protocol):
    """A source of external answers."""

    def forget(self) -> None:
        """Forget all answers."""
        ...

    def take_usage(self) -> tuple[Usage, ...]:
        """Return the usage of answers since the last call of this method."""
        ...


class AsyncApiEnvironment(ApiEnvironment):
    """An environment with an API that asks external sources."""

    __slots__ = ("_sources",)

    def __init__(
        self, begin: Callable[[], Apis], tools: Toolset, sources: Sequence[AnswerSource]
    ) -> None:
        super().__init__(begin, tools)
        self._sources = sources

    async def call_waiting(self, call: ToolCall) -> ToolResult:
        """Execute a call; other conversations go on while it waits.

        Raises:
            ParticipantError: If an external source failed.
        """
        try:
            return self.call(call)
        except AnswerPending as put_off:
            return await self._answered(call, put_off)
        finally:
            for source in self._sources:
                source.forget()

    def take_usage(self) -> tuple[Usage, ...]:
        """Return the external usage since the last call of this method."""
        return tuple(usage for source in self._sources for usage in source.take_usage())

    async def _answered(self, call: ToolCall, put_off: AnswerPending) -> ToolResult:
        while True:
            await put_off.fetch()
            try:
                # A long page takes time to process, so the call runs in a thread.
                return await asyncio.to_thread(self.call, call)
            except AnswerPending as again:
                put_off = again
