"""The interfaces by the names that entries give them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Protocol, cast

import msgspec

from dragoman.benchmarks.bfcl.apis.long_texts import LongTexts
from dragoman.core.errors import DataError
from dragoman.core.tools import ToolKind


class Api(Protocol):
    """One interface in one world; its public methods are the functions that may be called."""

    def state(self) -> dict[str, object]:
        """Return the attributes by which states are compared, for keeping and not for changing."""
        ...


class ApiEntry(msgspec.Struct, frozen=True):
    """Where an interface's class lies, and which of its functions can change its state.

    `moves` change what no state shows: where one stands, and what is drawn next.
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
    """Return fresh interfaces for an entry, in its order.

    Args:
        involved: The names of the classes.
        initial_config: A scenario by class; it is shared and never written to. What is missing
            starts from the built-in scenario; what is not involved is ignored.
        long: What long contexts add; None for ordinary entries.

    Raises:
        DataError: For a class that does not exist, or a scenario that is no object.
    """
    apis: dict[str, Api] = {}
    for name in involved:
        scenario = initial_config.get(name, {})
        if not isinstance(scenario, Mapping):
            raise DataError(f"the initial configuration of {name} is no object")
        apis[name] = cast("MakeApi", _api_class(name))(scenario, long)
    return apis


@cache
def functions(name: str) -> Mapping[str, ToolKind]:
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
    return frozenset(n for n, kind in functions(name).items() if kind == "read" and n not in moves)


def is_look(of_class: str, function: str) -> bool:
    """Whether a function of a class leaves an interface as it is: what follows stays the same."""
    return function in _looks(of_class)
